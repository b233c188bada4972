//! Runs a recording again, frame by frame. `cargo run --release -p lab --example replay [FILE]`
//!
//! Without a file it first writes one, as an engine would. (The root's `record` example shows how to write
//! the format without any library; `cargo run --release -- replay FILE` times every pass.)

use std::error::Error;
use std::path::PathBuf;

use pivotgrid::{Aabb, BroadPhase};
use scenes::recording::{Recorder, Recording};
use scenes::{Bounds, Scene, World};

const FRAMES: usize = 30;

fn main() -> Result<(), Box<dyn Error>> {
    let path = match std::env::args_os().nth(1) {
        Some(path) => PathBuf::from(path),
        None => record()?,
    };
    let mut recording = Recording::open(&path)?;
    println!("{}: {:?}", path.display(), recording.header());

    // Keep both between frames: their memory is reused.
    let mut broad_phase = BroadPhase::<f32, 3>::new();
    let (mut bounds, mut boxes): (Vec<Bounds<f32, 3>>, Vec<Aabb<f32, 3>>) = (Vec::new(), Vec::new());
    let mut frame = 0;
    while recording.next_frame(&mut bounds)? {
        boxes.clear();
        boxes.extend(bounds.iter().map(|bounds| Aabb::new(bounds.min, bounds.max)));
        let pairs = broad_phase.par_detect(&boxes);
        println!("frame {frame}: {} boxes, {} pairs", boxes.len(), pairs.len());
        frame += 1;
    }
    Ok(())
}

/// Writes a scene in motion to a file, and returns where.
fn record() -> Result<PathBuf, Box<dyn Error>> {
    let path = std::env::temp_dir().join("pivotgrid-replay.boxes");
    let mut recorder = Recorder::create(&path)?;
    let mut world = World::<f32, 3>::new(Scene::Uniform, 10_000, 1);
    for _ in 0..FRAMES {
        recorder.frame(world.boxes())?;
        world.step();
    }
    recorder.finish()?;
    Ok(path)
}
