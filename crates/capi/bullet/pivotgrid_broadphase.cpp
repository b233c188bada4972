#include "pivotgrid_broadphase.h"

#include <cstdio>
#include <stdexcept>
#include <string>

namespace
{
constexpr uint32_t SCALAR = sizeof(btScalar) == sizeof(float) ? PG_F32 : PG_F64;

void ok(pg_status status)
{
    if (status != PG_OK)
        throw std::runtime_error(std::string(pg_status_name(status)) + ": " + pg_last_error());
}

bool overlap(const btVector3 &minA, const btVector3 &maxA, const btVector3 &minB, const btVector3 &maxB)
{
    for (int axis = 0; axis < 3; ++axis)
        if (minA[axis] > maxB[axis] || minB[axis] > maxA[axis])
            return false;
    return true;
}

bool contain(const btVector3 &min, const btVector3 &max, const btVector3 &innerMin, const btVector3 &innerMax)
{
    for (int axis = 0; axis < 3; ++axis)
        if (innerMin[axis] < min[axis] || innerMax[axis] > max[axis])
            return false;
    return true;
}

pg_array array(const btVector3 *vectors, size_t stride)
{
    return pg_array_of(vectors->m_floats, stride);
}
} // namespace

struct PivotgridBroadphase::Proxy : btBroadphaseProxy {
    using btBroadphaseProxy::btBroadphaseProxy;
    size_t place = 0;
    // Set since the last step; not set for a step or more, so that the margin is gone.
    bool isFresh = true, isAtRest = false;
};

PivotgridBroadphase::PivotgridBroadphase(btScalar margin, uint32_t threads, btOverlappingPairCache *cache)
    : m_margin(margin), m_ownCache(cache ? nullptr : new btHashedOverlappingPairCache), m_cache(cache ? cache : m_ownCache.get())
{
    pg_config config;
    ok(pg_config_init(&config, sizeof config));
    config.threads = threads;
    ok(pg_broad_phase_create(SCALAR, 3, &config, &m_broadPhase));
    ok(pg_tracker_create(&m_tracker));
    ok(pg_results_create(&m_results));
}

PivotgridBroadphase::~PivotgridBroadphase()
{
    for (Proxy *proxy : m_proxies)
        delete proxy;
    pg_results_destroy(m_results);
    pg_tracker_destroy(m_tracker);
    pg_broad_phase_destroy(m_broadPhase);
}

btBroadphaseProxy *PivotgridBroadphase::createProxy(const btVector3 &aabbMin, const btVector3 &aabbMax, int, void *userPtr, int group,
                                                    int mask, btDispatcher *)
{
    Proxy *proxy = new Proxy(aabbMin, aabbMax, userPtr, group, mask);
    proxy->m_uniqueId = ++m_lastUid;
    proxy->place = m_proxies.size();
    m_proxies.push_back(proxy);
    m_boxes.push_back(Box{aabbMin, aabbMax});
    m_groups.push_back(pg_groups{uint32_t(group), uint32_t(mask), 0});
    m_keys.push_back(uint64_t(proxy->m_uniqueId));
    m_byKey.emplace(uint64_t(proxy->m_uniqueId), proxy);
    m_isStale = true;
    return proxy;
}

void PivotgridBroadphase::destroyProxy(btBroadphaseProxy *absProxy, btDispatcher *dispatcher)
{
    Proxy *proxy = static_cast<Proxy *>(absProxy);
    m_cache->removeOverlappingPairsContainingProxy(proxy, dispatcher);
    // The tracker reports the end of its pairs in the next step, where its key is no longer known.
    m_byKey.erase(uint64_t(proxy->m_uniqueId));
    const size_t place = proxy->place;
    m_proxies[place] = m_proxies.back();
    m_proxies[place]->place = place;
    m_proxies.pop_back();
    m_boxes[int(place)] = m_boxes[m_boxes.size() - 1];
    m_boxes.pop_back();
    m_groups[place] = m_groups.back();
    m_groups.pop_back();
    m_keys[place] = m_keys.back();
    m_keys.pop_back();
    m_isStale = true;
    delete proxy;
}

void PivotgridBroadphase::setAabb(btBroadphaseProxy *absProxy, const btVector3 &aabbMin, const btVector3 &aabbMax, btDispatcher *)
{
    Proxy *proxy = static_cast<Proxy *>(absProxy);
    Box &box = m_boxes[int(proxy->place)];
    if (proxy->isAtRest || !overlap(box.min, box.max, aabbMin, aabbMax)) {
        box = Box{aabbMin, aabbMax};
        m_isStale = true;
    } else if (!contain(box.min, box.max, aabbMin, aabbMax)) {
        const btVector3 margin(m_margin, m_margin, m_margin);
        box = Box{aabbMin - margin, aabbMax + margin};
        m_isStale = true;
    }
    proxy->m_aabbMin = aabbMin;
    proxy->m_aabbMax = aabbMax;
    proxy->isFresh = true;
    proxy->isAtRest = false;
}

void PivotgridBroadphase::getAabb(btBroadphaseProxy *proxy, btVector3 &aabbMin, btVector3 &aabbMax) const
{
    aabbMin = proxy->m_aabbMin;
    aabbMax = proxy->m_aabbMax;
}

void PivotgridBroadphase::getMarginAabb(const btBroadphaseProxy *proxy, btVector3 &aabbMin, btVector3 &aabbMax) const
{
    const Box &box = m_boxes[int(static_cast<const Proxy *>(proxy)->place)];
    aabbMin = box.min;
    aabbMax = box.max;
}

pg_objects PivotgridBroadphase::objects() const
{
    pg_objects objects = pg_objects_none(SCALAR, 3, m_proxies.size());
    if (!m_proxies.empty()) {
        objects.min = array(&m_boxes[0].min, sizeof(Box));
        objects.max = array(&m_boxes[0].max, sizeof(Box));
        objects.groups = pg_array_of(m_groups.data(), sizeof(pg_groups));
    }
    return objects;
}

void PivotgridBroadphase::calculateOverlappingPairs(btDispatcher *dispatcher)
{
    for (Proxy *proxy : m_proxies) {
        if (!proxy->isFresh && !proxy->isAtRest) {
            m_boxes[int(proxy->place)] = Box{proxy->m_aabbMin, proxy->m_aabbMax};
            proxy->isAtRest = true;
        }
        proxy->isFresh = false;
    }
    const pg_objects objects = this->objects();
    pg_events events;
    ok(pg_tracker_step(m_tracker, m_broadPhase, &objects, nullptr, pg_array_of(m_keys.data(), sizeof(uint64_t)), &events));
    m_isStale = false;
    const auto proxy = [this](uint64_t key) {
        const auto found = m_byKey.find(key);
        return found == m_byKey.end() ? nullptr : found->second;
    };
    for (size_t i = 0; i < events.ended_count; ++i) {
        Proxy *one = proxy(events.ended[i].a), *other = proxy(events.ended[i].b);
        if (one && other)
            m_cache->removeOverlappingPair(one, other, dispatcher);
    }
    for (size_t i = 0; i < events.started_count; ++i)
        m_cache->addOverlappingPair(proxy(events.started[i].a), proxy(events.started[i].b));
}

// Queries are about the boxes as they are now.
void PivotgridBroadphase::refresh()
{
    if (m_isStale) {
        const pg_objects objects = this->objects();
        pg_blocks unused;
        ok(pg_broad_phase_detect_blocks(m_broadPhase, &objects, &unused));
        m_isStale = false;
    }
}

void PivotgridBroadphase::report(const pg_query &query, btBroadphaseAabbCallback &callback)
{
    refresh();
    pg_rows rows;
    ok(pg_broad_phase_query(m_broadPhase, &query, m_results, &rows));
    // A callback may ask for more: the rows are the results' until the next query.
    const std::vector<uint32_t> found(rows.indices, rows.indices + rows.count);
    for (uint32_t index : found)
        callback.process(m_proxies[index]);
}

void PivotgridBroadphase::rayTest(const btVector3 &rayFrom, const btVector3 &rayTo, btBroadphaseRayCallback &callback,
                                  const btVector3 &aabbMin, const btVector3 &aabbMax)
{
    const btVector3 way = rayTo - rayFrom, min = rayFrom + aabbMin, max = rayFrom + aabbMax;
    const btScalar end = 1;
    const bool isRay = aabbMin.isZero() && aabbMax.isZero();
    pg_query query = pg_query_none(isRay ? PG_QUERY_RAY : PG_QUERY_SWEEP, SCALAR, 3, 1);
    query.center = array(&rayFrom, sizeof rayFrom);
    query.direction = array(&way, sizeof way);
    query.max_t = pg_array_of(&end, 0);
    query.min = array(&min, sizeof min);
    query.max = array(&max, sizeof max);
    report(query, callback);
}

void PivotgridBroadphase::aabbTest(const btVector3 &aabbMin, const btVector3 &aabbMax, btBroadphaseAabbCallback &callback)
{
    pg_query query = pg_query_none(PG_QUERY_OVERLAPPING, SCALAR, 3, 1);
    query.min = array(&aabbMin, sizeof aabbMin);
    query.max = array(&aabbMax, sizeof aabbMax);
    report(query, callback);
}

void PivotgridBroadphase::getBroadphaseAabb(btVector3 &aabbMin, btVector3 &aabbMax) const
{
    aabbMin.setValue(0, 0, 0);
    aabbMax.setValue(0, 0, 0);
    for (int i = 0; i < m_boxes.size(); ++i) {
        if (i == 0) {
            aabbMin = m_boxes[i].min;
            aabbMax = m_boxes[i].max;
        }
        aabbMin.setMin(m_boxes[i].min);
        aabbMax.setMax(m_boxes[i].max);
    }
}

void PivotgridBroadphase::printStats()
{
    pg_stats stats;
    stats.size = sizeof stats;
    ok(pg_broad_phase_stats(m_broadPhase, &stats));
    std::printf("pivotgrid: %zu objects, %zu pairs, %zu bytes\n", size_t(stats.objects), size_t(stats.pairs), size_t(stats.bytes));
}
