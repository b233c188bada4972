/* Boxes that fall on a plane, in ODE: the pairs of its hash space and of its sweep and prune space, and those of pivotgrid, in every step.
   falling [BOXES] [STEPS] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pivotgrid_space.h"

/* Pairs of geoms, as the numbers they carry. */
typedef struct pair {
    size_t a, b;
} pair;

typedef struct pair_list {
    pair *pairs;
    size_t count, room;
} pair_list;

static void require(int holds, const char *what, int step)
{
    if (!holds) {
        fprintf(stderr, "step %d: %s (%s)\n", step, what, pg_last_error());
        exit(1);
    }
}

static void note(void *data, dGeomID one, dGeomID other)
{
    pair_list *list = (pair_list *)data;
    const size_t a = (size_t)dGeomGetData(one), b = (size_t)dGeomGetData(other);
    if (list->count == list->room) {
        list->room = 2 * list->room + 1024;
        list->pairs = (pair *)realloc(list->pairs, list->room * sizeof(pair));
        require(list->pairs != NULL, "no memory", 0);
    }
    list->pairs[list->count++] = a < b ? (pair){a, b} : (pair){b, a};
}

static int by_number(const void *one, const void *other)
{
    const pair *a = (const pair *)one, *b = (const pair *)other;
    return a->a != b->a ? (a->a < b->a ? -1 : 1) : a->b < b->b ? -1 : a->b > b->b;
}

static int overlap(dGeomID one, dGeomID other)
{
    dReal a[6], b[6];
    dGeomGetAABB(one, a);
    dGeomGetAABB(other, b);
    for (int axis = 0; axis < 6; axis += 2)
        if (a[axis] > b[axis + 1] || b[axis] > a[axis + 1])
            return 0;
    return 1;
}

/* ODE's sweep and prune reports an infinite geom with every other one, wherever that is: keeps the pairs whose boxes overlap. */
static void keep_overlapping(pair_list *list, const dGeomID *geoms)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i)
        if (overlap(geoms[list->pairs[i].a], geoms[list->pairs[i].b]))
            list->pairs[kept++] = list->pairs[i];
    list->count = kept;
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What a broad phase took in all steps. */
typedef struct cost {
    double wall, cpu;
} cost;

#define TIMED(cost_of, call)                                                                                                    \
    do {                                                                                                                        \
        const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);                                  \
        call;                                                                                                                   \
        (cost_of).wall += seconds(CLOCK_MONOTONIC) - wall;                                                                      \
        (cost_of).cpu += seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;                                                               \
    } while (0)

static double random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 2147483648.0;
}

static void fall(const char *name, dSpaceID space, int boxes, int steps)
{
    dWorldID world = dWorldCreate();
    dJointGroupID contacts = dJointGroupCreate(0);
    dWorldSetGravity(world, 0, 0, -9.81);
    dWorldSetQuickStepNumIterations(world, 10);
    dWorldSetContactSurfaceLayer(world, 0.001);
    dGeomID *geoms = (dGeomID *)malloc(((size_t)boxes + 1) * sizeof *geoms);
    require(geoms != NULL, "no memory", 0);
    geoms[boxes] = dCreatePlane(space, 0, 0, 1, 0);
    dGeomSetData(geoms[boxes], (void *)(size_t)boxes);
    /* Towers of some height, close to each other, each box a little off. */
    uint64_t seed = 1;
    int side = 1;
    while (side * side * 10 < boxes)
        ++side;
    for (int i = 0; i < boxes; ++i) {
        const int column = i % (side * side);
        dBodyID body = dBodyCreate(world);
        dMass mass;
        const dReal edge = (dReal)(0.4 + 0.5 * random_number(&seed));
        dMassSetBoxTotal(&mass, 1, edge, edge, edge);
        dBodySetMass(body, &mass);
        geoms[i] = dCreateBox(space, edge, edge, edge);
        dGeomSetBody(geoms[i], body);
        dGeomSetData(geoms[i], (void *)(size_t)i);
        dBodySetPosition(body, (dReal)(column % side + 0.3 * random_number(&seed)), (dReal)(column / side + 0.3 * random_number(&seed)),
                         (dReal)(0.6 + i / (side * side)));
    }
    pivotgrid_space *on_all = pivotgrid_space_create(PG_THREADS_SHARED), *alone = pivotgrid_space_create(PG_THREADS_CALLER);
    require(on_all && alone, "no broad phase", 0);
    pair_list theirs = {0}, ours = {0}, ours_alone = {0};
    cost of_space = {0}, of_all = {0}, of_alone = {0};
    size_t pairs = 0;
    for (int step = 0; step < steps; ++step) {
        /* So that none of them pays for the boxes that have changed. */
        for (int i = 0; i <= boxes; ++i) {
            dReal bounds[6];
            dGeomGetAABB(geoms[i], bounds);
        }
        theirs.count = ours.count = ours_alone.count = 0;
        pg_status status = PG_OK, status_alone = PG_OK;
        TIMED(of_space, dSpaceCollide(space, &theirs, &note));
        TIMED(of_alone, status_alone = pivotgrid_space_collide(alone, space, &ours_alone, &note));
        TIMED(of_all, status = pivotgrid_space_collide(on_all, space, &ours, &note));
        require(status == PG_OK && status_alone == PG_OK, "a step failed", step);
        keep_overlapping(&theirs, geoms);
        require(theirs.count == ours.count && theirs.count == ours_alone.count, "not as many pairs", step);
        if (theirs.count > 0) {
            /* In canonical order, which the motion depends on. */
            qsort(theirs.pairs, theirs.count, sizeof(pair), by_number);
            qsort(ours.pairs, ours.count, sizeof(pair), by_number);
            qsort(ours_alone.pairs, ours_alone.count, sizeof(pair), by_number);
            require(memcmp(theirs.pairs, ours.pairs, ours.count * sizeof(pair)) == 0, "the pairs differ", step);
            require(memcmp(theirs.pairs, ours_alone.pairs, ours.count * sizeof(pair)) == 0, "the pairs of one thread differ", step);
        }
        pairs += ours.count;
        for (size_t i = 0; i < ours.count; ++i) {
            const dGeomID one = geoms[ours.pairs[i].a], other = geoms[ours.pairs[i].b];
            dContact touching[4];
            const int count = dCollide(one, other, 4, &touching[0].geom, sizeof *touching);
            for (int k = 0; k < count; ++k) {
                memset(&touching[k].surface, 0, sizeof touching[k].surface);
                touching[k].surface.mode = dContactApprox1;
                touching[k].surface.mu = (dReal)0.5;
                dJointAttach(dJointCreateContact(world, contacts, &touching[k]), dGeomGetBody(one), dGeomGetBody(other));
            }
        }
        dWorldQuickStep(world, (dReal)(1.0 / 60));
        dJointGroupEmpty(contacts);
    }
    const double per_step = 1e3 / steps;
    printf("| %s | %d | %d | %zu | %.2f | %.2f | %.2f | %.2f | %.1f |\n", name, boxes, steps, pairs / (size_t)steps,
           per_step * of_space.cpu, per_step * of_alone.cpu, per_step * of_all.cpu, per_step * of_all.wall,
           of_space.cpu / of_alone.cpu);
    free(theirs.pairs);
    free(ours.pairs);
    free(ours_alone.pairs);
    free(geoms);
    pivotgrid_space_destroy(on_all);
    pivotgrid_space_destroy(alone);
    dJointGroupDestroy(contacts);
    dSpaceDestroy(space);
    dWorldDestroy(world);
}

int main(int count, char **arguments)
{
    const int boxes = count > 1 ? atoi(arguments[1]) : 10000, steps = count > 2 ? atoi(arguments[2]) : 200;
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    printf("the same pairs in every step; CPU milliseconds per step\n\n");
    printf("| space | boxes | steps | pairs per step | ODE | pivotgrid, calling thread | pivotgrid, all cores | wall, all cores | ODE / "
           "calling thread |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    dSpaceID hash = dHashSpaceCreate(0);
    dHashSpaceSetLevels(hash, -2, 2);
    fall("dHashSpace", hash, boxes, steps);
    fall("dSweepAndPruneSpace", dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ), boxes, steps);
    dCloseODE();
    return 0;
}
