/* Neighbor rows and periodic domains, in all types, against all-pairs searches. */
#include "check.h"

static const uint32_t scalars[] = {PG_F32, PG_F64};

/* Points in a box that repeats itself along some axes. */
static void neighbors(uint32_t scalar, int dimensions, uint32_t axes, uint32_t threads)
{
    enum { COUNT = 2500 };
    const double edge = 8, radius = 0.75;
    uint64_t seed = 21;
    double *points = (double *)calloc(COUNT * 4, sizeof(double));
    for (size_t i = 0; i < COUNT; ++i)
        for (int axis = 0; axis < dimensions; ++axis)
            points[4 * i + axis] = floor(random_number(&seed) * edge * 64) / 64;
    void *data = scalar_array(scalar, points, COUNT * 4);
    pg_objects objects = pg_objects_none(scalar, dimensions, COUNT);
    objects.center = pg_array_of(data, 4 * size_of_scalar(scalar));
    pg_config config;
    OK(pg_config_init(&config, sizeof config));
    config.threads = threads;
    double min[3] = {0, 0, 0}, max[3] = {edge, edge, edge};
    for (uint32_t flags = 0; flags < 16; flags += flags == 3 ? 9 : 1) {
        pg_neighbors neighbors;
        pg_rows rows;
        if (axes)
            OK(pg_neighbors_create_periodic(scalar, dimensions, flags, min, max, axes, &config, &neighbors));
        else
            OK(pg_neighbors_create(scalar, dimensions, flags, &config, &neighbors));
        OK(pg_neighbors_within(neighbors, &objects, radius, &rows));
        CHECK(rows.row_count == COUNT && rows.rejected_count == 0 && (rows.shifts != NULL) == (axes != 0));
        CHECK((rows.distances != NULL) == ((flags & PG_DISTANCES) != 0) && (rows.vectors != NULL) == ((flags & PG_VECTORS) != 0));
        size_t expected = 0;
        for (size_t a = 0; a < COUNT; ++a)
            for (size_t b = 0; b < COUNT; ++b) {
                double square = 0;
                for (int axis = 0; axis < dimensions; ++axis) {
                    double along = fabs(points[4 * a + axis] - points[4 * b + axis]);
                    if (axes >> axis & 1)
                        along = fmin(along, edge - along);
                    square += along * along;
                }
                expected += a != b && square <= radius * radius;
            }
        CHECK(rows.count == expected / (flags & PG_HALF ? 2 : 1) && rows.count > COUNT / 2);
        for (size_t a = 0; a < COUNT; ++a)
            for (size_t at = rows.offsets[a]; at < rows.offsets[a + 1]; ++at) {
                size_t b = rows.indices[at];
                double square = 0;
                CHECK(b < COUNT && b != a);
                for (int axis = 0; axis < dimensions; ++axis) {
                    double along = points[4 * b + axis] - points[4 * a + axis];
                    if (axes)
                        along += edge * rows.shifts[at][axis];
                    square += along * along;
                }
                CHECK(square <= radius * radius);
                if (flags & PG_DISTANCES)
                    CHECK(fabs(scalar_at(scalar, rows.distances, at) - sqrt(square)) < 1e-6);
                if (flags & PG_VECTORS) {
                    double length = 0;
                    for (int axis = 0; axis < dimensions; ++axis) {
                        double along = points[4 * b + axis] - points[4 * a + axis] + (axes ? edge * rows.shifts[at][axis] : 0);
                        CHECK(scalar_at(scalar, rows.vectors, at * (size_t)dimensions + (size_t)axis) == along);
                        length += along * along;
                    }
                    CHECK(length == square);
                }
                if (!axes && flags & PG_SORTED && at > rows.offsets[a])
                    CHECK(rows.indices[at - 1] < b);
            }
        /* As balls of half the radius they touch. */
        double half = radius / 2;
        void *r = scalar_array(scalar, &half, 1);
        size_t count = rows.count;
        IS(pg_neighbors_touching(neighbors, &objects, &rows), PG_ERROR_NULL);
        objects.radius = pg_array_of(r, 0);
        OK(pg_neighbors_touching(neighbors, &objects, &rows));
        CHECK(rows.count == count);
        IS(pg_neighbors_within(neighbors, &objects, radius, &rows), PG_ERROR_ARGUMENT);
        objects.radius = pg_array_of(NULL, 0);
        OK(pg_neighbors_within(neighbors, &objects, NAN, &rows));
        CHECK(rows.count == 0 && rows.rejected_count == COUNT);
        pg_stats stats;
        stats.size = sizeof stats;
        OK(pg_neighbors_stats(neighbors, &stats));
        OK(pg_neighbors_destroy(neighbors));
        free(r);
    }
    free(points);
    free(data);
}

/* A sheared cell that is shorter than the radius: particles meet several times, and themselves. */
static void lattices(uint32_t scalar, int dimensions)
{
    enum { COUNT = 40 };
    const double shear[3][3] = {{1, 0, 0}, {0.5, 1.25, 0}, {-0.25, 0.5, 1.5}}, radius = 2.125;
    double vectors[9], points[COUNT * 3];
    const uint32_t axes = dimensions == 3 ? 5 : 3; /* in space, the second vector means nothing */
    const size_t d = (size_t)dimensions;
    uint64_t seed = 77;
    for (size_t row = 0; row < d; ++row)
        for (size_t axis = 0; axis < d; ++axis)
            vectors[row * d + axis] = shear[row][axis];
    for (size_t i = 0; i < COUNT * d; ++i)
        points[i] = floor(random_number(&seed) * 3 * 64) / 64 - 1;
    void *data = scalar_array(scalar, points, COUNT * d);
    pg_objects objects = pg_objects_none(scalar, (uint32_t)dimensions, COUNT);
    objects.center = pg_array_of(data, d * size_of_scalar(scalar));
    pg_neighbors neighbors;
    pg_rows rows;
    OK(pg_neighbors_create_lattice(scalar, (uint32_t)dimensions, PG_SORTED | PG_VECTORS | PG_DISTANCES, vectors, axes, NULL,
                                   &neighbors));
    OK(pg_neighbors_within(neighbors, &objects, radius, &rows));
    size_t at = 0;
    enum { FAR = 8 };
    for (size_t a = 0; a < COUNT; ++a) {
        CHECK(rows.offsets[a] == at);
        for (size_t b = 0; b < COUNT; ++b)
            for (int x = -FAR; x <= FAR; ++x)
                for (int y = -FAR; y <= FAR; ++y)
                    for (int z = -FAR; z <= FAR; ++z) {
                        const int shift[3] = {x, y, z};
                        int is_there = a != b || x || y || z;
                        for (int k = 0; k < 3; ++k)
                            is_there &= shift[k] == 0 || axes >> k & 1;
                        double way[3] = {0, 0, 0}, square = 0;
                        for (size_t axis = 0; axis < d; ++axis) {
                            way[axis] = points[b * d + axis] - points[a * d + axis];
                            for (size_t row = 0; row < d; ++row)
                                way[axis] += shift[row] * shear[row][axis];
                            square += way[axis] * way[axis];
                        }
                        if (!is_there || square > radius * radius)
                            continue;
                        CHECK(at < rows.count && rows.indices[at] == b);
                        CHECK(rows.shifts[at][0] == x && rows.shifts[at][1] == y && rows.shifts[at][2] == z);
                        CHECK(fabs(scalar_at(scalar, rows.distances, at) - sqrt(square)) < 1e-6);
                        for (size_t axis = 0; axis < d; ++axis)
                            CHECK(scalar_at(scalar, rows.vectors, at * d + axis) == way[axis]);
                        ++at;
                    }
    }
    CHECK(at == rows.count && at > 10 * COUNT);
    OK(pg_neighbors_destroy(neighbors));
    /* Vectors in one plane, or without length, span no cell. */
    vectors[0] = vectors[1] = 0;
    IS(pg_neighbors_create_lattice(scalar, (uint32_t)dimensions, 0, vectors, axes, NULL, &neighbors), PG_ERROR_DOMAIN);
    free(data);
}

/* Boxes in a sheared cell, against all shifts that can matter. */
static void sheared_pairs(uint32_t scalar, int dimensions)
{
    enum { COUNT = 300 };
    const double shear[3][3] = {{8, 0, 0}, {2, 8, 0}, {-1, 2, 8}};
    const size_t d = (size_t)dimensions;
    double vectors[9];
    for (size_t row = 0; row < d; ++row)
        for (size_t axis = 0; axis < d; ++axis)
            vectors[row * d + axis] = shear[row][axis];
    scene scene = make_scene(COUNT, dimensions, 8, 55);
    pg_objects objects = objects_of(&scene, scalar);
    pg_config config;
    OK(pg_config_init(&config, sizeof config));
    config.flags = PG_CANONICAL_ORDER;
    pg_periodic domain;
    pg_periodic_pairs pairs;
    OK(pg_periodic_create_lattice(scalar, (uint32_t)dimensions, vectors, 3, &config, &domain));
    OK(pg_periodic_detect(domain, &objects, &pairs));
    size_t at = 0;
    for (size_t a = 0; a < COUNT; ++a)
        for (size_t b = a + 1; b < COUNT; ++b)
            for (int x = -3; x <= 3; ++x)
                for (int y = -3; y <= 3; ++y) {
                    double low[3], high[3];
                    for (int axis = 0; axis < 3; ++axis) {
                        double by = axis < dimensions ? x * shear[0][axis] + y * shear[1][axis] : 0;
                        low[axis] = scene.min[3 * b + axis] + by;
                        high[axis] = scene.max[3 * b + axis] + by;
                    }
                    if (overlap(scene.min + 3 * a, scene.max + 3 * a, low, high)) {
                        CHECK(at < pairs.count && pairs.pairs[at].a == a && pairs.pairs[at].b == b);
                        CHECK(pairs.pairs[at].shift[0] == x && pairs.pairs[at].shift[1] == y && pairs.pairs[at].shift[2] == 0);
                        ++at;
                    }
                }
    CHECK(at == pairs.count && at > 20 && pairs.rejected_count == 0);
    OK(pg_periodic_destroy(domain));
    free_scene(&scene);
}

static void periodic(uint32_t scalar, int dimensions)
{
    enum { COUNT = 700 };
    const double edge = 8;
    scene scene = make_scene(COUNT, dimensions, edge, 33);
    double min[3] = {0, 0, 0}, max[3] = {edge, edge, edge};
    pg_config config;
    OK(pg_config_init(&config, sizeof config));
    config.flags = PG_CANONICAL_ORDER;
    pg_periodic domain;
    pg_periodic_pairs pairs;
    OK(pg_periodic_create(scalar, dimensions, min, max, 3, &config, &domain));
    pg_objects objects = objects_of(&scene, scalar);
    OK(pg_periodic_detect(domain, &objects, &pairs));
    size_t at = 0;
    for (size_t a = 0; a < COUNT; ++a)
        for (size_t b = a + 1; b < COUNT; ++b)
            for (int x = -1; x <= 1; ++x)
                for (int y = -1; y <= 1; ++y) {
                    double low[3], high[3], shift[3] = {x * edge, y * edge, 0};
                    for (int axis = 0; axis < 3; ++axis) {
                        low[axis] = scene.min[3 * b + axis] + shift[axis];
                        high[axis] = scene.max[3 * b + axis] + shift[axis];
                    }
                    if (overlap(scene.min + 3 * a, scene.max + 3 * a, low, high)) {
                        CHECK(at < pairs.count && pairs.pairs[at].a == a && pairs.pairs[at].b == b);
                        CHECK(pairs.pairs[at].shift[0] == x && pairs.pairs[at].shift[1] == y && pairs.pairs[at].shift[2] == 0);
                        ++at;
                    }
                }
    CHECK(at == pairs.count && at > 50);
    /* A box across a corner of the domain. */
    double corner[6] = {-0.5, -0.5, 0, 0.5, 0.5, edge};
    if (dimensions == 2)
        corner[2] = corner[3] = 0.5;
    void *data = scalar_array(scalar, corner, 6);
    size_t size = size_of_scalar(scalar);
    pg_query query = pg_query_none(PG_QUERY_OVERLAPPING, scalar, dimensions, 1);
    query.min = pg_array_of(data, 6 * size);
    query.max = pg_array_of((char *)data + dimensions * size, 6 * size);
    pg_results results;
    pg_rows rows;
    OK(pg_results_create(&results));
    OK(pg_periodic_query(domain, &query, results, &rows));
    CHECK(rows.count > 0 && rows.shifts && !rows.values);
    int is_shifted = 0;
    for (size_t i = 0; i < rows.count; ++i)
        is_shifted |= rows.shifts[i][0] != 0 || rows.shifts[i][1] != 0;
    CHECK(is_shifted);
    /* Longer than the period: left out. */
    scene.boxes_f32[dimensions] = 100;
    scene.boxes_f64[dimensions] = 100;
    OK(pg_periodic_detect(domain, &objects, &pairs));
    CHECK(pairs.rejected_count == 1 && pairs.rejected[0].index == 0 && pairs.rejected[0].reason == PG_REJECTED_LARGER_THAN_PERIOD);
    pg_stats stats;
    stats.size = sizeof stats;
    OK(pg_periodic_stats(domain, &stats));
    CHECK(stats.objects >= COUNT);
    OK(pg_periodic_destroy(domain));
    OK(pg_results_destroy(results));
    free(data);
    free_scene(&scene);
}

int main(void)
{
    for (int s = 0; s < 2; ++s)
        for (int dimensions = 2; dimensions <= 3; ++dimensions) {
            neighbors(scalars[s], dimensions, 0, PG_THREADS_CALLER);
            neighbors(scalars[s], dimensions, 0, PG_THREADS_SHARED);
            neighbors(scalars[s], dimensions, 3, PG_THREADS_CALLER);
            neighbors(scalars[s], dimensions, dimensions == 3 ? 7 : 1, 2);
            lattices(scalars[s], dimensions);
            sheared_pairs(scalars[s], dimensions);
            periodic(scalars[s], dimensions);
        }
    printf("particles: %d checks\n", checks);
    return 0;
}
