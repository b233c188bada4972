//! Comparing: windows of the table against entries. Masks first, extraction after.
//!
//! The search lists *tasks*: an entry, and a window of at most sixteen entries. One loop compares all tasks and stores masks, with
//! no branch and no dependence between tasks. A second loop drops the empty masks and turns the others into hits. Hits become pairs
//! in whole vectors.

#![allow(unsafe_code)]

use std::ops::Range;

use super::Work;
use super::isa::{Isa, Lanes, Mask, WIDTH, first_lanes};
use super::list::{List, push_pairs};
use super::scalar::{Boxes, splat_box};
use crate::faults::{Fault, injected};
use crate::layout::columns::Columns;
use crate::{Aabb, Ball, Groups, Pair, Scalar};

/// Tasks are compared when there are more than these.
const TASKS: usize = 1024;

/// Hits become pairs when there are more than these.
const HITS: usize = 512;

/// A worker's lists of tasks and hits.
#[derive(Debug, Default)]
pub(crate) struct Comparisons {
    /// The entry, relative to the search's first one, in the upper half; the lanes of the window in the lower half.
    entries: List,
    /// Where the window begins.
    windows: List,
    masks: Vec<Mask>,
    /// Both sides of each hit: objects, or entries if overlapping boxes are not all that makes a pair.
    hits: [List; 2],
}

impl Comparisons {
    /// Makes the lists' memory, once.
    pub(crate) fn reserve(&mut self) {
        self.entries.reserve(TASKS + WIDTH);
        self.windows.reserve(TASKS + WIDTH);
        self.hits.iter_mut().for_each(|list| list.reserve(HITS + WIDTH * WIDTH));
        let masks = crate::runtime::memory::Budget::unlimited();
        crate::runtime::memory::grow_exactly(&mut self.masks, TASKS + 2 * WIDTH, 0, &masks);
    }

    /// Forgets what a search left that did not come to its end.
    pub(crate) fn clear(&mut self) {
        [&mut self.entries, &mut self.windows].into_iter().chain(&mut self.hits).for_each(List::clear);
    }

    pub(crate) fn bytes(&self) -> usize {
        let lists = [&self.entries, &self.windows].into_iter().chain(&self.hits).map(List::bytes).sum::<usize>();
        lists + self.masks.capacity() * size_of::<Mask>()
    }
}

/// Where pairs go.
pub(crate) trait PairRoom {
    /// A block with room for at least sixteen more pairs.
    fn room(&mut self) -> &mut Vec<Pair>;
}

/// Compares entries of a table, in one instruction set. `EXTRAS`: overlapping boxes are not all that makes a pair.
pub(crate) struct Comparer<'a, I, S, const D: usize, const EXTRAS: bool> {
    pub(crate) isa: I,
    pub(crate) columns: Columns<'a, S, D>,
    lists: &'a mut Comparisons,
    out: &'a mut dyn PairRoom,
    /// Tasks' entries are relative to this one.
    base: usize,
    /// How many pairs of boxes were compared.
    pub(crate) candidates: u64,
    /// How many chunks of other levels were looked for.
    pub(crate) looks: u64,
}

impl<'a, I: Isa, S: Scalar, const D: usize, const EXTRAS: bool> Comparer<'a, I, S, D, EXTRAS> {
    #[inline(always)]
    pub(crate) fn new(isa: I, columns: Columns<'a, S, D>, lists: &'a mut Comparisons, out: &'a mut dyn PairRoom) -> Self {
        Comparer { isa, columns, lists, out, base: 0, candidates: 0, looks: 0 }
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
        loop {
            if self.lists.entries.len() > TASKS {
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
            self.lists.entries.append(isa, some, isa.or(entries, lanes));
            self.lists.windows.append(isa, some, begin);
            some &= isa.gt(len, sixteen);
            if some == 0 {
                return;
            }
            begin = isa.add(begin, sixteen);
            len = isa.sub(len, sixteen);
        }
    }

    /// Compares all tasks and keeps the hits.
    #[inline(always)]
    pub(crate) fn compare(&mut self) {
        if self.lists.entries.len() == 0 {
            return;
        }
        // Functions of their own: inlined at every place that fills the list, they would crowd each other out of the registers.
        self.isa.run(FillMasks(self));
        self.isa.run(Extract(self));
        self.lists.entries.clear();
        self.lists.windows.clear();
    }

    /// Compares, and stores masks: no branch, no dependence between tasks. Bound by its loads, so nothing else is read.
    #[inline(always)]
    fn fill_masks(&mut self) {
        let isa = self.isa;
        let (entries, windows) = (self.lists.entries.as_slice(), self.lists.windows.as_slice());
        // One check for all tasks, so that the loop below needs none.
        let last_window = windows.iter().fold(0, |last, &window| last.max(window)) as usize;
        let last_entry = entries.iter().fold(0, |last, &task| last.max(task)) >> 16;
        assert!(last_window < self.columns.entries && self.base + (last_entry as usize) < self.columns.entries);
        let (pointers, base) = (self.columns.pointers(), self.base);
        let mut candidates = 0;
        for ((mask, &task), &window) in self.lists.masks.iter_mut().zip(entries).zip(windows) {
            let lanes = task as Mask;
            // SAFETY: entries and windows begin below `entries`, and every column is padded by sixteen values.
            *mask = unsafe {
                let own = pointers.all_lanes(isa, base + (task >> 16) as usize);
                overlap(isa, lanes, &own, &pointers.sixteen(isa, window as usize))
            };
            candidates += u64::from(lanes.count_ones());
        }
        self.candidates += candidates;
    }

    /// Drops tasks without a hit, sixteen at a time; then moves the hits' lanes to the front.
    #[inline(always)]
    fn extract(&mut self) {
        let isa = self.isa;
        let count = self.lists.entries.len();
        let (upper, mut kept) = (isa.splat(!0xffff), 0);
        for at in (0..count).step_by(WIDTH) {
            let masks: &[Mask; WIDTH] = self.lists.masks[at..].first_chunk().expect("masks are padded");
            let masks = isa.words(&masks.map(u32::from));
            let some = first_lanes(count - at) & isa.gt(masks, isa.splat(0));
            let entries = isa.or(isa.and(self.lists.entries.sixteen(isa, at), upper), masks);
            let windows = self.lists.windows.sixteen(isa, at);
            self.lists.entries.keep(isa, kept, some, entries);
            self.lists.windows.keep(isa, kept, some, windows);
            kept += some.count_ones() as usize;
        }
        for at in 0..kept {
            let (task, window) = (self.lists.entries.get(at), self.lists.windows.get(at) as usize);
            self.hit(self.base + (task >> 16) as usize, window, task as Mask);
        }
    }

    /// An entry meets the lanes of a mask of the window.
    #[inline(always)]
    fn hit(&mut self, entry: usize, window: usize, mask: Mask) {
        let isa = self.isa;
        let (own, others) = if EXTRAS {
            (entry as u32, isa.add(isa.splat(window as i32), isa.iota()))
        } else {
            (self.columns.ids[entry], self.columns.sixteen_ids(isa, window))
        };
        self.lists.hits[0].append_first(isa, mask, isa.splat(own as i32));
        self.lists.hits[1].append(isa, mask, others);
        if self.lists.hits[0].len() > HITS {
            self.flush();
        }
    }

    /// Sixteen entries from `at` on, each with those behind it: `following` says with how many. Entry `i + d` stands in lane `i`
    /// when entries `i` are compared with those `d` later, so no lane is idle while all of them reach that far.
    #[inline(always)]
    pub(crate) fn add_diagonals(&mut self, own: &Boxes<S::In<I>, D>, following: I::Words, at: usize) {
        let isa = self.isa;
        let (one, pointers) = (isa.splat(1), self.columns.pointers());
        let following = if injected(Fault::DiagonalShort) { isa.sub(following, one) } else { following };
        let (mut distance, mut window) = (isa.splat(0), at + 1); // distances count from 0: `following > distance`
        if injected(Fault::ComparedWithItself) {
            (distance, window) = (isa.splat(-1), at);
        }
        let mut candidates = 0;
        loop {
            let (first, mut masks, mut count) = (window, [0 as Mask; WIDTH], 0);
            let mut reaching = isa.gt(following, distance);
            while reaching != 0 && count < WIDTH {
                assert!(window < self.columns.entries);
                // SAFETY: an entry, and every column is padded by sixteen values.
                masks[count] = unsafe { overlap(isa, reaching, own, &pointers.sixteen(isa, window)) };
                candidates += reaching.count_ones();
                count += 1;
                window += 1;
                distance = isa.add(distance, one);
                reaching = isa.gt(following, distance);
            }
            let mut some = isa.gt(isa.words(&masks.map(u32::from)), isa.splat(0));
            if some != 0 {
                let ids = self.lanes_of(at);
                while some != 0 {
                    let later = some.trailing_zeros() as usize;
                    some &= some - 1;
                    let others = self.lanes_of(first + later);
                    self.lists.hits[0].append(isa, masks[later % WIDTH], ids);
                    self.lists.hits[1].append(isa, masks[later % WIDTH], others);
                }
                if self.lists.hits[0].len() > HITS {
                    self.flush();
                }
            }
            if reaching == 0 {
                self.candidates += u64::from(candidates);
                return;
            }
        }
    }

    /// What stands for the entries from `at` on in a list of hits.
    #[inline(always)]
    fn lanes_of(&self, at: usize) -> I::Words {
        let isa = self.isa;
        if EXTRAS { isa.add(isa.splat(at as i32), isa.iota()) } else { self.columns.sixteen_ids(isa, at) }
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
        self.isa.run(Flush(self));
    }

    #[inline(always)]
    fn make_pairs(&mut self) {
        let isa = self.isa;
        let [first, second] = &mut self.lists.hits;
        let count = first.len();
        if EXTRAS {
            for (&a, &b) in first.as_slice().iter().zip(second.as_slice()) {
                if admitted(&self.columns, a as usize, b as usize) {
                    let pair = Pair::new(self.columns.ids[a as usize], self.columns.ids[b as usize]);
                    self.out.room().push(pair);
                }
            }
        } else {
            let mut at = 0;
            while at < count {
                let block = self.out.room();
                let batches = (block.capacity() - block.len()) / WIDTH;
                for _ in 0..batches.min((count - at).div_ceil(WIDTH)) {
                    push_pairs(isa, block, first.sixteen(isa, at), second.sixteen(isa, at), WIDTH.min(count - at));
                    at += WIDTH;
                }
            }
        }
        first.clear();
        second.clear();
    }
}

/// A part of the comparison that is compiled as a function of its own.
macro_rules! outlined {
    ($name:ident, $method:ident) => {
        struct $name<'c, 'a, I, S, const D: usize, const EXTRAS: bool>(&'c mut Comparer<'a, I, S, D, EXTRAS>);

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
outlined!(Flush, make_pairs);

/// Of the lanes of a mask, those in which the boxes overlap.
#[inline(always)]
fn overlap<I: Isa, V: Lanes<S, I>, S, const D: usize>(isa: I, mask: Mask, a: &Boxes<V, D>, b: &Boxes<V, D>) -> Mask {
    V::overlaps(isa, mask, &a.min, &a.max, &b.min, &b.max)
}

/// The first `count` lanes, or fewer or more if a fault is injected.
#[inline(always)]
fn lanes_below(count: usize) -> Mask {
    if injected(Fault::MaskShort) {
        return first_lanes(count.min(WIDTH).saturating_sub(1));
    }
    if injected(Fault::MaskFull) {
        return Mask::MAX;
    }
    first_lanes(count)
}

/// Whether two entries whose boxes overlap make a pair: by their groups, and where both are balls, by these.
#[inline(always)]
fn admitted<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, a: usize, b: usize) -> bool {
    if let Some(columns) = columns.groups {
        let groups = |entry: usize| Groups::new(columns[0][entry], columns[1][entry]).of_body(columns[2][entry]);
        let (a, b) = (groups(a), groups(b));
        let one_way = injected(Fault::GroupsOneWay) && a.member & b.mask != 0;
        if !a.admit(b) && !one_way {
            return false;
        }
    }
    columns.balls.is_none_or(|(centers, radii)| {
        let ball = |entry: usize| Ball { center: centers.map(|column| column[entry]), radius: radii[entry] };
        ball(a).touches(&ball(b))
    })
}

/// Appends the entries of a run that overlap a box.
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
        let mask = overlap(isa, lanes_below(run.end - window), &own, &columns.sixteen(isa, window));
        if mask != 0 {
            f(window, mask);
        }
    }
}
