//! Bugs outside of the lock-free kit that `crates/planted` plants, one at a time, to see the tests fail. (Those of the kit are
//! [`Bug`](crate::sync::Bug)s, which the loom models catch.)
//!
//! In the library [`slipped`] is `false` at compile time, and nothing is left of it. `crates/planted` compiles the same files with
//! `cfg(planting)`, and there a name switches a bug on.

macro_rules! slips {
    ($($(#[$doc:meta])* $slip:ident,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(not(planting), allow(dead_code))]
        pub(crate) enum Slip {
            $($(#[$doc])* $slip,)*
        }

        #[cfg(planting)]
        const ALL: &[Slip] = &[$(Slip::$slip),*];
    };
}

slips! {
    /// The half-neighbourhood leaves out the last row of an entry's layer that it reaches.
    UpwardRowMissed,
    /// The half-neighbourhood begins one row too late in the layers behind.
    BackwardRowMissed,
    /// Layers behind are compared only up to the entry's own row.
    CornerRowsMissed,
    /// An entry is compared with itself.
    ComparedWithItself,
    /// Rows are searched from the entry's own cell on, without those that reach into it from before.
    SpanForgotten,
    /// What reaches beyond its chunk in x is not compared there.
    NextChunkMissed,
    /// How far a box reaches is told by its rounded extent instead of by its cells.
    SpanByExtent,
    /// Levels are not compared with the next coarser one.
    LevelSkipped,
    /// A look into a coarser level leaves out the last row of its window.
    WindowRowMissed,
    /// A look into a coarser level does not see what reaches into the window.
    WindowWithoutSpan,
    /// The last of those that fit no level is forgotten.
    ListedLastMissed,
    /// Those that fit no level are not compared with the chunks' entries.
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
    /// A crowded chunk's last item of work ends too early.
    ItemShort,
    /// A full block of pairs is not handed back.
    BlockLost,
    /// Groups are asked in one direction only.
    GroupsOneWay,
    /// Groups of objects that joined a scene without groups are not noticed.
    GroupsUnnoticed,
    /// An inverted box is taken for a valid one.
    InvertedAccepted,
    /// The first object that the last step did not have is left out.
    NewcomerLost,
}

#[cfg(not(planting))]
#[inline(always)]
pub(crate) const fn slipped(_slip: Slip) -> bool {
    false
}

#[cfg(planting)]
pub(crate) use planting::slipped;

/// How to plant a bug; only in `crates/planted`.
#[cfg(planting)]
pub mod planting {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{ALL, Slip};
    use crate::sync::Bug;

    /// What is planted: 0 nothing, odd a [`Slip`], even a [`Bug`]. Relaxed: planted between steps.
    static PLANTED: AtomicUsize = AtomicUsize::new(0);

    /// The kit's bugs that are data races in the whole engine, not only among atomics: a sanitizer sees them. Loom has the others.
    const KIT: &[Bug] = &[Bug::CursorTorn, Bug::SlabRelaxed, Bug::SlabReadRelaxed];

    pub(crate) fn slipped(slip: Slip) -> bool {
        PLANTED.load(Ordering::Relaxed) == 2 * slip as usize + 1
    }

    pub(crate) fn planted(bug: Bug) -> bool {
        PLANTED.load(Ordering::Relaxed) == 2 * bug as usize + 2
    }

    /// The names of all slips.
    pub fn slips() -> impl Iterator<Item = String> {
        ALL.iter().map(|slip| format!("{slip:?}"))
    }

    /// The names of the kit's bugs that can be planted here.
    pub fn kit() -> impl Iterator<Item = String> {
        KIT.iter().map(|bug| format!("{bug:?}"))
    }

    /// Plants the bug of this name in place of the one before, or nothing.
    ///
    /// # Panics
    ///
    /// If there is no such bug.
    pub fn plant(name: Option<&str>) {
        let code = name.map_or(0, |name| {
            let slip = ALL.iter().find(|slip| format!("{slip:?}") == name).map(|&slip| 2 * slip as usize + 1);
            let bug = || KIT.iter().find(|bug| format!("{bug:?}") == name).map(|&bug| 2 * bug as usize + 2);
            slip.or_else(bug).unwrap_or_else(|| panic!("no bug is called {name}"))
        });
        PLANTED.store(code, Ordering::Relaxed);
    }
}
