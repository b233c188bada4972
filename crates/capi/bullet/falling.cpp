// Falling boxes in Bullet, with btDbvtBroadphase and with pivotgrid.
//
//     falling [boxes [steps]]
//
// 1. One world, whose every call goes to both broad phases: the same boxes with margins, the same set of overlapping pairs, the same
//    objects in box tests, rays and convex casts, in every step.
// 2. A world on each: the same set of pairs in every step for as long as all bodies are in exactly the same places, and the time of
//    both. Two more for the time only: the tree as it is by default, which removes pairs that are over a tenth at a time; and pivotgrid
//    on the calling thread.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <set>

#include <btBulletDynamicsCommon.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include "pivotgrid_broadphase.h"

extern btScalar gDbvtMargin;

namespace
{
using Pairs = std::vector<std::pair<int, int>>;

void require(bool holds, const char *what, int step)
{
    if (!holds) {
        std::fprintf(stderr, "step %d: %s\n", step, what);
        std::exit(1);
    }
}

Pairs pairsOf(btOverlappingPairCache *cache)
{
    Pairs pairs;
    const btBroadphasePairArray &all = cache->getOverlappingPairArray();
    for (int i = 0; i < all.size(); ++i) {
        const int a = all[i].m_pProxy0->getUid(), b = all[i].m_pProxy1->getUid();
        pairs.emplace_back(std::min(a, b), std::max(a, b));
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

struct Random {
    uint64_t state = 88172645463325252u;
    btScalar operator()(btScalar low, btScalar high)
    {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        return low + (high - low) * btScalar(double(state >> 11) / 9007199254740992.0);
    }
};

struct Found : btBroadphaseRayCallback {
    std::set<int> uids;
    bool process(const btBroadphaseProxy *proxy) override
    {
        uids.insert(proxy->getUid());
        return true;
    }
    // What a ray callback has to know before it is used.
    void aim(const btVector3 &from, const btVector3 &to)
    {
        const btVector3 direction = (to - from).normalized();
        for (int axis = 0; axis < 3; ++axis) {
            m_rayDirectionInverse[axis] = direction[axis] == 0 ? btScalar(BT_LARGE_FLOAT) : btScalar(1) / direction[axis];
            m_signs[axis] = m_rayDirectionInverse[axis] < 0;
        }
        m_lambda_max = direction.dot(to - from);
    }
};

// Whether a ray meets a box that is larger by `slack` to every side; in double precision.
bool meets(const btVector3 &from, const btVector3 &to, const btVector3 &min, const btVector3 &max, double slack)
{
    double enter = 0, leave = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const double low = double(min[axis]) - slack, high = double(max[axis]) + slack;
        const double x = from[axis], way = double(to[axis]) - x;
        if (way == 0) {
            if (x < low || x > high)
                return false;
            continue;
        }
        const double a = (low - x) / way, b = (high - x) / way;
        enter = std::max(enter, std::min(a, b));
        leave = std::min(leave, std::max(a, b));
    }
    return enter <= leave;
}

// Hands every call to both, and compares them.
class Both : public btBroadphaseInterface
{
public:
    btDbvtBroadphase tree;
    PivotgridBroadphase grid{gDbvtMargin};
    std::vector<btBroadphaseProxy *> ofTree, ofGrid; // by uid
    int step = 0;
    size_t comparedPairs = 0, comparedHits = 0, borderline = 0;

    Both() : ofTree(1), ofGrid(1)
    {
        // It removes pairs that are over a tenth at a time otherwise.
        tree.m_cupdates = 100;
    }
    btBroadphaseProxy *createProxy(const btVector3 &min, const btVector3 &max, int shape, void *user, int group, int mask,
                                   btDispatcher *dispatcher) override
    {
        ofTree.push_back(tree.createProxy(min, max, shape, user, group, mask, dispatcher));
        ofGrid.push_back(grid.createProxy(min, max, shape, user, group, mask, nullptr));
        require(ofTree.back()->getUid() == ofGrid.back()->getUid() && ofTree.back()->getUid() + 1 == int(ofTree.size()), "uids", step);
        return ofTree.back();
    }
    void destroyProxy(btBroadphaseProxy *proxy, btDispatcher *dispatcher) override
    {
        grid.destroyProxy(ofGrid[proxy->getUid()], nullptr);
        ofGrid[proxy->getUid()] = ofTree[proxy->getUid()] = nullptr;
        tree.destroyProxy(proxy, dispatcher);
    }
    void setAabb(btBroadphaseProxy *proxy, const btVector3 &min, const btVector3 &max, btDispatcher *dispatcher) override
    {
        grid.setAabb(ofGrid[proxy->getUid()], min, max, nullptr);
        tree.setAabb(proxy, min, max, dispatcher);
    }
    void getAabb(btBroadphaseProxy *proxy, btVector3 &min, btVector3 &max) const override { tree.getAabb(proxy, min, max); }
    void rayTest(const btVector3 &from, const btVector3 &to, btBroadphaseRayCallback &callback, const btVector3 &min,
                 const btVector3 &max) override
    {
        tree.rayTest(from, to, callback, min, max);
    }
    void aabbTest(const btVector3 &min, const btVector3 &max, btBroadphaseAabbCallback &callback) override
    {
        tree.aabbTest(min, max, callback);
    }
    void calculateOverlappingPairs(btDispatcher *dispatcher) override
    {
        tree.calculateOverlappingPairs(dispatcher);
        grid.calculateOverlappingPairs(nullptr);
        compare();
    }
    btOverlappingPairCache *getOverlappingPairCache() override { return tree.getOverlappingPairCache(); }
    const btOverlappingPairCache *getOverlappingPairCache() const override { return tree.getOverlappingPairCache(); }
    void getBroadphaseAabb(btVector3 &min, btVector3 &max) const override { tree.getBroadphaseAabb(min, max); }
    void printStats() override {}

private:
    Random random;

    void compare()
    {
        for (btBroadphaseProxy *proxy : ofTree)
            if (proxy) {
                btVector3 min, max;
                grid.getMarginAabb(ofGrid[proxy->getUid()], min, max);
                const btDbvtVolume &volume = static_cast<btDbvtProxy *>(proxy)->leaf->volume;
                require(min == volume.Mins() && max == volume.Maxs(), "the boxes with margins differ", step);
            }
        const Pairs pairs = pairsOf(tree.getOverlappingPairCache());
        require(pairs == pairsOf(grid.getOverlappingPairCache()), "the pairs differ", step);
        comparedPairs += pairs.size();
        btVector3 low, high;
        tree.getBroadphaseAabb(low, high);
        low.setMax(btVector3(-100, -5, -100));
        high.setMin(btVector3(100, 100, 100));
        for (int i = 0; i < 30; ++i) {
            const btVector3 from = point(low, high), to = point(low, high);
            btVector3 min = from, max = from + btVector3(4, 4, 4) * random(0, 1);
            Found treeBoxes, gridBoxes;
            tree.aabbTest(min, max, treeBoxes);
            grid.aabbTest(min, max, gridBoxes);
            require(treeBoxes.uids == gridBoxes.uids, "the box tests differ", step);
            // A third is casts of a box.
            const btScalar half = i % 3 == 0 ? random(btScalar(0.1), 1) : 0;
            const btVector3 size(half, half, half);
            Found treeHits, gridHits;
            treeHits.aim(from, to);
            gridHits.aim(from, to);
            tree.rayTest(from, to, treeHits, -size, size);
            grid.rayTest(from, to, gridHits, -size, size);
            comparedHits += treeBoxes.uids.size() + treeHits.uids.size();
            for (int uid = 1; uid < int(ofTree.size()); ++uid)
                if (ofTree[uid] && treeHits.uids.count(uid) != gridHits.uids.count(uid)) {
                    // Both round, each in its own way: they may differ where a millimeter more or less decides.
                    const btDbvtVolume &volume = static_cast<btDbvtProxy *>(ofTree[uid])->leaf->volume;
                    min = volume.Mins() - size, max = volume.Maxs() + size;
                    require(meets(from, to, min, max, 1e-3) && !meets(from, to, min, max, -1e-3), "the rays differ", step);
                    ++borderline;
                }
        }
    }
    btVector3 point(const btVector3 &low, const btVector3 &high)
    {
        return btVector3(random(low[0], high[0]), random(low[1], high[1]), random(low[2], high[2]));
    }
};

class World : public btDiscreteDynamicsWorld
{
public:
    using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;
    double broadphaseSeconds = 0, broadphaseCpuSeconds = 0;
    void updateAabbs() override
    {
        timed([this] { btDiscreteDynamicsWorld::updateAabbs(); });
    }
    void computeOverlappingPairs() override
    {
        timed([this] { btDiscreteDynamicsWorld::computeOverlappingPairs(); });
    }

private:
    template <typename Work> void timed(Work work)
    {
        const auto begin = std::chrono::steady_clock::now();
        const std::clock_t cpuBegin = std::clock(); // of all threads
        work();
        broadphaseCpuSeconds += double(std::clock() - cpuBegin) / CLOCKS_PER_SEC;
        broadphaseSeconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
};

// The same boxes above the same ground.
struct Scene {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btSequentialImpulseConstraintSolver solver;
    World world;
    btBoxShape ground{btVector3(200, 1, 200)}, box{btVector3(btScalar(0.5), btScalar(0.5), btScalar(0.5))};
    std::vector<std::unique_ptr<btRigidBody>> bodies;

    Scene(btBroadphaseInterface *broadphase, int boxes) : world(&dispatcher, broadphase, &solver, &configuration)
    {
        // In the order of their uids, whatever the order of the pairs in the cache.
        world.getDispatchInfo().m_deterministicOverlappingPairs = true;
        world.setGravity(btVector3(0, btScalar(-9.81), 0));
        add(ground, 0, btVector3(0, -1, 0));
        Random random;
        const int wide = 25;
        for (int i = 0; i < boxes; ++i) {
            const int x = i % wide, z = i / wide % wide, y = i / (wide * wide);
            const btScalar jitter = btScalar(0.3);
            add(box, 1,
                btVector3(btScalar(1.4) * btScalar(x - wide / 2) + random(-jitter, jitter), btScalar(1.5) * btScalar(y + 1),
                          btScalar(1.4) * btScalar(z - wide / 2) + random(-jitter, jitter)));
        }
    }
    ~Scene()
    {
        for (auto &body : bodies)
            world.removeRigidBody(body.get());
    }
    void add(btCollisionShape &shape, btScalar mass, const btVector3 &at)
    {
        btVector3 inertia(0, 0, 0);
        if (mass > 0)
            shape.calculateLocalInertia(mass, inertia);
        bodies.emplace_back(new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(mass, nullptr, &shape, inertia)));
        bodies.back()->setWorldTransform(btTransform(btQuaternion::getIdentity(), at));
        bodies.back()->setInterpolationWorldTransform(bodies.back()->getWorldTransform());
        world.addRigidBody(bodies.back().get());
    }
    double seconds = 0;
    size_t pairs = 0;
    void step()
    {
        const auto begin = std::chrono::steady_clock::now();
        world.stepSimulation(btScalar(1) / 60, 0);
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        pairs += size_t(world.getPairCache()->getNumOverlappingPairs());
    }
};

bool samePlaces(const Scene &one, const Scene &other)
{
    for (size_t i = 0; i < one.bodies.size(); ++i)
        if (!(one.bodies[i]->getWorldTransform() == other.bodies[i]->getWorldTransform()))
            return false;
    return true;
}

void oneWorld(int boxes, int steps)
{
    Both both;
    Scene scene(&both, boxes);
    for (both.step = 0; both.step < steps; ++both.step)
        scene.step();
    // Some bodies go, and the others fall on.
    for (int i = 0; i < boxes / 10; ++i) {
        scene.world.removeRigidBody(scene.bodies.back().get());
        scene.bodies.pop_back();
    }
    for (; both.step < steps + 5; ++both.step)
        scene.step();
    std::printf("one world, %d boxes, %d steps: the same boxes, pairs (%zu in all), box tests and rays (%zu hits, %zu borderline)\n",
                boxes, steps + 5, both.comparedPairs, both.comparedHits, both.borderline);
}

void aWorldOnEach(int boxes, int steps)
{
    btDbvtBroadphase tree, defaultTree;
    tree.m_cupdates = 100;
    PivotgridBroadphase grid{gDbvtMargin}, serialGrid{gDbvtMargin, PG_THREADS_CALLER};
    Scene ofTree(&tree, boxes), ofDefaultTree(&defaultTree, boxes), ofGrid(&grid, boxes), ofSerialGrid(&serialGrid, boxes);
    int same = 0;
    for (int step = 0; step < steps; ++step) {
        // The pairs of a step are those of the places at its beginning.
        const bool isSame = same == step && samePlaces(ofTree, ofGrid);
        for (Scene *scene : {&ofTree, &ofGrid, &ofDefaultTree, &ofSerialGrid})
            scene->step();
        if (isSame) {
            ++same;
            require(pairsOf(tree.getOverlappingPairCache()) == pairsOf(grid.getOverlappingPairCache()), "the pairs differ", step);
        }
    }
    std::printf("a world on each, %d boxes, %d steps: the same places, bit by bit, and the same pairs in the first %d\n\n", boxes, steps,
                same);
    require(same > 0, "the worlds never were the same", 0);
    std::printf("| broad phase | ms per step | CPU ms per step | whole step, ms | pairs per step |\n|---|---|---|---|---|\n");
    const auto row = [&](const char *name, const Scene &scene) {
        std::printf("| %s | %.2f | %.2f | %.2f | %zu |\n", name, 1e3 * scene.world.broadphaseSeconds / steps,
                    1e3 * scene.world.broadphaseCpuSeconds / steps, 1e3 * scene.seconds / steps, scene.pairs / size_t(steps));
    };
    row("btDbvtBroadphase", ofDefaultTree);
    row("btDbvtBroadphase, pairs removed at once", ofTree);
    row("pivotgrid, calling thread", ofSerialGrid);
    row("pivotgrid, all cores", ofGrid);
}
} // namespace

int main(int count, char **arguments)
{
    const int boxes = count > 1 ? std::atoi(arguments[1]) : 10000, steps = count > 2 ? std::atoi(arguments[2]) : 500;
    oneWorld(boxes, steps);
    aWorldOnEach(boxes, steps);
}
