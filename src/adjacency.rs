//! Pairs as rows: for each object its partners.

use std::time::Duration;

use crate::pairs::code::{Code, Value, of_sortable, sortable};
use crate::pairs::source::Stored;
use crate::runtime::clock::Clock;
use crate::runtime::memory;
use crate::runtime::on::On;
use crate::runtime::scope::scope;
use crate::runtime::team::{ForkJoin, Team, Threads};
use crate::sorting::{CodeSorter, Output, enter, store};
use crate::{CrossPair, DetectError, Pair, PairSource, PeriodicPair};

/// The partners of each object, in compressed rows: the partners of object `i` are `partners()[offsets()[i]..offsets()[i + 1]]`, in
/// ascending order. The rows are built from the pairs of a step, of any kind, on all threads and in memory that is reused.
///
/// ```
/// use pivotgrid::{Aabb, Adjacency, BroadPhase, RowsOf};
///
/// let boxes: Vec<_> = (0..4).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.0, 1.0])).collect(); // each touches the next
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let mut adjacency = Adjacency::new(); // keep it between steps
/// adjacency.par_build(broad_phase.par_detect(&boxes), boxes.len(), RowsOf::Both);
/// assert_eq!(adjacency.offsets(), [0, 1, 3, 5, 6]);
/// assert_eq!(adjacency.partners(), [1, 0, 2, 1, 3, 2]);
/// assert_eq!(adjacency.row(1), [0, 2]);
/// ```
///
/// The rows are the same for every number of threads and every history. Building rows that are no longer than earlier ones allocates
/// nothing. Without rows (after [`new`](Self::new), and after an update that was refused memory or panicked) there are no objects.
#[derive(Clone, Debug)]
pub struct Adjacency<P: Rowed = Pair> {
    sorter: CodeSorter<P::Code, P::Partner>,
    offsets: Vec<usize>,
    partners: Vec<u32>,
    shifts: Vec<P::Shift>,
    rows: usize,
    time: Duration,
}

/// Which objects of a pair have rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowsOf {
    /// The first of a pair (`a` or `first`): half lists of one set, or the rows of the first of two sets.
    First,
    /// The second of a pair (`b` or `second`): the rows of the second of two sets, or of the static objects.
    Second,
    /// Both: full lists, in which each pair is in two rows. For pairs of one set; for those of two sets, whose indices count different
    /// things, build the rows of the [first](Self::First) and of the [second](Self::Second) apart. For those, this is `First`.
    Both,
}

/// Pairs that rows are made of.
pub trait Rowed: Copy + Send + Sync {
    type Code: Code;
    /// A partner and its shift, as they are sorted within a row.
    type Partner: Value;
    /// By how many periods to move the partner.
    type Shift: Copy + Default + Send + Sync + std::fmt::Debug + PartialEq;

    /// Both indices, and the shift that takes the second one to the first.
    fn ends(self) -> (u32, u32, Self::Shift);

    fn code(row: u32, partner: u32, shift: Self::Shift) -> Self::Code;

    fn partner(code: Self::Code) -> Self::Partner;

    fn index(partner: Self::Partner) -> u32;

    fn shift(partner: Self::Partner) -> Self::Shift;

    /// The shift in the opposite direction.
    fn back(shift: Self::Shift) -> Self::Shift;

    /// Whether both indices count the same objects.
    const IS_OF_ONE_SET: bool;
}

macro_rules! plain {
    ($pair:ident, $first:ident, $second:ident, $is_of_one_set:literal) => {
        impl Rowed for $pair {
            type Code = u64;
            type Partner = u32;
            type Shift = ();

            const IS_OF_ONE_SET: bool = $is_of_one_set;

            #[inline(always)]
            fn ends(self) -> (u32, u32, ()) {
                (self.$first, self.$second, ())
            }

            #[inline(always)]
            fn code(row: u32, partner: u32, (): ()) -> u64 {
                u64::from(row) << 32 | u64::from(partner)
            }

            #[inline(always)]
            fn partner(code: u64) -> u32 {
                code as u32
            }

            #[inline(always)]
            fn index(partner: u32) -> u32 {
                partner
            }

            #[inline(always)]
            fn shift(_: u32) {}

            #[inline(always)]
            fn back((): ()) {}
        }
    };
}

plain!(Pair, a, b, true);
plain!(CrossPair, first, second, false);

impl<const D: usize> Rowed for PeriodicPair<D> {
    type Code = [u32; 6];
    type Partner = [u32; 6];
    type Shift = Shift<D>;

    const IS_OF_ONE_SET: bool = true;

    #[inline(always)]
    fn ends(self) -> (u32, u32, Shift<D>) {
        (self.a, self.b, Shift(self.shift))
    }

    #[inline(always)]
    fn code(row: u32, partner: u32, Shift(shift): Shift<D>) -> [u32; 6] {
        let mut code = [row, partner, 0, 0, 0, 0];
        (0..D).for_each(|axis| code[2 + axis] = sortable(shift[axis]));
        code
    }

    #[inline(always)]
    fn partner(code: [u32; 6]) -> [u32; 6] {
        code
    }

    #[inline(always)]
    fn index(partner: [u32; 6]) -> u32 {
        partner[1]
    }

    #[inline(always)]
    fn shift(partner: [u32; 6]) -> Shift<D> {
        Shift(std::array::from_fn(|axis| of_sortable(partner[2 + axis])))
    }

    #[inline(always)]
    fn back(Shift(shift): Shift<D>) -> Shift<D> {
        Shift(shift.map(i32::wrapping_neg))
    }
}

/// By how many periods to move a partner, along each axis, so that it meets the object of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shift<const D: usize>(pub [i32; D]);

impl<const D: usize> Default for Shift<D> {
    fn default() -> Self {
        Shift([0; D])
    }
}

impl<P: Rowed> Default for Adjacency<P> {
    fn default() -> Self {
        Adjacency {
            sorter: CodeSorter::default(),
            offsets: Vec::new(),
            partners: Vec::new(),
            shifts: Vec::new(),
            rows: 0,
            time: Duration::ZERO,
        }
    }
}

impl<P: Rowed> Adjacency<P> {
    /// Without rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the rows of `objects` objects, or of more if a pair has a larger index, on the threads of the rayon pool in which it is
    /// called.
    ///
    /// # Panics
    ///
    /// If memory is refused; [`try_par_build`](Self::try_par_build) returns an error instead.
    pub fn par_build(&mut self, pairs: impl PairSource<Pair = P>, objects: usize, rows_of: RowsOf) {
        self.try_par_build(pairs, objects, rows_of).unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`par_build`](Self::par_build) on the calling thread.
    pub fn build(&mut self, pairs: impl PairSource<Pair = P>, objects: usize, rows_of: RowsOf) {
        self.try_build(pairs, objects, rows_of).unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`par_build`](Self::par_build), or an error when memory is refused.
    pub fn try_par_build(
        &mut self,
        pairs: impl PairSource<Pair = P>,
        objects: usize,
        rows_of: RowsOf,
    ) -> Result<(), DetectError> {
        self.run_on(pairs, objects, rows_of, Threads::Pool)
    }

    /// [`try_par_build`](Self::try_par_build) on the calling thread.
    pub fn try_build(&mut self, pairs: impl PairSource<Pair = P>, objects: usize, rows_of: RowsOf) -> Result<(), DetectError> {
        self.run_on(pairs, objects, rows_of, Threads::Serial)
    }

    /// The next call on threads of your own: see [`On`].
    pub fn on<'t>(&mut self, threads: &'t dyn ForkJoin) -> On<'_, 't, Self> {
        On::new(self, threads)
    }

    /// How long the last build took.
    pub fn time(&self) -> Duration {
        self.time
    }

    fn run_on(
        &mut self,
        pairs: impl PairSource<Pair = P>,
        objects: usize,
        rows_of: RowsOf,
        threads: Threads<'_>,
    ) -> Result<(), DetectError> {
        let mut clock = Clock::start();
        enter(&pairs, threads, |team| self.run(&pairs, objects, rows_of, team))?;
        self.time = clock.lap();
        Ok(())
    }

    fn run(&mut self, pairs: &impl Stored<Pair = P>, objects: usize, rows_of: RowsOf, team: Team) {
        scope!("pivotgrid::adjacency");
        self.rows = 0;
        let rows_of = if rows_of == RowsOf::Both && !P::IS_OF_ONE_SET { RowsOf::First } else { rows_of };
        let forth = |(one, other, shift): (u32, u32, P::Shift)| P::code(one, other, shift);
        let back = |(one, other, shift): (u32, u32, P::Shift)| P::code(other, one, P::back(shift));
        let Adjacency { sorter, offsets, partners, shifts, .. } = self;
        let largest = objects.saturating_sub(1);
        let rows_for = |total: usize, largest: usize| if total == 0 { objects } else { objects.max(largest + 1) };
        macro_rules! sort {
            ($($code:expr),*) => {
                sorter.sort(
                    pairs,
                    largest,
                    &|pair: P| [$($code(pair.ends())),*],
                    |total, largest| RowsOut::<P>::new(offsets, partners, shifts, rows_for(total, largest), total),
                    team,
                )
            };
        }
        let (total, largest) = match rows_of {
            RowsOf::First => sort!(forth),
            RowsOf::Second => sort!(back),
            RowsOf::Both => sort!(forth, back),
        };
        self.rows = rows_for(total, largest);
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Where each row begins, and where the last one ends: one more than there are rows, or none.
    pub fn offsets(&self) -> &[usize] {
        if self.rows == 0 { &[] } else { &self.offsets[..=self.rows] }
    }

    /// The partners of all objects, row after row.
    pub fn partners(&self) -> &[u32] {
        &self.partners[..self.end()]
    }

    /// The partners of an object, in ascending order.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn row(&self, index: usize) -> &[u32] {
        let offsets = self.offsets();
        &self.partners[offsets[index]..offsets[index + 1]]
    }

    /// All rows, from the first object on.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.rows).map(|index| self.row(index))
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.sorter.bytes()
            + self.offsets.capacity() * size_of::<usize>()
            + self.partners.capacity() * size_of::<u32>()
            + memory::bytes_of::<P::Shift>(self.shifts.len())
    }

    /// Gives back memory that holds no rows.
    pub fn shrink_to_fit(&mut self) {
        self.sorter = CodeSorter::default();
        let end = self.end();
        self.offsets.truncate(if self.rows == 0 { 0 } else { self.rows + 1 });
        self.partners.truncate(end);
        self.shifts.truncate(end);
        self.offsets.shrink_to_fit();
        self.partners.shrink_to_fit();
        self.shifts.shrink_to_fit();
    }

    fn end(&self) -> usize {
        self.offsets().last().copied().unwrap_or(0)
    }
}

impl<P: Rowed> On<'_, '_, Adjacency<P>> {
    /// [`Adjacency::par_build`] on these threads.
    pub fn build(self, pairs: impl PairSource<Pair = P>, objects: usize, rows_of: RowsOf) {
        self.try_build(pairs, objects, rows_of).unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`Adjacency::try_par_build`] on these threads.
    pub fn try_build(self, pairs: impl PairSource<Pair = P>, objects: usize, rows_of: RowsOf) -> Result<(), DetectError> {
        self.it.run_on(pairs, objects, rows_of, self.threads)
    }
}

impl<const D: usize> Adjacency<PeriodicPair<D>> {
    /// The shifts of all partners, row after row: by how many periods to move the partner so that it meets the object of the row.
    /// Partners that an object meets in several places follow one another in ascending order of the shift.
    pub fn shifts(&self) -> &[Shift<D>] {
        &self.shifts[..self.end()]
    }
}

/// Rows from codes. A bucket's codes are those of consecutive rows.
struct RowsOut<'a, P: Rowed> {
    /// Where the remaining rows begin.
    offsets: &'a mut [usize],
    partners: &'a mut [u32],
    shifts: &'a mut [P::Shift],
    first_row: usize,
    first_place: usize,
}

impl<'a, P: Rowed> RowsOut<'a, P> {
    fn new(
        offsets: &'a mut Vec<usize>,
        partners: &'a mut Vec<u32>,
        shifts: &'a mut Vec<P::Shift>,
        rows: usize,
        total: usize,
    ) -> Self {
        memory::reserve_with_slack(offsets, rows + 1);
        memory::reserve_with_slack(partners, total);
        offsets.resize((rows + 1).max(offsets.len()), 0);
        partners.resize(total.max(partners.len()), 0);
        if size_of::<P::Shift>() > 0 {
            memory::reserve_with_slack(shifts, total);
        }
        shifts.resize(total.max(shifts.len()), P::Shift::default());
        offsets[rows] = total;
        RowsOut { offsets: &mut offsets[..rows], partners, shifts, first_row: 0, first_place: 0 }
    }
}

impl<P: Rowed> Output<P::Code> for RowsOut<'_, P> {
    type Value = P::Partner;

    #[inline(always)]
    fn value(code: P::Code) -> P::Partner {
        P::partner(code)
    }

    fn divide(self, codes: usize, end: usize) -> (Self, Self) {
        let RowsOut { offsets, partners, shifts, first_row, first_place } = self;
        let (offsets, other_offsets) = offsets.split_at_mut((end - first_row).min(offsets.len()));
        let (partners, other_partners) = partners.split_at_mut(codes);
        let (shifts, other_shifts) = shifts.split_at_mut(codes);
        let next_row = first_row + offsets.len();
        (
            RowsOut { offsets, partners, shifts, first_row, first_place },
            RowsOut {
                offsets: other_offsets,
                partners: other_partners,
                shifts: other_shifts,
                first_row: next_row,
                first_place: first_place + codes,
            },
        )
    }

    fn begin_rows(&mut self, begins: &[u32]) {
        for (offset, begin) in self.offsets.iter_mut().zip(begins) {
            *offset = self.first_place + *begin as usize;
        }
    }

    fn begin_rows_of(&mut self, codes: &[P::Code]) {
        let mut begun = 0;
        for (place, code) in codes.iter().enumerate() {
            let row = code.upper() as usize - self.first_row;
            while begun <= row {
                self.offsets[begun] = self.first_place + place;
                begun += 1;
            }
        }
        self.offsets[begun..].fill(self.first_place + codes.len());
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, at: usize, values: [P::Partner; N], len: usize) {
        store(self.partners, at, values, len, P::index);
        if size_of::<P::Shift>() > 0 {
            store(self.shifts, at, values, len, P::shift);
        }
    }
}
