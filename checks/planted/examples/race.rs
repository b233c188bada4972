//! Steps on four threads with a bug of the lock-free kit injected, for a sanitizer to object to (`ci/sanitizers`).
//!
//! `cargo run -p planted --example race -- CursorTorn`

extern crate planted as pivotgrid;

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use pivotgrid::{Aabb, BroadPhase, planting};
use rayon::ThreadPoolBuilder;

const OBJECTS: usize = 20_000;
const STEPS: usize = 200;

fn main() -> ExitCode {
    let Some(bug) = std::env::args().nth(1) else {
        eprintln!("race BUG, where BUG is one of {:?}", planting::kit().collect::<Vec<_>>());
        return ExitCode::from(2);
    };
    let pool = ThreadPoolBuilder::new().num_threads(4).build().expect("the system starts the pool's threads");
    planting::plant(Some(&bug));
    // A step may come to grief before the sanitizer says why; there are more.
    panic::set_hook(Box::new(|_| ()));
    for _ in 0..STEPS {
        // A new engine each time, because a bug may be in how memory is first made.
        let step = || pool.install(|| BroadPhase::<f32, 3>::new().par_detect(&boxes()).len());
        let _ = panic::catch_unwind(AssertUnwindSafe(step));
    }
    println!("{STEPS} steps with {bug}, and no check failed");
    ExitCode::SUCCESS
}

/// Low-discrepancy points with a box around each.
fn boxes() -> Vec<Aabb<f32, 3>> {
    let corner =
        |index: usize| [0.819_172_5, 0.671_043_6, 0.549_700_5].map(|step: f64| (step * index as f64).fract() as f32 * 40.0);
    (0..OBJECTS).map(|index| Aabb::new(corner(index), corner(index).map(|x| x + 1.0))).collect()
}
