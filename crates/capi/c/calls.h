/* Every function that takes a handle, as a call that can be made with bad arguments, and the table of them. */
#ifndef CALLS_H
#define CALLS_H

#include "check.h"

/* All handles of a type, and arguments for their functions. */
typedef struct set {
    uint32_t scalar;
    int dimensions;
    pg_broad_phase broad_phase;
    pg_static_set statics;
    pg_tracker tracker;
    pg_world world;
    pg_periodic periodic;
    pg_neighbors neighbors;
    pg_results results;
    pg_objects objects, points;
    pg_query query;
    pg_object id;
    uint32_t index;
    uint64_t keys[2];
    /* Which pointer of the call is null, and which one is misaligned; 0 for none. */
    int null_at, odd_at;
} set;

enum { LARGEST_STRUCT = 1024 };

/* A pointer argument of a call, or what is to be tried instead of it. */
static void *given(const set *with, int which, void *pointer)
{
    static _Alignas(16) char room[2 * LARGEST_STRUCT];
    return with->null_at == which ? NULL : with->odd_at == which ? room + 1 : pointer;
}

#define P(which, pointer) given(with, which, (void *)(uintptr_t)(pointer))
/* `const` arguments are misaligned in the same way: the room above has zeros, which are never reached. */

static int visit(void *user, const pg_pair *pairs, size_t count)
{
    (void)user, (void)pairs, (void)count;
    return 0;
}

#define CALL(name) static pg_status name(set *with)
CALL(broad_phase_detect)
{
    pg_pairs pairs;
    return pg_broad_phase_detect(with->broad_phase, P(1, &with->objects), P(2, &pairs));
}
CALL(broad_phase_detect_blocks)
{
    pg_blocks blocks;
    return pg_broad_phase_detect_blocks(with->broad_phase, P(1, &with->objects), P(2, &blocks));
}
CALL(broad_phase_visit)
{
    return pg_broad_phase_visit(with->broad_phase, P(1, &with->objects), with->null_at == 2 ? NULL : visit, NULL);
}
CALL(broad_phase_detect_with)
{
    pg_pairs pairs, others;
    return pg_broad_phase_detect_with(with->broad_phase, P(1, &with->objects), with->statics, P(2, &pairs), P(3, &others));
}
CALL(broad_phase_detect_between)
{
    pg_pairs pairs;
    return pg_broad_phase_detect_between(with->broad_phase, P(1, &with->objects), P(2, &with->objects), P(3, &pairs));
}
CALL(broad_phase_query)
{
    pg_rows rows;
    return pg_broad_phase_query(with->broad_phase, P(1, &with->query), with->results, P(2, &rows));
}
CALL(broad_phase_stats)
{
    pg_stats stats = {.size = sizeof stats};
    return pg_broad_phase_stats(with->broad_phase, P(1, &stats));
}
CALL(broad_phase_shrink)
{
    return pg_broad_phase_shrink(with->broad_phase);
}
CALL(neighbors_within)
{
    pg_rows rows;
    return pg_neighbors_within(with->neighbors, P(1, &with->points), 1, P(2, &rows));
}
CALL(neighbors_touching)
{
    pg_rows rows;
    return pg_neighbors_touching(with->neighbors, P(1, &with->objects), P(2, &rows));
}
CALL(neighbors_stats)
{
    pg_stats stats = {.size = sizeof stats};
    return pg_neighbors_stats(with->neighbors, P(1, &stats));
}
CALL(periodic_detect)
{
    pg_periodic_pairs pairs;
    return pg_periodic_detect(with->periodic, P(1, &with->objects), P(2, &pairs));
}
CALL(periodic_query)
{
    pg_rows rows;
    return pg_periodic_query(with->periodic, P(1, &with->query), with->results, P(2, &rows));
}
CALL(periodic_stats)
{
    pg_stats stats = {.size = sizeof stats};
    return pg_periodic_stats(with->periodic, P(1, &stats));
}
CALL(static_set_build)
{
    with->index = 0;
    return pg_static_set_build(with->statics, P(1, &with->objects));
}
CALL(static_set_insert)
{
    uint32_t indices[2];
    pg_status status = pg_static_set_insert(with->statics, P(1, &with->objects), P(2, indices));
    if (status == PG_OK)
        OK(pg_static_set_remove(with->statics, indices, with->objects.count));
    return status;
}
CALL(static_set_update)
{
    pg_objects one = with->objects;
    one.count = one.count < 1 ? one.count : 1;
    return pg_static_set_update(with->statics, P(1, &with->index), P(2, &one));
}
CALL(static_set_remove)
{
    pg_status status = pg_static_set_remove(with->statics, P(1, &with->index), 1);
    if (status == PG_OK) {
        pg_objects one = with->objects;
        one.count = 1;
        OK(pg_static_set_insert(with->statics, &one, &with->index));
    }
    return status;
}
CALL(static_set_count)
{
    size_t count;
    return pg_static_set_count(with->statics, P(1, &count));
}
CALL(static_set_query)
{
    pg_rows rows;
    return pg_static_set_query(with->statics, P(1, &with->query), with->results, P(2, &rows));
}
CALL(tracker_step)
{
    pg_events events;
    return pg_tracker_step(with->tracker, with->broad_phase, P(1, &with->objects), NULL,
                           pg_array_of(with->odd_at == 3 ? (char *)with->keys + 1 : (char *)with->keys, sizeof with->keys[0]),
                           P(2, &events));
}
CALL(tracker_forget)
{
    return pg_tracker_forget(with->tracker, 7);
}
CALL(world_insert)
{
    pg_object ids[2];
    pg_status status = pg_world_insert(with->world, P(1, &with->objects), PG_MOVING, P(2, ids));
    if (status == PG_OK)
        OK(pg_world_remove(with->world, ids, with->objects.count));
    return status;
}
CALL(world_update)
{
    pg_objects one = with->objects;
    one.count = one.count < 1 ? one.count : 1;
    return pg_world_update(with->world, P(1, &with->id), P(2, &one));
}
CALL(world_remove)
{
    pg_status status = pg_world_remove(with->world, P(1, &with->id), 1);
    if (status == PG_OK) {
        pg_objects one = with->objects;
        one.count = 1;
        OK(pg_world_insert(with->world, &one, PG_MOVING, &with->id));
    }
    return status;
}
CALL(world_contains)
{
    uint32_t is_there;
    return pg_world_contains(with->world, with->id, P(1, &is_there));
}
CALL(world_count)
{
    size_t count;
    return pg_world_count(with->world, P(1, &count));
}
CALL(world_step)
{
    pg_world_events events;
    return pg_world_step(with->world, P(1, &events));
}
CALL(world_query)
{
    pg_rows rows;
    return pg_world_query(with->world, P(1, &with->query), with->results, P(2, &rows));
}
CALL(world_stats)
{
    pg_stats stats = {.size = sizeof stats};
    return pg_world_stats(with->world, P(1, &stats));
}

/* What a function reads besides its handle. */
enum { NOTHING, OBJECTS, QUERY, POINTS };

typedef struct row {
    const char *name;
    pg_status (*call)(set *with);
    /* Where the id of the handle is in the set. */
    size_t handle;
    int pointers, reads;
} row;

/* A test of the header sees to it that all functions are here. */
#define ROW(kind, name, pointers, reads) {"pg_" #name, name, offsetof(set, kind), pointers, reads}
static const row rows_of_all[] = {
    ROW(broad_phase, broad_phase_detect, 2, OBJECTS),
    ROW(broad_phase, broad_phase_detect_blocks, 2, OBJECTS),
    ROW(broad_phase, broad_phase_visit, 2, OBJECTS),
    ROW(broad_phase, broad_phase_detect_with, 3, OBJECTS),
    ROW(broad_phase, broad_phase_detect_between, 3, OBJECTS),
    ROW(broad_phase, broad_phase_query, 2, QUERY),
    ROW(broad_phase, broad_phase_stats, 1, NOTHING),
    ROW(broad_phase, broad_phase_shrink, 0, NOTHING),
    ROW(neighbors, neighbors_within, 2, POINTS),
    ROW(neighbors, neighbors_touching, 2, OBJECTS),
    ROW(neighbors, neighbors_stats, 1, NOTHING),
    ROW(periodic, periodic_detect, 2, OBJECTS),
    ROW(periodic, periodic_query, 2, QUERY),
    ROW(periodic, periodic_stats, 1, NOTHING),
    ROW(statics, static_set_build, 1, OBJECTS),
    ROW(statics, static_set_insert, 2, OBJECTS),
    ROW(statics, static_set_update, 2, OBJECTS),
    ROW(statics, static_set_remove, 1, NOTHING),
    ROW(statics, static_set_count, 1, NOTHING),
    ROW(statics, static_set_query, 2, QUERY),
    ROW(tracker, tracker_step, 2, OBJECTS),
    ROW(tracker, tracker_forget, 0, NOTHING),
    ROW(world, world_insert, 2, OBJECTS),
    ROW(world, world_update, 2, OBJECTS),
    ROW(world, world_remove, 1, NOTHING),
    ROW(world, world_contains, 1, NOTHING),
    ROW(world, world_count, 1, NOTHING),
    ROW(world, world_step, 1, NOTHING),
    ROW(world, world_query, 2, QUERY),
    ROW(world, world_stats, 1, NOTHING),
};
enum { ROWS = sizeof rows_of_all / sizeof *rows_of_all };

#endif
