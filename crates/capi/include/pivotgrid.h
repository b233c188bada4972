/* pivotgrid: every pair of overlapping boxes among moving objects, each step, on all cores.
 *
 * Handles are numbers in structs; a program destroys what it creates. A handle may move between threads, but is used by one at a time
 * (PG_ERROR_BUSY); queries are the exception. What a function lends (pairs, rows, events) is the
 * handle's, and stays until the next call for the same handle that is not a query or about statistics. Pointers that are handed in are
 * read during the call and never kept. See README.md. */

#ifndef PIVOTGRID_H
#define PIVOTGRID_H

/* Made by cbindgen from crates/capi/src; `UPDATE=1 cargo test -p pivotgrid-header` in crates/capi makes it anew. */

#include <stddef.h>
#include <stdint.h>

/**
 * The version of the header: major * 10000 + minor * 100 + patch.
 */
#define PG_VERSION 100

/**
 * Coordinates are `float`.
 */
#define PG_F32 1

/**
 * Coordinates are `double`.
 */
#define PG_F64 2

/**
 * Flag of `pg_config`: pairs in ascending order, the same for every number of threads and every history.
 */
#define PG_CANONICAL_ORDER 1

/**
 * Flag of `pg_config`: only the thread that made the handle may use it; others get `PG_ERROR_WRONG_THREAD`.
 */
#define PG_SAME_THREAD 2

/**
 * `threads` of `pg_config`: the threads of the process-wide pool, one for each core.
 */
#define PG_THREADS_SHARED 0

/**
 * `threads` of `pg_config`: only the calling thread.
 */
#define PG_THREADS_CALLER 1

/**
 * `all_pairs_up_to` and `serial_up_to` of `pg_config`: let the library choose.
 */
#define PG_DEFAULT UINT64_MAX

/**
 * Flag of `pg_neighbors_create`: each pair of neighbors is in one of the two rows and not in both.
 */
#define PG_HALF 1

/**
 * Flag of `pg_neighbors_create`: rows in ascending order, the same for every number of threads.
 */
#define PG_SORTED 2

/**
 * Flag of neighbor lists: rows have `distances`.
 */
#define PG_DISTANCES 4

/**
 * Flag of neighbor lists: rows have `vectors`.
 */
#define PG_VECTORS 8

/**
 * Why an object was left out: a bound is NaN.
 */
#define PG_REJECTED_NAN 1

/**
 * Why an object was left out: `min > max` on some axis, or a negative radius.
 */
#define PG_REJECTED_INVERTED 2

/**
 * Why an object *and all after it* were left out: more objects (and periodic images) than there are indices.
 */
#define PG_REJECTED_BEYOND_INDEX 3

/**
 * Why an object was left out of a periodic domain: longer than the period.
 */
#define PG_REJECTED_LARGER_THAN_PERIOD 4

/**
 * Why an object was left out of a periodic domain: more than 2^29 periods away, or infinitely far.
 */
#define PG_REJECTED_TOO_FAR_OUT 5

/**
 * Why an object was left out: a reason that this version of the header does not name.
 */
#define PG_REJECTED_OTHERWISE 6

/**
 * `kind` of `pg_query`: objects whose boxes overlap a box (`min`, `max`).
 */
#define PG_QUERY_OVERLAPPING 1

/**
 * `kind` of `pg_query`: objects whose boxes contain a point (`center`).
 */
#define PG_QUERY_CONTAINING 2

/**
 * `kind` of `pg_query`: objects whose boxes are within a radius of a point (`center`, `radius`); values are squared distances.
 */
#define PG_QUERY_WITHIN 3

/**
 * `kind` of `pg_query`: the `k` objects whose boxes are nearest to a point (`center`), the nearest first; values are squared
 * distances.
 */
#define PG_QUERY_NEAREST 4

/**
 * `kind` of `pg_query`: objects whose boxes a ray meets (`origin`, `direction`, `max_t`), by time; values are times: the box is
 * entered at origin + time * direction.
 */
#define PG_QUERY_RAY 5

/**
 * `kind` of `pg_query`: the first object whose box a ray meets; rows of one or none.
 */
#define PG_QUERY_RAY_FIRST 6

/**
 * `kind` of `pg_query`: objects whose boxes a moving box touches (`min`, `max`, `direction`), by time; values are times from 0 to 1.
 */
#define PG_QUERY_SWEEP 7

/**
 * `kind` of `pg_query`: the first object whose box a moving box touches; rows of one or none.
 */
#define PG_QUERY_SWEEP_FIRST 8

/**
 * Mobility of an object of a world: expected to move.
 */
#define PG_MOVING 0

/**
 * Mobility of an object of a world: hardly ever moves; two static objects never pair.
 */
#define PG_STATIC 1

/**
 * Room for passes in `pg_stats`.
 */
#define PG_PASSES 16

/**
 * The result of a function: `PG_OK`, or the reason why it did nothing. A call that fails leaves its handles usable.
 */
typedef enum {
    /**
     * Done.
     */
    PG_OK = 0,
    /**
     * A pointer that must not be null is null.
     */
    PG_ERROR_NULL = 1,
    /**
     * No handle: 0, never given out, or one of another kind.
     */
    PG_ERROR_HANDLE = 2,
    /**
     * The handle was destroyed.
     */
    PG_ERROR_STALE_HANDLE = 3,
    /**
     * The handle is in use: by another thread, or by the call that runs this callback.
     */
    PG_ERROR_BUSY = 4,
    /**
     * The handle belongs to another thread (`PG_SAME_THREAD`).
     */
    PG_ERROR_WRONG_THREAD = 5,
    /**
     * The `size` of a struct is not one that this library knows.
     */
    PG_ERROR_SIZE = 6,
    /**
     * A stride is smaller than what it strides over, or the array does not fit into memory.
     */
    PG_ERROR_STRIDE = 7,
    /**
     * A pointer or a stride is not aligned for its type.
     */
    PG_ERROR_ALIGNMENT = 8,
    /**
     * Unknown scalar or number of dimensions, or not those of the handle.
     */
    PG_ERROR_TYPE = 9,
    /**
     * More objects than there are indices.
     */
    PG_ERROR_TOO_MANY = 10,
    /**
     * The system refused memory.
     */
    PG_ERROR_OUT_OF_MEMORY = 11,
    /**
     * The step needs more than `max_bytes`.
     */
    PG_ERROR_OVER_BUDGET = 12,
    /**
     * A setting is out of its range, the machine does not have it, or its threads could not be started.
     */
    PG_ERROR_CONFIG = 13,
    /**
     * A periodic domain is empty or not finite.
     */
    PG_ERROR_DOMAIN = 14,
    /**
     * Any other invalid argument.
     */
    PG_ERROR_ARGUMENT = 15,
    /**
     * An object of a world or a static set was removed, or never existed.
     */
    PG_ERROR_STALE_OBJECT = 16,
    /**
     * Not in this version.
     */
    PG_ERROR_UNSUPPORTED = 17,
    /**
     * The library failed; its message says where. Please report it.
     */
    PG_ERROR_PANIC = 18,
} pg_status;

/**
 * The caller's own threads: a job system that runs the work of a handle. Only neighbor lists in a space that repeats itself stay on the
 * calling thread.
 *
 * `run` calls `job(data, worker)` for each worker in `0..workers`, on any threads, as many at a time as it likes, in any order, and
 * returns when all calls have returned. A job never waits for another one. A worker that is left out runs on the calling thread
 * afterwards, and one that is called twice does nothing the second time. No job may run after `run` has returned.
 *
 * The struct is copied; `user` must stay valid as long as the handle.
 */
typedef struct {
    /**
     * `sizeof(pg_fork_join)`.
     */
    size_t size;
    /**
     * How many jobs may run at a time: 1 to 1024.
     */
    uint32_t workers;
    /**
     * Calls `job(data, worker)` for each worker.
     */
    void (*run)(void *user, uint32_t workers, void (*job)(void *data, uint32_t worker), void *data);
    /**
     * Handed to `run`.
     */
    void *user;
} pg_fork_join;

/**
 * Settings; `pg_config_init` fills in the defaults. None of them changes which pairs are found.
 */
typedef struct {
    /**
     * `sizeof(pg_config)`, set by `pg_config_init`.
     */
    size_t size;
    /**
     * `PG_THREADS_SHARED`, `PG_THREADS_CALLER`, or how many threads the handle has for itself (2 to 1024).
     */
    uint32_t threads;
    /**
     * `PG_CANONICAL_ORDER`, `PG_SAME_THREAD`.
     */
    uint32_t flags;
    /**
     * The edge of the finest cells, or 0 to have it chosen.
     */
    double cell_size;
    /**
     * The most levels, or 0 for the default.
     */
    uint32_t max_levels;
    /**
     * 0 the best that the machine has, 1 portable, 2 AVX2, 3 AVX-512, 4 NEON, 5 WebAssembly's 128-bit vectors; for measurements.
     */
    uint32_t instruction_set;
    /**
     * Up to this many objects are compared each with each; `PG_DEFAULT`.
     */
    uint64_t all_pairs_up_to;
    /**
     * Up to this many objects a step stays on the calling thread; `PG_DEFAULT`.
     */
    uint64_t serial_up_to;
    /**
     * The most memory that a step may make the handle hold, in bytes, or 0 for no limit.
     */
    uint64_t max_bytes;
    /**
     * The caller's own threads, or null. With one, `threads` must be `PG_THREADS_SHARED`, the default.
     */
    const pg_fork_join *fork_join;
} pg_config;

/**
 * Finds all pairs of overlapping boxes of a scene, step after step.
 */
typedef struct {
    /**
     * For `pg_error_of`; 0 is no handle.
     */
    uint64_t id;
} pg_broad_phase;

/**
 * An array of the caller: where the first value is, and how many bytes farther the next one.
 */
typedef struct {
    /**
     * The first value, aligned for its type. Null, if the array is not used or has no values.
     */
    const void *data;
    /**
     * Bytes from one value to the next; a multiple of the type's alignment, at least its size.
     */
    size_t stride;
} pg_array;

/**
 * Returns whether to keep the pair of objects `a` and `b`: not 0 if so. Called on any thread, on several at once, in either order of the
 * two. Must return: no exception, no longjmp.
 */
typedef int (*pg_filter)(void *user, uint32_t a, uint32_t b);

/**
 * The objects of a step, in place in the caller's memory: boxes (`min` and `max`) or balls (`center` and `radius`), identified by index.
 * The library reads them during the call and keeps no pointer. Set unused fields to zero; `pg_boxes_f32` and similar constructors do that.
 */
typedef struct {
    /**
     * `sizeof(pg_objects)`.
     */
    size_t size;
    /**
     * `PG_F32` or `PG_F64`, as the handle.
     */
    uint32_t scalar;
    /**
     * 2 or 3, as the handle.
     */
    uint32_t dimensions;
    /**
     * How many objects there are.
     */
    size_t count;
    /**
     * Lower corners: `dimensions` scalars each.
     */
    pg_array min;
    /**
     * Upper corners.
     */
    pg_array max;
    /**
     * Centers of balls, or points.
     */
    pg_array center;
    /**
     * Radii: a scalar each. A stride of 0 means one radius for all.
     */
    pg_array radius;
    /**
     * Optional: a `pg_groups` each. A stride of 0 means one for all.
     */
    pg_array groups;
    /**
     * Optional: called for each pair that is found.
     */
    pg_filter filter;
    /**
     * Handed to `filter`.
     */
    void *filter_user;
} pg_objects;

/**
 * Two objects that overlap, `a < b`; or of two sets: `a` of the first, `b` of the second.
 */
typedef struct {
    /**
     * Index of an object.
     */
    uint32_t a;
    /**
     * Index of another.
     */
    uint32_t b;
} pg_pair;

/**
 * An object that was left out of a step. All other pairs are complete.
 */
typedef struct {
    /**
     * The object.
     */
    uint32_t index;
    /**
     * `PG_REJECTED_...`
     */
    uint32_t reason;
} pg_rejected;

/**
 * The pairs of a step, in the handle's memory, until its next step.
 */
typedef struct {
    /**
     * The first pair.
     */
    const pg_pair *pairs;
    /**
     * How many there are.
     */
    size_t count;
    /**
     * The first object that was left out, in ascending order of index.
     */
    const pg_rejected *rejected;
    /**
     * How many were.
     */
    size_t rejected_count;
} pg_pairs;

/**
 * Some pairs in one array.
 */
typedef struct {
    /**
     * The first pair.
     */
    const pg_pair *pairs;
    /**
     * How many there are.
     */
    size_t count;
} pg_block;

/**
 * The pairs of a step as they were written, in blocks of some thousands, in the handle's memory, until its next step. Pairs of a
 * block are close in space.
 */
typedef struct {
    /**
     * The first block.
     */
    const pg_block *blocks;
    /**
     * How many there are.
     */
    size_t block_count;
    /**
     * How many pairs there are in all.
     */
    size_t pair_count;
    /**
     * The first object that was left out.
     */
    const pg_rejected *rejected;
    /**
     * How many were.
     */
    size_t rejected_count;
} pg_blocks;

/**
 * Gets some pairs, on any thread, on several at once; returns not 0 to stop soon. Must return: no exception, no longjmp.
 */
typedef int (*pg_visitor)(void *user, const pg_pair *pairs, size_t count);

/**
 * Objects that hardly ever move.
 */
typedef struct {
    /**
     * For `pg_error_of`; 0 is no handle.
     */
    uint64_t id;
} pg_static_set;

/**
 * Many queries at once, of one kind.
 */
typedef struct {
    /**
     * `sizeof(pg_query)`.
     */
    size_t size;
    /**
     * `PG_QUERY_...`
     */
    uint32_t kind;
    /**
     * `PG_F32` or `PG_F64`, as the handle.
     */
    uint32_t scalar;
    /**
     * 2 or 3, as the handle.
     */
    uint32_t dimensions;
    /**
     * For `PG_QUERY_NEAREST`: how many.
     */
    uint32_t k;
    /**
     * How many queries there are.
     */
    size_t count;
    /**
     * Lower corners of boxes.
     */
    pg_array min;
    /**
     * Upper corners of boxes.
     */
    pg_array max;
    /**
     * Points, centers of balls, or origins of rays.
     */
    pg_array center;
    /**
     * Radii of balls. A stride of 0 means one for all.
     */
    pg_array radius;
    /**
     * Directions of rays, or how far a box moves.
     */
    pg_array direction;
    /**
     * Optional: how far rays reach, in lengths of their directions; by default infinitely far. A stride of 0 means one for all.
     */
    pg_array max_t;
} pg_query;

/**
 * A place for the results of queries.
 */
typedef struct {
    /**
     * For `pg_error_of`; 0 is no handle.
     */
    uint64_t id;
} pg_results;

/**
 * A row for each query or particle: row `i` is from `offsets[i]` up to `offsets[i + 1]` of each array. In the memory of the handle
 * that made it, until its next use.
 */
typedef struct {
    /**
     * `row_count + 1` offsets.
     */
    const size_t *offsets;
    /**
     * How many rows there are.
     */
    size_t row_count;
    /**
     * How many entries there are in all.
     */
    size_t count;
    /**
     * The objects.
     */
    const uint32_t *indices;
    /**
     * Their times or squared distances, or null where the query has none.
     */
    const double *values;
    /**
     * In a periodic domain by how many periods each is moved, three numbers each; otherwise null.
     */
    const int32_t (*shifts)[3];
    /**
     * Of a world's objects; otherwise null.
     */
    const uint32_t *generations;
    /**
     * Neighbor rows with `PG_DISTANCES`: the distances, scalars of the handle; otherwise null.
     */
    const void *distances;
    /**
     * Neighbor rows with `PG_VECTORS`: the vectors from a particle to its neighbors, `dimensions` scalars each; otherwise null.
     */
    const void *vectors;
    /**
     * The first particle that was left out (neighbor rows only).
     */
    const pg_rejected *rejected;
    /**
     * How many were.
     */
    size_t rejected_count;
} pg_rows;

/**
 * The time of one pass.
 */
typedef struct {
    /**
     * Its name, with a zero behind it.
     */
    char name[24];
    /**
     * Wall time.
     */
    double seconds;
} pg_pass;

/**
 * Figures of a handle's last step. Set `size` before requesting them.
 */
typedef struct {
    /**
     * `sizeof(pg_stats)`.
     */
    size_t size;
    /**
     * Objects that the step was given; in a periodic domain with their images.
     */
    uint64_t objects;
    /**
     * Objects that were left out.
     */
    uint64_t rejected;
    /**
     * Pairs found.
     */
    uint64_t pairs;
    /**
     * Pairs of boxes compared.
     */
    uint64_t candidates;
    /**
     * Memory held after the step, in bytes.
     */
    uint64_t bytes;
    /**
     * The most workers that took part.
     */
    uint32_t workers;
    /**
     * Levels that hold objects.
     */
    uint32_t levels;
    /**
     * Whether the levels were replanned.
     */
    uint32_t replanned;
    /**
     * How many of `passes` are used.
     */
    uint32_t pass_count;
    /**
     * Wall time by pass, in their order. Names and number of the passes may differ from version to version.
     */
    pg_pass passes[PG_PASSES];
    /**
     * Chunks of other levels that were looked for.
     */
    uint64_t looks;
    /**
     * Objects that no level took; they are compared as a list.
     */
    uint64_t oversized;
    /**
     * How many of these were held in a tree, because they were too many for a list.
     */
    uint64_t last_resort;
    /**
     * Chunks that hold objects.
     */
    uint64_t chunks;
    /**
     * How often the levels were improved within the step.
     */
    uint32_t revisions;
    /**
     * How often a pass ran again.
     */
    uint32_t repeats;
    /**
     * Wall time of the parts that only one worker can run.
     */
    double serial_seconds;
    /**
     * Time that all workers together spent in the shared parts.
     */
    double busy_seconds;
} pg_stats;

/**
 * Neighbor lists of particles.
 */
typedef struct {
    /**
     * For `pg_error_of`; 0 is no handle.
     */
    uint64_t id;
} pg_neighbors;

/**
 * A broad phase in a domain that repeats itself.
 */
typedef struct {
    /**
     * For `pg_error_of`; 0 is no handle.
     */
    uint64_t id;
} pg_periodic;

/**
 * Two objects that meet across the borders of a periodic domain: `b`, moved by `shift` periods, overlaps `a`.
 */
typedef struct {
    /**
     * The smaller index.
     */
    uint32_t a;
    /**
     * The larger index.
     */
    uint32_t b;
    /**
     * Periods, by axis.
     */
    int32_t shift[3];
} pg_periodic_pair;

/**
 * The pairs of a step in a periodic domain, in the handle's memory, until its next step.
 */
typedef struct {
    /**
     * The first pair.
     */
    const pg_periodic_pair *pairs;
    /**
     * How many there are.
     */
    size_t count;
    /**
     * The first object that was left out.
     */
    const pg_rejected *rejected;
    /**
     * How many were.
     */
    size_t rejected_count;
} pg_periodic_pairs;

/**
 * Turns the pairs of successive steps into pairs that started, go on, and ended.
 */
typedef struct {
    /**
     * For `pg_error_of`; 0 is no handle.
     */
    uint64_t id;
} pg_tracker;

/**
 * Two keys, `a < b`.
 */
typedef struct {
    /**
     * The smaller key.
     */
    uint64_t a;
    /**
     * The larger key.
     */
    uint64_t b;
} pg_key_pair;

/**
 * The changes since the last step, in the tracker's memory, until its next step. Lists are in ascending order.
 */
typedef struct {
    /**
     * Pairs that exist now, and did not before.
     */
    const pg_key_pair *started;
    /**
     * How many started.
     */
    size_t started_count;
    /**
     * Pairs that exist now, and existed before.
     */
    const pg_key_pair *ongoing;
    /**
     * How many go on.
     */
    size_t ongoing_count;
    /**
     * Pairs that existed before, and no longer do.
     */
    const pg_key_pair *ended;
    /**
     * How many ended.
     */
    size_t ended_count;
    /**
     * The first object that was left out.
     */
    const pg_rejected *rejected;
    /**
     * How many were.
     */
    size_t rejected_count;
} pg_events;

/**
 * A scene that the library keeps.
 */
typedef struct {
    /**
     * For `pg_error_of`; 0 is no handle.
     */
    uint64_t id;
} pg_world;

/**
 * Identifies an object of a world; never reused for another object.
 */
typedef struct {
    /**
     * Less than the largest number of objects that the world ever held at once.
     */
    uint32_t index;
    /**
     * How many objects had the index before.
     */
    uint32_t generation;
} pg_object;

/**
 * Two objects of a world, `a` before `b`.
 */
typedef struct {
    /**
     * The one with the smaller index.
     */
    pg_object a;
    /**
     * The other one.
     */
    pg_object b;
} pg_object_pair;

/**
 * An object of a world that was left out of a step.
 */
typedef struct {
    /**
     * The object.
     */
    pg_object object;
    /**
     * `PG_REJECTED_...`
     */
    uint32_t reason;
} pg_object_rejected;

/**
 * The result of a step of a world, in the world's memory, until its next step. Lists are in ascending order.
 */
typedef struct {
    /**
     * Pairs that exist now, and did not before.
     */
    const pg_object_pair *started;
    /**
     * How many started.
     */
    size_t started_count;
    /**
     * Pairs that exist now, and existed before.
     */
    const pg_object_pair *ongoing;
    /**
     * How many go on.
     */
    size_t ongoing_count;
    /**
     * Pairs that existed before, and no longer do.
     */
    const pg_object_pair *ended;
    /**
     * How many ended.
     */
    size_t ended_count;
    /**
     * The first object that was left out.
     */
    const pg_object_rejected *rejected;
    /**
     * How many were.
     */
    size_t rejected_count;
} pg_world_events;

/**
 * Decides, along with the boxes, whether two objects pair: each must be a member of a group that the other pairs with, and they must not
 * be parts of one body.
 */
typedef struct {
    /**
     * The groups that it is a member of, a bit each.
     */
    uint32_t member;
    /**
     * The groups that it pairs with, a bit each.
     */
    uint32_t mask;
    /**
     * The body that it is a part of, or 0.
     */
    uint32_t body;
} pg_groups;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The message of the last failed call of this thread. Valid until the next one. Never null.
 */
const char *pg_last_error(void);

/**
 * The message of the last failed call of a handle, on any thread: at most `capacity` bytes of it, the zero included. `handle` is the `id`
 * of any handle. Returns how long the message is without its zero, and 0 if there is none.
 */
size_t pg_error_of(uint64_t handle,
                   char *buffer,
                   size_t capacity);

/**
 * The name of a status, such as "PG_ERROR_NULL". `status` may be any number.
 */
const char *pg_status_name(int32_t status);

/**
 * The version of the library: major * 10000 + minor * 100 + patch. Compare with `PG_VERSION`.
 */
uint32_t pg_version(void);

/**
 * Makes a broad phase. `scalar` is `PG_F32` or `PG_F64`, `dimensions` 2 or 3; `config` may be null.
 */
pg_status pg_broad_phase_create(uint32_t scalar,
                                uint32_t dimensions,
                                const pg_config *config,
                                pg_broad_phase *broad_phase);

/**
 * Destroys it. Memory that it lent becomes invalid.
 */
pg_status pg_broad_phase_destroy(pg_broad_phase broad_phase);

/**
 * A step: finds all overlapping pairs, each once. They are in one array, which costs a copy unless the handle was made with
 * `PG_CANONICAL_ORDER`; `pg_broad_phase_detect_blocks` does not copy.
 */
pg_status pg_broad_phase_detect(pg_broad_phase broad_phase,
                                const pg_objects *objects,
                                pg_pairs *pairs);

/**
 * Like `pg_broad_phase_detect`, but the pairs stay where they were written: in blocks.
 */
pg_status pg_broad_phase_detect_blocks(pg_broad_phase broad_phase, const pg_objects *objects, pg_blocks *blocks);

/**
 * A step that shows its pairs to `visitor`, some at a time, instead of keeping them.
 */
pg_status pg_broad_phase_visit(pg_broad_phase broad_phase, const pg_objects *objects, pg_visitor visitor, void *user);

/**
 * A step of moving objects among static ones: pairs of two moving objects, and pairs of a moving object `a` and a static one `b`.
 */
pg_status pg_broad_phase_detect_with(pg_broad_phase broad_phase,
                                     const pg_objects *objects,
                                     pg_static_set statics,
                                     pg_pairs *pairs,
                                     pg_pairs *static_pairs);

/**
 * A step of two sets: pairs of an object `a` of the first and an object `b` of the second, and none within a set. In the list of
 * objects that were left out, the second set's are numbered on after the first's.
 */
pg_status pg_broad_phase_detect_between(pg_broad_phase broad_phase,
                                        const pg_objects *first,
                                        const pg_objects *second,
                                        pg_pairs *pairs);

/**
 * Queries about the objects of the last step. Any number of threads may query at once, each with results of its own.
 */
pg_status pg_broad_phase_query(pg_broad_phase broad_phase, const pg_query *query, pg_results results, pg_rows *rows);

/**
 * Figures of the last step. Set `stats->size` before the call.
 */
pg_status pg_broad_phase_stats(pg_broad_phase broad_phase, pg_stats *stats);

/**
 * Gives back unused memory. What the last step found is gone.
 */
pg_status pg_broad_phase_shrink(pg_broad_phase broad_phase);

/**
 * Makes neighbor lists. `flags` are `PG_HALF`, `PG_SORTED`, `PG_DISTANCES` and `PG_VECTORS`; `config` may be null.
 */
pg_status pg_neighbors_create(uint32_t scalar,
                              uint32_t dimensions,
                              uint32_t flags,
                              const pg_config *config,
                              pg_neighbors *neighbors);

/**
 * Makes neighbor lists in a domain that repeats itself; the rows have `shifts`. The domain is that of `pg_periodic_create`.
 */
pg_status pg_neighbors_create_periodic(uint32_t scalar,
                                       uint32_t dimensions,
                                       uint32_t flags,
                                       const double *min,
                                       const double *max,
                                       uint32_t axes,
                                       const pg_config *config,
                                       pg_neighbors *neighbors);

/**
 * Makes neighbor lists in a space that repeats itself along the vectors of a lattice, which need not be at right angles; the rows have
 * `shifts`. `vectors` are `dimensions` times `dimensions` numbers, a row for each vector; `axes` has a bit for each vector along which
 * space repeats itself, 1 for the first, 2 for the second, 4 for the third. Vectors without a bit are ignored. A radius may be longer than
 * a vector: a particle may then be a neighbor several times, with different shifts, and a neighbor of itself.
 */
pg_status pg_neighbors_create_lattice(uint32_t scalar,
                                      uint32_t dimensions,
                                      uint32_t flags,
                                      const double *vectors,
                                      uint32_t axes,
                                      const pg_config *config,
                                      pg_neighbors *neighbors);

/**
 * Destroys them. Memory that they lent becomes invalid.
 */
pg_status pg_neighbors_destroy(pg_neighbors neighbors);

/**
 * For each point (`center`) all others within `radius` of it.
 */
pg_status pg_neighbors_within(pg_neighbors neighbors, const pg_objects *points, double radius, pg_rows *rows);

/**
 * For each particle all others that it pairs with: balls if they touch, boxes if they overlap, by groups and filter.
 */
pg_status pg_neighbors_touching(pg_neighbors neighbors, const pg_objects *particles, pg_rows *rows);

/**
 * Figures of the last search. Set `stats->size` before the call.
 */
pg_status pg_neighbors_stats(pg_neighbors neighbors, pg_stats *stats);

/**
 * Makes a broad phase in a domain that repeats itself. `min` and `max` are the corners of the domain, `dimensions` numbers each, whatever
 * the scalar; `axes` has a bit for each periodic axis, 1 for x, 2 for y, 4 for z. Bounds along other axes are ignored. `config` may be
 * null.
 */
pg_status pg_periodic_create(uint32_t scalar,
                             uint32_t dimensions,
                             const double *min,
                             const double *max,
                             uint32_t axes,
                             const pg_config *config,
                             pg_periodic *periodic);

/**
 * Makes a broad phase in a space that repeats itself along the vectors of a lattice, which need not be at right angles. `vectors` are
 * `dimensions` times `dimensions` numbers, a row for each vector, whatever the scalar; `axes` has a bit for each vector along which space
 * repeats itself, 1 for the first, 2 for the second, 4 for the third. Vectors without a bit are ignored. `config` may be null.
 */
pg_status pg_periodic_create_lattice(uint32_t scalar,
                                     uint32_t dimensions,
                                     const double *vectors,
                                     uint32_t axes,
                                     const pg_config *config,
                                     pg_periodic *periodic);

/**
 * Destroys it. Memory that it lent becomes invalid.
 */
pg_status pg_periodic_destroy(pg_periodic periodic);

/**
 * A step: finds all pairs, including those across the borders, each meeting once. Positions may lie anywhere.
 */
pg_status pg_periodic_detect(pg_periodic periodic, const pg_objects *objects, pg_periodic_pairs *pairs);

/**
 * Queries about the objects of the last step, wherever they repeat themselves. The rows have `shifts`. Any number of threads may query at
 * once, each with results of its own.
 */
pg_status pg_periodic_query(pg_periodic periodic,
                            const pg_query *query,
                            pg_results results,
                            pg_rows *rows);

/**
 * Figures of the last step. Set `stats->size` before the call.
 */
pg_status pg_periodic_stats(pg_periodic periodic, pg_stats *stats);

/**
 * Makes memory for the results of queries. Threads that query the same handle at once need one each.
 */
pg_status pg_results_create(pg_results *results);

/**
 * Destroys it. Memory that it lent becomes invalid.
 */
pg_status pg_results_destroy(pg_results results);

/**
 * Fills in the defaults. `size` is `sizeof(pg_config)`.
 */
pg_status pg_config_init(pg_config *config, size_t size);

/**
 * Makes a set without objects. `config` may be null.
 */
pg_status pg_static_set_create(uint32_t scalar, uint32_t dimensions, const pg_config *config, pg_static_set *set);

/**
 * Destroys it.
 */
pg_status pg_static_set_destroy(pg_static_set set);

/**
 * Replaces all objects by these, which get the indices 0, 1, 2 and so on. Balls count as the boxes around them. An object with an
 * invalid box is kept and overlaps nothing.
 */
pg_status pg_static_set_build(pg_static_set set,
                              const pg_objects *objects);

/**
 * Adds objects and writes their indices, one for each. Indices of removed objects are reused.
 */
pg_status pg_static_set_insert(pg_static_set set, const pg_objects *objects, uint32_t *indices);

/**
 * Moves objects, or changes their groups. Does nothing if one of them does not exist.
 */
pg_status pg_static_set_update(pg_static_set set, const uint32_t *indices, const pg_objects *objects);

/**
 * Takes objects out. Does nothing if one of them does not exist.
 */
pg_status pg_static_set_remove(pg_static_set set, const uint32_t *indices, size_t count);

/**
 * How many objects there are.
 */
pg_status pg_static_set_count(pg_static_set set, size_t *count);

/**
 * Queries about the objects as they are now. Any number of threads may query at once, each with results of its own.
 */
pg_status pg_static_set_query(pg_static_set set, const pg_query *query, pg_results results, pg_rows *rows);

/**
 * Makes a tracker without pairs.
 */
pg_status pg_tracker_create(pg_tracker *tracker);

/**
 * Destroys it. Memory that it lent becomes invalid.
 */
pg_status pg_tracker_destroy(pg_tracker tracker);

/**
 * A step of the broad phase, and the changes since the tracker's last step.
 *
 * `keys` are `uint64_t`s that identify objects, so that these may come, go, and change places between steps; if null, an object's key is
 * its index. Objects that share a key count as one.
 *
 * `tight` may be null. Otherwise it has as many objects as `objects`, which have a margin around them: a pair starts when the tight
 * boxes touch, and ends when the boxes with margins no longer do.
 */
pg_status pg_tracker_step(pg_tracker tracker,
                          pg_broad_phase broad_phase,
                          const pg_objects *objects,
                          const pg_objects *tight,
                          pg_array keys,
                          pg_events *events);

/**
 * Forgets the pairs of a key, so that the next step does not report that they ended.
 */
pg_status pg_tracker_forget(pg_tracker tracker, uint64_t key);

/**
 * Makes a world without objects. `config` may be null. With a margin, pairs do not flicker: a pair starts when the two boxes touch, and
 * ends when the boxes no longer do after each has been inflated by the margin to every side.
 */
pg_status pg_world_create(uint32_t scalar,
                          uint32_t dimensions,
                          double margin,
                          const pg_config *config,
                          pg_world *world);

/**
 * Destroys it. Memory that it lent becomes invalid.
 */
pg_status pg_world_destroy(pg_world world);

/**
 * Adds objects, all moving (`PG_MOVING`) or all static (`PG_STATIC`), and writes their ids, one for each. Boxes and groups only.
 */
pg_status pg_world_insert(pg_world world,
                          const pg_objects *objects,
                          uint32_t mobility,
                          pg_object *ids);

/**
 * Moves objects; changes their groups, too, if `objects` has any. Does nothing if one of them does not exist.
 */
pg_status pg_world_update(pg_world world, const pg_object *ids, const pg_objects *objects);

/**
 * Removes objects. Their pairs are among the ended ones of the next step. Does nothing if one of them does not exist.
 */
pg_status pg_world_remove(pg_world world, const pg_object *ids, size_t count);

/**
 * Writes 1 if there is such an object, and 0 if there is not.
 */
pg_status pg_world_contains(pg_world world, pg_object id, uint32_t *is_there);

/**
 * How many objects there are.
 */
pg_status pg_world_count(pg_world world, size_t *count);

/**
 * Finds which objects meet at their current places, and what has changed since the last step.
 */
pg_status pg_world_step(pg_world world, pg_world_events *events);

/**
 * Queries about the objects as of the last step. The rows have `generations`. Any number of threads may query at once, each with results
 * of its own.
 */
pg_status pg_world_query(pg_world world,
                         const pg_query *query,
                         pg_results results,
                         pg_rows *rows);

/**
 * Figures of the last step's moving objects. Set `stats->size` before the call.
 */
pg_status pg_world_stats(pg_world world, pg_stats *stats);

/* Objects and queries, made from typed pointers, so that the compiler finds a float where a double should be. Strides are in bytes. */

static inline pg_array pg_array_of(const void *data, size_t stride)
{
    pg_array array;
    array.data = data;
    array.stride = stride;
    return array;
}

static inline pg_objects pg_objects_none(uint32_t scalar, uint32_t dimensions, size_t count)
{
    pg_objects objects;
    objects.size = sizeof(pg_objects);
    objects.scalar = scalar;
    objects.dimensions = dimensions;
    objects.count = count;
    objects.min = objects.max = objects.center = objects.radius = objects.groups = pg_array_of(NULL, 0);
    objects.filter = NULL;
    objects.filter_user = NULL;
    return objects;
}

/* Boxes: lower and upper corners, `dimensions` numbers each, `stride` bytes from one to the next. */
static inline pg_objects pg_boxes_f32(uint32_t dimensions, const float *min, const float *max, size_t stride, size_t count)
{
    pg_objects objects = pg_objects_none(PG_F32, dimensions, count);
    objects.min = pg_array_of(min, stride);
    objects.max = pg_array_of(max, stride);
    return objects;
}

static inline pg_objects pg_boxes_f64(uint32_t dimensions, const double *min, const double *max, size_t stride, size_t count)
{
    pg_objects objects = pg_objects_none(PG_F64, dimensions, count);
    objects.min = pg_array_of(min, stride);
    objects.max = pg_array_of(max, stride);
    return objects;
}

/* Balls: centers and radii; a radius_stride of 0 is one radius for all. */
static inline pg_objects pg_balls_f32(uint32_t dimensions, const float *center, size_t stride, const float *radius,
                                      size_t radius_stride, size_t count)
{
    pg_objects objects = pg_objects_none(PG_F32, dimensions, count);
    objects.center = pg_array_of(center, stride);
    objects.radius = pg_array_of(radius, radius_stride);
    return objects;
}

static inline pg_objects pg_balls_f64(uint32_t dimensions, const double *center, size_t stride, const double *radius,
                                      size_t radius_stride, size_t count)
{
    pg_objects objects = pg_objects_none(PG_F64, dimensions, count);
    objects.center = pg_array_of(center, stride);
    objects.radius = pg_array_of(radius, radius_stride);
    return objects;
}

/* Points, for pg_neighbors_within. */
static inline pg_objects pg_points_f32(uint32_t dimensions, const float *point, size_t stride, size_t count)
{
    pg_objects objects = pg_objects_none(PG_F32, dimensions, count);
    objects.center = pg_array_of(point, stride);
    return objects;
}

static inline pg_objects pg_points_f64(uint32_t dimensions, const double *point, size_t stride, size_t count)
{
    pg_objects objects = pg_objects_none(PG_F64, dimensions, count);
    objects.center = pg_array_of(point, stride);
    return objects;
}

/* A query without arrays: set those that its kind needs. */
static inline pg_query pg_query_none(uint32_t kind, uint32_t scalar, uint32_t dimensions, size_t count)
{
    pg_query query;
    query.size = sizeof(pg_query);
    query.kind = kind;
    query.scalar = scalar;
    query.dimensions = dimensions;
    query.k = 0;
    query.count = count;
    query.min = query.max = query.center = query.radius = query.direction = query.max_t = pg_array_of(NULL, 0);
    return query;
}

static inline pg_query pg_query_boxes_f32(uint32_t dimensions, const float *min, const float *max, size_t stride, size_t count)
{
    pg_query query = pg_query_none(PG_QUERY_OVERLAPPING, PG_F32, dimensions, count);
    query.min = pg_array_of(min, stride);
    query.max = pg_array_of(max, stride);
    return query;
}

static inline pg_query pg_query_boxes_f64(uint32_t dimensions, const double *min, const double *max, size_t stride, size_t count)
{
    pg_query query = pg_query_none(PG_QUERY_OVERLAPPING, PG_F64, dimensions, count);
    query.min = pg_array_of(min, stride);
    query.max = pg_array_of(max, stride);
    return query;
}

static inline pg_query pg_query_nearest_f32(uint32_t dimensions, const float *point, size_t stride, uint32_t k, size_t count)
{
    pg_query query = pg_query_none(PG_QUERY_NEAREST, PG_F32, dimensions, count);
    query.center = pg_array_of(point, stride);
    query.k = k;
    return query;
}

static inline pg_query pg_query_nearest_f64(uint32_t dimensions, const double *point, size_t stride, uint32_t k, size_t count)
{
    pg_query query = pg_query_none(PG_QUERY_NEAREST, PG_F64, dimensions, count);
    query.center = pg_array_of(point, stride);
    query.k = k;
    return query;
}

/* Rays of any length; set query.max_t to limit them, and query.kind to PG_QUERY_RAY_FIRST for the first hits only. */
static inline pg_query pg_query_rays_f32(uint32_t dimensions, const float *origin, const float *direction, size_t stride,
                                         size_t count)
{
    pg_query query = pg_query_none(PG_QUERY_RAY, PG_F32, dimensions, count);
    query.center = pg_array_of(origin, stride);
    query.direction = pg_array_of(direction, stride);
    return query;
}

static inline pg_query pg_query_rays_f64(uint32_t dimensions, const double *origin, const double *direction, size_t stride,
                                         size_t count)
{
    pg_query query = pg_query_none(PG_QUERY_RAY, PG_F64, dimensions, count);
    query.center = pg_array_of(origin, stride);
    query.direction = pg_array_of(direction, stride);
    return query;
}

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PIVOTGRID_H */
