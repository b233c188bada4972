//! Pairs as rows: for each object its partners.

use crate::pairs::code::{Code, of_sortable, sortable};
use crate::pairs::source::Stored;
use crate::runtime::memory;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::sorting::{CodeSorter, Output, in_pool};
use crate::{CrossPair, DetectError, Pair, PairSource, PeriodicPair};

/// The partners of each object, in compressed rows: the partners of object `i` are `partners()[offsets()[i]..offsets()[i + 1]]`, in
/// ascending order. Made from the pairs of a step, of any kind, on all threads and in memory that is reused.
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
/// The rows are the same for every number of threads and every history. Rows that have been as long before are built without an
/// allocation. Without rows (after [`new`](Self::new), and after an update that was refused memory or panicked) there are no objects.
#[derive(Clone, Debug)]
pub struct Adjacency<P: Rowed = Pair> {
    sorter: CodeSorter<P::Code>,
    offsets: Vec<usize>,
    partners: Vec<u32>,
    shifts: Vec<P::Shift>,
    rows: usize,
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
    /// By how many periods to move the partner.
    type Shift: Copy + Default + Send + Sync + std::fmt::Debug + PartialEq;

    /// Both indices, and the shift that takes the second one to the first.
    fn ends(self) -> (u32, u32, Self::Shift);

    fn code(row: u32, partner: u32, shift: Self::Shift) -> Self::Code;

    fn partner(code: Self::Code) -> (u32, Self::Shift);

    /// The same way back.
    fn back(shift: Self::Shift) -> Self::Shift;

    /// Whether both indices count the same objects.
    const IS_OF_ONE_SET: bool;
}

macro_rules! plain {
    ($pair:ident, $first:ident, $second:ident, $is_of_one_set:literal) => {
        impl Rowed for $pair {
            type Code = u64;
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
            fn partner(code: u64) -> (u32, ()) {
                (code as u32, ())
            }

            #[inline(always)]
            fn back((): ()) {}
        }
    };
}

plain!(Pair, a, b, true);
plain!(CrossPair, first, second, false);

impl<const D: usize> Rowed for PeriodicPair<D> {
    type Code = [u32; 6];
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
    fn partner(code: [u32; 6]) -> (u32, Shift<D>) {
        (code[1], Shift(std::array::from_fn(|axis| of_sortable(code[2 + axis]))))
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
        Adjacency { sorter: CodeSorter::default(), offsets: Vec::new(), partners: Vec::new(), shifts: Vec::new(), rows: 0 }
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
        in_pool(&pairs, |team| self.run(&pairs, objects, rows_of, team))
    }

    /// [`try_par_build`](Self::try_par_build) on the calling thread.
    pub fn try_build(&mut self, pairs: impl PairSource<Pair = P>, objects: usize, rows_of: RowsOf) -> Result<(), DetectError> {
        memory::catch(|| self.run(&pairs, objects, rows_of, Team::ALONE))
    }

    fn run(&mut self, pairs: &impl Stored<Pair = P>, objects: usize, rows_of: RowsOf, team: Team) {
        scope!("pivotgrid::adjacency");
        self.rows = 0;
        let [first, second] = self.sorter.survey(
            pairs,
            &|pair: P| {
                let (one, other, _) = pair.ends();
                [one, other]
            },
            team,
        );
        let rows_of = if rows_of == RowsOf::Both && !P::IS_OF_ONE_SET { RowsOf::First } else { rows_of };
        let most = match rows_of {
            RowsOf::First => first,
            RowsOf::Second => second,
            RowsOf::Both => first.max(second),
        };
        let rows = objects.max(most as usize);
        let forth = |(one, other, shift): (u32, u32, P::Shift)| P::code(one, other, shift);
        let back = |(one, other, shift): (u32, u32, P::Shift)| P::code(other, one, P::back(shift));
        let Adjacency { sorter, offsets, partners, shifts, .. } = self;
        let largest = rows.saturating_sub(1);
        match rows_of {
            RowsOf::First => {
                let code = |pair: P| [Some(forth(pair.ends()))];
                sorter.sort(pairs, largest, &code, |total| output::<P>(offsets, partners, shifts, rows, total), team)
            }
            RowsOf::Second => {
                let code = |pair: P| [Some(back(pair.ends()))];
                sorter.sort(pairs, largest, &code, |total| output::<P>(offsets, partners, shifts, rows, total), team)
            }
            RowsOf::Both => {
                let code = |pair: P| [Some(forth(pair.ends())), Some(back(pair.ends()))];
                sorter.sort(pairs, largest, &code, |total| output::<P>(offsets, partners, shifts, rows, total), team)
            }
        };
        self.rows = rows;
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

impl<const D: usize> Adjacency<PeriodicPair<D>> {
    /// The shifts of all partners, row after row: by how many periods to move the partner so that it meets the object of the row.
    /// Partners that an object meets in several places follow one another in ascending order of the shift.
    pub fn shifts(&self) -> &[Shift<D>] {
        &self.shifts[..self.end()]
    }
}

/// How to get from codes to partners, and where those go.
type RowsOutput<'a, P> = (RowsOut<'a, <P as Rowed>::Shift>, fn(<P as Rowed>::Code) -> (u32, <P as Rowed>::Shift));

fn output<'a, P: Rowed>(
    offsets: &'a mut Vec<usize>,
    partners: &'a mut Vec<u32>,
    shifts: &'a mut Vec<P::Shift>,
    rows: usize,
    total: usize,
) -> RowsOutput<'a, P> {
    (RowsOut::new(offsets, partners, shifts, rows, total), P::partner)
}

/// Rows from codes. A bucket's codes are those of consecutive rows.
struct RowsOut<'a, Z> {
    /// The begins of the rows that are left.
    offsets: &'a mut [usize],
    partners: &'a mut [u32],
    shifts: &'a mut [Z],
    first_row: usize,
    first_place: usize,
}

impl<'a, Z: Copy + Default> RowsOut<'a, Z> {
    fn new(offsets: &'a mut Vec<usize>, partners: &'a mut Vec<u32>, shifts: &'a mut Vec<Z>, rows: usize, total: usize) -> Self {
        memory::reserve_with_slack(offsets, rows + 1);
        memory::reserve_with_slack(partners, total);
        offsets.resize((rows + 1).max(offsets.len()), 0);
        partners.resize(total.max(partners.len()), 0);
        if size_of::<Z>() > 0 {
            memory::reserve_with_slack(shifts, total);
        }
        shifts.resize(total.max(shifts.len()), Z::default());
        offsets[rows] = total;
        RowsOut { offsets: &mut offsets[..rows], partners, shifts, first_row: 0, first_place: 0 }
    }
}

impl<C: Code, Z: Copy + Send> Output<C> for (RowsOut<'_, Z>, fn(C) -> (u32, Z)) {
    fn divide(self, codes: usize, end: usize) -> (Self, Self) {
        let (RowsOut { offsets, partners, shifts, first_row, first_place }, partner) = self;
        let (offsets, other_offsets) = offsets.split_at_mut((end - first_row).min(offsets.len()));
        let (partners, other_partners) = partners.split_at_mut(codes);
        let (shifts, other_shifts) = shifts.split_at_mut(codes);
        let next_row = first_row + offsets.len();
        (
            (RowsOut { offsets, partners, shifts, first_row, first_place }, partner),
            (
                RowsOut {
                    offsets: other_offsets,
                    partners: other_partners,
                    shifts: other_shifts,
                    first_row: next_row,
                    first_place: first_place + codes,
                },
                partner,
            ),
        )
    }

    fn write(self, codes: &[C]) {
        let (RowsOut { offsets, partners, shifts, first_row, first_place }, partner) = self;
        let mut begun = 0;
        for (place, &code) in codes.iter().enumerate() {
            let row = code.upper() as usize - first_row;
            while begun <= row {
                offsets[begun] = first_place + place;
                begun += 1;
            }
            (partners[place], shifts[place]) = partner(code);
        }
        offsets[begun..].fill(first_place + codes.len());
    }
}
