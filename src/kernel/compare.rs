//! Compares windows of the table with entries. Masks first, extraction after.
//!
//! The search lists *tasks*: an entry, and a window of at most sixteen entries. One loop compares all tasks and stores masks, with
//! no branch and no dependence between tasks. A second loop drops the empty masks and turns the others into hits. Hits become pairs
//! in whole vectors.

#![allow(unsafe_code)]

use std::ops::Range;

use super::Work;
use super::hits::{Flush, PairRoom, object, objects};
use super::isa::{Isa, Lanes, Mask, WIDTH, first_lanes};
use super::list::TwinList;
use super::scalar::{Boxes, splat_box};
use crate::faults::{Fault, injected};
use crate::layout::columns::Columns;
use crate::{Aabb, Scalar};

/// Tasks are compared when there are more than this.
const TASKS: usize = 1024;

/// The most entries that are compared with all behind them at a time.
pub(crate) const FOLLOWED: usize = 256;

const _: () = assert!(2 * FOLLOWED <= TASKS, "there is room for the tasks of a window");

/// Hits become pairs when there are more than this.
const HITS: usize = 512;

/// A worker's lists of tasks and hits.
#[derive(Debug, Default)]
pub(crate) struct Comparisons {
    /// The entry, relative to the search's first one, in the upper half, and the lanes of the window in the lower half; and where the
    /// window begins.
    tasks: TwinList,
    masks: Vec<Mask>,
    /// Both sides of each hit: objects, or entries if overlapping boxes are not all that makes a pair.
    hits: TwinList,
}

impl Comparisons {
    /// Allocates the lists' memory, once.
    pub(crate) fn reserve(&mut self) {
        self.tasks.reserve(TASKS + WIDTH);
        self.hits.reserve(HITS + WIDTH * WIDTH);
        let masks = crate::runtime::memory::Budget::unlimited();
        crate::runtime::memory::grow_exactly(&mut self.masks, TASKS + 2 * WIDTH, 0, &masks);
    }

    /// Clears what an incomplete search left.
    pub(crate) fn clear(&mut self) {
        [&mut self.tasks, &mut self.hits].into_iter().for_each(TwinList::clear);
    }

    pub(crate) fn bytes(&self) -> usize {
        let lists: usize = [&self.tasks, &self.hits].into_iter().map(TwinList::bytes).sum();
        lists + self.masks.capacity() * size_of::<Mask>()
    }
}

/// Compares entries of a table, in one instruction set. `EXTRAS`: overlapping boxes are not all that makes a pair.
pub(crate) struct Comparer<'a, I: Isa, S, const D: usize, const EXTRAS: bool> {
    pub(crate) isa: I,
    pub(crate) columns: Columns<'a, S, D>,
    lists: &'a mut Comparisons,
    out: &'a mut dyn PairRoom,
    /// Tasks' entries are relative to this one.
    base: usize,
    /// The lengths of the windows that were added since tasks were compared last, by lane.
    added: I::Words,
    /// How many pairs of boxes were compared, besides these.
    pub(crate) candidates: u64,
    /// How many chunks of other levels were looked for.
    pub(crate) looks: u64,
}

impl<'a, I: Isa, S: Scalar, const D: usize, const EXTRAS: bool> Comparer<'a, I, S, D, EXTRAS> {
    #[inline(always)]
    pub(crate) fn new(isa: I, columns: Columns<'a, S, D>, lists: &'a mut Comparisons, out: &'a mut dyn PairRoom) -> Self {
        Comparer { isa, columns, lists, out, base: 0, added: isa.splat(0), candidates: 0, looks: 0 }
    }

    /// Tasks from now on name entries relative to this one. All tasks so far are compared first.
    #[inline(always)]
    pub(crate) fn set_base(&mut self, base: usize) {
        self.compare();
        self.base = base;
    }

    /// Adds the windows from `begin` to `end` (empty if that ends before it begins) of the lanes of a mask, each in tasks of at most
    /// sixteen. `entries` are relative to the base and shifted to the upper half.
    #[inline(always)]
    pub(crate) fn add(&mut self, mask: Mask, entries: I::Words, mut begin: I::Words, end: I::Words) {
        let isa = self.isa;
        let (one, sixteen) = (isa.splat(1), isa.splat(WIDTH as i32));
        let mut len = isa.sub(end, begin);
        let mut some = mask & isa.gt(len, isa.splat(if injected(Fault::RunRestLost) { WIDTH as i32 - 1 } else { 0 }));
        self.added = isa.add(self.added, isa.select(some, len, isa.splat(0)));
        loop {
            if self.lists.tasks.len() > TASKS {
                self.compare();
            }
            let mut inside = isa.min(len, sixteen);
            if injected(Fault::MaskShort) {
                inside = isa.max(isa.sub(inside, one), isa.splat(0));
            }
            if injected(Fault::MaskFull) {
                inside = sixteen;
            }
            let lanes = isa.sub(isa.power_of_two(inside), one);
            let mut tasks = self.lists.tasks.extend();
            tasks.append(isa, some, isa.or(entries, lanes), begin);
            tasks.finish();
            some &= isa.gt(len, sixteen);
            if some == 0 {
                return;
            }
            begin = isa.add(begin, sixteen);
            len = isa.sub(len, sixteen);
        }
    }

    /// Compares the entries of a range, at most [`FOLLOWED`], each with all that are behind it and before `end`. They share the windows, so
    /// a window is loaded once for all of them.
    #[inline(always)]
    pub(crate) fn compare_following(&mut self, entries: Range<usize>, end: usize) {
        let isa = self.isa;
        assert!(entries.len() <= FOLLOWED);
        self.set_base(entries.start);
        assert!(entries.end <= end && end <= self.columns.entries);
        let (pointers, mut candidates) = (self.columns.pointers(), 0);
        for window in (entries.start..end).step_by(WIDTH) {
            // SAFETY: an entry, and every column is padded by sixteen values.
            let others = unsafe { pointers.sixteen(isa, window) };
            let inside = lanes_below(end - window);
            let mut tasks = self.lists.tasks.extend();
            for entry in entries.start..entries.end.min(window + WIDTH) {
                // Those behind it: all, unless it is one of these sixteen itself.
                let behind = u32::from(Mask::MAX) << (entry + 1).saturating_sub(window).min(WIDTH);
                let lanes = inside & behind as Mask;
                // SAFETY: an entry.
                let mask = unsafe { overlap(isa, lanes, &pointers.all_lanes(isa, entry), &others) };
                tasks.push_if(mask != 0, ((entry - entries.start) as u32) << 16 | u32::from(mask), window as u32);
                candidates += u64::from(lanes.count_ones());
            }
            tasks.finish();
            if self.lists.tasks.len() > TASKS - FOLLOWED {
                isa.run(TakeHits(self));
            }
        }
        self.candidates += candidates;
        isa.run(TakeHits(self));
    }

    /// Compares all tasks and keeps the hits.
    #[inline(always)]
    pub(crate) fn compare(&mut self) {
        // Functions of their own: inlined at every place that fills the list, they would need too many registers.
        if self.lists.tasks.len() > 0 {
            self.isa.run(FillMasks(self));
            self.isa.run(Extract(self));
        }
        // Before a lane overflows: the list has room for few tasks, and a chunk's own rows for its entries.
        let added = std::mem::replace(&mut self.added, self.isa.splat(0));
        self.candidates += self.isa.array(added).iter().map(|&len| u64::from(len)).sum::<u64>();
    }

    /// Compares, and stores masks: no branch, no dependence between tasks. Bound by its loads, so nothing else is read.
    #[inline(always)]
    fn fill_masks(&mut self) {
        let isa = self.isa;
        let (entries, windows) = self.lists.tasks.slices();
        self.columns.check(self.base, entries, windows);
        let (pointers, base) = (self.columns.pointers(), self.base);
        for ((mask, &task), &window) in self.lists.masks.iter_mut().zip(entries).zip(windows) {
            let lanes = task as Mask;
            // SAFETY: entries and windows begin below `entries`, and every column is padded by sixteen values.
            *mask = unsafe {
                let own = pointers.all_lanes(isa, base + (task >> 16) as usize);
                overlap(isa, lanes, &own, &pointers.sixteen(isa, window as usize))
            };
        }
    }

    /// Drops tasks without a hit, sixteen at a time, and takes the hits of the others.
    #[inline(always)]
    fn extract(&mut self) {
        let isa = self.isa;
        let count = self.lists.tasks.len();
        let upper = isa.splat(!0xffff);
        // Kept items are written to the front of the list; the loop reads behind it.
        let mut tasks = self.lists.tasks.rewrite();
        for at in (0..count).step_by(WIDTH) {
            let masks: &[Mask; WIDTH] = self.lists.masks[at..].first_chunk().expect("masks are padded");
            let masks = isa.words(&masks.map(u32::from));
            let some = first_lanes(count - at) & isa.gt(masks, isa.splat(0));
            let (entries, windows) = tasks.sixteen(isa, at);
            tasks.append(isa, some, isa.or(isa.and(entries, upper), masks), windows);
        }
        tasks.finish();
        self.take_hits();
    }

    /// Moves the hits' lanes of tasks, of which these are the lanes, to the front.
    #[inline(always)]
    fn take_hits(&mut self) {
        let isa = self.isa;
        let Comparisons { tasks, hits, .. } = &mut *self.lists;
        let (entries, windows) = tasks.slices();
        self.columns.check(self.base, entries, windows);
        let mut writer = hits.extend();
        for (&task, &window) in entries.iter().zip(windows) {
            let (entry, window) = (self.base + (task >> 16) as usize, window as usize);
            // SAFETY: both are below `entries`.
            let (own, others) =
                unsafe { (object::<_, _, EXTRAS>(&self.columns, entry), objects::<_, _, _, EXTRAS>(isa, &self.columns, window)) };
            writer.append_same(isa, task as Mask, isa.splat(own as i32), others);
            if writer.len() > HITS {
                writer.finish();
                isa.run(Flush::<I, S, D, EXTRAS> { columns: &self.columns, hits, out: &mut *self.out, isa });
                writer = hits.extend();
            }
        }
        writer.finish();
        tasks.clear();
    }

    /// An entry meets the lanes of a mask of the window.
    #[inline(always)]
    fn hit(&mut self, entry: usize, window: usize, mask: Mask) {
        let isa = self.isa;
        assert!(entry < self.columns.entries && window < self.columns.entries);
        // SAFETY: both are below `entries`.
        let (own, others) =
            unsafe { (object::<_, _, EXTRAS>(&self.columns, entry), objects::<_, _, _, EXTRAS>(isa, &self.columns, window)) };
        let mut hits = self.lists.hits.extend();
        hits.append_same(isa, mask, isa.splat(own as i32), others);
        hits.finish();
        if self.lists.hits.len() > HITS {
            self.flush();
        }
    }

    /// Sixteen entries from `at` on, each with those behind it: `following` says with how many. When entries `i` are compared with those
    /// `d` later, entry `i + d` stands in lane `i`. So no lane is idle as long as all entries reach that far.
    #[inline(always)]
    pub(crate) fn add_diagonals(&mut self, own: &Boxes<S::In<I>, D>, following: I::Words, at: usize) {
        let isa = self.isa;
        let (one, pointers) = (isa.splat(1), self.columns.pointers());
        let following = if injected(Fault::DiagonalShort) { isa.sub(following, one) } else { following };
        let (mut distance, mut window) = (isa.splat(0), at + 1); // distances count from 0: `following > distance`
        if injected(Fault::ComparedWithItself) {
            (distance, window) = (isa.splat(-1), at);
        }
        self.added = isa.add(self.added, isa.max(following, isa.splat(0)));
        loop {
            // Bits of `some` are set one by one: loading the masks as a vector, just after they are stored one by one, stalls.
            let (first, mut masks, mut some, mut count) = (window, [0 as Mask; WIDTH], 0u32, 0);
            let mut reaching = isa.gt(following, distance);
            while reaching != 0 && count < WIDTH {
                assert!(window < self.columns.entries);
                // SAFETY: an entry, and every column is padded by sixteen values.
                let mask = unsafe { overlap(isa, reaching, own, &pointers.sixteen(isa, window)) };
                masks[count] = mask;
                some |= u32::from(mask != 0) << count;
                count += 1;
                window += 1;
                distance = isa.add(distance, one);
                reaching = isa.gt(following, distance);
            }
            if some != 0 {
                assert!(at < self.columns.entries && first + count <= self.columns.entries);
                // SAFETY: an entry.
                let ids = unsafe { objects::<_, _, _, EXTRAS>(isa, &self.columns, at) };
                let mut hits = self.lists.hits.extend();
                while some != 0 {
                    let later = some.trailing_zeros() as usize % WIDTH;
                    some &= some - 1;
                    // SAFETY: only masks of entries, those from `first` on, were stored.
                    let others = unsafe { objects::<_, _, _, EXTRAS>(isa, &self.columns, first + later) };
                    hits.append(isa, masks[later], ids, others);
                }
                hits.finish();
                if self.lists.hits.len() > HITS {
                    self.flush();
                }
            }
            if reaching == 0 {
                return;
            }
        }
    }

    /// Two entries that overlap.
    #[inline(always)]
    pub(crate) fn hit_one(&mut self, entry: usize, other: usize) {
        self.hit(entry, other, 1);
    }

    /// Compares one entry with a run of entries at once.
    #[inline(always)]
    pub(crate) fn meet(&mut self, entry: usize, run: Range<usize>) {
        let isa = self.isa;
        let own = self.columns.all_lanes(isa, entry);
        for window in run.clone().step_by(WIDTH) {
            let lanes = lanes_below(run.end - window);
            let mask = overlap(isa, lanes, &own, &self.columns.sixteen(isa, window));
            if mask != 0 {
                self.hit(entry, window, mask);
            }
        }
        self.candidates += run.len() as u64;
    }

    /// Turns hits into pairs.
    #[inline(always)]
    pub(crate) fn flush(&mut self) {
        let isa = self.isa;
        isa.run(Flush::<I, S, D, EXTRAS> { columns: &self.columns, hits: &mut self.lists.hits, out: &mut *self.out, isa });
    }
}

/// A part of the comparison that is compiled as a function of its own.
macro_rules! outlined {
    ($name:ident, $method:ident) => {
        struct $name<'c, 'a, I: Isa, S, const D: usize, const EXTRAS: bool>(&'c mut Comparer<'a, I, S, D, EXTRAS>);

        impl<I: Isa, S: Scalar, const D: usize, const EXTRAS: bool> Work for $name<'_, '_, I, S, D, EXTRAS> {
            type Outcome = ();

            #[inline(always)]
            fn run(self) {
                self.0.$method();
            }
        }
    };
}

outlined!(FillMasks, fill_masks);
outlined!(Extract, extract);
outlined!(TakeHits, take_hits);

impl<S: Scalar, const D: usize> Columns<'_, S, D> {
    /// One check for all tasks, so that loops over them need none: panics unless all of their entries, relative to `base`, and the
    /// first ones of their windows are entries.
    #[inline(always)]
    fn check(&self, base: usize, tasks: &[u32], windows: &[u32]) {
        let last_window = windows.iter().fold(0, |last, &window| last.max(window)) as usize;
        let last_entry = tasks.iter().fold(0, |last, &task| last.max(task)) >> 16;
        assert!(tasks.is_empty() || (last_window < self.entries && base + (last_entry as usize) < self.entries));
    }

    /// The box around some entries, sixteen at a time.
    #[inline(always)]
    pub(crate) fn box_around_with<I: Isa>(&self, isa: I, entries: Range<usize>) -> Aabb<S, D> {
        if entries.len() < WIDTH {
            return self.box_around(entries);
        }
        let mut around = self.sixteen(isa, entries.start);
        let last = entries.end - WIDTH;
        for at in (entries.start + WIDTH..last).step_by(WIDTH).chain([last]) {
            let boxes = self.sixteen(isa, at);
            for axis in 0..D {
                around.min[axis] = around.min[axis].lesser(isa, boxes.min[axis]);
                around.max[axis] = around.max[axis].greater(isa, boxes.max[axis]);
            }
        }
        let mut bounds = Aabb { min: [S::INFINITY; D], max: [S::NEG_INFINITY; D] };
        for axis in 0..D {
            for (min, max) in around.min[axis].array(isa).into_iter().zip(around.max[axis].array(isa)) {
                bounds.min[axis] = if min < bounds.min[axis] { min } else { bounds.min[axis] };
                bounds.max[axis] = if max > bounds.max[axis] { max } else { bounds.max[axis] };
            }
        }
        bounds
    }
}

/// The lanes of a mask in which the boxes overlap.
#[inline(always)]
fn overlap<I: Isa, V: Lanes<S, I>, S, const D: usize>(isa: I, mask: Mask, a: &Boxes<V, D>, b: &Boxes<V, D>) -> Mask {
    V::overlaps(isa, mask, &a.min, &a.max, &b.min, &b.max)
}

/// The first `count` lanes, or fewer or more if a fault is injected.
#[inline(always)]
pub(super) fn lanes_below(count: usize) -> Mask {
    if injected(Fault::MaskShort) {
        return first_lanes(count.min(WIDTH).saturating_sub(1));
    }
    if injected(Fault::MaskFull) {
        return Mask::MAX;
    }
    first_lanes(count)
}

/// Calls `f` with the windows of a run that have entries which overlap a box, and which lanes these are.
#[inline(always)]
pub(crate) fn overlapping<I: Isa, S: Scalar, const D: usize>(
    isa: I,
    columns: &Columns<'_, S, D>,
    bounds: &Aabb<S, D>,
    run: Range<usize>,
    mut f: impl FnMut(usize, Mask),
) {
    let own = splat_box(isa, bounds);
    for window in run.clone().step_by(WIDTH) {
        let mask = overlaps_from(isa, columns, &own, window, run.end);
        if mask != 0 {
            f(window, mask);
        }
    }
}

/// Those of the sixteen entries from `window` on that are before `end` and overlap a box.
#[inline(always)]
pub(crate) fn overlaps_from<I: Isa, S: Scalar, const D: usize>(
    isa: I,
    columns: &Columns<'_, S, D>,
    own: &Boxes<S::In<I>, D>,
    window: usize,
    end: usize,
) -> Mask {
    overlap(isa, lanes_below(end - window), own, &columns.sixteen(isa, window))
}
