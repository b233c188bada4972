//! How much neighbor lists look at. What is found is compared elsewhere; here, what finds the same and makes it dearer fails.

use pivotgrid::{Ball, Neighbors, Reach};
use scenes::{Scene, World};

const POINTS: usize = 20_000;

/// The most that each point was compared with, by scene: a third above what it was when this was written.
#[test]
fn points_are_compared_with_what_is_near() {
    let most = [(Scene::Uniform, 224.0), (Scene::Clustered, 264.0), (Scene::Plane, 216.0), (Scene::Line, 88.0)];
    for (scene, most) in most {
        let world = World::<f32, 3>::new(scene, POINTS, 7);
        let points: Vec<[f32; 3]> = world.boxes().iter().map(|bounds| bounds.min).collect();
        let mut neighbors = Neighbors::<f32, 3>::new();
        let full = neighbors.within(&points, 3.06).indices().len();
        let candidates = neighbors.stats().candidates;
        let per_point = candidates as f64 / POINTS as f64;
        println!("{scene}: {per_point:.1}");
        assert!(candidates as usize >= full && per_point <= most, "{scene}: {per_point} candidates per point, at most {most}");

        // Half the rows take little more than half of the work.
        let mut halves = Neighbors::<f32, 3>::new().half(true);
        let half = halves.within(&points, 3.06).indices().len();
        assert_eq!(2 * half, full, "{scene}");
        assert!(halves.stats().candidates as f64 <= 0.6 * candidates as f64, "{scene}: {}", halves.stats().candidates);
    }
}

#[test]
fn balls_of_all_sizes_are_compared_with_what_is_near() {
    for (scene, most) in [(Scene::Koch, 392.0), (Scene::Power, 220.0), (Scene::Poly12, 364.0)] {
        let world = World::<f64, 3>::new(scene, POINTS, 7);
        let ball = |(min, max): ([f64; 3], [f64; 3])| {
            Ball::new(std::array::from_fn(|axis| (min[axis] + max[axis]) / 2.0), (max[0] - min[0]) / 2.0)
        };
        let balls: Vec<Ball<f64, 3>> = world.boxes().iter().map(|bounds| ball((bounds.min, bounds.max))).collect();
        let mut neighbors = Neighbors::<f64, 3>::new();
        neighbors.touching(&balls);
        let per_ball = neighbors.stats().candidates as f64 / POINTS as f64;
        println!("{scene}: {per_ball:.1}");
        assert!(per_ball <= most, "{scene}: {per_ball} candidates per ball, at most {most}");
    }
}

/// Rules look at little more than one radius for all does, and a tenth of what boxes as wide as the reach would make them look at.
#[test]
fn radii_of_their_own_are_compared_with_what_is_near() {
    let world = World::<f32, 3>::new(Scene::Uniform, POINTS, 7);
    let points: Vec<[f32; 3]> = world.boxes().iter().map(|bounds| bounds.min).collect();
    let spread = |i: usize| (i * 7919 % 1000) as f32 / 1000.0;
    for (least, most, factor) in [(3.06, 3.06, 12.0), (2.0, 4.0, 40.0), (1.0, 4.0, 80.0)] {
        let radii: Vec<f32> = (0..POINTS).map(|i| least + (most - least) * spread(i).powi(2)).collect();
        for reach in [Reach::Gather(&radii), Reach::Scatter(&radii), Reach::Max(&radii)] {
            let mut neighbors = Neighbors::<f32, 3>::new();
            let found = neighbors.within(&points, reach).indices().len();
            let looks = neighbors.stats().candidates as f64 / found as f64;
            println!("{least} to {most}: {looks:.1} per neighbor");
            assert!(looks <= factor, "{least} to {most}: {looks} candidates per neighbor");
        }
    }
}
