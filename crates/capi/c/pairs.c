/* Pairs of all kinds, in all types, against an all-pairs search. */
#include <pthread.h>

#include "check.h"

static int differ_mod_3(void *user, uint32_t a, uint32_t b)
{
    (void)user;
    return a % 3 != b % 3;
}

static int one_group(void *user, uint32_t a, uint32_t b)
{
    (void)user;
    return (a % 4 == 0) != (b % 4 == 0);
}

typedef struct collected {
    pg_pair *pairs;
    size_t count, room;
    int calls, stop;
} collected;

/* For one thread at a time. */
static int collect(void *user, const pg_pair *pairs, size_t count)
{
    collected *to = (collected *)user;
    CHECK(to->count + count <= to->room);
    memcpy(to->pairs + to->count, pairs, count * sizeof(pg_pair));
    to->count += count;
    ++to->calls;
    return to->stop;
}

static void detect_all_ways(uint32_t scalar, int dimensions, uint32_t threads)
{
    scene scene = make_scene(3000, dimensions, dimensions == 2 ? 30 : 10, 7);
    pg_pair *expected;
    size_t expected_count = all_pairs(&scene, NULL, &expected);
    CHECK(expected_count > 3000);
    pg_config config;
    OK(pg_config_init(&config, sizeof config));
    config.threads = threads;
    pg_broad_phase broad_phase;
    OK(pg_broad_phase_create(scalar, dimensions, &config, &broad_phase));

    pg_objects objects = objects_of(&scene, scalar);
    pg_pairs pairs;
    OK(pg_broad_phase_detect(broad_phase, &objects, &pairs));
    CHECK(same_pairs(pairs.pairs, pairs.count, expected, expected_count));
    CHECK(pairs.rejected_count == 0);

    /* The same where they were written. */
    pg_blocks blocks;
    OK(pg_broad_phase_detect_blocks(broad_phase, &objects, &blocks));
    CHECK(blocks.pair_count == expected_count);
    pg_pair *gathered = (pg_pair *)malloc(expected_count * sizeof(pg_pair));
    size_t gathered_count = 0;
    for (size_t block = 0; block < blocks.block_count; ++block) {
        CHECK(blocks.blocks[block].count > 0 && gathered_count + blocks.blocks[block].count <= expected_count);
        memcpy(gathered + gathered_count, blocks.blocks[block].pairs, blocks.blocks[block].count * sizeof(pg_pair));
        gathered_count += blocks.blocks[block].count;
    }
    CHECK(same_pairs(gathered, gathered_count, expected, expected_count));

    /* Shown to a callback, which may stop it. */
    if (threads == PG_THREADS_CALLER) {
        collected to = {gathered, 0, expected_count, 0, 0};
        OK(pg_broad_phase_visit(broad_phase, &objects, collect, &to));
        CHECK(same_pairs(to.pairs, to.count, expected, expected_count));
        collected few = {gathered, 0, expected_count, 0, 1};
        OK(pg_broad_phase_visit(broad_phase, &objects, collect, &few));
        CHECK(few.calls == 1 && few.count < expected_count);
    }

    /* Corners in arrays of their own, each with a stride. */
    size_t size = scalar == PG_F32 ? sizeof(float) : sizeof(double);
    size_t stride = (dimensions + 2) * size;
    char *min = (char *)calloc(scene.count, stride), *max = (char *)calloc(scene.count, 2 * stride);
    for (size_t i = 0; i < scene.count; ++i) {
        const char *box = scalar == PG_F32 ? (const char *)(scene.boxes_f32 + 2 * dimensions * i)
                                           : (const char *)(scene.boxes_f64 + 2 * dimensions * i);
        memcpy(min + i * stride, box, dimensions * size);
        memcpy(max + i * 2 * stride, box + dimensions * size, dimensions * size);
    }
    pg_objects strided = pg_objects_none(scalar, dimensions, scene.count);
    strided.min = pg_array_of(min, stride);
    strided.max = pg_array_of(max, 2 * stride);
    OK(pg_broad_phase_detect(broad_phase, &strided, &pairs));
    CHECK(same_pairs(pairs.pairs, pairs.count, expected, expected_count));

    /* A filter, and groups with a stride. */
    pg_pair *fewer;
    size_t fewer_count = all_pairs(&scene, differ_mod_3, &fewer);
    objects.filter = differ_mod_3;
    OK(pg_broad_phase_detect(broad_phase, &objects, &pairs));
    CHECK(same_pairs(pairs.pairs, pairs.count, fewer, fewer_count));
    objects.filter = NULL;
    free(fewer);
    fewer_count = all_pairs(&scene, one_group, &fewer);
    struct tagged {
        double something_else;
        pg_groups groups;
    } *tagged = (struct tagged *)calloc(scene.count, sizeof *tagged);
    for (size_t i = 0; i < scene.count; ++i) {
        tagged[i].groups.member = i % 4 == 0 ? 1 : 2;
        tagged[i].groups.mask = i % 4 == 0 ? 2 : 1;
    }
    objects.groups = pg_array_of(&tagged[0].groups, sizeof *tagged);
    OK(pg_broad_phase_detect(broad_phase, &objects, &pairs));
    CHECK(same_pairs(pairs.pairs, pairs.count, fewer, fewer_count));
    free(fewer);

    /* One group for all: parts of one body. */
    pg_groups body = {1, 1, 5};
    objects.groups = pg_array_of(&body, 0);
    OK(pg_broad_phase_detect(broad_phase, &objects, &pairs));
    CHECK(pairs.count == 0);
    objects.groups = pg_array_of(NULL, 0);

    /* Two sets: the first thousand and the others. */
    pg_objects first = objects, second = objects;
    first.count = 1000;
    second.count = scene.count - 1000;
    second.min.data = (const char *)second.min.data + 1000 * second.min.stride;
    second.max.data = (const char *)second.max.data + 1000 * second.max.stride;
    OK(pg_broad_phase_detect_between(broad_phase, &first, &second, &pairs));
    size_t between = 0;
    for (size_t i = 0; i < expected_count; ++i)
        if (expected[i].a < 1000 && expected[i].b >= 1000) {
            gathered[between].a = expected[i].a;
            gathered[between++].b = expected[i].b - 1000;
        }
    CHECK(between > 100 && same_pairs(pairs.pairs, pairs.count, gathered, between));

    /* The others as static objects. */
    pg_static_set statics;
    OK(pg_static_set_create(scalar, dimensions, &config, &statics));
    OK(pg_static_set_build(statics, &second));
    pg_pairs moving, with_statics;
    OK(pg_broad_phase_detect_with(broad_phase, &first, statics, &moving, &with_statics));
    CHECK(same_pairs(with_statics.pairs, with_statics.count, gathered, between));
    for (size_t i = 0; i < moving.count; ++i)
        CHECK(moving.pairs[i].b < 1000);
    /* Without the first of them, and with it again. */
    uint32_t zero = 0, back;
    OK(pg_static_set_remove(statics, &zero, 1));
    IS(pg_static_set_remove(statics, &zero, 1), PG_ERROR_STALE_OBJECT);
    pg_objects one = second;
    one.count = 1;
    IS(pg_static_set_update(statics, &zero, &one), PG_ERROR_STALE_OBJECT);
    size_t count;
    OK(pg_static_set_count(statics, &count));
    CHECK(count == second.count - 1);
    OK(pg_static_set_insert(statics, &one, &back));
    CHECK(back == 0);
    OK(pg_static_set_update(statics, &zero, &one));
    OK(pg_broad_phase_detect_with(broad_phase, &first, statics, &moving, &with_statics));
    CHECK(same_pairs(with_statics.pairs, with_statics.count, gathered, between));

    /* NaN and inverted boxes are left out, and reported. */
    scene.boxes_f32[2 * dimensions * 5] = NAN;
    scene.boxes_f64[2 * dimensions * 5] = NAN;
    scene.boxes_f32[2 * dimensions * 9] = 1e6f;
    scene.boxes_f64[2 * dimensions * 9] = 1e6;
    OK(pg_broad_phase_detect(broad_phase, &objects, &pairs));
    CHECK(pairs.rejected_count == 2);
    CHECK(pairs.rejected[0].index == 5 && pairs.rejected[0].reason == PG_REJECTED_NAN);
    CHECK(pairs.rejected[1].index == 9 && pairs.rejected[1].reason == PG_REJECTED_INVERTED);
    size_t left = 0;
    for (size_t i = 0; i < expected_count; ++i)
        if (expected[i].a != 5 && expected[i].b != 5 && expected[i].a != 9 && expected[i].b != 9)
            gathered[left++] = expected[i];
    CHECK(same_pairs(pairs.pairs, pairs.count, gathered, left));

    pg_stats stats;
    stats.size = sizeof stats;
    OK(pg_broad_phase_stats(broad_phase, &stats));
    CHECK(stats.objects == scene.count && stats.rejected == 2 && stats.pairs == left && stats.bytes > 0);
    CHECK(stats.pass_count > 1 && stats.pass_count <= PG_PASSES && strlen(stats.passes[0].name) > 0);
    OK(pg_broad_phase_shrink(broad_phase));
    OK(pg_static_set_destroy(statics));
    OK(pg_broad_phase_destroy(broad_phase));
    free(tagged);
    free(min);
    free(max);
    free(gathered);
    free(expected);
    free_scene(&scene);
}

/* With PG_CANONICAL_ORDER the pairs are sorted, on any number of threads. */
static void canonical_order(void)
{
    scene scene = make_scene(5000, 3, 14, 3);
    pg_pair *expected;
    size_t expected_count = all_pairs(&scene, NULL, &expected);
    pg_objects objects = objects_of(&scene, PG_F32);
    for (uint32_t threads = 0; threads < 4; ++threads) {
        pg_config config;
        OK(pg_config_init(&config, sizeof config));
        config.threads = threads;
        config.flags = PG_CANONICAL_ORDER;
        pg_broad_phase broad_phase;
        pg_pairs pairs;
        OK(pg_broad_phase_create(PG_F32, 3, &config, &broad_phase));
        OK(pg_broad_phase_detect(broad_phase, &objects, &pairs));
        CHECK(pairs.count == expected_count && memcmp(pairs.pairs, expected, expected_count * sizeof(pg_pair)) == 0);
        OK(pg_broad_phase_destroy(broad_phase));
    }
    free(expected);
    free_scene(&scene);
}

/* Balls pair if they touch, not already if their boxes overlap. */
static void balls(void)
{
    struct particle {
        double radius;
        float mass;
        double position[2];
    } particles[] = {{1, 0, {0, 0}}, {1, 0, {1.5, 1.5}}, {1, 0, {1.5, 1.0}}, {-1, 0, {0, 0}}};
    pg_objects objects = pg_balls_f64(2, particles[0].position, sizeof *particles, &particles[0].radius, sizeof *particles, 4);
    pg_broad_phase broad_phase;
    pg_pairs pairs;
    OK(pg_broad_phase_create(PG_F64, 2, NULL, &broad_phase));
    OK(pg_broad_phase_detect(broad_phase, &objects, &pairs));
    pg_pair expected[] = {{0, 2}, {1, 2}};
    CHECK(same_pairs(pairs.pairs, pairs.count, expected, 2));
    CHECK(pairs.rejected_count == 1 && pairs.rejected[0].index == 3 && pairs.rejected[0].reason == PG_REJECTED_INVERTED);

    double one_for_all = 0.1;
    objects.radius = pg_array_of(&one_for_all, 0);
    OK(pg_broad_phase_detect(broad_phase, &objects, &pairs));
    CHECK(pairs.count == 1 && pairs.pairs[0].a == 0 && pairs.pairs[0].b == 3);
    OK(pg_broad_phase_destroy(broad_phase));
}

/* A million pairs are more than the limit allows; the handle goes on. */
static void budget(void)
{
    float same[3000][6];
    for (int i = 0; i < 3000; ++i)
        for (int k = 0; k < 6; ++k)
            same[i][k] = k < 3 ? 0.0f : 1.0f;
    pg_config config;
    OK(pg_config_init(&config, sizeof config));
    config.max_bytes = 10000000;
    pg_broad_phase broad_phase;
    pg_pairs pairs;
    OK(pg_broad_phase_create(PG_F32, 3, &config, &broad_phase));
    pg_objects objects = pg_boxes_f32(3, same[0], same[0] + 3, sizeof same[0], 3000);
    IS(pg_broad_phase_detect(broad_phase, &objects, &pairs), PG_ERROR_OVER_BUDGET);
    objects.count = 100;
    OK(pg_broad_phase_detect(broad_phase, &objects, &pairs));
    CHECK(pairs.count == 100 * 99 / 2);
    /* Two sets. */
    objects.count = 3000;
    IS(pg_broad_phase_detect_between(broad_phase, &objects, &objects, &pairs), PG_ERROR_OVER_BUDGET);
    objects.count = 100;
    OK(pg_broad_phase_detect_between(broad_phase, &objects, &objects, &pairs));
    CHECK(pairs.count == 100 * 100);
    /* A tracker keeps what it knew, a world its objects. */
    pg_tracker tracker;
    pg_events events;
    OK(pg_tracker_create(&tracker));
    OK(pg_tracker_step(tracker, broad_phase, &objects, NULL, pg_array_of(NULL, 0), &events));
    objects.count = 3000;
    IS(pg_tracker_step(tracker, broad_phase, &objects, NULL, pg_array_of(NULL, 0), &events), PG_ERROR_OVER_BUDGET);
    objects.count = 100;
    OK(pg_tracker_step(tracker, broad_phase, &objects, NULL, pg_array_of(NULL, 0), &events));
    CHECK(events.started_count == 0 && events.ongoing_count == 100 * 99 / 2 && events.ended_count == 0);
    OK(pg_tracker_destroy(tracker));
    OK(pg_broad_phase_destroy(broad_phase));
    pg_world world;
    pg_world_events met;
    pg_object ids[3000];
    OK(pg_world_create(PG_F32, 3, 0, &config, &world));
    objects.count = 3000;
    OK(pg_world_insert(world, &objects, PG_MOVING, ids));
    IS(pg_world_step(world, &met), PG_ERROR_OVER_BUDGET);
    OK(pg_world_remove(world, ids + 100, 2900));
    OK(pg_world_step(world, &met));
    CHECK(met.started_count == 100 * 99 / 2);
    OK(pg_world_destroy(world));
}

/* A job system, and how it treats its jobs. */
typedef struct job_system {
    enum { ALL, BACKWARDS, TWICE, NONE } way;
    int passes;
} job_system;

typedef struct one_job {
    void (*job)(void *, uint32_t);
    void *data;
    uint32_t worker;
} one_job;

static void *run_one(void *argument)
{
    one_job *one = (one_job *)argument;
    one->job(one->data, one->worker);
    return NULL;
}

static void run_jobs(void *user, uint32_t workers, void (*job)(void *, uint32_t), void *data)
{
    job_system *system = (job_system *)user;
    one_job jobs[8];
    pthread_t crew[8];
    ++system->passes;
    CHECK(workers <= 8);
    switch (system->way) {
    case ALL:
        for (uint32_t worker = 0; worker < workers; ++worker) {
            jobs[worker] = (one_job){job, data, worker};
            CHECK(pthread_create(&crew[worker], NULL, run_one, &jobs[worker]) == 0);
        }
        for (uint32_t worker = 0; worker < workers; ++worker)
            CHECK(pthread_join(crew[worker], NULL) == 0);
        break;
    case BACKWARDS:
        for (uint32_t worker = workers; worker-- > 0;)
            job(data, worker);
        break;
    case TWICE:
        for (uint32_t call = 0; call < 2 * workers; ++call)
            job(data, call / 2);
        job(data, UINT32_MAX);
        break;
    case NONE:
        break;
    }
}

/* Everything on the caller's own threads: the same results, whatever the job system does. */
static void own_threads(uint32_t scalar, int dimensions)
{
    scene scene = make_scene(3000, dimensions, dimensions == 2 ? 30 : 10, 7);
    pg_pair *expected;
    size_t expected_count = all_pairs(&scene, NULL, &expected);
    pg_objects objects = objects_of(&scene, scalar);
    for (int way = ALL; way <= NONE; ++way) {
        job_system system = {.passes = 0};
        system.way = way;
        pg_fork_join jobs = {sizeof jobs, 3, run_jobs, &system};
        pg_config config;
        OK(pg_config_init(&config, sizeof config));
        config.fork_join = &jobs;
        config.serial_up_to = 0;
        config.all_pairs_up_to = 0;
        pg_broad_phase broad_phase;
        OK(pg_broad_phase_create(scalar, dimensions, &config, &broad_phase));
        for (int step = 0; step < 3; ++step) {
            pg_pairs pairs;
            OK(pg_broad_phase_detect(broad_phase, &objects, &pairs));
            CHECK(same_pairs(pairs.pairs, pairs.count, expected, expected_count));
        }
        CHECK(system.passes > 0);
        /* Each box overlaps itself, and both boxes of a pair each other. */
        pg_query query = pg_query_none(PG_QUERY_OVERLAPPING, scalar, (uint32_t)dimensions, scene.count);
        query.min = objects.min;
        query.max = objects.max;
        pg_results results;
        pg_rows rows;
        OK(pg_results_create(&results));
        system.passes = 0;
        OK(pg_broad_phase_query(broad_phase, &query, results, &rows));
        CHECK(system.passes == 1 && rows.row_count == scene.count && rows.count == scene.count + 2 * expected_count);
        for (size_t i = 0; i < expected_count; ++i) {
            size_t from = rows.offsets[expected[i].a], to = rows.offsets[expected[i].a + 1];
            while (from < to && rows.indices[from] != expected[i].b)
                ++from;
            CHECK(from < to);
        }
        OK(pg_results_destroy(results));

        /* Events, static sets, worlds and neighbor lists. */
        pg_tracker tracker;
        pg_events events;
        OK(pg_tracker_create(&tracker));
        OK(pg_tracker_step(tracker, broad_phase, &objects, NULL, pg_array_of(NULL, 0), &events));
        CHECK(events.started_count == expected_count && events.ongoing_count == 0);
        for (size_t i = 0; i < expected_count; ++i)
            CHECK(events.started[i].a == expected[i].a && events.started[i].b == expected[i].b);
        OK(pg_tracker_destroy(tracker));
        pg_static_set statics;
        pg_pairs moving, with_statics;
        OK(pg_static_set_create(scalar, (uint32_t)dimensions, &config, &statics));
        system.passes = 0;
        OK(pg_static_set_build(statics, &objects));
        CHECK(system.passes > 0);
        OK(pg_broad_phase_detect_with(broad_phase, &objects, statics, &moving, &with_statics));
        CHECK(moving.count == expected_count && with_statics.count == scene.count + 2 * expected_count);
        OK(pg_static_set_destroy(statics));
        pg_world world;
        pg_world_events of_world;
        pg_object *ids = (pg_object *)malloc(scene.count * sizeof *ids);
        OK(pg_world_create(scalar, (uint32_t)dimensions, 0, &config, &world));
        OK(pg_world_insert(world, &objects, PG_MOVING, ids));
        system.passes = 0;
        OK(pg_world_step(world, &of_world));
        CHECK(system.passes > 0 && of_world.started_count == expected_count);
        OK(pg_world_destroy(world));
        free(ids);
        /* A domain so large that nothing meets across its borders. */
        const double low[3] = {-100, -100, -100}, high[3] = {100, 100, 100};
        pg_periodic periodic;
        pg_periodic_pairs of_periodic;
        OK(pg_periodic_create(scalar, (uint32_t)dimensions, low, high, 3, &config, &periodic));
        system.passes = 0;
        OK(pg_periodic_detect(periodic, &objects, &of_periodic));
        CHECK(system.passes > 0 && of_periodic.count == expected_count);
        OK(pg_periodic_destroy(periodic));
        pg_neighbors neighbors;
        OK(pg_neighbors_create(scalar, (uint32_t)dimensions, PG_HALF | PG_SORTED, &config, &neighbors));
        system.passes = 0;
        OK(pg_neighbors_touching(neighbors, &objects, &rows));
        CHECK(system.passes > 0 && rows.count == expected_count);
        for (size_t i = 0; i < expected_count; ++i)
            CHECK(rows.indices[i] == expected[i].b);
        OK(pg_neighbors_destroy(neighbors));
        OK(pg_broad_phase_destroy(broad_phase));
    }
    free(expected);
    free_scene(&scene);
}

int main(void)
{
    const uint32_t scalars[] = {PG_F32, PG_F64}, threads[] = {PG_THREADS_CALLER, PG_THREADS_SHARED, 2};
    for (int s = 0; s < 2; ++s)
        for (int dimensions = 2; dimensions <= 3; ++dimensions)
            for (int t = 0; t < 3; ++t)
                detect_all_ways(scalars[s], dimensions, threads[t]);
    for (int s = 0; s < 2; ++s)
        for (int dimensions = 2; dimensions <= 3; ++dimensions)
            own_threads(scalars[s], dimensions);
    canonical_order();
    balls();
    budget();
    printf("pairs: %d checks\n", checks);
    return 0;
}
