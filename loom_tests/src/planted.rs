//! Which bug is planted in the kit just now.

use std::cell::Cell;
use std::panic;
use std::sync::Once;

use crate::faults::Fault;

// std's `thread_local`, not loom's: loom runs all threads of a model as coroutines on the thread that explores it, so they all
// see the bug, and models that are explored beside it on other threads do not.
thread_local! {
    static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Whether the bug is switched on. The kit asks.
pub(crate) fn injected(bug: Fault) -> bool {
    PLANTED.get() == Some(bug)
}

/// Runs `work` with a bug planted. The error is the message of the panic that ended it.
pub(crate) fn with(bug: Fault, work: impl FnOnce()) -> Result<(), String> {
    keep_expected_panics_quiet();
    PLANTED.set(Some(bug));
    // Unwind safe: what `work` leaves behind is looked at no more.
    let outcome = panic::catch_unwind(panic::AssertUnwindSafe(work));
    PLANTED.set(None);
    outcome.map_err(|payload| match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => payload.downcast_ref::<&str>().map_or_else(String::new, ToString::to_string),
    })
}

fn keep_expected_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if PLANTED.get().is_none() {
                usual(info);
            }
        }));
    });
}

#[test]
fn all_threads_of_a_model_see_the_bug_and_other_models_do_not() {
    let model = || {
        loom::model(|| {
            assert!(injected(Fault::TotalTorn), "in the first thread");
            loom::thread::spawn(|| assert!(injected(Fault::TotalTorn), "in another thread")).join().unwrap();
        });
    };
    assert_eq!(with(Fault::TotalTorn, model), Ok(()));
    assert_eq!(with(Fault::TotalTorn, || std::thread::spawn(|| assert!(!injected(Fault::TotalTorn))).join().unwrap()), Ok(()));
    assert!(!injected(Fault::TotalTorn));
    assert_eq!(with(Fault::TotalTorn, || panic!("caught")), Err("caught".into()));
}
