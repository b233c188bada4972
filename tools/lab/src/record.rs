//! `lab record`: a scene as a recording, to try `lab replay` or to hand to another program.

use std::fs::File;
use std::io::{self, BufWriter};

use scenes::World;
use scenes::recording::{Coordinate, CsvRecorder, Recorder};

use crate::cli::{RecordOptions, Scalar};
use crate::failure::Failure;
use crate::report::grouped;

pub(crate) fn record(options: &RecordOptions) -> Result<String, Failure> {
    options.scene.exists()?;
    let written = match (options.scene.scalar, options.scene.dim) {
        (Scalar::F32, 2) => write::<f32, 2>(options),
        (Scalar::F32, _) => write::<f32, 3>(options),
        (Scalar::F64, 2) => write::<f64, 2>(options),
        (Scalar::F64, _) => write::<f64, 3>(options),
    };
    let bytes = written.map_err(|error| Failure::Write { file: options.file.clone(), error })?;
    let (file, steps) = (options.file.display(), grouped(options.steps as u64));
    Ok(format!("{file}: {steps} frames of {} boxes, {} bytes\n", grouped(options.n as u64), grouped(bytes)))
}

/// Returns the size of the file.
fn write<S: Coordinate, const D: usize>(options: &RecordOptions) -> io::Result<u64> {
    let out = BufWriter::new(File::create(&options.file)?);
    let mut world = World::<S, D>::new(options.scene.name, options.n, options.scene.seed);
    let out = if options.csv || options.file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")) {
        let mut recorder = CsvRecorder::<_, D>::new(out)?;
        each_step(&mut world, options.steps, |world| recorder.frame(world.boxes()))?;
        recorder.finish()?
    } else {
        let mut recorder = Recorder::new(out)?;
        each_step(&mut world, options.steps, |world| recorder.frame(world.boxes()))?;
        recorder.finish()?
    };
    Ok(out.get_ref().metadata()?.len())
}

fn each_step<S: Coordinate, const D: usize>(
    world: &mut World<S, D>,
    steps: usize,
    mut write: impl FnMut(&World<S, D>) -> io::Result<()>,
) -> io::Result<()> {
    for _ in 0..steps {
        write(world)?;
        world.step();
    }
    Ok(())
}
