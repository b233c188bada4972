/* Every function that takes a handle, in every type: with good arguments; with each pointer null, and each misaligned; with no handle, a
   handle of another kind, a destroyed one; from the wrong thread; in a callback of the same handle; and with objects and queries whose
   strides, counts and coordinates make no sense. Each has a code and a message. */
#include <pthread.h>

#include "calls.h"

static void make(set *with, uint32_t scalar, int dimensions, const pg_config *config)
{
    static const float floats[2][6] = {{0, 0, 0, 1, 1, 1}, {0, 0, 0, 1, 1, 1}};
    static const double doubles[2][6] = {{0, 0, 0, 1, 1, 1}, {0, 0, 0, 1, 1, 1}};
    const double min[3] = {0, 0, 0}, max[3] = {8, 8, 8};
    *with = (set){.scalar = scalar, .dimensions = dimensions, .keys = {3, 4}};
    uint32_t d = (uint32_t)dimensions;
    OK(pg_broad_phase_create(scalar, d, config, &with->broad_phase));
    OK(pg_static_set_create(scalar, d, config, &with->statics));
    OK(pg_tracker_create(&with->tracker));
    OK(pg_world_create(scalar, d, 0, config, &with->world));
    OK(pg_periodic_create(scalar, d, min, max, 1, config, &with->periodic));
    OK(pg_neighbors_create(scalar, d, 0, config, &with->neighbors));
    OK(pg_results_create(&with->results));
    with->objects = scalar == PG_F32 ? pg_boxes_f32(d, floats[0], floats[0] + 3, sizeof floats[0], 2)
                                     : pg_boxes_f64(d, doubles[0], doubles[0] + 3, sizeof doubles[0], 2);
    with->points = pg_objects_none(scalar, d, 2);
    with->points.center = with->objects.min;
    with->query = pg_query_none(PG_QUERY_OVERLAPPING, scalar, d, 2);
    with->query.min = with->objects.min;
    with->query.max = with->objects.max;
    OK(pg_static_set_build(with->statics, &with->objects));
    pg_objects one = with->objects;
    one.count = 1;
    OK(pg_world_insert(with->world, &one, PG_MOVING, &with->id));
}

static void destroy(set *with)
{
#define GONE(kind, name)                                                                                                        \
    OK(pg_##name##_destroy(with->kind));                                                                                        \
    IS(pg_##name##_destroy(with->kind), PG_ERROR_STALE_HANDLE);                                                                 \
    with->kind.id ^= (uint64_t)1 << 40;                                                                                         \
    CHECK(pg_##name##_destroy(with->kind) != PG_OK);                                                                            \
    with->kind.id = 0;                                                                                                          \
    IS(pg_##name##_destroy(with->kind), PG_ERROR_HANDLE)
    GONE(broad_phase, broad_phase);
    GONE(statics, static_set);
    GONE(tracker, tracker);
    GONE(world, world);
    GONE(periodic, periodic);
    GONE(neighbors, neighbors);
    GONE(results, results);
}

static uint64_t *handle_of(set *with, const row *row)
{
    return (uint64_t *)(void *)((char *)with + row->handle);
}

/* A call that is refused has a message, the thread's and, where there is one, the handle's; the next good one succeeds. */
static void refused(set *with, const row *row, set *bad, pg_status status)
{
    pg_status got = row->call(bad);
    if (got != status) {
        fprintf(stderr, "%s: ", row->name);
        check_status(got, status, "a refused call", __FILE__, __LINE__);
    }
    char own[300] = "";
    CHECK(strlen(pg_last_error()) > 0);
    if (*handle_of(with, row) == *handle_of(bad, row))
        CHECK(pg_error_of(*handle_of(with, row), own, sizeof own) > 0 && strncmp(own, pg_last_error(), sizeof own - 1) == 0);
    got = row->call(with);
    if (got != PG_OK)
        fprintf(stderr, "%s after an error: ", row->name);
    check_status(got, PG_OK, "a good call", __FILE__, __LINE__);
}

/* Objects, points or queries that are changed in one way. */
static void each_array(set *with, const row *row, void (*change)(pg_array *array, size_t *count), pg_status status)
{
    for (int which = 0; which < 2; ++which) {
        set bad = *with;
        if (row->reads == OBJECTS)
            change(which ? &bad.objects.max : &bad.objects.min, &bad.objects.count);
        else if (row->reads == QUERY)
            change(which ? &bad.query.max : &bad.query.min, &bad.query.count);
        else
            change(&bad.points.center, &bad.points.count);
        refused(with, row, &bad, status);
        /* Ids may have been given out anew. */
        with->id = bad.id.index == with->id.index ? with->id : bad.id;
    }
}

static void no_array(pg_array *array, size_t *count)
{
    (void)count;
    array->data = NULL;
}
static void short_stride(pg_array *array, size_t *count)
{
    (void)count;
    array->stride = sizeof(float);
}
static void no_stride(pg_array *array, size_t *count)
{
    (void)count;
    array->stride = 0;
}
static void odd_stride(pg_array *array, size_t *count)
{
    (void)count;
    array->stride += 1;
}
static void huge_stride(pg_array *array, size_t *count)
{
    (void)count;
    array->stride = SIZE_MAX & ~(size_t)7;
}
static void odd_pointer(pg_array *array, size_t *count)
{
    (void)count;
    array->data = (const char *)array->data + 1;
}
static void too_many(pg_array *array, size_t *count)
{
    (void)array;
    *count = (size_t)1 << 33;
}

static void arguments(set *with, const row *row)
{
    CHECK(row->call(with) == PG_OK);
    for (int which = 1; which <= row->pointers; ++which) {
        set bad = *with;
        bad.null_at = which;
        refused(with, row, &bad, PG_ERROR_NULL);
        /* A function has no alignment. */
        if (row->call == broad_phase_visit && which == 2)
            continue;
        bad.null_at = 0;
        bad.odd_at = which;
        refused(with, row, &bad, PG_ERROR_ALIGNMENT);
    }
    if (row->reads == NOTHING)
        return;
    each_array(with, row, no_array, PG_ERROR_NULL);
    each_array(with, row, short_stride, PG_ERROR_STRIDE);
    each_array(with, row, no_stride, PG_ERROR_STRIDE);
    each_array(with, row, odd_stride, PG_ERROR_ALIGNMENT);
    each_array(with, row, odd_pointer, PG_ERROR_ALIGNMENT);
    /* These are given one object, which fits whatever its stride. */
    if (row->call != static_set_update && row->call != world_update) {
        each_array(with, row, huge_stride, PG_ERROR_STRIDE);
        each_array(with, row, too_many, PG_ERROR_TOO_MANY);
    }

    /* Another type, and sizes of no version. */
    set bad = *with;
    bad.objects.scalar = bad.query.scalar = bad.points.scalar = with->scalar == PG_F32 ? PG_F64 : PG_F32;
    refused(with, row, &bad, PG_ERROR_TYPE);
    bad = *with;
    bad.objects.dimensions = bad.query.dimensions = bad.points.dimensions = 5 - (uint32_t)with->dimensions;
    refused(with, row, &bad, PG_ERROR_TYPE);
    for (int which = 0; which < 2; ++which) {
        bad = *with;
        bad.objects.size = bad.query.size = bad.points.size = which ? SIZE_MAX : 8;
        refused(with, row, &bad, PG_ERROR_SIZE);
    }

    /* Nothing at all, without pointers, is no error. */
    set none = *with;
    none.objects = pg_objects_none(with->scalar, (uint32_t)with->dimensions, 0);
    none.points = none.objects;
    none.query = pg_query_none(PG_QUERY_OVERLAPPING, with->scalar, (uint32_t)with->dimensions, 0);
    CHECK(row->call(&none) == PG_OK);
    if (row->call == static_set_build)
        CHECK(row->call(with) == PG_OK);
}

static void handles(set *with, set *other, const row *row)
{
    set bad = *with;
    *handle_of(&bad, row) = 0;
    refused(with, row, &bad, PG_ERROR_HANDLE);
    *handle_of(&bad, row) = with->results.id;
    refused(with, row, &bad, PG_ERROR_HANDLE);
    *handle_of(&bad, row) = *handle_of(with, row) + 1000;
    refused(with, row, &bad, PG_ERROR_HANDLE);
    /* Destroyed, by its index in use again. */
    *handle_of(&bad, row) = *handle_of(other, row);
    refused(with, row, &bad, PG_ERROR_STALE_HANDLE);

    /* The second handle of a call. */
    bad = *with;
    if (row->reads == QUERY) {
        bad.results.id = 0;
        refused(with, row, &bad, PG_ERROR_HANDLE);
        bad.results = other->results;
        refused(with, row, &bad, PG_ERROR_STALE_HANDLE);
    } else if (row->call == broad_phase_detect_with) {
        bad.statics.id = with->tracker.id;
        refused(with, row, &bad, PG_ERROR_HANDLE);
        bad.statics = other->statics;
        refused(with, row, &bad, PG_ERROR_STALE_HANDLE);
    } else if (row->call == tracker_step) {
        bad.broad_phase.id = with->tracker.id;
        refused(with, row, &bad, PG_ERROR_HANDLE);
        bad.broad_phase = other->broad_phase;
        refused(with, row, &bad, PG_ERROR_STALE_HANDLE);
        bad = *with;
        bad.odd_at = 3;
        refused(with, row, &bad, PG_ERROR_ALIGNMENT);
    }
}

/* From a thread that the handles do not belong to. */
static pg_status by_row[ROWS], destroyed[5];

static void *elsewhere(void *argument)
{
    set *with = (set *)argument;
    for (int i = 0; i < ROWS; ++i)
        by_row[i] = rows_of_all[i].call(with);
    destroyed[0] = pg_broad_phase_destroy(with->broad_phase);
    destroyed[1] = pg_static_set_destroy(with->statics);
    destroyed[2] = pg_world_destroy(with->world);
    destroyed[3] = pg_periodic_destroy(with->periodic);
    destroyed[4] = pg_neighbors_destroy(with->neighbors);
    return NULL;
}

static void wrong_thread(uint32_t scalar, int dimensions)
{
    pg_config config;
    OK(pg_config_init(&config, sizeof config));
    config.flags = PG_SAME_THREAD;
    set with;
    make(&with, scalar, dimensions, &config);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, elsewhere, &with) == 0 && pthread_join(thread, NULL) == 0);
    for (int i = 0; i < ROWS; ++i) {
        /* Trackers and results belong to no thread; a tracker's step needs a broad phase. */
        pg_status expected = rows_of_all[i].call == tracker_forget ? PG_OK : PG_ERROR_WRONG_THREAD;
        if (by_row[i] != expected)
            fprintf(stderr, "%s: ", rows_of_all[i].name);
        IS(by_row[i], expected);
        CHECK(rows_of_all[i].call(&with) == PG_OK);
    }
    for (int i = 0; i < 5; ++i)
        IS(destroyed[i], PG_ERROR_WRONG_THREAD);
    destroy(&with);
}

/* In a callback of the same handle: a step of it is under way. */
static set *current;

static int use_again(void *user, uint32_t a, uint32_t b)
{
    (void)a, (void)b;
    size_t kind = *(size_t *)user;
    set plain = *current;
    plain.objects.filter = NULL;
    for (int i = 0; i < ROWS; ++i)
        if (rows_of_all[i].handle == kind) {
            pg_status status = rows_of_all[i].call(&plain);
            if (status != PG_ERROR_BUSY)
                fprintf(stderr, "%s in a callback: ", rows_of_all[i].name);
            IS(status, PG_ERROR_BUSY);
        }
    return 1;
}

static void in_callback(set *with)
{
    current = with;
    const pg_objects plain = with->objects;
    size_t kind = 0;
    with->objects.filter = use_again;
    with->objects.filter_user = &kind;
    kind = offsetof(set, broad_phase);
    CHECK(broad_phase_detect(with) == PG_OK);
    kind = offsetof(set, periodic);
    CHECK(periodic_detect(with) == PG_OK);
    kind = offsetof(set, neighbors);
    CHECK(neighbors_touching(with) == PG_OK);
    kind = offsetof(set, tracker);
    CHECK(tracker_step(with) == PG_OK);
    /* Static sets and worlds have no callbacks. */
    IS(static_set_build(with), PG_ERROR_ARGUMENT);
    IS(world_insert(with), PG_ERROR_ARGUMENT);
    with->objects = plain;
}

/* NaN and inverted boxes are no error: they are listed, with a reason, or kept and meet nothing; the others go on. */
static void bad_coordinates(set *with)
{
    const float low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    float floats[4][6];
    double doubles[4][6];
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 6; ++k) {
            floats[i][k] = k < 3 ? low[k] : high[k - 3];
            doubles[i][k] = floats[i][k];
        }
    floats[1][1] = NAN;
    doubles[1][1] = NAN;
    floats[2][3] = -1;
    doubles[2][3] = -1;
    set bad = *with;
    uint32_t d = (uint32_t)with->dimensions;
    bad.objects = with->scalar == PG_F32 ? pg_boxes_f32(d, floats[0], floats[0] + 3, sizeof floats[0], 4)
                                         : pg_boxes_f64(d, doubles[0], doubles[0] + 3, sizeof doubles[0], 4);
#define LISTED(of)                                                                                                              \
    CHECK((of).rejected_count == 2 && (of).rejected[0].index == 1 && (of).rejected[0].reason == PG_REJECTED_NAN &&              \
          (of).rejected[1].index == 2 && (of).rejected[1].reason == PG_REJECTED_INVERTED)
    pg_pairs pairs, others;
    pg_blocks blocks;
    OK(pg_broad_phase_detect(bad.broad_phase, &bad.objects, &pairs));
    LISTED(pairs);
    CHECK(pairs.count == 1 && pairs.pairs[0].a == 0 && pairs.pairs[0].b == 3);
    OK(pg_broad_phase_detect_blocks(bad.broad_phase, &bad.objects, &blocks));
    LISTED(blocks);
    CHECK(blocks.pair_count == 1);
    OK(pg_static_set_build(bad.statics, &bad.objects));
    OK(pg_broad_phase_detect_with(bad.broad_phase, &bad.objects, bad.statics, &pairs, &others));
    LISTED(pairs);
    CHECK(pairs.count == 1 && others.count == 4);
    pg_events events;
    OK(pg_tracker_step(bad.tracker, bad.broad_phase, &bad.objects, NULL, pg_array_of(NULL, 0), &events));
    LISTED(events);
    pg_periodic_pairs periodic;
    OK(pg_periodic_detect(bad.periodic, &bad.objects, &periodic));
    LISTED(periodic);
    CHECK(periodic.count == 1);
    pg_rows rows;
    OK(pg_neighbors_touching(bad.neighbors, &bad.objects, &rows));
    LISTED(rows);
    CHECK(rows.count == 2);
    bad.points.count = 4;
    bad.points.center = bad.objects.min;
    OK(pg_neighbors_within(bad.neighbors, &bad.points, 1, &rows));
    CHECK(rows.rejected_count == 1 && rows.rejected[0].index == 1 && rows.rejected[0].reason == PG_REJECTED_NAN && rows.count == 6);
    pg_object ids[4];
    pg_world_events of_world;
    OK(pg_world_insert(bad.world, &bad.objects, PG_MOVING, ids));
    OK(pg_world_step(bad.world, &of_world));
    CHECK(of_world.rejected_count == 2 && of_world.rejected[0].reason == PG_REJECTED_NAN &&
          of_world.rejected[1].reason == PG_REJECTED_INVERTED);
    OK(pg_world_remove(bad.world, ids, 4));
    /* Queries with NaN, inverted boxes, negative radii or directions without length find nothing, or what touches their origin. */
    pg_query query = pg_query_none(0, with->scalar, d, 4);
    query.min = query.center = bad.objects.min;
    query.max = query.direction = bad.objects.max;
    query.radius = query.max_t = bad.objects.min;
    query.k = 3;
    for (query.kind = PG_QUERY_OVERLAPPING; query.kind <= PG_QUERY_SWEEP_FIRST; ++query.kind) {
        OK(pg_broad_phase_query(bad.broad_phase, &query, bad.results, &rows));
        CHECK(rows.row_count == 4 && rows.offsets[1] == rows.offsets[2]);
        OK(pg_static_set_query(bad.statics, &query, bad.results, &rows));
        CHECK(rows.row_count == 4 && rows.offsets[1] == rows.offsets[2]);
        OK(pg_periodic_query(bad.periodic, &query, bad.results, &rows));
        CHECK(rows.row_count == 4 && rows.offsets[1] == rows.offsets[2]);
        OK(pg_world_query(bad.world, &query, bad.results, &rows));
        CHECK(rows.row_count == 4 && rows.offsets[1] == rows.offsets[2]);
    }
}

/* Functions that make a handle. */
static void constructors(uint32_t scalar, uint32_t d)
{
    const double min[3] = {0, 0, 0}, max[3] = {8, 8, 8}, nan[3] = {NAN, 8, 8};
    const double cell[9] = {2, 1, 1, 0, 2, 1, 0, 0, 2}, no_cell[9] = {NAN};
    pg_config bad;
    OK(pg_config_init(&bad, sizeof bad));
    bad.flags = 0x80000000u;
    static _Alignas(16) char room[64];
    pg_broad_phase a;
    pg_static_set b;
    pg_tracker c;
    pg_world w;
    pg_periodic p;
    pg_neighbors n;
    pg_results r;
#define MAKES(name, handle, type, ...)                                                                                          \
    IS(name(__VA_ARGS__, NULL, NULL), PG_ERROR_NULL);                                                                           \
    IS(name(__VA_ARGS__, NULL, (type *)(void *)(room + 1)), PG_ERROR_ALIGNMENT);                                                \
    IS(name(__VA_ARGS__, (const pg_config *)(const void *)(room + 1), &handle), PG_ERROR_ALIGNMENT);                            \
    IS(name(__VA_ARGS__, (const pg_config *)(const void *)room, &handle), PG_ERROR_SIZE);                                       \
    IS(name(__VA_ARGS__, &bad, &handle), PG_ERROR_CONFIG)
    MAKES(pg_broad_phase_create, a, pg_broad_phase, scalar, d);
    MAKES(pg_static_set_create, b, pg_static_set, scalar, d);
    MAKES(pg_world_create, w, pg_world, scalar, d, 0);
    MAKES(pg_periodic_create, p, pg_periodic, scalar, d, min, max, 1);
    MAKES(pg_periodic_create_lattice, p, pg_periodic, scalar, d, cell, 1);
    MAKES(pg_neighbors_create, n, pg_neighbors, scalar, d, 0);
    MAKES(pg_neighbors_create_periodic, n, pg_neighbors, scalar, d, 0, min, max, 1);
    MAKES(pg_neighbors_create_lattice, n, pg_neighbors, scalar, d, 0, cell, 1);
    for (uint32_t wrong = 0; wrong < 5; ++wrong) {
        if (wrong != PG_F32 && wrong != PG_F64) {
            IS(pg_broad_phase_create(wrong, d, NULL, &a), PG_ERROR_TYPE);
            IS(pg_static_set_create(wrong, d, NULL, &b), PG_ERROR_TYPE);
            IS(pg_world_create(wrong, d, 0, NULL, &w), PG_ERROR_TYPE);
            IS(pg_periodic_create(wrong, d, min, max, 1, NULL, &p), PG_ERROR_TYPE);
            IS(pg_neighbors_create(wrong, d, 0, NULL, &n), PG_ERROR_TYPE);
            IS(pg_neighbors_create_periodic(wrong, d, 0, min, max, 1, NULL, &n), PG_ERROR_TYPE);
            IS(pg_neighbors_create_lattice(wrong, d, 0, cell, 1, NULL, &n), PG_ERROR_TYPE);
        }
        if (wrong != 2 && wrong != 3) {
            IS(pg_broad_phase_create(scalar, wrong, NULL, &a), PG_ERROR_TYPE);
            IS(pg_static_set_create(scalar, wrong, NULL, &b), PG_ERROR_TYPE);
            IS(pg_world_create(scalar, wrong, 0, NULL, &w), PG_ERROR_TYPE);
            IS(pg_periodic_create(scalar, wrong, min, max, 1, NULL, &p), PG_ERROR_TYPE);
            IS(pg_neighbors_create(scalar, wrong, 0, NULL, &n), PG_ERROR_TYPE);
            IS(pg_neighbors_create_periodic(scalar, wrong, 0, min, max, 1, NULL, &n), PG_ERROR_TYPE);
            IS(pg_neighbors_create_lattice(scalar, wrong, 0, cell, 1, NULL, &n), PG_ERROR_TYPE);
        }
    }
    IS(pg_periodic_create(scalar, d, NULL, max, 1, NULL, &p), PG_ERROR_NULL);
    IS(pg_periodic_create(scalar, d, min, NULL, 1, NULL, &p), PG_ERROR_NULL);
    IS(pg_periodic_create(scalar, d, min, nan, 1, NULL, &p), PG_ERROR_DOMAIN);
    IS(pg_neighbors_create_periodic(scalar, d, 0, NULL, max, 1, NULL, &n), PG_ERROR_NULL);
    IS(pg_neighbors_create_periodic(scalar, d, 0, min, NULL, 1, NULL, &n), PG_ERROR_NULL);
    IS(pg_neighbors_create_periodic(scalar, d, 0, min, nan, 1, NULL, &n), PG_ERROR_DOMAIN);
    IS(pg_periodic_create_lattice(scalar, d, NULL, 1, NULL, &p), PG_ERROR_NULL);
    IS(pg_periodic_create_lattice(scalar, d, no_cell, 1, NULL, &p), PG_ERROR_DOMAIN);
    IS(pg_periodic_create_lattice(7, d, cell, 1, NULL, &p), PG_ERROR_TYPE);
    IS(pg_periodic_create_lattice(scalar, 4, cell, 1, NULL, &p), PG_ERROR_TYPE);
    IS(pg_neighbors_create_lattice(scalar, d, 0, NULL, 1, NULL, &n), PG_ERROR_NULL);
    IS(pg_neighbors_create_lattice(scalar, d, 0, no_cell, 1, NULL, &n), PG_ERROR_DOMAIN);
    IS(pg_neighbors_create_lattice(scalar, d, 16, cell, 1, NULL, &n), PG_ERROR_ARGUMENT);
    IS(pg_tracker_create(NULL), PG_ERROR_NULL);
    IS(pg_tracker_create((pg_tracker *)(void *)(room + 1)), PG_ERROR_ALIGNMENT);
    IS(pg_results_create(NULL), PG_ERROR_NULL);
    IS(pg_results_create((pg_results *)(void *)(room + 1)), PG_ERROR_ALIGNMENT);
    IS(pg_config_init((pg_config *)(void *)(room + 1), sizeof(pg_config)), PG_ERROR_ALIGNMENT);
    OK(pg_tracker_create(&c));
    OK(pg_tracker_destroy(c));
    OK(pg_results_create(&r));
    OK(pg_results_destroy(r));
}

int main(void)
{
    for (int type = 0; type < 4; ++type) {
        const uint32_t scalar = type % 2 ? PG_F64 : PG_F32;
        const int dimensions = 2 + type / 2;
        set with, other, gone;
        make(&other, scalar, dimensions, NULL);
        gone = other;
        destroy(&other);
        make(&with, scalar, dimensions, NULL);
        for (int i = 0; i < ROWS; ++i) {
            arguments(&with, &rows_of_all[i]);
            handles(&with, &gone, &rows_of_all[i]);
        }
        in_callback(&with);
        bad_coordinates(&with);
        destroy(&with);
        wrong_thread(scalar, dimensions);
        constructors(scalar, (uint32_t)dimensions);
    }
    printf("every: %d checks\n", checks);
    return 0;
}
