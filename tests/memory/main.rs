//! What a steady scene allocates (nothing), how much the engine holds (what it says), and what becomes of it when there is no more.
//!
//! The allocator of this test binary counts per test: a thread counts for the test that enlisted it, and the threads of
//! the test harness for none, so tests may run side by side.

mod account;
#[path = "../common/mod.rs"]
mod common;

mod budget;
mod events;
mod neighbours;
mod panics;
mod periodic;
mod queries;
mod refusals;
mod steps;
mod world;

#[global_allocator]
static ALLOCATOR: account::Counting = account::Counting;
