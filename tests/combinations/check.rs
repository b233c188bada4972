//! A request by every way to every sink. Closures are passed as `dyn`, so that a step is compiled once for each kind of sink, and not
//! once for each place here.

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use pivotgrid::{DetectError, Host, Request, Source};

use crate::threads::{CARRIERS, Carrier};

type Visit<'a, K, P> = &'a (dyn Fn(&mut Vec<K>, P) -> ControlFlow<()> + Sync);
type Fold<'a, K, P> = &'a (dyn Fn(Vec<K>, P) -> Vec<K> + Sync);
type Show<'a, P> = &'a (dyn Fn(P) + Sync);

/// Takes a request by every way to every sink, and compares what comes out with what is expected.
pub(crate) fn check_all<E: Host, Q: Source<E> + Send, K: Ord + Clone + Debug + Send + Sync>(
    label: &str,
    engine: &mut E,
    request: impl for<'e> Fn(&'e mut E) -> Request<'e, 'static, E, Q>,
    stored: impl Fn(Q::Pairs<'_>) -> Vec<K> + Sync,
    key: impl Fn(Q::Pair) -> K + Sync,
    expected: &[K],
) {
    let all: Visit<'_, K, Q::Pair> = &|list, pair| {
        list.push(key(pair));
        ControlFlow::Continue(())
    };
    let grown: Fold<'_, K, Q::Pair> = &|mut list, pair| {
        list.push(key(pair));
        list
    };
    let listed = Mutex::new(Vec::new());
    let list: Show<'_, Q::Pair> = &|pair| listed.lock().unwrap().push(key(pair));
    let take = || std::mem::take(&mut *listed.lock().unwrap());
    for carrier in CARRIERS {
        let mut sinks: Vec<(&str, Vec<K>)> = Vec::new();
        carrier.run(request(engine), &mut |request| sinks.push(("pairs", stored(request.pairs()))));
        carrier.run(request(engine), &mut |request| sinks.push(("try_pairs", stored(request.try_pairs().expect("memory")))));
        carrier.run(request(engine), &mut |request| request.for_each(list));
        sinks.push(("for_each", take()));
        carrier.run(request(engine), &mut |request| request.try_for_each(list).expect("memory"));
        sinks.push(("try_for_each", take()));
        carrier.run(request(engine), &mut |request| sinks.push(("visit", request.visit(Vec::new, all).concat())));
        carrier.run(request(engine), &mut |request| {
            sinks.push(("try_visit", request.try_visit(Vec::new, all).expect("memory").concat()));
        });
        carrier.run(request(engine), &mut |request| sinks.push(("fold", request.fold(Vec::new, grown, joined))));
        carrier.run(request(engine), &mut |request| {
            sinks.push(("try_fold", request.try_fold(Vec::new, grown, joined).expect("memory")));
        });
        for (sink, mut found) in sinks {
            found.sort_unstable();
            assert!(found == expected, "{label}, {sink}, {carrier:?}: {} pairs of {}", found.len(), expected.len());
        }
        check_early_end::<E, Q, K>(label, &carrier, request(engine), &key, expected.len());
        check_panics::<E, Q>(label, &carrier, engine, &request);
    }
}

fn joined<K>(mut one: Vec<K>, other: Vec<K>) -> Vec<K> {
    one.extend(other);
    one
}

/// After a `Break` no worker sees another pair, and at least one pair has been seen.
fn check_early_end<E: Host, Q: Source<E> + Send, K: Send>(
    label: &str,
    carrier: &Carrier,
    request: Request<'_, 'static, E, Q>,
    key: &(impl Fn(Q::Pair) -> K + Sync),
    pairs: usize,
) {
    let mut counts = Vec::new();
    let one: Visit<'_, K, Q::Pair> = &|seen, pair| {
        seen.push(key(pair));
        ControlFlow::Break(())
    };
    carrier.run(request, &mut |request| counts = request.visit(Vec::new, one).iter().map(Vec::len).collect());
    let seen: usize = counts.iter().sum();
    assert!(counts.iter().all(|&count| count <= 1) && seen >= usize::from(pairs > 0), "{label}, {carrier:?}: {counts:?}");
}

/// A visitor's panic and a filter's reach the caller with what they carry.
fn check_panics<E: Host, Q: Source<E> + Send>(
    label: &str,
    carrier: &Carrier,
    engine: &mut E,
    request: &impl for<'e> Fn(&'e mut E) -> Request<'e, 'static, E, Q>,
) {
    let panicking: Show<'_, Q::Pair> = &|_| std::panic::resume_unwind(Box::new(7u64));
    let visited = catch_unwind(AssertUnwindSafe(|| {
        carrier.run(request(engine), &mut |request| request.for_each(panicking));
    }));
    let payload = visited.expect_err("there are pairs");
    assert_eq!(payload.downcast_ref(), Some(&7u64), "{label}, {carrier:?}");
    let filtered = catch_unwind(AssertUnwindSafe(|| {
        carrier.run(request(engine).filter(|_| std::panic::resume_unwind(Box::new(8u64))), &mut |request| drop(request.pairs()));
    }));
    assert_eq!(filtered.expect_err("there are pairs").downcast_ref(), Some(&8u64), "{label}, {carrier:?}");
}

/// Too little memory is an error for one who asked for errors, and a panic for others.
pub(crate) fn check_refused<E: Host, Q: Source<E> + Send>(
    label: &str,
    engine: &mut E,
    request: impl for<'e> Fn(&'e mut E) -> Request<'e, 'static, E, Q>,
) {
    let ignored: Show<'_, Q::Pair> = &drop;
    let seen: Visit<'_, (), Q::Pair> = &|_, _| ControlFlow::Continue(());
    let folded: Fold<'_, (), Q::Pair> = &|list, _| list;
    for carrier in CARRIERS {
        let mut errors = Vec::new();
        carrier.run(request(engine), &mut |request| errors.push(request.try_pairs().err()));
        carrier.run(request(engine), &mut |request| errors.push(request.try_for_each(ignored).err()));
        carrier.run(request(engine), &mut |request| errors.push(request.try_visit(Vec::new, seen).err()));
        carrier.run(request(engine), &mut |request| errors.push(request.try_fold(Vec::new, folded, joined).err()));
        let is_refused = |error: &Option<DetectError>| matches!(error, Some(DetectError::OverBudget { .. }));
        assert!(errors.iter().all(is_refused), "{label}, {carrier:?}: {errors:?}");
        let panicking = catch_unwind(AssertUnwindSafe(|| carrier.run(request(engine), &mut |request| drop(request.pairs()))));
        assert!(panicking.is_err(), "{label}, {carrier:?}");
    }
}

pub(crate) fn sorted<K: Ord + Debug>(mut keys: Vec<K>) -> Vec<K> {
    keys.sort_unstable();
    keys
}

/// A module with a test for each type of coordinates and each dimension.
#[macro_export]
macro_rules! for_all_types {
    ($($name:ident: $check:ident;)*) => {
        $(mod $name {
            #[test]
            fn f32_2() {
                super::$check::<f32, 2>();
            }
            #[test]
            fn f32_3() {
                super::$check::<f32, 3>();
            }
            #[test]
            fn f64_2() {
                super::$check::<f64, 2>();
            }
            #[test]
            fn f64_3() {
                super::$check::<f64, 3>();
            }
        })*
    };
}
