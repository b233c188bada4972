/* What all tests share: checks that say where they failed, scenes, and the all-pairs search that everything is compared with. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pivotgrid.h"

/* By thread, because the C++ test checks on several. */
#ifdef __cplusplus
static thread_local int checks;
#else
static _Thread_local int checks;
#endif

static inline void check_that(int holds, const char *text, const char *file, int line)
{
    ++checks;
    if (!holds) {
        fprintf(stderr, "%s:%d: %s does not hold; the last error is: %s\n", file, line, text, pg_last_error());
        exit(1);
    }
}

static inline void check_status(pg_status status, pg_status expected, const char *text, const char *file, int line)
{
    ++checks;
    if (status != expected) {
        fprintf(stderr, "%s:%d: %s is %s and not %s; the last error is: %s\n", file, line, text, pg_status_name(status),
                pg_status_name(expected), pg_last_error());
        exit(1);
    }
}

#define CHECK(condition) check_that((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define IS(call, expected) check_status((call), (expected), #call, __FILE__, __LINE__)
#define OK(call) IS(call, PG_OK)

static inline double random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 2147483648.0;
}

/* Scenes that all types can have: coordinates are multiples of 1/64, so floats and doubles make the same of them. */
typedef struct scene {
    size_t count;
    int dimensions;
    double *min, *max; /* 3 numbers each */
    float *boxes_f32;  /* min and max, behind one another */
    double *boxes_f64;
} scene;

static inline scene make_scene(size_t count, int dimensions, double extent, uint64_t seed)
{
    scene made;
    made.count = count;
    made.dimensions = dimensions;
    made.min = (double *)malloc(count * 3 * sizeof(double) + 1);
    made.max = (double *)malloc(count * 3 * sizeof(double) + 1);
    made.boxes_f32 = (float *)malloc(count * 6 * sizeof(float) + 1);
    made.boxes_f64 = (double *)malloc(count * 6 * sizeof(double) + 1);
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            double low = floor(random_number(&seed) * extent * 64) / 64;
            double edge = floor(random_number(&seed) * 64 + 1) / 64;
            made.min[3 * i + axis] = axis < dimensions ? low : 0;
            made.max[3 * i + axis] = axis < dimensions ? low + edge : 0;
        }
        for (int axis = 0; axis < dimensions; ++axis) {
            size_t low = 2 * dimensions * i + axis, high = low + dimensions;
            made.boxes_f64[low] = made.min[3 * i + axis];
            made.boxes_f64[high] = made.max[3 * i + axis];
            made.boxes_f32[low] = (float)made.boxes_f64[low];
            made.boxes_f32[high] = (float)made.boxes_f64[high];
        }
    }
    return made;
}

static inline void free_scene(scene *scene)
{
    free(scene->min);
    free(scene->max);
    free(scene->boxes_f32);
    free(scene->boxes_f64);
}

static inline pg_objects objects_of(const scene *scene, uint32_t scalar)
{
    int d = scene->dimensions;
    return scalar == PG_F32
               ? pg_boxes_f32(d, scene->boxes_f32, scene->boxes_f32 + d, 2 * d * sizeof(float), scene->count)
               : pg_boxes_f64(d, scene->boxes_f64, scene->boxes_f64 + d, 2 * d * sizeof(double), scene->count);
}

/* Numbers as an array of the scalar; to be freed. */
static inline void *scalar_array(uint32_t scalar, const double *values, size_t count)
{
    void *made = malloc(count * sizeof(double) + 1);
    for (size_t i = 0; i < count; ++i) {
        if (scalar == PG_F32)
            ((float *)made)[i] = (float)values[i];
        else
            ((double *)made)[i] = values[i];
    }
    return made;
}

static inline size_t size_of_scalar(uint32_t scalar)
{
    return scalar == PG_F32 ? sizeof(float) : sizeof(double);
}

static inline double scalar_at(uint32_t scalar, const void *array, size_t index)
{
    return scalar == PG_F32 ? (double)((const float *)array)[index] : ((const double *)array)[index];
}

static inline int overlap(const double *min_a, const double *max_a, const double *min_b, const double *max_b)
{
    for (int axis = 0; axis < 3; ++axis)
        if (min_a[axis] > max_b[axis] || min_b[axis] > max_a[axis])
            return 0;
    return 1;
}

static inline int scene_overlap(const scene *scene, size_t a, size_t b)
{
    return overlap(scene->min + 3 * a, scene->max + 3 * a, scene->min + 3 * b, scene->max + 3 * b);
}

static inline int by_pair(const void *one, const void *other)
{
    const pg_pair *a = (const pg_pair *)one, *b = (const pg_pair *)other;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

/* All pairs of a scene in ascending order, by comparing each box with each; `wanted` may be null. */
static inline size_t all_pairs(const scene *scene, int (*wanted)(void *, uint32_t, uint32_t), pg_pair **pairs)
{
    size_t count = 0, room = 1024;
    *pairs = (pg_pair *)malloc(room * sizeof(pg_pair));
    for (size_t a = 0; a < scene->count; ++a)
        for (size_t b = a + 1; b < scene->count; ++b)
            if (scene_overlap(scene, a, b) && (!wanted || wanted(NULL, (uint32_t)a, (uint32_t)b))) {
                if (count == room)
                    *pairs = (pg_pair *)realloc(*pairs, (room *= 2) * sizeof(pg_pair));
                (*pairs)[count].a = (uint32_t)a;
                (*pairs)[count].b = (uint32_t)b;
                ++count;
            }
    return count;
}

/* Whether the pairs are these, in any order. */
static inline int same_pairs(const pg_pair *pairs, size_t count, const pg_pair *expected, size_t expected_count)
{
    if (count != expected_count)
        return 0;
    pg_pair *sorted = (pg_pair *)malloc(count * sizeof(pg_pair) + 1);
    if (count)
        memcpy(sorted, pairs, count * sizeof(pg_pair));
    qsort(sorted, count, sizeof(pg_pair), by_pair);
    int same = count == 0 || memcmp(sorted, expected, count * sizeof(pg_pair)) == 0;
    free(sorted);
    return same;
}

#endif
