//! The lock-free kit alone, compiled from the shipped files, with threads of std.
//!
//! Loom explores every interleaving but cannot see plain memory behind pointers, and rayon is too large for Miri to try many
//! schedules of. Here Miri gets both: the shipped code, small, and many seeds (`ci/miri`).

#[cfg(test)]
#[allow(dead_code, unused_imports)]
#[path = "../../../src/faults.rs"]
mod faults;
#[cfg(test)]
#[allow(dead_code, unused_imports)]
#[path = "../../../src/lockfree/mod.rs"]
mod lockfree;

#[cfg(test)]
mod tests;
