// A broad phase for Bullet that finds its pairs with pivotgrid.
//
//     PivotgridBroadphase broadphase;
//     btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <btBulletCollisionCommon.h>

#include "pivotgrid.h"

class PivotgridBroadphase : public btBroadphaseInterface
{
public:
    // Boxes that leave the one that was last looked at get a new one, larger by `margin` to every side: those of btDbvtBroadphase have
    // the same with gDbvtMargin. `threads` are those of pg_config. A cache that is handed in stays the caller's.
    explicit PivotgridBroadphase(btScalar margin = btScalar(0.05), uint32_t threads = PG_THREADS_SHARED,
                                 btOverlappingPairCache *cache = nullptr);
    ~PivotgridBroadphase() override;
    PivotgridBroadphase(const PivotgridBroadphase &) = delete;
    PivotgridBroadphase &operator=(const PivotgridBroadphase &) = delete;

    btBroadphaseProxy *createProxy(const btVector3 &aabbMin, const btVector3 &aabbMax, int shapeType, void *userPtr,
                                   int collisionFilterGroup, int collisionFilterMask, btDispatcher *dispatcher) override;
    void destroyProxy(btBroadphaseProxy *proxy, btDispatcher *dispatcher) override;
    void setAabb(btBroadphaseProxy *proxy, const btVector3 &aabbMin, const btVector3 &aabbMax, btDispatcher *dispatcher) override;
    void getAabb(btBroadphaseProxy *proxy, btVector3 &aabbMin, btVector3 &aabbMax) const override;
    void rayTest(const btVector3 &rayFrom, const btVector3 &rayTo, btBroadphaseRayCallback &callback,
                 const btVector3 &aabbMin = btVector3(0, 0, 0), const btVector3 &aabbMax = btVector3(0, 0, 0)) override;
    void aabbTest(const btVector3 &aabbMin, const btVector3 &aabbMax, btBroadphaseAabbCallback &callback) override;
    void calculateOverlappingPairs(btDispatcher *dispatcher) override;
    btOverlappingPairCache *getOverlappingPairCache() override { return m_cache; }
    const btOverlappingPairCache *getOverlappingPairCache() const override { return m_cache; }
    void getBroadphaseAabb(btVector3 &aabbMin, btVector3 &aabbMax) const override;
    void printStats() override;

    // The box with its margin, as pivotgrid knows it.
    void getMarginAabb(const btBroadphaseProxy *proxy, btVector3 &aabbMin, btVector3 &aabbMax) const;

private:
    struct Proxy;
    struct Box {
        btVector3 min, max;
    };

    pg_objects objects() const;
    void refresh();
    void report(const pg_query &query, btBroadphaseAabbCallback &callback);

    btScalar m_margin;
    std::unique_ptr<btOverlappingPairCache> m_ownCache;
    btOverlappingPairCache *m_cache;
    pg_broad_phase m_broadPhase{};
    pg_tracker m_tracker{};
    pg_results m_results{};

    // Behind one another, in any order; pivotgrid reads boxes, groups and keys where they lie.
    std::vector<Proxy *> m_proxies;
    btAlignedObjectArray<Box> m_boxes;
    std::vector<pg_groups> m_groups;
    std::vector<uint64_t> m_keys;
    std::unordered_map<uint64_t, Proxy *> m_byKey;
    int m_lastUid = 0;
    // Whether a box has changed since pivotgrid last saw them.
    bool m_isStale = true;
};
