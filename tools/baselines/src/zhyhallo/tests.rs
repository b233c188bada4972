//! Chunks of other sizes, and given domains.

use rayon::ThreadPoolBuilder;

use super::*;
use crate::check::{Noise, agrees_through_changes, brute_force, on_several_threads, pairs_of};
use crate::{Bounds, Entry, System};

#[test]
fn chunks_of_other_sizes_agree_as_well() {
    let entry = |name, make| Entry { paper: "zhyhallo", name, parallel: true, make };
    let variants: [Entry<2>; 3] = [
        entry("chunks of 4", || Box::new(ChunkedPivots::with_chunks(None, 4))),
        entry("chunks of 64", || Box::new(ChunkedPivots::with_chunks(None, 64))),
        entry("chunks of 8 in a domain", || Box::new(ChunkedPivots::with_chunks(Some(Domain::square([-6.0, -6.0], 0.3, 40)), 8))),
    ];
    on_several_threads(|| variants.iter().for_each(agrees_through_changes));
}

fn with_domain(domain: Domain) -> [Box<dyn System<2>>; 4] {
    [
        Box::new(Pozzer::with_domain(domain)),
        Box::new(DensePivots::with_domain(domain)),
        Box::new(ChunkedPivots::with_domain(domain)),
        Box::new(HashMapCells::with_domain(domain)),
    ]
}

/// Also if it is too small, elsewhere, or its cells smaller than the objects.
#[test]
fn given_domains_are_right() {
    for domain in [
        Domain::square([-21.0, -21.0], 6.0, 8),
        Domain::square([-10.0, -10.0], 0.7, 60),
        Domain::square([100.0, 0.0], 3.0, 5),
        Domain::square([-5000.0, -5000.0], 40.0, 300),
    ] {
        for mut system in with_domain(domain) {
            let mut noise = Noise::new(4);
            for edge in [0.1, 5.0, 20.0] {
                let boxes = noise.boxes(600, 50.0, 0.0..edge);
                assert!(pairs_of(&mut *system, &boxes) == brute_force(&boxes), "{domain:?}, edges up to {edge}");
            }
        }
    }
}

/// Many threads that need the same new chunks at the same time.
#[test]
fn chunks_are_allocated_once() {
    let boxes: Vec<Bounds<2>> = Noise::new(5).boxes(60_000, 900.0, 0.1..0.4);
    let (mut serial, mut chunked) = (Pozzer::new(), ChunkedPivots::new());
    let pool = ThreadPoolBuilder::new().num_threads(5).build().unwrap();
    for count in [60_000, 40_000, 100, 60_000] {
        let found = pool.install(|| pairs_of(&mut chunked, &boxes[..count]));
        assert!(found == pairs_of(&mut serial, &boxes[..count]), "{count} objects");
    }
}

/// What figure 6 shows: for few objects in one place, chunks hardly need more memory in a large scene.
#[test]
fn chunks_follow_the_objects() {
    let boxes = Noise::new(6).boxes(1000, 40.0, 0.1..0.5);
    let bytes = |cells_per_side| {
        with_domain(Domain::square([-30.0, -30.0], 1.0, cells_per_side)).map(|mut system| {
            assert!(pairs_of(&mut *system, &boxes) == brute_force(&boxes));
            system.bytes()
        })
    };
    let ([_, small_dense, small_chunked, _], [pozzer, dense, chunked, map]) = (bytes(256), bytes(2048));
    assert!(dense >= 2048 * 2048 * 8 && pozzer >= 2048 * 2048 * 12 && dense > 50 * small_dense);
    assert!(chunked < 3 * small_chunked && chunked < dense / 200 && map < dense / 100, "{small_chunked} and {chunked} bytes");
}
