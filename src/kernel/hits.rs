//! Hits: two overlapping entries each, until whole vectors of hits become pairs.

#![allow(unsafe_code)]

use super::list::{TwinList, push_pairs};
use crate::faults::{Fault, injected};
use crate::isa::{Isa, WIDTH, Work};
use crate::layout::columns::Columns;
use crate::{Ball, Groups, Pair, Scalar};

/// Where pairs go.
pub(crate) trait PairRoom {
    /// A block with room for at least sixteen more pairs.
    fn room(&mut self) -> &mut Vec<Pair>;
}

/// Turns hits into pairs, as a function of its own.
pub(super) struct Flush<'c, 'a, I, S, const D: usize, const EXTRAS: bool> {
    pub(super) isa: I,
    pub(super) columns: &'c Columns<'a, S, D>,
    pub(super) hits: &'c mut TwinList,
    pub(super) out: &'c mut dyn PairRoom,
}

impl<I: Isa, S: Scalar, const D: usize, const EXTRAS: bool> Work for Flush<'_, '_, I, S, D, EXTRAS> {
    type Outcome = ();

    #[inline(always)]
    fn run(self) {
        let Flush { isa, columns, hits, out } = self;
        let count = hits.len();
        if EXTRAS {
            let (first, second) = hits.slices();
            for (&a, &b) in first.iter().zip(second) {
                if admitted(columns, a as usize, b as usize) {
                    let pair = Pair::new(columns.ids[a as usize], columns.ids[b as usize]);
                    out.room().push(pair);
                }
            }
        } else {
            let mut at = 0;
            while at < count {
                let block = out.room();
                let batches = (block.capacity() - block.len()) / WIDTH;
                for _ in 0..batches.min((count - at).div_ceil(WIDTH)) {
                    let (first, second) = hits.sixteen(isa, at);
                    push_pairs(isa, block, first, second, WIDTH.min(count - at));
                    at += WIDTH;
                }
            }
        }
        hits.clear();
    }
}

/// The word of an entry in a list of hits.
///
/// # Safety
///
/// It must be one.
#[inline(always)]
pub(super) unsafe fn object<S: Scalar, const D: usize, const EXTRAS: bool>(columns: &Columns<'_, S, D>, entry: usize) -> u32 {
    // SAFETY: an entry, by the caller's promise, and there are more ids than entries.
    if EXTRAS { entry as u32 } else { unsafe { *columns.ids.get_unchecked(entry) } }
}

/// The words of the entries from `at` on in a list of hits.
///
/// # Safety
///
/// `at` must be an entry.
#[inline(always)]
pub(super) unsafe fn objects<I: Isa, S: Scalar, const D: usize, const EXTRAS: bool>(
    isa: I,
    columns: &Columns<'_, S, D>,
    at: usize,
) -> I::Words {
    if EXTRAS {
        isa.add(isa.splat(at as i32), isa.iota())
    } else {
        // SAFETY: an entry, by the caller's promise, and the column is padded by sixteen values.
        unsafe { isa.load(columns.ids.as_ptr().add(at)) }
    }
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
