//! What becomes of the engine when there is no more memory, when there is a limit, and when the user's code panics.
//!
//! The allocator of this test binary counts per test: a thread counts for the test that enlisted it, and the threads of
//! the test harness for none, so tests may run side by side.

mod account;
#[path = "../common/mod.rs"]
mod common;

mod budget;
mod events;
mod pair_data;
mod panics;
mod particles;
mod refusals;
mod statics;

#[global_allocator]
static ALLOCATOR: account::Counting = account::Counting;
