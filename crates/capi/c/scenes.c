/* Trackers, worlds and queries, in all types, against all-pairs searches. */
#include "check.h"

static const uint32_t scalars[] = {PG_F32, PG_F64};

/* Lists of pairs over three steps: what is, and was not; what is, and was; what was, and is not. */
static void trackers(uint32_t scalar, int dimensions)
{
    enum { COUNT = 600 };
    pg_broad_phase broad_phase;
    pg_tracker tracker;
    OK(pg_broad_phase_create(scalar, dimensions, NULL, &broad_phase));
    OK(pg_tracker_create(&tracker));
    static char was[COUNT][COUNT], is[COUNT][COUNT];
    memset(was, 0, sizeof was);
    uint64_t keys[COUNT];
    for (int i = 0; i < COUNT; ++i)
        keys[i] = 1000 + 7 * (uint64_t)i;
    for (int step = 0; step < 3; ++step) {
        scene scene = make_scene(COUNT, dimensions, dimensions == 2 ? 12 : 5, 11 + step / 2 + (step == 1));
        pg_objects objects = objects_of(&scene, scalar);
        pg_events events;
        OK(pg_tracker_step(tracker, broad_phase, &objects, NULL, pg_array_of(keys, sizeof *keys), &events));
        size_t started = 0, ongoing = 0, ended = 0;
        for (int a = 0; a < COUNT; ++a)
            for (int b = a + 1; b < COUNT; ++b) {
                is[a][b] = (char)scene_overlap(&scene, a, b);
#define NEXT(list)                                                                                                              \
    CHECK(list < events.list##_count && events.list[list].a == keys[a] && events.list[list].b == keys[b]), ++list
                if (is[a][b] && !was[a][b])
                    NEXT(started);
                else if (is[a][b])
                    NEXT(ongoing);
                else if (was[a][b])
                    NEXT(ended);
            }
        CHECK(started == events.started_count && ongoing == events.ongoing_count && ended == events.ended_count);
        memcpy(was, is, sizeof was);
        free_scene(&scene);
    }
    OK(pg_tracker_forget(tracker, keys[0]));
    pg_objects none = pg_objects_none(scalar, dimensions, 0);
    pg_events events;
    OK(pg_tracker_step(tracker, broad_phase, &none, NULL, pg_array_of(NULL, 0), &events));
    for (size_t i = 0; i < events.ended_count; ++i)
        CHECK(events.ended[i].a != keys[0]);
    CHECK(events.started_count == 0 && events.ongoing_count == 0 && events.ended_count > 0);

    /* With a margin: near is not enough to start, but enough to go on. */
    const double gaps[] = {0.5, 0, 0.5, 2};
    const size_t expected[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int step = 0; step < 4; ++step) {
        double tight[2][6], loose[2][6];
        for (int i = 0; i < 2; ++i)
            for (int axis = 0; axis < dimensions; ++axis) {
                tight[i][axis] = axis == 0 && i == 1 ? 1 + gaps[step] : 0;
                tight[i][dimensions + axis] = tight[i][axis] + 1;
                loose[i][axis] = tight[i][axis] - 0.5;
                loose[i][dimensions + axis] = tight[i][dimensions + axis] + 0.5;
            }
        void *tight_data = scalar_array(scalar, tight[0], 12), *loose_data = scalar_array(scalar, loose[0], 12);
        pg_objects tights = pg_objects_none(scalar, dimensions, 2), looses = tights;
        size_t size = size_of_scalar(scalar);
        tights.min = pg_array_of(tight_data, 6 * size);
        tights.max = pg_array_of((char *)tight_data + dimensions * size, 6 * size);
        looses.min = pg_array_of(loose_data, 6 * size);
        looses.max = pg_array_of((char *)loose_data + dimensions * size, 6 * size);
        OK(pg_tracker_step(tracker, broad_phase, &looses, &tights, pg_array_of(NULL, 0), &events));
        CHECK(events.started_count == expected[step][0] && events.ongoing_count == expected[step][1] &&
              events.ended_count == expected[step][2]);
        tights.count = 1;
        IS(pg_tracker_step(tracker, broad_phase, &looses, &tights, pg_array_of(NULL, 0), &events), PG_ERROR_ARGUMENT);
        free(tight_data);
        free(loose_data);
    }
    OK(pg_tracker_destroy(tracker));
    OK(pg_broad_phase_destroy(broad_phase));
}

static void worlds(uint32_t scalar, int dimensions)
{
    enum { COUNT = 500 };
    scene scene = make_scene(COUNT, dimensions, dimensions == 2 ? 10 : 5, 5);
    pg_objects all = objects_of(&scene, scalar), statics = all;
    pg_object ids[COUNT];
    pg_world world;
    pg_world_events events;
    OK(pg_world_create(scalar, dimensions, 0, NULL, &world));
    all.count = 400;
    OK(pg_world_insert(world, &all, PG_MOVING, ids));
    statics.count = 100;
    statics.min.data = (const char *)statics.min.data + 400 * statics.min.stride;
    statics.max.data = (const char *)statics.max.data + 400 * statics.max.stride;
    OK(pg_world_insert(world, &statics, PG_STATIC, ids + 400));
    IS(pg_world_insert(world, &statics, 7, ids + 400), PG_ERROR_ARGUMENT);
    IS(pg_world_insert(world, &statics, PG_STATIC, NULL), PG_ERROR_NULL);
    OK(pg_world_step(world, &events));
    size_t started = 0;
    for (size_t a = 0; a < COUNT; ++a)
        for (size_t b = a + 1; b < COUNT; ++b)
            if (scene_overlap(&scene, a, b) && a < 400) {
                CHECK(started < events.started_count && events.started[started].a.index == ids[a].index &&
                      events.started[started].b.index == ids[b].index);
                ++started;
            }
    CHECK(started == events.started_count && started > 100 && events.rejected_count == 0);

    /* Rays and the nearest, moving and static objects together. */
    pg_results results;
    pg_rows rows;
    OK(pg_results_create(&results));
    double origin[3] = {-1, 2, 2}, direction[3] = {1, 0, 0};
    void *o = scalar_array(scalar, origin, 3), *d = scalar_array(scalar, direction, 3);
    pg_query query = pg_query_none(PG_QUERY_RAY, scalar, dimensions, 1);
    query.center = pg_array_of(o, 3 * size_of_scalar(scalar));
    query.direction = pg_array_of(d, 3 * size_of_scalar(scalar));
    OK(pg_world_query(world, &query, results, &rows));
    size_t met = 0;
    double first = INFINITY;
    for (size_t i = 0; i < COUNT; ++i) {
        int meets = 1;
        for (int axis = 1; axis < dimensions; ++axis)
            meets &= scene.min[3 * i + axis] <= 2 && 2 <= scene.max[3 * i + axis];
        if (meets) {
            ++met;
            first = fmin(first, scene.min[3 * i] + 1);
        }
    }
    CHECK(rows.row_count == 1 && rows.count == met && met > 0 && rows.values[0] == first && rows.generations && !rows.shifts);
    for (size_t i = 1; i < rows.count; ++i)
        CHECK(rows.values[i - 1] <= rows.values[i]);
    uint32_t nearest_by_ray = rows.indices[0];
    query.kind = PG_QUERY_RAY_FIRST;
    OK(pg_world_query(world, &query, results, &rows));
    CHECK(rows.count == 1 && rows.values[0] == first && rows.indices[0] == nearest_by_ray);
    query.kind = PG_QUERY_NEAREST;
    query.k = 20;
    OK(pg_world_query(world, &query, results, &rows));
    CHECK(rows.count == 20 && rows.offsets[0] == 0 && rows.offsets[1] == 20);
    for (size_t i = 1; i < rows.count; ++i)
        CHECK(rows.values[i - 1] <= rows.values[i]);

    /* Gone objects: their pairs end, their ids are stale, and a call that names one of them changes nothing. */
    OK(pg_world_remove(world, ids, 100));
    pg_objects moved = all;
    moved.count = 101;
    IS(pg_world_update(world, ids, &moved), PG_ERROR_STALE_OBJECT);
    IS(pg_world_remove(world, ids + 99, 2), PG_ERROR_STALE_OBJECT);
    uint32_t is_there;
    OK(pg_world_contains(world, ids[99], &is_there));
    CHECK(!is_there);
    OK(pg_world_contains(world, ids[100], &is_there));
    CHECK(is_there);
    OK(pg_world_step(world, &events));
    for (size_t i = 0; i < events.ended_count; ++i)
        CHECK(events.ended[i].a.index < 100 || events.ended[i].b.index < 100);
    CHECK(events.ended_count > 0 && events.started_count == 0);
    /* All in one place, with one NaN among them. */
    double *same = (double *)calloc(400 * 6, sizeof(double));
    for (int i = 0; i < 400; ++i)
        for (int axis = 0; axis < dimensions; ++axis)
            same[i * 2 * dimensions + dimensions + axis] = 1;
    same[7 * 2 * dimensions] = NAN;
    void *data = scalar_array(scalar, same, 400 * 6);
    moved = pg_objects_none(scalar, dimensions, 300);
    moved.min = pg_array_of(data, 2 * dimensions * size_of_scalar(scalar));
    moved.max = pg_array_of((char *)data + dimensions * size_of_scalar(scalar), 2 * dimensions * size_of_scalar(scalar));
    OK(pg_world_update(world, ids + 100, &moved));
    OK(pg_world_step(world, &events));
    CHECK(events.rejected_count == 1 && events.rejected[0].object.index == ids[107].index &&
          events.rejected[0].reason == PG_REJECTED_NAN);
    CHECK(events.started_count + events.ongoing_count >= 299 * 298 / 2);
    size_t count;
    OK(pg_world_count(world, &count));
    CHECK(count == 400);
    pg_stats stats;
    stats.size = sizeof stats;
    OK(pg_world_stats(world, &stats));
    CHECK(stats.objects == 300);
    pg_objects balls = all;
    balls.center = all.min;
    balls.radius = all.max;
    balls.min = balls.max = pg_array_of(NULL, 0);
    IS(pg_world_insert(world, &balls, PG_MOVING, ids), PG_ERROR_ARGUMENT);
    OK(pg_world_destroy(world));
    IS(pg_world_step(world, &events), PG_ERROR_STALE_HANDLE);
    OK(pg_results_destroy(results));
    free(data);
    free(same);
    free(o);
    free(d);
    free_scene(&scene);
}

/* Batches against each object in turn, large enough for all threads to take part. */
static void queries(uint32_t scalar, int dimensions, uint32_t threads)
{
    enum { QUERIES = 1500 };
    scene scene = make_scene(2000, dimensions, dimensions == 2 ? 30 : 10, 9), asked = make_scene(QUERIES, dimensions, 12, 99);
    pg_config config;
    OK(pg_config_init(&config, sizeof config));
    config.threads = threads;
    pg_broad_phase broad_phase;
    pg_results results;
    pg_pairs pairs;
    pg_rows rows;
    OK(pg_broad_phase_create(scalar, dimensions, &config, &broad_phase));
    OK(pg_results_create(&results));
    pg_objects objects = objects_of(&scene, scalar), boxes = objects_of(&asked, scalar);

    pg_query query = pg_query_none(PG_QUERY_OVERLAPPING, scalar, dimensions, QUERIES);
    query.min = boxes.min;
    query.max = boxes.max;
    OK(pg_broad_phase_query(broad_phase, &query, results, &rows));
    CHECK(rows.row_count == QUERIES && rows.count == 0); /* nothing is there yet */
    OK(pg_broad_phase_detect(broad_phase, &objects, &pairs));
    OK(pg_broad_phase_query(broad_phase, &query, results, &rows));
    CHECK(rows.row_count == QUERIES && rows.values == NULL && rows.shifts == NULL && rows.generations == NULL);
    size_t at = 0;
    for (size_t q = 0; q < QUERIES; ++q) {
        CHECK(rows.offsets[q] == at);
        for (size_t i = 0; i < scene.count; ++i)
            if (overlap(asked.min + 3 * q, asked.max + 3 * q, scene.min + 3 * i, scene.max + 3 * i)) {
                CHECK(at < rows.count && rows.indices[at] == i);
                ++at;
            }
    }
    CHECK(at == rows.count && at > QUERIES / 2 && rows.offsets[QUERIES] == at);

    query.kind = PG_QUERY_CONTAINING;
    query.center = boxes.min;
    OK(pg_broad_phase_query(broad_phase, &query, results, &rows));
    at = 0;
    for (size_t q = 0; q < QUERIES; ++q)
        for (size_t i = 0; i < scene.count; ++i)
            if (overlap(asked.min + 3 * q, asked.min + 3 * q, scene.min + 3 * i, scene.max + 3 * i)) {
                CHECK(at < rows.count && rows.indices[at] == i);
                ++at;
            }
    CHECK(at == rows.count && at > 0);

    double radius = 0.75;
    void *r = scalar_array(scalar, &radius, 1);
    query.radius = pg_array_of(r, 0);
    query.k = 3;
    for (query.kind = PG_QUERY_WITHIN; query.kind <= PG_QUERY_NEAREST; ++query.kind) {
        OK(pg_broad_phase_query(broad_phase, &query, results, &rows));
        for (size_t q = 0; q < QUERIES; q += 50) {
            size_t near = 0, begin = rows.offsets[q], end = rows.offsets[q + 1];
            double kth = query.kind == PG_QUERY_NEAREST ? rows.values[end - 1] : radius * radius;
            for (size_t i = 0; i < scene.count; ++i) {
                double square = 0;
                for (int axis = 0; axis < dimensions; ++axis) {
                    double x = asked.min[3 * q + axis], low = scene.min[3 * i + axis], high = scene.max[3 * i + axis];
                    double gap = x < low ? low - x : x > high ? x - high : 0;
                    square += gap * gap;
                }
                near += query.kind == PG_QUERY_NEAREST ? square < kth : square <= kth;
            }
            if (query.kind == PG_QUERY_NEAREST)
                CHECK(end - begin == 3 && near < 3);
            else
                CHECK(end - begin == near);
            for (size_t i = begin + 1; i < end; ++i)
                CHECK(rows.values[i - 1] <= rows.values[i]);
        }
    }

    /* Rays along x from each query's corner, and boxes that move as far as 3. */
    double *along = (double *)calloc(QUERIES * 3, sizeof(double));
    for (size_t q = 0; q < QUERIES; ++q)
        along[dimensions * q] = 3;
    void *directions = scalar_array(scalar, along, QUERIES * 3);
    double one = 1;
    void *t = scalar_array(scalar, &one, 1);
    query.direction = pg_array_of(directions, dimensions * size_of_scalar(scalar));
    query.max_t = pg_array_of(t, 0);
    for (query.kind = PG_QUERY_RAY; query.kind <= PG_QUERY_SWEEP_FIRST; ++query.kind) {
        int is_ray = query.kind <= PG_QUERY_RAY_FIRST, is_first = query.kind % 2 == 0;
        OK(pg_broad_phase_query(broad_phase, &query, results, &rows));
        for (size_t q = 0; q < QUERIES; ++q) {
            double min[3], max[3], first = INFINITY;
            memcpy(min, asked.min + 3 * q, sizeof min);
            memcpy(max, is_ray ? min : asked.max + 3 * q, sizeof max);
            double front = max[0];
            max[0] += 3;
            size_t met = 0;
            for (size_t i = 0; i < scene.count; ++i)
                if (overlap(min, max, scene.min + 3 * i, scene.max + 3 * i)) {
                    ++met;
                    first = fmin(first, fmax(0, scene.min[3 * i] - front) / 3);
                }
            size_t begin = rows.offsets[q], found = rows.offsets[q + 1] - begin;
            CHECK(found == (is_first && met > 0 ? 1 : met));
            CHECK(met == 0 || fabs(rows.values[begin] - first) < 1e-6);
        }
    }
    /* Queries without sense find nothing. */
    radius = -1;
    query.kind = PG_QUERY_WITHIN;
    void *negative = scalar_array(scalar, &radius, 1);
    query.radius = pg_array_of(negative, 0);
    OK(pg_broad_phase_query(broad_phase, &query, results, &rows));
    CHECK(rows.row_count == QUERIES && rows.count == 0);
    query.count = 0;
    OK(pg_broad_phase_query(broad_phase, &query, results, &rows));
    CHECK(rows.row_count == 0 && rows.offsets[0] == 0);

    /* The same boxes as a static set. */
    pg_static_set statics;
    OK(pg_static_set_create(scalar, dimensions, &config, &statics));
    OK(pg_static_set_build(statics, &objects));
    query.kind = PG_QUERY_OVERLAPPING;
    query.count = QUERIES;
    OK(pg_static_set_query(statics, &query, results, &rows));
    size_t of_statics = rows.count;
    OK(pg_broad_phase_query(broad_phase, &query, results, &rows));
    CHECK(rows.count == of_statics);
    OK(pg_static_set_destroy(statics));
    OK(pg_results_destroy(results));
    OK(pg_broad_phase_destroy(broad_phase));
    free(r);
    free(t);
    free(negative);
    free(along);
    free(directions);
    free_scene(&scene);
    free_scene(&asked);
}

int main(void)
{
    for (int s = 0; s < 2; ++s)
        for (int dimensions = 2; dimensions <= 3; ++dimensions) {
            trackers(scalars[s], dimensions);
            worlds(scalars[s], dimensions);
            queries(scalars[s], dimensions, PG_THREADS_CALLER);
            queries(scalars[s], dimensions, 2);
        }
    printf("scenes: %d checks\n", checks);
    return 0;
}
