//! A step in a periodic domain allocates nothing once the scene has stopped growing, and knows what it holds.

use pivotgrid::{Aabb, Config, Lattice, Periodic, StaticSet};

use crate::account::Account;
use crate::common::Rng;

/// The objects swing between two places, some of them across the border, so that two steps have seen all there is.
fn phases(n: usize) -> [Vec<Aabb<f32, 3>>; 2] {
    let (rng, edge) = (&mut Rng(5), 2.2 * (n as f64).cbrt());
    let mut phases = [Vec::new(), Vec::new()];
    for _ in 0..n {
        let half = rng.within(0.3, 0.9) as f32;
        let center: [f32; 3] = std::array::from_fn(|_| rng.within(0.0, edge) as f32);
        let away: [f32; 3] = std::array::from_fn(|axis| center[axis] + half * rng.within(-0.3, 0.3) as f32);
        phases[0].push(Aabb::around(center, [half; 3]));
        phases[1].push(Aabb::around(away, [half; 3]));
    }
    phases[0][n / 2].min[0] = f32::NAN;
    phases
}

#[test]
fn a_steady_scene_allocates_nothing() {
    let account = Account::open();
    let n = 20_000;
    let (phases, edge) = (phases(n), 2.2 * (n as f32).cbrt());
    for threads in [1, 2, 4] {
        // From inside of the pool: entering it allocates, in rayon.
        account.lasting_pool(threads).install(|| {
            let held = account.live_bytes();
            let mut periodic = Periodic::<f32, 3>::new(Aabb::new([0.0; 3], [edge; 3]), [true; 3]).unwrap();
            for step in 0..14 {
                let before = account.allocations();
                let pairs = periodic.par_detect(&phases[step % 2]);
                assert_eq!(pairs.rejected().len(), 1 - step % 2);
                assert!(pairs.iter().any(|pair| pair.shift != [0; 3]));
                let allocated = account.allocations() - before;
                assert!(step < 2 || allocated == 0, "{allocated} allocations in step {step} on {threads} threads");
            }
            let held = (account.live_bytes() - held) as f64;
            let told = periodic.stats().bytes as f64;
            assert!((0.9..=1.1).contains(&(told / held)), "tells {told} bytes, holds {held}");

            periodic.detect(&phases[0][..10]);
            periodic.shrink_to_fit();
            assert!(periodic.stats().bytes < told as usize / 10, "gives memory back");
            assert!(!periodic.detect(&phases[1]).is_empty());
        });
    }
}

/// Two sets, and static objects, in a sheared cell, in order.
#[test]
fn a_steady_sheared_scene_allocates_nothing() {
    let account = Account::open();
    let n = 10_000;
    let (phases, edge) = (phases(n), 2.2 * (n as f64).cbrt());
    let lattice = Lattice::new([[edge, 0.0, 0.0], [0.3 * edge, edge, 0.0], [0.0, -0.2 * edge, edge]], [true; 3]).unwrap();
    let mut statics = StaticSet::<f32, 3>::new();
    statics.build(&phases[0][..1000]);
    for threads in [1, 2] {
        account.lasting_pool(threads).install(|| {
            let config = Config::default().canonical_order(true);
            let mut periodic = Periodic::<f32, 3>::of_lattice_with_config(lattice, config).unwrap();
            for step in 0..16 {
                let before = account.allocations();
                let objects = &phases[step / 2 % 2];
                if step % 2 == 0 {
                    let found = periodic.over(objects).with(&statics).pairs();
                    assert!(found.statics.iter().any(|pair| pair.shift != [0; 3]) && !found.moving.is_empty());
                } else {
                    let found = periodic.over(&objects[..n / 2]).against(&objects[n / 2..]).pairs();
                    assert!(found.iter().any(|pair| pair.shift != [0; 3]));
                }
                let allocated = account.allocations() - before;
                assert!(step < 4 || allocated == 0, "{allocated} allocations in step {step} on {threads} threads");
            }
        });
    }
}
