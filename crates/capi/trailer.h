/* Objects and queries, made from typed pointers, so that the compiler finds a float where a double should be. Strides are in bytes. */

static inline pg_array pg_array_of(const void *data, size_t stride)
{
    pg_array array;
    array.data = data;
    array.stride = stride;
    return array;
}

static inline pg_objects pg_objects_none(uint32_t scalar, uint32_t dimensions, size_t count)
{
    pg_objects objects;
    objects.size = sizeof(pg_objects);
    objects.scalar = scalar;
    objects.dimensions = dimensions;
    objects.count = count;
    objects.min = objects.max = objects.center = objects.radius = objects.groups = pg_array_of(NULL, 0);
    objects.filter = NULL;
    objects.filter_user = NULL;
    return objects;
}

/* Boxes: lower and upper corners, `dimensions` numbers each, `stride` bytes from one to the next. */
static inline pg_objects pg_boxes_f32(uint32_t dimensions, const float *min, const float *max, size_t stride, size_t count)
{
    pg_objects objects = pg_objects_none(PG_F32, dimensions, count);
    objects.min = pg_array_of(min, stride);
    objects.max = pg_array_of(max, stride);
    return objects;
}

static inline pg_objects pg_boxes_f64(uint32_t dimensions, const double *min, const double *max, size_t stride, size_t count)
{
    pg_objects objects = pg_objects_none(PG_F64, dimensions, count);
    objects.min = pg_array_of(min, stride);
    objects.max = pg_array_of(max, stride);
    return objects;
}

/* Balls: centers and radii; a radius_stride of 0 is one radius for all. */
static inline pg_objects pg_balls_f32(uint32_t dimensions, const float *center, size_t stride, const float *radius,
                                      size_t radius_stride, size_t count)
{
    pg_objects objects = pg_objects_none(PG_F32, dimensions, count);
    objects.center = pg_array_of(center, stride);
    objects.radius = pg_array_of(radius, radius_stride);
    return objects;
}

static inline pg_objects pg_balls_f64(uint32_t dimensions, const double *center, size_t stride, const double *radius,
                                      size_t radius_stride, size_t count)
{
    pg_objects objects = pg_objects_none(PG_F64, dimensions, count);
    objects.center = pg_array_of(center, stride);
    objects.radius = pg_array_of(radius, radius_stride);
    return objects;
}

/* Points, for pg_neighbors_within. */
static inline pg_objects pg_points_f32(uint32_t dimensions, const float *point, size_t stride, size_t count)
{
    pg_objects objects = pg_objects_none(PG_F32, dimensions, count);
    objects.center = pg_array_of(point, stride);
    return objects;
}

static inline pg_objects pg_points_f64(uint32_t dimensions, const double *point, size_t stride, size_t count)
{
    pg_objects objects = pg_objects_none(PG_F64, dimensions, count);
    objects.center = pg_array_of(point, stride);
    return objects;
}

/* A query without arrays: set those that its kind needs. */
static inline pg_query pg_query_none(uint32_t kind, uint32_t scalar, uint32_t dimensions, size_t count)
{
    pg_query query;
    query.size = sizeof(pg_query);
    query.kind = kind;
    query.scalar = scalar;
    query.dimensions = dimensions;
    query.k = 0;
    query.count = count;
    query.min = query.max = query.center = query.radius = query.direction = query.max_t = pg_array_of(NULL, 0);
    return query;
}

static inline pg_query pg_query_boxes_f32(uint32_t dimensions, const float *min, const float *max, size_t stride, size_t count)
{
    pg_query query = pg_query_none(PG_QUERY_OVERLAPPING, PG_F32, dimensions, count);
    query.min = pg_array_of(min, stride);
    query.max = pg_array_of(max, stride);
    return query;
}

static inline pg_query pg_query_boxes_f64(uint32_t dimensions, const double *min, const double *max, size_t stride, size_t count)
{
    pg_query query = pg_query_none(PG_QUERY_OVERLAPPING, PG_F64, dimensions, count);
    query.min = pg_array_of(min, stride);
    query.max = pg_array_of(max, stride);
    return query;
}

static inline pg_query pg_query_nearest_f32(uint32_t dimensions, const float *point, size_t stride, uint32_t k, size_t count)
{
    pg_query query = pg_query_none(PG_QUERY_NEAREST, PG_F32, dimensions, count);
    query.center = pg_array_of(point, stride);
    query.k = k;
    return query;
}

static inline pg_query pg_query_nearest_f64(uint32_t dimensions, const double *point, size_t stride, uint32_t k, size_t count)
{
    pg_query query = pg_query_none(PG_QUERY_NEAREST, PG_F64, dimensions, count);
    query.center = pg_array_of(point, stride);
    query.k = k;
    return query;
}

/* Rays of any length; set query.max_t to limit them, and query.kind to PG_QUERY_RAY_FIRST for the first hits only. */
static inline pg_query pg_query_rays_f32(uint32_t dimensions, const float *origin, const float *direction, size_t stride,
                                         size_t count)
{
    pg_query query = pg_query_none(PG_QUERY_RAY, PG_F32, dimensions, count);
    query.center = pg_array_of(origin, stride);
    query.direction = pg_array_of(direction, stride);
    return query;
}

static inline pg_query pg_query_rays_f64(uint32_t dimensions, const double *origin, const double *direction, size_t stride,
                                         size_t count)
{
    pg_query query = pg_query_none(PG_QUERY_RAY, PG_F64, dimensions, count);
    query.center = pg_array_of(origin, stride);
    query.direction = pg_array_of(direction, stride);
    return query;
}
