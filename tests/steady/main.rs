//! What a steady scene allocates: nothing; and how much the engine holds: what it says.
//!
//! Apart from `tests/memory`, whose tests start and end many pools: rayon's queues leave memory behind that is cleared away later, by
//! whichever thread comes along (crossbeam's epochs), and the books of that thread would be wrong. Here, pools last.

#[path = "../memory/account.rs"]
mod account;
#[path = "../common/mod.rs"]
mod common;

mod events;
mod neighbors;
mod pair_data;
mod periodic;
mod queries;
mod steps;
mod world;

#[global_allocator]
static ALLOCATOR: account::Counting = account::Counting;
