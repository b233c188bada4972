//! Shares: each unit is handed out exactly once, by its owner's end or by the other, and the taker is noted.

use std::sync::Arc;

use loom::cell::UnsafeCell;

use super::{fork, model};
use crate::lockfree::{Portions, Shares};

/// Two workers, each with units of its own, claim until there is nothing left. A worker that is done takes the other's units.
///
/// Catches claims by load and store.
fn own_and_stolen() {
    each_unit_goes_to_one_worker(2, &[0, 1, 0, 1]);
}
model!(own_and_stolen, Complete, 1_080, catches { ShareTorn: "handed out twice or not at all" });

/// All units are dealt to one of two workers: the other takes from the back of the same word.
///
/// Catches the same.
fn both_ends() {
    each_unit_goes_to_one_worker(2, &[0, 0, 0]);
}
model!(both_ends, Complete, 489, catches { ShareTorn: "handed out twice or not at all" });

/// Three workers; one of them owns nothing.
///
/// Catches the same.
fn three_workers() {
    each_unit_goes_to_one_worker(3, &[1, 0, 1]);
}
model!(three_workers, Preemptions(3), 18_687, catches { ShareTorn: "handed out twice or not at all" });

/// Each unit is dealt to the worker that `owners` says.
fn each_unit_goes_to_one_worker(workers: usize, owners: &'static [usize]) {
    let mut shares = Shares::default();
    shares.deal(workers, owners.len(), |unit| owners[unit]);
    let shares = Arc::new(shares);
    let shared = shares.clone();
    let claimed = fork(workers, move |worker| {
        let units: Vec<usize> = std::iter::from_fn(|| shared.claim(worker)).map(|unit| unit.index()).collect();
        // Own units come first, in order; others' follow.
        let own = units.iter().take_while(|unit| owners[**unit] == worker).count();
        assert!(units[..own].is_sorted() && units[own..].iter().all(|unit| owners[*unit] != worker), "out of order: {units:?}");
        units
    });
    let mut all = claimed.concat();
    all.sort();
    assert!(all.iter().copied().eq(0..owners.len()), "handed out twice or not at all: {claimed:?}");
    for (worker, units) in claimed.iter().enumerate() {
        assert!(units.iter().all(|unit| shares.taker(*unit) == worker), "the taker is wrong");
    }
}

/// Two workers claim units and write the portions of a slice that belong to them. The elements are loom's cells, so that loom
/// itself sees two workers write to one. Each was written once.
///
/// Catches the same.
fn portions() {
    const BOUNDS: &[u32] = &[0, 2, 2, 3];
    let cells: *mut [UnsafeCell<u32>] = Box::into_raw((0..3).map(|_| UnsafeCell::new(0)).collect());
    let mut shares = Shares::default();
    shares.deal(2, BOUNDS.len() - 1, |unit| unit % 2);
    let shares: *mut Shares = Box::into_raw(Box::new(shares));
    // SAFETY: boxes that only this model has; they become boxes again when the portions that borrow them are gone.
    let (lent, slice) = unsafe { (&*shares, &mut *cells) };
    let portions = Portions::new(slice, BOUNDS, lent);
    fork(2, move |worker| {
        while let Some(unit) = lent.claim(worker) {
            let (first, [portion]) = portions.of(&unit);
            assert!(first == 0 || first == 2);
            for cell in portion {
                // SAFETY: loom's pointer to the cell's content, used within the closure that loom guards.
                cell.with_mut(|count| unsafe { *count += 1 });
            }
        }
    });
    // SAFETY: as above.
    let (cells, _shares) = unsafe { (Box::from_raw(cells), Box::from_raw(shares)) };
    for cell in cells {
        assert_eq!(cell.into_inner(), 1, "written twice or not at all");
    }
}
model!(portions, Complete, 270, catches { ShareTorn: "Causality violation" });

/// One of two workers has enough after its first unit and drains the shares. No unit is handed out twice, and afterwards there is
/// none.
///
/// Catches the same.
fn drained() {
    let mut shares = Shares::default();
    shares.deal(2, 3, |_| 0);
    let shares = Arc::new(shares);
    let shared = shares.clone();
    let claimed = fork(2, move |worker| {
        let mut units = Vec::new();
        while let Some(unit) = shared.claim(worker) {
            units.push(unit.index());
            if worker == 1 {
                shared.drain();
            }
        }
        units
    });
    let mut all = claimed.concat();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), claimed.iter().map(Vec::len).sum::<usize>(), "handed out twice: {claimed:?}");
    assert!((0..2).all(|worker| shares.claim(worker).is_none()), "something is left");
}
model!(drained, Complete, 1_582, catches { ShareTorn: "handed out twice" });
