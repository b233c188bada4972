//! A small simulation: a few thousand balls fall into a box and bounce. The broad phase finds the balls that touch, the narrow phase
//! goes over them in parallel, and now and then a picture is written.
//!
//! ```text
//! cargo run --release --example bouncing [directory]
//! ```

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pivotgrid::{Ball, BroadPhase, Pair};
use rayon::prelude::*;

const BALLS: usize = 4000;
const BOX: [f32; 3] = [20.0, 20.0, 40.0];
const STEPS: usize = 600;
const STEP: f32 = 1.0 / 120.0;
const PICTURE_EVERY: usize = 120;
/// What is left of the speed after a bounce.
const BOUNCE: f32 = 0.6;

struct Body {
    ball: Ball<f32, 3>,
    velocity: [f32; 3],
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("pivotgrid-bouncing"), PathBuf::from);
    std::fs::create_dir_all(&directory)?;
    let mut bodies = rain();
    let mut broad_phase = BroadPhase::<f32, 3>::new();
    let mut searching = Duration::ZERO;
    for step in 0..=STEPS {
        let balls: Vec<_> = bodies.iter().map(|body| body.ball).collect();
        let start = Instant::now();
        let pairs = broad_phase.par_detect(&balls);
        searching += start.elapsed();
        let contacts = pairs.len();
        // The narrow phase only reads, so it can go over the pairs in parallel; its answers are applied afterwards.
        let bounces: Vec<_> = pairs.into_par_iter().filter_map(|pair| bounce(pair, &bodies)).collect();
        for (pair, push, kick) in bounces {
            for axis in 0..3 {
                let (a, b) = (pair.a as usize, pair.b as usize);
                bodies[a].ball.center[axis] -= push[axis];
                bodies[b].ball.center[axis] += push[axis];
                bodies[a].velocity[axis] -= kick[axis];
                bodies[b].velocity[axis] += kick[axis];
            }
        }
        bodies.par_iter_mut().for_each(advance);
        if step % PICTURE_EVERY == 0 {
            let path = directory.join(format!("step{step:04}.svg"));
            std::fs::write(&path, picture(&bodies))?;
            println!("step {step:4}: {contacts} contacts, picture in {}", path.display());
        }
    }
    println!("{BALLS} balls, {STEPS} steps, {:.0} µs per step to find the pairs", searching.as_micros() as f64 / STEPS as f64);
    Ok(())
}

/// Balls of different sizes above the box, without overlaps.
fn rain() -> Vec<Body> {
    (0..BALLS)
        .map(|i| {
            let (x, y, z) = (i % 16, i / 16 % 16, i / 256);
            let jitter = |k: usize| ((i * k) % 97) as f32 / 97.0 * 0.3;
            let center = [1.2 * x as f32 + 0.8 + jitter(7), 1.2 * y as f32 + 0.8 + jitter(11), 1.4 * z as f32 + 2.0 + jitter(13)];
            Body { ball: Ball::new(center, 0.3 + jitter(17) * 0.5), velocity: [0.0; 3] }
        })
        .collect()
}

/// How far two balls that touch are to be pushed apart, and how their speeds change.
fn bounce(pair: Pair, bodies: &[Body]) -> Option<(Pair, [f32; 3], [f32; 3])> {
    let (a, b) = (&bodies[pair.a as usize], &bodies[pair.b as usize]);
    let apart: [f32; 3] = std::array::from_fn(|axis| b.ball.center[axis] - a.ball.center[axis]);
    let distance = apart.iter().map(|x| x * x).sum::<f32>().sqrt();
    if distance == 0.0 {
        return None;
    }
    let normal = apart.map(|x| x / distance);
    let depth = a.ball.radius + b.ball.radius - distance;
    let approach: f32 = (0..3).map(|axis| (a.velocity[axis] - b.velocity[axis]) * normal[axis]).sum();
    let kick = if approach > 0.0 { approach * (1.0 + BOUNCE) / 2.0 } else { 0.0 };
    Some((pair, normal.map(|x| x * depth * 0.4), normal.map(|x| x * kick)))
}

fn advance(body: &mut Body) {
    body.velocity[2] -= 9.81 * STEP;
    for axis in 0..3 {
        let (low, high) = (body.ball.radius, if axis == 2 { f32::INFINITY } else { BOX[axis] - body.ball.radius });
        let moved = body.ball.center[axis] + body.velocity[axis] * STEP;
        body.ball.center[axis] = moved.clamp(low, high);
        if moved < low && body.velocity[axis] < 0.0 || moved > high && body.velocity[axis] > 0.0 {
            body.velocity[axis] *= -BOUNCE;
        }
    }
}

/// The box from the front, the farther balls darker.
fn picture(bodies: &[Body]) -> String {
    let (width, height) = (BOX[0], BOX[2]);
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='600'>\
         <rect width='{width}' height='{height}' fill='#101820'/>"
    );
    let mut from_far: Vec<&Body> = bodies.iter().collect();
    from_far.sort_by(|a, b| b.ball.center[1].total_cmp(&a.ball.center[1]));
    for Body { ball, .. } in from_far {
        let light = 35.0 + 45.0 * (1.0 - ball.center[1] / BOX[1]);
        let _ = write!(
            svg,
            "<circle cx='{:.2}' cy='{:.2}' r='{:.2}' fill='hsl({:.0} 70% {light:.0}%)'/>",
            ball.center[0],
            height - ball.center[2],
            ball.radius,
            200.0 + 300.0 * (ball.radius - 0.3)
        );
    }
    svg + "</svg>"
}
