#include "pivotgrid_space.h"

#include <stdlib.h>

#define SCALAR (sizeof(dReal) == sizeof(double) ? PG_F64 : PG_F32)

/* What pivotgrid reads of a geom. */
typedef struct entry {
    dReal min[3], max[3];
} entry;

struct pivotgrid_space {
    pg_broad_phase broad_phase;
    entry *entries;
    dGeomID *geoms;
    size_t room;
};

pivotgrid_space *pivotgrid_space_create(uint32_t threads)
{
    pivotgrid_space *made = (pivotgrid_space *)calloc(1, sizeof *made);
    pg_config config;
    if (!made || pg_config_init(&config, sizeof config) != PG_OK)
        return free(made), NULL;
    config.threads = threads;
    if (pg_broad_phase_create(SCALAR, 3, &config, &made->broad_phase) != PG_OK)
        return free(made), NULL;
    return made;
}

void pivotgrid_space_destroy(pivotgrid_space *finder)
{
    if (!finder)
        return;
    pg_broad_phase_destroy(finder->broad_phase);
    free(finder->entries);
    free(finder->geoms);
    free(finder);
}

static int has_room(pivotgrid_space *finder, size_t count)
{
    if (count <= finder->room)
        return 1;
    entry *entries = (entry *)realloc(finder->entries, count * sizeof *entries);
    if (entries)
        finder->entries = entries;
    dGeomID *geoms = (dGeomID *)realloc(finder->geoms, count * sizeof *geoms);
    if (geoms)
        finder->geoms = geoms;
    if (!entries || !geoms)
        return 0;
    finder->room = count;
    return 1;
}

/* ODE's own rule. */
static int is_wanted(dGeomID one, dGeomID other)
{
    const dBodyID body = dGeomGetBody(one);
    if (body && body == dGeomGetBody(other))
        return 0;
    return (dGeomGetCategoryBits(one) & dGeomGetCollideBits(other)) || (dGeomGetCategoryBits(other) & dGeomGetCollideBits(one));
}

pg_status pivotgrid_space_collide(pivotgrid_space *finder, dSpaceID space, void *data, dNearCallback *callback)
{
    const int all = dSpaceGetNumGeoms(space);
    if (!has_room(finder, (size_t)all))
        return PG_ERROR_OUT_OF_MEMORY;
    size_t count = 0;
    for (int i = 0; i < all; ++i) {
        const dGeomID geom = dSpaceGetGeom(space, i);
        if (!dGeomIsEnabled(geom))
            continue;
        dReal bounds[6]; /* least x, greatest x, least y and so on */
        dGeomGetAABB(geom, bounds);
        for (int axis = 0; axis < 3; ++axis) {
            finder->entries[count].min[axis] = bounds[2 * axis];
            finder->entries[count].max[axis] = bounds[2 * axis + 1];
        }
        finder->geoms[count++] = geom;
    }
    pg_objects objects = pg_objects_none(SCALAR, 3, count);
    if (count > 0) {
        objects.min = pg_array_of(finder->entries->min, sizeof(entry));
        objects.max = pg_array_of(finder->entries->max, sizeof(entry));
    }
    pg_blocks blocks;
    const pg_status status = pg_broad_phase_detect_blocks(finder->broad_phase, &objects, &blocks);
    if (status != PG_OK)
        return status;
    for (size_t b = 0; b < blocks.block_count; ++b)
        for (size_t i = 0; i < blocks.blocks[b].count; ++i) {
            const dGeomID one = finder->geoms[blocks.blocks[b].pairs[i].a], other = finder->geoms[blocks.blocks[b].pairs[i].b];
            if (is_wanted(one, other))
                callback(data, one, other);
        }
    return PG_OK;
}
