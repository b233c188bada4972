//! The lock of the thread transport. `tests/schedules.rs` compiles `threads.rs` once more and puts loom's types here.

pub(crate) use std::sync::{Arc, Condvar, Mutex};
