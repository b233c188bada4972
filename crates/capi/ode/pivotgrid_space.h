/* Which geoms of ODE are near each other, by pivotgrid: a function that is called as dSpaceCollide is.
 *
 *     pivotgrid_space *finder = pivotgrid_space_create(PG_THREADS_SHARED);
 *     pivotgrid_space_collide(finder, space, data, &near_callback);
 */
#ifndef PIVOTGRID_SPACE_H
#define PIVOTGRID_SPACE_H

#include <ode/ode.h>
#include <pivotgrid.h>

typedef struct pivotgrid_space pivotgrid_space;

/* `threads` are those of pg_config. Null if there is no memory, or the threads could not be started: see pg_last_error. */
pivotgrid_space *pivotgrid_space_create(uint32_t threads);

void pivotgrid_space_destroy(pivotgrid_space *finder);

/* Calls back for each pair of geoms of the space whose boxes overlap, each once, as dSpaceCollide does: not for geoms that are disabled,
   that belong to the same body, or whose category and collide bits do not match. Spaces in the space are handed to the callback as
   geoms, with the box around them. What the space is (simple, hash, sweep and prune) does not matter; it only holds the geoms. */
pg_status pivotgrid_space_collide(pivotgrid_space *finder, dSpaceID space, void *data, dNearCallback *callback);

#endif
