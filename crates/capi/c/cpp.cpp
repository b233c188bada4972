// From C++17: an owner for a handle, a container of bodies read where it lies, and queries from several threads at once.
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "check.h"

struct Body {
    float position[3];
    float mass;
    float half_extents[3];
    float lower[3], upper[3];
    std::unique_ptr<int> something;
};

struct BroadPhase {
    pg_broad_phase handle{};
    BroadPhase() { OK(pg_broad_phase_create(PG_F32, 3, nullptr, &handle)); }
    ~BroadPhase() { OK(pg_broad_phase_destroy(handle)); }
    BroadPhase(const BroadPhase &) = delete;
    BroadPhase &operator=(const BroadPhase &) = delete;
};

int main()
{
    std::vector<Body> bodies(2000);
    uint64_t seed = 1;
    for (Body &body : bodies)
        for (int axis = 0; axis < 3; ++axis) {
            body.lower[axis] = float(random_number(&seed) * 10);
            body.upper[axis] = body.lower[axis] + 0.5f;
        }
    BroadPhase broad_phase;
    const pg_objects objects = pg_boxes_f32(3, bodies[0].lower, bodies[0].upper, sizeof(Body), bodies.size());
    pg_pairs pairs{};
    OK(pg_broad_phase_detect(broad_phase.handle, &objects, &pairs));
    size_t expected = 0;
    for (size_t a = 0; a < bodies.size(); ++a)
        for (size_t b = a + 1; b < bodies.size(); ++b) {
            bool overlaps = true;
            for (int axis = 0; axis < 3; ++axis)
                overlaps &= bodies[a].lower[axis] <= bodies[b].upper[axis] && bodies[b].lower[axis] <= bodies[a].upper[axis];
            expected += overlaps;
        }
    CHECK(pairs.count == expected && expected > 100);

    // By callback, from all threads of the pool at once.
    struct Seen {
        std::mutex lock;
        std::set<std::pair<uint32_t, uint32_t>> pairs;
        size_t shown = 0;
    } seen;
    const auto visitor = [](void *user, const pg_pair *shown, size_t count) {
        Seen &to = *static_cast<Seen *>(user);
        const std::lock_guard<std::mutex> guard(to.lock);
        to.shown += count;
        for (size_t i = 0; i < count; ++i)
            to.pairs.emplace(shown[i].a, shown[i].b);
        return 0;
    };
    OK(pg_broad_phase_visit(broad_phase.handle, &objects, visitor, &seen));
    CHECK(seen.shown == expected && seen.pairs.size() == expected);

    std::atomic<size_t> found{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&] {
            pg_results results{};
            OK(pg_results_create(&results));
            for (int round = 0; round < 20; ++round) {
                pg_query query = pg_query_boxes_f32(3, bodies[0].lower, bodies[0].upper, sizeof(Body), bodies.size());
                pg_rows rows{};
                OK(pg_broad_phase_query(broad_phase.handle, &query, results, &rows));
                found += rows.count;
            }
            OK(pg_results_destroy(results));
        });
    for (std::thread &thread : threads)
        thread.join();
    CHECK(found == 80 * (2 * expected + bodies.size())); // each finds itself, and each pair is found twice
    std::printf("cpp: %d checks\n", checks);
}
