/* Whatever is handed in: a code, a message, and a handle that goes on. */
#include <pthread.h>

#include "check.h"

static pg_broad_phase shared;
static pg_objects shared_objects;
static pg_status from_callback, from_other_thread;

static int use_it_again(void *user, uint32_t a, uint32_t b)
{
    (void)user, (void)a, (void)b;
    pg_pairs pairs;
    from_callback = pg_broad_phase_detect(shared, &shared_objects, &pairs);
    return 1;
}

static void *use_it_elsewhere(void *unused)
{
    (void)unused;
    pg_pairs pairs;
    from_other_thread = pg_broad_phase_detect(shared, &shared_objects, &pairs);
    return NULL;
}

static int use_it_from_another_thread(void *user, uint32_t a, uint32_t b)
{
    (void)user, (void)a, (void)b;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use_it_elsewhere, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    IS(pg_broad_phase_destroy(shared), PG_ERROR_BUSY);
    return 1;
}

static void objects(void)
{
    float boxes[2][6] = {{0, 0, 0, 1, 1, 1}, {1, 1, 1, 2, 2, 2}};
    pg_broad_phase broad_phase;
    pg_pairs pairs;
    OK(pg_broad_phase_create(PG_F32, 3, NULL, &broad_phase));
    const pg_objects good = pg_boxes_f32(3, boxes[0], boxes[0] + 3, sizeof boxes[0], 2);
    pg_objects bad;
#define REFUSED(change, status)                                                                                                 \
    do {                                                                                                                        \
        bad = good;                                                                                                             \
        change;                                                                                                                 \
        IS(pg_broad_phase_detect(broad_phase, &bad, &pairs), status);                                                           \
        CHECK(strlen(pg_last_error()) > 0);                                                                                     \
        char own[300];                                                                                                          \
        CHECK(pg_error_of(broad_phase.id, own, sizeof own) == strlen(pg_last_error()) && strcmp(own, pg_last_error()) == 0);    \
        OK(pg_broad_phase_detect(broad_phase, &good, &pairs));                                                                  \
        CHECK(pairs.count == 1);                                                                                                \
    } while (0)
    IS(pg_broad_phase_detect(broad_phase, NULL, &pairs), PG_ERROR_NULL);
    IS(pg_broad_phase_detect(broad_phase, &good, NULL), PG_ERROR_NULL);
    IS(pg_broad_phase_visit(broad_phase, &good, NULL, NULL), PG_ERROR_NULL);
    REFUSED(bad.min.data = NULL, PG_ERROR_NULL);
    REFUSED(bad.max.data = NULL, PG_ERROR_NULL);
    REFUSED((bad.min.data = NULL, bad.max.data = NULL), PG_ERROR_NULL);
    REFUSED(bad.size = 0, PG_ERROR_SIZE);
    REFUSED(bad.size = 8, PG_ERROR_SIZE);
    REFUSED(bad.size = SIZE_MAX, PG_ERROR_SIZE);
    REFUSED(bad.scalar = PG_F64, PG_ERROR_TYPE);
    REFUSED(bad.scalar = 77, PG_ERROR_TYPE);
    REFUSED(bad.dimensions = 2, PG_ERROR_TYPE);
    REFUSED(bad.dimensions = 4, PG_ERROR_TYPE);
    REFUSED(bad.min.stride = 0, PG_ERROR_STRIDE);
    REFUSED(bad.max.stride = 11, PG_ERROR_STRIDE);
    REFUSED(bad.max.stride = 26, PG_ERROR_ALIGNMENT);
    REFUSED(bad.min.stride = SIZE_MAX - 3, PG_ERROR_STRIDE);
    REFUSED((bad.count = 1u << 30, bad.max.stride = (size_t)1 << 40), PG_ERROR_STRIDE);
    REFUSED(bad.min.data = (const char *)boxes + 1, PG_ERROR_ALIGNMENT);
    REFUSED(bad.count = SIZE_MAX, PG_ERROR_TOO_MANY);
    REFUSED(bad.count = (size_t)1 << 33, PG_ERROR_TOO_MANY);
    REFUSED((bad.center = good.min, bad.radius = good.max), PG_ERROR_ARGUMENT);
    REFUSED((bad.center = good.min, bad.min.data = NULL, bad.max.data = NULL), PG_ERROR_NULL);
    REFUSED(bad.groups = pg_array_of(boxes, 4), PG_ERROR_STRIDE);
    REFUSED(bad.groups = pg_array_of((const char *)boxes + 2, 12), PG_ERROR_ALIGNMENT);

    /* A struct of a newer header: what this library does not know must be zero. */
    struct {
        pg_objects known;
        size_t unknown;
    } newer = {good, 0};
    newer.known.size = sizeof newer;
    OK(pg_broad_phase_detect(broad_phase, &newer.known, &pairs));
    newer.unknown = 1;
    IS(pg_broad_phase_detect(broad_phase, &newer.known, &pairs), PG_ERROR_SIZE);
    static _Alignas(16) char room[sizeof(pg_objects) + 16];
    memcpy(room + 1, &good, sizeof good);
    IS(pg_broad_phase_detect(broad_phase, (const pg_objects *)(uintptr_t)(room + 1), &pairs), PG_ERROR_ALIGNMENT);

    /* Nothing is no error, and needs no pointers. */
    pg_objects none = pg_objects_none(PG_F32, 3, 0);
    OK(pg_broad_phase_detect(broad_phase, &none, &pairs));
    CHECK(pairs.count == 0 && pairs.rejected_count == 0);
    OK(pg_broad_phase_destroy(broad_phase));
}

static void handles(void)
{
    float box[6] = {0, 0, 0, 1, 1, 1};
    pg_objects one = pg_boxes_f32(3, box, box + 3, sizeof box, 1);
    pg_pairs pairs;
    pg_broad_phase none = {0}, invented = {0x100000099}, broad_phase, other;
    IS(pg_broad_phase_detect(none, &one, &pairs), PG_ERROR_HANDLE);
    IS(pg_broad_phase_detect(invented, &one, &pairs), PG_ERROR_HANDLE);
    IS(pg_broad_phase_destroy(none), PG_ERROR_HANDLE);
    IS(pg_broad_phase_create(PG_F32, 3, NULL, NULL), PG_ERROR_NULL);
    IS(pg_broad_phase_create(3, 3, NULL, &broad_phase), PG_ERROR_TYPE);
    IS(pg_broad_phase_create(PG_F32, 1, NULL, &broad_phase), PG_ERROR_TYPE);

    OK(pg_broad_phase_create(PG_F32, 3, NULL, &broad_phase));
    OK(pg_broad_phase_detect(broad_phase, &one, &pairs));
    OK(pg_broad_phase_destroy(broad_phase));
    IS(pg_broad_phase_detect(broad_phase, &one, &pairs), PG_ERROR_STALE_HANDLE);
    IS(pg_broad_phase_destroy(broad_phase), PG_ERROR_STALE_HANDLE);
    /* Another one in its place does not bring it back. */
    OK(pg_broad_phase_create(PG_F32, 3, NULL, &other));
    IS(pg_broad_phase_detect(broad_phase, &one, &pairs), PG_ERROR_STALE_HANDLE);
    OK(pg_broad_phase_detect(other, &one, &pairs));

    /* A handle of another kind, by force. */
    pg_tracker tracker, forced = {other.id};
    pg_events events;
    OK(pg_tracker_create(&tracker));
    IS(pg_tracker_step(forced, other, &one, NULL, pg_array_of(NULL, 0), &events), PG_ERROR_HANDLE);
    pg_broad_phase wrong = {tracker.id};
    IS(pg_tracker_step(tracker, wrong, &one, NULL, pg_array_of(NULL, 0), &events), PG_ERROR_HANDLE);
    pg_results results, no_results = {0};
    pg_rows rows;
    float point[3] = {0, 0, 0};
    pg_query query = pg_query_nearest_f32(3, point, sizeof point, 1, 1);
    IS(pg_broad_phase_query(other, &query, no_results, &rows), PG_ERROR_HANDLE);
    OK(pg_results_create(&results));
    OK(pg_broad_phase_query(other, &query, results, &rows));
    CHECK(rows.count == 1);
    query.kind = 99;
    IS(pg_broad_phase_query(other, &query, results, &rows), PG_ERROR_ARGUMENT);
    query.kind = PG_QUERY_RAY;
    IS(pg_broad_phase_query(other, &query, results, &rows), PG_ERROR_NULL);
    OK(pg_results_destroy(results));
    query.kind = PG_QUERY_NEAREST;
    IS(pg_broad_phase_query(other, &query, results, &rows), PG_ERROR_STALE_HANDLE);
    OK(pg_tracker_destroy(tracker));
    OK(pg_broad_phase_destroy(other));

    /* A static set of another type. */
    pg_static_set statics;
    OK(pg_broad_phase_create(PG_F32, 3, NULL, &other));
    OK(pg_static_set_create(PG_F64, 3, NULL, &statics));
    IS(pg_broad_phase_detect_with(other, &one, statics, &pairs, &pairs), PG_ERROR_TYPE);
    OK(pg_static_set_destroy(statics));
    OK(pg_broad_phase_destroy(other));
}

static void run_no_job(void *user, uint32_t workers, void (*job)(void *, uint32_t), void *data)
{
    (void)user, (void)workers, (void)job, (void)data;
}

static void threads(void)
{
    float boxes[2][6] = {{0, 0, 0, 1, 1, 1}, {1, 1, 1, 2, 2, 2}};
    pg_config config;
    OK(pg_config_init(&config, sizeof config));
    config.flags = PG_SAME_THREAD;
    OK(pg_broad_phase_create(PG_F32, 3, &config, &shared));
    shared_objects = pg_boxes_f32(3, boxes[0], boxes[0] + 3, sizeof boxes[0], 2);
    pg_pairs pairs;
    OK(pg_broad_phase_detect(shared, &shared_objects, &pairs));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use_it_elsewhere, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(from_other_thread == PG_ERROR_WRONG_THREAD);
    OK(pg_broad_phase_destroy(shared));

    /* Without the flag a handle moves freely, but is used by one at a time. */
    OK(pg_broad_phase_create(PG_F32, 3, NULL, &shared));
    CHECK(pthread_create(&thread, NULL, use_it_elsewhere, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(from_other_thread == PG_OK);
    pg_objects asking = shared_objects;
    asking.filter = use_it_again;
    OK(pg_broad_phase_detect(shared, &asking, &pairs));
    CHECK(from_callback == PG_ERROR_BUSY && pairs.count == 1);
    asking.filter = use_it_from_another_thread;
    OK(pg_broad_phase_detect(shared, &asking, &pairs));
    CHECK(from_other_thread == PG_ERROR_BUSY && pairs.count == 1);
    OK(pg_broad_phase_destroy(shared));
}

/* Threads that use and destroy the same handles at the same time, as no program should: they get codes. */
enum { SHARED_HANDLES = 4, ROUNDS = 3000 };
static pg_broad_phase contested[SHARED_HANDLES];
static pthread_mutex_t contested_lock = PTHREAD_MUTEX_INITIALIZER;

static pg_broad_phase contested_at(int which)
{
    pthread_mutex_lock(&contested_lock);
    pg_broad_phase handle = contested[which];
    pthread_mutex_unlock(&contested_lock);
    return handle;
}

static void *misuse(void *argument)
{
    uint64_t seed = (uint64_t)(uintptr_t)argument;
    float boxes[40][6];
    for (int i = 0; i < 40; ++i)
        for (int k = 0; k < 6; ++k)
            boxes[i][k] = (float)i + (k < 3 ? 0.0f : 1.0f);
    pg_objects objects = pg_boxes_f32(3, boxes[0], boxes[0] + 3, sizeof boxes[0], 40);
    pg_query query = pg_query_boxes_f32(3, boxes[0], boxes[0] + 3, sizeof boxes[0], 40);
    pg_results results;
    OK(pg_results_create(&results));
    for (int round = 0; round < ROUNDS; ++round) {
        int which = (int)(random_number(&seed) * SHARED_HANDLES), what = (int)(random_number(&seed) * 20);
        pg_broad_phase handle = contested_at(which);
        pg_status status;
        if (what == 0) {
            status = pg_broad_phase_destroy(handle);
            if (status == PG_OK) {
                OK(pg_broad_phase_create(PG_F32, 3, NULL, &handle));
                pthread_mutex_lock(&contested_lock);
                contested[which] = handle;
                pthread_mutex_unlock(&contested_lock);
            }
        } else if (what < 8) {
            pg_blocks blocks; /* not read: another thread may have taken the next step */
            status = pg_broad_phase_detect_blocks(handle, &objects, &blocks);
            CHECK(status != PG_OK || blocks.pair_count == 39);
        } else {
            pg_rows rows;
            status = pg_broad_phase_query(handle, &query, results, &rows);
            CHECK(status != PG_OK || rows.count == 0 || rows.count == 40 + 2 * 39);
        }
        CHECK(status == PG_OK || status == PG_ERROR_BUSY || status == PG_ERROR_STALE_HANDLE);
    }
    OK(pg_results_destroy(results));
    return NULL;
}

static void contest(void)
{
    pthread_t crowd[4];
    for (int i = 0; i < SHARED_HANDLES; ++i)
        OK(pg_broad_phase_create(PG_F32, 3, NULL, &contested[i]));
    for (size_t i = 0; i < 4; ++i)
        CHECK(pthread_create(&crowd[i], NULL, misuse, (void *)(uintptr_t)(i + 1)) == 0);
    for (int i = 0; i < 4; ++i)
        CHECK(pthread_join(crowd[i], NULL) == 0);
    for (int i = 0; i < SHARED_HANDLES; ++i)
        OK(pg_broad_phase_destroy(contested[i]));
}

static void configs(void)
{
    pg_config config;
    pg_broad_phase broad_phase;
    IS(pg_config_init(NULL, sizeof config), PG_ERROR_NULL);
    IS(pg_config_init(&config, 3), PG_ERROR_SIZE);
#define REFUSED_CONFIG(change, status)                                                                                          \
    do {                                                                                                                        \
        OK(pg_config_init(&config, sizeof config));                                                                             \
        change;                                                                                                                 \
        IS(pg_broad_phase_create(PG_F32, 3, &config, &broad_phase), status);                                                    \
        CHECK(strlen(pg_last_error()) > 0);                                                                                     \
    } while (0)
    REFUSED_CONFIG(config.cell_size = -1, PG_ERROR_CONFIG);
    REFUSED_CONFIG(config.cell_size = NAN, PG_ERROR_CONFIG);
    REFUSED_CONFIG(config.max_levels = 1000, PG_ERROR_CONFIG);
    REFUSED_CONFIG(config.instruction_set = 9, PG_ERROR_CONFIG);
    REFUSED_CONFIG(config.flags = 0x80, PG_ERROR_CONFIG);
    REFUSED_CONFIG(config.threads = 100000, PG_ERROR_CONFIG);
    REFUSED_CONFIG(config.size = 4, PG_ERROR_SIZE);
    pg_fork_join jobs = {sizeof jobs, 4, NULL, NULL};
    REFUSED_CONFIG(config.fork_join = &jobs, PG_ERROR_NULL);
    jobs.run = run_no_job;
    REFUSED_CONFIG((config.fork_join = &jobs, config.threads = 2), PG_ERROR_CONFIG);
    REFUSED_CONFIG((config.fork_join = &jobs, config.threads = PG_THREADS_CALLER), PG_ERROR_CONFIG);
    jobs.workers = 0;
    REFUSED_CONFIG(config.fork_join = &jobs, PG_ERROR_CONFIG);
    jobs.workers = 1025;
    REFUSED_CONFIG(config.fork_join = &jobs, PG_ERROR_CONFIG);
    jobs.size = 4;
    REFUSED_CONFIG(config.fork_join = &jobs, PG_ERROR_SIZE);
    pg_world world;
    IS(pg_world_create(PG_F32, 3, NAN, NULL, &world), PG_ERROR_CONFIG);
    IS(pg_world_create(PG_F32, 3, -1, NULL, &world), PG_ERROR_CONFIG);
    double min[] = {0, 0, 0}, max[] = {1, 1, INFINITY};
    pg_periodic periodic;
    OK(pg_periodic_create(PG_F32, 3, min, max, 3, NULL, &periodic));
    OK(pg_periodic_destroy(periodic));
    IS(pg_periodic_create(PG_F32, 3, min, max, 7, NULL, &periodic), PG_ERROR_DOMAIN);
    IS(pg_periodic_create(PG_F32, 3, max, min, 1, NULL, &periodic), PG_ERROR_DOMAIN);
    IS(pg_periodic_create(PG_F32, 3, NULL, max, 1, NULL, &periodic), PG_ERROR_NULL);
    pg_neighbors neighbors;
    IS(pg_neighbors_create(PG_F32, 3, 16, NULL, &neighbors), PG_ERROR_ARGUMENT);
    IS(pg_neighbors_create_periodic(PG_F32, 2, 0, min, min, 1, NULL, &neighbors), PG_ERROR_DOMAIN);

    pg_stats stats;
    OK(pg_broad_phase_create(PG_F32, 3, NULL, &broad_phase));
    stats.size = 1;
    IS(pg_broad_phase_stats(broad_phase, &stats), PG_ERROR_SIZE);
    IS(pg_broad_phase_stats(broad_phase, NULL), PG_ERROR_NULL);
    OK(pg_broad_phase_destroy(broad_phase));
}

/* A message is cut to the room that there is for it. */
static void messages(void)
{
    pg_broad_phase broad_phase;
    OK(pg_broad_phase_create(PG_F32, 3, NULL, &broad_phase));
    char text[8] = "none";
    CHECK(pg_error_of(broad_phase.id, text, sizeof text) == 0 && text[0] == 0);
    IS(pg_broad_phase_detect(broad_phase, NULL, NULL), PG_ERROR_NULL);
    size_t length = pg_error_of(broad_phase.id, text, sizeof text);
    CHECK(length > sizeof text && strlen(text) == sizeof text - 1);
    CHECK(pg_error_of(broad_phase.id, NULL, 0) == length);
    CHECK(strcmp(pg_status_name(-5), "unknown status") == 0 && pg_version() == PG_VERSION);
    OK(pg_broad_phase_destroy(broad_phase));
    CHECK(pg_error_of(broad_phase.id, text, sizeof text) == 0);
}

int main(void)
{
    objects();
    handles();
    threads();
    contest();
    configs();
    messages();
    printf("errors: %d checks\n", checks);
    return 0;
}
