//! Rays through the grid of the last step: lines of sight, and what a bullet hits. `cargo run --release --example ray_casts`

use pivotgrid::{Aabb, Ball, BoxCast, BroadPhase, Ray};

/// Where a ray enters a ball, if it does: not before it enters the box around it.
fn entry(ball: &Ball<f32, 3>, ray: &Ray<f32, 3>) -> Option<f32> {
    let dot = |a: [f32; 3], b: [f32; 3]| (0..3).map(|axis| a[axis] * b[axis]).sum::<f32>();
    let from_center = std::array::from_fn(|axis| ray.origin[axis] - ball.center[axis]);
    let (a, b) = (dot(ray.direction, ray.direction), dot(from_center, ray.direction));
    let c = dot(from_center, from_center) - ball.radius * ball.radius;
    let discriminant = b * b - a * c;
    (discriminant >= 0.0).then(|| ((-b - discriminant.sqrt()) / a).max(0.0))
}

fn main() {
    // A loose heap of balls.
    let center = |i: usize| [i % 30, i / 30 % 30, i / 900].map(|cell| 4.0 * cell as f32 + (i as f32).sin());
    let balls: Vec<Ball<f32, 3>> = (0..27_000).map(|i| Ball::new(center(i), 0.3 + (i % 7) as f32 * 0.1)).collect();
    let mut broad_phase = BroadPhase::<f32, 3>::new();
    broad_phase.par_detect(&balls);
    let queries = broad_phase.queries();

    // The first box along a ray, and the first ball: some boxes are only grazed.
    let ray = Ray::new([-10.0, 50.0, 50.0], [1.0, 0.02, 0.03]);
    println!("first box:  {:?}", queries.first_hit(&ray));
    println!("first ball: {:?}", queries.first_hit_by(&ray, |index| entry(&balls[index as usize], &ray)));

    // Many at once, on all cores: what the ball in the middle sees in 10 000 directions.
    let (eye, golden) = ([58.0f32; 3], 2.399_963);
    let rays: Vec<Ray<f32, 3>> = (0..10_000)
        .map(|i| {
            let (height, angle) = (1.0 - (i as f32 + 0.5) / 5_000.0, i as f32 * golden);
            let around = (1.0 - height * height).sqrt();
            Ray::new(eye, [around * angle.cos(), around * angle.sin(), height]).up_to(40.0)
        })
        .collect();
    let mut hits = Vec::new();
    queries.par_first_hits(&rays, &mut hits);
    let seen = hits.iter().flatten().count();
    println!("{seen} of {} rays end at a box within 40 units", rays.len());

    // A crate that slides: what it meets on its way, in order.
    let mut met = Vec::new();
    queries.sweep_hits(&BoxCast::new(Aabb::around([1.0, 2.0, 2.0], [0.8; 3]), [100.0, 0.0, 0.0]), &mut met);
    println!("the crate meets {} boxes, the first of them after {:?} of its way", met.len(), met.first().map(|hit| hit.t));

    let nearest = {
        let mut found = Vec::new();
        queries.nearest(eye, 3, &mut found);
        found
    };
    assert!(nearest.iter().all(|near| balls[near.index as usize].aabb().overlaps(&Aabb::around(eye, [10.0; 3]))));
    println!("the nearest: {nearest:?}");
}
