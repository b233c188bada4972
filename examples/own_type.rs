//! Your own type instead of boxes, and a filter. `cargo run --example own_type`

use pivotgrid::{Aabb, Bounded, BroadPhase};

struct Ship {
    center: [f32; 3],
    radius: f32,
    fleet: &'static str,
}

impl Bounded<f32, 3> for Ship {
    fn aabb(&self) -> Aabb<f32, 3> {
        Aabb::around(self.center, [self.radius; 3])
    }

    /// Asked only about ships whose boxes overlap. It should be symmetric.
    fn pairs_with(&self, other: &Self) -> bool {
        self.fleet != other.fleet
    }
}

fn main() {
    let ship = |x, radius, fleet| Ship { center: [x, 0.0, 0.0], radius, fleet };
    let ships = [ship(0.0, 2.0, "red"), ship(1.0, 2.0, "red"), ship(3.0, 1.5, "blue"), ship(90.0, 5.0, "blue")];

    let mut broad_phase = BroadPhase::<f32, 3>::new();
    for pair in broad_phase.par_detect(&ships).sorted() {
        let (a, b) = (&ships[pair.a as usize], &ships[pair.b as usize]);
        println!("{} ship {} meets {} ship {}", a.fleet, pair.a, b.fleet, pair.b);
    }
}
