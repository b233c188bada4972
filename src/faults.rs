//! Faults that tests inject, one at a time, to prove that the tests can fail.
//!
//! In the library [`injected`] is `false` at compile time, so the compiler removes it. `checks/planted` compiles the same files with
//! `cfg(planting)`, `loom_tests` compiles the lock-free kit with `cfg(loom)`; both switch a fault on by its name.

macro_rules! faults {
    (kit { $($(#[$kit_doc:meta])* $kit:ident,)* } passes { $($(#[$doc:meta])* $fault:ident,)* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(not(planting), allow(dead_code))]
        pub(crate) enum Fault {
            $($(#[$kit_doc])* $kit,)*
            $($(#[$doc])* $fault,)*
        }

        /// The faults of the lock-free kit. Each has a loom model that catches it.
        #[allow(dead_code)]
        pub(crate) const KIT: &[Fault] = &[$(Fault::$kit),*];

        /// The faults of the passes. The tests of `checks/planted` catch them.
        #[allow(dead_code)]
        pub(crate) const PASSES: &[Fault] = &[$(Fault::$fault),*];
    };
}

faults! {
    kit {
        /// A chunk is published without release: a thread that finds it may see an unfinished key or stale counters.
        PublishRelaxed,
        /// An inserter reads the directory's slot without acquire: same effect from the other side.
        FindRelaxed,
        /// A look-up reads the directory's slot without acquire: it may return a chunk with the counters of the last step.
        LookUpRelaxed,
        /// The loser of a race for a slot looks at the winner's chunk without acquire: it may not recognize its own key.
        LoserRelaxed,
        /// A chunk is published by a plain store instead of a compare-and-swap: one key gets two chunks.
        PublishByStore,
        /// A chunk is published first and named afterwards: a thread that looks meanwhile finds the wrong key.
        KeyAfterPublish,
        /// Half of the hash is taken for the key: two keys get one chunk.
        KeyUnchecked,
        /// The loser of a race for a slot goes on to the next slot without looking at the winner: one key gets two chunks.
        LoserMovesOn,
        /// The loser of a race forgets its chunk instead of keeping it as a spare: the pool drains.
        LoserForgetsSpare,
        /// A spare is used and kept: two keys get one chunk.
        SpareUsedTwice,
        /// The directory looks at its fill before it takes a chunk, not at the chunk it took: it overfills and a probe never ends.
        FillCheckedThenTaken,
        /// The publisher does not note the slot in the chunk: the slot is not emptied after the step.
        SlotForgotten,
        /// Pool indices are handed out by load and store: two threads get one chunk.
        PoolClaimTorn,
        /// The pool looks at its limit before it takes an index, not at the index it took: it hands out one index too many.
        LimitCheckedThenTaken,
        /// A recycled chunk is not cleared: it begins with the counters of the last step.
        ChunkNotCleared,
        /// The pool's slab is published by a plain store: the loser's slab replaces the winner's under its feet.
        SlabByStore,
        /// The pool's slab is published without release: its words may be seen before they were made.
        SlabRelaxed,
        /// The pool's slab is used without acquire: same effect from the other side.
        SlabReadRelaxed,
        /// The loser of a race for a slab does not free its own: a leak.
        SlabLeaked,
        /// A segment is appended by load and store: another worker's segment is lost.
        AppendTorn,
        /// A chunk's total is counted by load and store: some objects get no room.
        TotalTorn,
        /// A chunk's longest segment is noted by load and store: a longer one is lost.
        LongestTorn,
        /// A unit of work is claimed by load and store: two workers get it.
        ShareTorn,
        /// Work is claimed by load and store: a block is worked on twice.
        CursorTorn,
        /// The blocks of two slices are claimed one after the other: a worker without a block of the first takes another's of the second.
        ZipClaimedTwice,
        /// The new elements of a vector are counted by load and store: some seem not to be written.
        FilledTorn,
        /// A chunk's data range is one entry short: two chunks overlap.
        RangeShort,
        /// A value made once is published by a plain store: two threads see two values.
        OnceByStore,
        /// A value made once is published without release: it may be seen unfinished.
        OncePublishRelaxed,
        /// A value made once is read without acquire: same effect from the other side.
        OnceReadRelaxed,
        /// The loser of a race to publish reads the winner's value without acquire: same effect.
        OnceLoserRelaxed,
        /// The loser of a race to publish forgets its value: a leak.
        OnceLoserLeaked,
        /// The spare is taken by load and store: two threads own it.
        OnceSpareTorn,
        /// The spare is taken without acquire: it may be seen unfinished.
        OnceSpareRelaxed,
    }
    passes {
        /// The half-neighborhood leaves out the last row of an entry's layer that it reaches.
        UpwardRowMissed,
        /// The half-neighborhood begins one row too late in the layers behind.
        BackwardRowMissed,
        /// Layers behind are compared only up to the entry's own row.
        CornerRowsMissed,
        /// An entry is compared with itself.
        ComparedWithItself,
        /// Rows are searched from the entry's own cell on, without those that reach into it from before.
        SpanForgotten,
        /// What reaches beyond its chunk in x is not compared there.
        NextChunkMissed,
        /// How far a box reaches is computed from its rounded extent instead of its cells.
        SpanByExtent,
        /// Levels are not compared with the next coarser one.
        LevelSkipped,
        /// A look into a coarser level leaves out the last row of its window.
        WindowRowMissed,
        /// A look into a coarser level does not see what reaches into the window.
        WindowWithoutSpan,
        /// The last oversized object is forgotten.
        ListedLastMissed,
        /// Oversized objects are not compared with the chunks' entries.
        ListedAcrossMissed,
        /// The mask of the last comparisons of a run has a lane too few.
        MaskShort,
        /// The mask of the last comparisons of a run has all lanes: what lies behind the run is compared as well.
        MaskFull,
        /// Boxes that only touch are not taken to overlap (portable kernel).
        TouchIsNoOverlap,
        /// A run that is no multiple of the lanes loses its rest.
        RunRestLost,
        /// Where an entry ends is computed by another formula than where it lives: cells below zero are off by one.
        CellByTwoFormulas,
        /// Only the last block's spans are taken into account.
        SpansOfOneBlock,
        /// Boxes are regrouped by chunk, and their indices are not.
        RegroupedIdsStay,
        /// A chunk's last item of work ends too early.
        ItemShort,
        /// The sort pass leaves out the last object of each segment that has several.
        SegmentShort,
        /// The last of a crowded chunk's pieces is not sorted.
        PieceLost,
        /// The pieces of a crowded chunk begin one entry too early in each cell: they overlap.
        PiecesOverlap,
        /// The last chunk of a unit of sorting is not sorted.
        UnitLastChunkLost,
        /// Groups and balls are filled in for the chunks' entries only, not for oversized ones.
        ExtrasOfChunksOnly,
        /// An entry is compared with all but the last of those behind it in its row.
        DiagonalShort,
        /// A full block of pairs is not handed back.
        BlockLost,
        /// Groups are checked in one direction only.
        GroupsOneWay,
        /// Groups of objects that joined a scene without groups are not noticed.
        GroupsUnnoticed,
        /// An inverted box is taken for a valid one.
        InvertedAccepted,
        /// The first object that the last step did not have is left out.
        NewcomerLost,
    }
}

#[cfg(not(any(planting, loom)))]
#[inline(always)]
pub(crate) const fn injected(_fault: Fault) -> bool {
    false
}

#[cfg(loom)]
pub(crate) use crate::planted::injected;
#[cfg(all(planting, not(loom)))]
pub(crate) use planting::injected;

/// Switches faults on; only in `checks/planted`.
#[cfg(all(planting, not(loom)))]
pub mod planting {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{Fault, KIT, PASSES};

    /// The injected fault plus one, or 0. Relaxed: it changes between steps.
    static INJECTED: AtomicUsize = AtomicUsize::new(0);

    /// The kit's faults that are data races in the whole engine, not only among atomics: a sanitizer sees them. Loom has the others.
    const RACES: &[Fault] = &[Fault::CursorTorn, Fault::SlabRelaxed, Fault::SlabReadRelaxed];

    pub(crate) fn injected(fault: Fault) -> bool {
        INJECTED.load(Ordering::Relaxed) == fault as usize + 1
    }

    /// The names of the passes' faults.
    pub fn passes() -> impl Iterator<Item = String> {
        PASSES.iter().map(|fault| format!("{fault:?}"))
    }

    /// The names of the kit's faults that make a sanitizer report a race.
    pub fn kit() -> impl Iterator<Item = String> {
        RACES.iter().map(|fault| format!("{fault:?}"))
    }

    /// Injects the fault of this name in place of the one before, or none.
    ///
    /// # Panics
    ///
    /// If there is no such fault.
    pub fn plant(name: Option<&str>) {
        let code = name.map_or(0, |name| {
            let known = KIT.iter().chain(PASSES).find(|fault| format!("{fault:?}") == name);
            *known.unwrap_or_else(|| panic!("no fault is called {name}")) as usize + 1
        });
        INJECTED.store(code, Ordering::Relaxed);
    }
}
