//! The structs of the header.

use std::ffi::{c_char, c_int, c_void};

use crate::memory::User;

/// Coordinates are `float`.
pub const PG_F32: u32 = 1;
/// Coordinates are `double`.
pub const PG_F64: u32 = 2;

/// Flag of `pg_config`: pairs in ascending order, the same for every number of threads and every history.
pub const PG_CANONICAL_ORDER: u32 = 1;
/// Flag of `pg_config`: only the thread that made the handle may use it; others get `PG_ERROR_WRONG_THREAD`.
pub const PG_SAME_THREAD: u32 = 2;

/// `threads` of `pg_config`: the threads of the process-wide pool, one for each core.
pub const PG_THREADS_SHARED: u32 = 0;
/// `threads` of `pg_config`: only the calling thread.
pub const PG_THREADS_CALLER: u32 = 1;

/// `all_pairs_up_to` and `serial_up_to` of `pg_config`: let the library choose.
pub const PG_DEFAULT: u64 = u64::MAX;

/// Flag of `pg_neighbors_create`: each pair of neighbors is in one of the two rows and not in both.
pub const PG_HALF: u32 = 1;
/// Flag of `pg_neighbors_create`: rows in ascending order, the same for every number of threads.
pub const PG_SORTED: u32 = 2;
/// Flag of neighbor lists: rows have `distances`.
pub const PG_DISTANCES: u32 = 4;
/// Flag of neighbor lists: rows have `vectors`.
pub const PG_VECTORS: u32 = 8;

/// Why an object was left out: a bound is NaN.
pub const PG_REJECTED_NAN: u32 = 1;
/// Why an object was left out: `min > max` on some axis, or a negative radius.
pub const PG_REJECTED_INVERTED: u32 = 2;
/// Why an object *and all after it* were left out: more objects (and periodic images) than there are indices.
pub const PG_REJECTED_BEYOND_INDEX: u32 = 3;
/// Why an object was left out of a periodic domain: longer than the period.
pub const PG_REJECTED_LARGER_THAN_PERIOD: u32 = 4;
/// Why an object was left out of a periodic domain: more than 2^29 periods away, or infinitely far.
pub const PG_REJECTED_TOO_FAR_OUT: u32 = 5;
/// Why an object was left out: a reason that this version of the header does not name.
pub const PG_REJECTED_OTHERWISE: u32 = 6;

/// `kind` of `pg_query`: objects whose boxes overlap a box (`min`, `max`).
pub const PG_QUERY_OVERLAPPING: u32 = 1;
/// `kind` of `pg_query`: objects whose boxes contain a point (`center`).
pub const PG_QUERY_CONTAINING: u32 = 2;
/// `kind` of `pg_query`: objects whose boxes are within a radius of a point (`center`, `radius`); values are squared distances.
pub const PG_QUERY_WITHIN: u32 = 3;
/// `kind` of `pg_query`: the `k` objects whose boxes are nearest to a point (`center`), the nearest first; values are squared
/// distances.
pub const PG_QUERY_NEAREST: u32 = 4;
/// `kind` of `pg_query`: objects whose boxes a ray meets (`origin`, `direction`, `max_t`), by time; values are times: the box is
/// entered at origin + time * direction.
pub const PG_QUERY_RAY: u32 = 5;
/// `kind` of `pg_query`: the first object whose box a ray meets; rows of one or none.
pub const PG_QUERY_RAY_FIRST: u32 = 6;
/// `kind` of `pg_query`: objects whose boxes a moving box touches (`min`, `max`, `direction`), by time; values are times from 0 to 1.
pub const PG_QUERY_SWEEP: u32 = 7;
/// `kind` of `pg_query`: the first object whose box a moving box touches; rows of one or none.
pub const PG_QUERY_SWEEP_FIRST: u32 = 8;

/// Mobility of an object of a world: expected to move.
pub const PG_MOVING: u32 = 0;
/// Mobility of an object of a world: hardly ever moves; two static objects never pair.
pub const PG_STATIC: u32 = 1;

/// The caller's own threads: a job system that runs the work of a handle. Only neighbor lists in a space that repeats itself stay on the
/// calling thread.
///
/// `run` calls `job(data, worker)` for each worker in `0..workers`, on any threads, as many at a time as it likes, in any order, and
/// returns when all calls have returned. A job never waits for another one. A worker that is left out runs on the calling thread
/// afterwards, and one that is called twice does nothing the second time. No job may run after `run` has returned.
///
/// The struct is copied; `user` must stay valid as long as the handle.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_fork_join {
    /// `sizeof(pg_fork_join)`.
    pub size: usize,
    /// How many jobs may run at a time: 1 to 1024.
    pub workers: u32,
    /// Calls `job(data, worker)` for each worker.
    pub run: Option<
        extern "C" fn(
            user: *mut c_void,
            workers: u32,
            job: Option<extern "C" fn(data: *mut c_void, worker: u32)>,
            data: *mut c_void,
        ),
    >,
    /// Handed to `run`.
    pub user: *mut c_void,
}

/// Settings; `pg_config_init` fills in the defaults. None of them changes which pairs are found.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_config {
    /// `sizeof(pg_config)`, set by `pg_config_init`.
    pub size: usize,
    /// `PG_THREADS_SHARED`, `PG_THREADS_CALLER`, or how many threads the handle has for itself (2 to 1024).
    pub threads: u32,
    /// `PG_CANONICAL_ORDER`, `PG_SAME_THREAD`.
    pub flags: u32,
    /// The edge of the finest cells, or 0 to have it chosen.
    pub cell_size: f64,
    /// The most levels, or 0 for the default.
    pub max_levels: u32,
    /// 0 the best that the machine has, 1 portable, 2 AVX2, 3 AVX-512, 4 NEON, 5 WebAssembly's 128-bit vectors; for measurements.
    pub instruction_set: u32,
    /// Up to this many objects are compared each with each; `PG_DEFAULT`.
    pub all_pairs_up_to: u64,
    /// Up to this many objects a step stays on the calling thread; `PG_DEFAULT`.
    pub serial_up_to: u64,
    /// The most memory that a step may make the handle hold, in bytes, or 0 for no limit.
    pub max_bytes: u64,
    /// The caller's own threads, or null. With one, `threads` must be `PG_THREADS_SHARED`, the default.
    pub fork_join: *const pg_fork_join,
}

/// Room for passes in `pg_stats`.
pub const PG_PASSES: usize = 16;

/// The time of one pass.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct pg_pass {
    /// Its name, with a zero behind it.
    pub name: [c_char; 24],
    /// Wall time.
    pub seconds: f64,
}

/// Figures of a handle's last step. Set `size` before requesting them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct pg_stats {
    /// `sizeof(pg_stats)`.
    pub size: usize,
    /// Objects that the step was given; in a periodic domain with their images.
    pub objects: u64,
    /// Objects that were left out.
    pub rejected: u64,
    /// Pairs found.
    pub pairs: u64,
    /// Pairs of boxes compared.
    pub candidates: u64,
    /// Memory held after the step, in bytes.
    pub bytes: u64,
    /// The most workers that took part.
    pub workers: u32,
    /// Levels that hold objects.
    pub levels: u32,
    /// Whether the levels were replanned.
    pub replanned: u32,
    /// How many of `passes` are used.
    pub pass_count: u32,
    /// Wall time by pass, in their order. Names and number of the passes may differ from version to version.
    pub passes: [pg_pass; PG_PASSES],
    /// Chunks of other levels that were looked for.
    pub looks: u64,
    /// Objects that no level took; they are compared as a list.
    pub oversized: u64,
    /// How many of these were held in a tree, because they were too many for a list.
    pub last_resort: u64,
    /// Chunks that hold objects.
    pub chunks: u64,
    /// How often the levels were improved within the step.
    pub revisions: u32,
    /// How often a pass ran again.
    pub repeats: u32,
    /// Wall time of the parts that only one worker can run.
    pub serial_seconds: f64,
    /// Time that all workers together spent in the shared parts.
    pub busy_seconds: f64,
}

/// An array of the caller: where the first value is, and how many bytes farther the next one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_array {
    /// The first value, aligned for its type. Null, if the array is not used or has no values.
    pub data: *const c_void,
    /// Bytes from one value to the next; a multiple of the type's alignment, at least its size.
    pub stride: usize,
}

/// Decides, along with the boxes, whether two objects pair: each must be a member of a group that the other pairs with, and they must not
/// be parts of one body.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_groups {
    /// The groups that it is a member of, a bit each.
    pub member: u32,
    /// The groups that it pairs with, a bit each.
    pub mask: u32,
    /// The body that it is a part of, or 0.
    pub body: u32,
}

/// Returns whether to keep the pair of objects `a` and `b`: not 0 if so. Called on any thread, on several at once, in either order of the
/// two. Must return: no exception, no longjmp.
pub type pg_filter = Option<extern "C" fn(user: User, a: u32, b: u32) -> c_int>;

/// The objects of a step, in place in the caller's memory: boxes (`min` and `max`) or balls (`center` and `radius`), identified by index.
/// The library reads them during the call and keeps no pointer. Set unused fields to zero; `pg_boxes_f32` and similar constructors do that.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_objects {
    /// `sizeof(pg_objects)`.
    pub size: usize,
    /// `PG_F32` or `PG_F64`, as the handle.
    pub scalar: u32,
    /// 2 or 3, as the handle.
    pub dimensions: u32,
    /// How many objects there are.
    pub count: usize,
    /// Lower corners: `dimensions` scalars each.
    pub min: pg_array,
    /// Upper corners.
    pub max: pg_array,
    /// Centers of balls, or points.
    pub center: pg_array,
    /// Radii: a scalar each. A stride of 0 means one radius for all.
    pub radius: pg_array,
    /// Optional: a `pg_groups` each. A stride of 0 means one for all.
    pub groups: pg_array,
    /// Optional: called for each pair that is found.
    pub filter: pg_filter,
    /// Handed to `filter`.
    pub filter_user: User,
}

/// Many queries at once, of one kind.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_query {
    /// `sizeof(pg_query)`.
    pub size: usize,
    /// `PG_QUERY_...`
    pub kind: u32,
    /// `PG_F32` or `PG_F64`, as the handle.
    pub scalar: u32,
    /// 2 or 3, as the handle.
    pub dimensions: u32,
    /// For `PG_QUERY_NEAREST`: how many.
    pub k: u32,
    /// How many queries there are.
    pub count: usize,
    /// Lower corners of boxes.
    pub min: pg_array,
    /// Upper corners of boxes.
    pub max: pg_array,
    /// Points, centers of balls, or origins of rays.
    pub center: pg_array,
    /// Radii of balls. A stride of 0 means one for all.
    pub radius: pg_array,
    /// Directions of rays, or how far a box moves.
    pub direction: pg_array,
    /// Optional: how far rays reach, in lengths of their directions; by default infinitely far. A stride of 0 means one for all.
    pub max_t: pg_array,
}

/// Two objects that overlap, `a < b`; or of two sets: `a` of the first, `b` of the second.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_pair {
    /// Index of an object.
    pub a: u32,
    /// Index of another.
    pub b: u32,
}

/// An object that was left out of a step. All other pairs are complete.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_rejected {
    /// The object.
    pub index: u32,
    /// `PG_REJECTED_...`
    pub reason: u32,
}

/// The pairs of a step, in the handle's memory, until its next step.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_pairs {
    /// The first pair.
    pub pairs: *const pg_pair,
    /// How many there are.
    pub count: usize,
    /// The first object that was left out, in ascending order of index.
    pub rejected: *const pg_rejected,
    /// How many were.
    pub rejected_count: usize,
}

/// Some pairs in one array.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_block {
    /// The first pair.
    pub pairs: *const pg_pair,
    /// How many there are.
    pub count: usize,
}

/// The pairs of a step as they were written, in blocks of some thousands, in the handle's memory, until its next step. Pairs of a
/// block are close in space.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_blocks {
    /// The first block.
    pub blocks: *const pg_block,
    /// How many there are.
    pub block_count: usize,
    /// How many pairs there are in all.
    pub pair_count: usize,
    /// The first object that was left out.
    pub rejected: *const pg_rejected,
    /// How many were.
    pub rejected_count: usize,
}

/// Gets some pairs, on any thread, on several at once; returns not 0 to stop soon. Must return: no exception, no longjmp.
pub type pg_visitor = Option<extern "C" fn(user: User, pairs: *const pg_pair, count: usize) -> c_int>;

/// Two objects that meet across the borders of a periodic domain: `b`, moved by `shift` periods, overlaps `a`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_periodic_pair {
    /// The smaller index.
    pub a: u32,
    /// The larger index.
    pub b: u32,
    /// Periods, by axis.
    pub shift: [i32; 3],
}

/// The pairs of a step in a periodic domain, in the handle's memory, until its next step.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_periodic_pairs {
    /// The first pair.
    pub pairs: *const pg_periodic_pair,
    /// How many there are.
    pub count: usize,
    /// The first object that was left out.
    pub rejected: *const pg_rejected,
    /// How many were.
    pub rejected_count: usize,
}

/// Two keys, `a < b`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_key_pair {
    /// The smaller key.
    pub a: u64,
    /// The larger key.
    pub b: u64,
}

/// The changes since the last step, in the tracker's memory, until its next step. Lists are in ascending order.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_events {
    /// Pairs that exist now, and did not before.
    pub started: *const pg_key_pair,
    /// How many started.
    pub started_count: usize,
    /// Pairs that exist now, and existed before.
    pub ongoing: *const pg_key_pair,
    /// How many go on.
    pub ongoing_count: usize,
    /// Pairs that existed before, and no longer do.
    pub ended: *const pg_key_pair,
    /// How many ended.
    pub ended_count: usize,
    /// The first object that was left out.
    pub rejected: *const pg_rejected,
    /// How many were.
    pub rejected_count: usize,
}

/// Identifies an object of a world; never reused for another object.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct pg_object {
    /// Less than the largest number of objects that the world ever held at once.
    pub index: u32,
    /// How many objects had the index before.
    pub generation: u32,
}

/// Two objects of a world, `a` before `b`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_object_pair {
    /// The one with the smaller index.
    pub a: pg_object,
    /// The other one.
    pub b: pg_object,
}

/// An object of a world that was left out of a step.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_object_rejected {
    /// The object.
    pub object: pg_object,
    /// `PG_REJECTED_...`
    pub reason: u32,
}

/// The result of a step of a world, in the world's memory, until its next step. Lists are in ascending order.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_world_events {
    /// Pairs that exist now, and did not before.
    pub started: *const pg_object_pair,
    /// How many started.
    pub started_count: usize,
    /// Pairs that exist now, and existed before.
    pub ongoing: *const pg_object_pair,
    /// How many go on.
    pub ongoing_count: usize,
    /// Pairs that existed before, and no longer do.
    pub ended: *const pg_object_pair,
    /// How many ended.
    pub ended_count: usize,
    /// The first object that was left out.
    pub rejected: *const pg_object_rejected,
    /// How many were.
    pub rejected_count: usize,
}

/// A row for each query or particle: row `i` is from `offsets[i]` up to `offsets[i + 1]` of each array. In the memory of the handle
/// that made it, until its next use.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_rows {
    /// `row_count + 1` offsets.
    pub offsets: *const usize,
    /// How many rows there are.
    pub row_count: usize,
    /// How many entries there are in all.
    pub count: usize,
    /// The objects.
    pub indices: *const u32,
    /// Their times or squared distances, or null where the query has none.
    pub values: *const f64,
    /// In a periodic domain by how many periods each is moved, three numbers each; otherwise null.
    pub shifts: *const [i32; 3],
    /// Of a world's objects; otherwise null.
    pub generations: *const u32,
    /// Neighbor rows with `PG_DISTANCES`: the distances, scalars of the handle; otherwise null.
    pub distances: *const c_void,
    /// Neighbor rows with `PG_VECTORS`: the vectors from a particle to its neighbors, `dimensions` scalars each; otherwise null.
    pub vectors: *const c_void,
    /// The first particle that was left out (neighbor rows only).
    pub rejected: *const pg_rejected,
    /// How many were.
    pub rejected_count: usize,
}
