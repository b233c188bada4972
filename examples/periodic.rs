//! Grains in a channel with a moving lid, and in shear flow: what leaves on one side comes in on the other.
//! `cargo run --release --example periodic`

use pivotgrid::{Aabb, Ball, EitherPair, Lattice, Periodic, PeriodicError, StaticSet};

const LENGTH: f32 = 40.0;
const HEIGHT: f32 = 10.0;
const RADIUS: f32 = 0.45;

/// Grains on a grid, in layers that move at different speeds.
fn grains() -> Vec<Ball<f32, 2>> {
    let at = |row: usize, column: usize| Ball::new([column as f32 + 0.25 * row as f32, row as f32 + 0.5], RADIUS);
    (0..HEIGHT as usize).flat_map(|row| (0..LENGTH as usize).map(move |column| at(row, column))).collect()
}

/// The faster, the higher. Positions are not wrapped: they may lie anywhere.
fn move_on(grains: &mut [Ball<f32, 2>]) {
    grains.iter_mut().for_each(|grain| grain.center[0] += 0.05 * grain.center[1]);
}

/// Periodic along x, with a floor, and with posts that the grains run into.
fn channel() -> Result<(), PeriodicError> {
    let mut channel = Periodic::<f32, 2>::new(Aabb::new([0.0, 0.0], [LENGTH, HEIGHT]), [true, false])?;
    let mut walls = StaticSet::<f32, 2>::new();
    // The floor is one period long: the next one begins where it ends.
    walls.build(&[
        Aabb::new([0.0, -1.0], [LENGTH, 0.1]),
        Aabb::new([9.9, 0.0], [10.1, 3.0]),
        Aabb::new([39.9, 0.0], [40.1, 3.0]),
    ]);
    let mut grains = grains();
    for step in 0..200 {
        let [contacts, with_walls, across] = channel.over(&grains).with(&walls).fold(
            || [0; 3],
            |[contacts, with_walls, across], pair| match pair {
                EitherPair::Moving(pair) => [contacts + 1, with_walls, across + usize::from(pair.shift != [0, 0])],
                EitherPair::Static(_) => [contacts, with_walls + 1, across],
            },
            |one, other| std::array::from_fn(|i| one[i] + other[i]),
        );
        if step % 50 == 0 {
            println!("channel, step {step:3}: {contacts} contacts, {across} across the border, {with_walls} with walls");
        }
        move_on(&mut grains);
    }
    Ok(())
}

/// Periodic along both vectors. The cell leans to the right as the flow goes on, and is set upright when it leans by a period.
fn shear_flow() -> Result<(), PeriodicError> {
    let cell = |lean: f32| Lattice::new([[LENGTH.into(), 0.0], [lean.into(), HEIGHT.into()]], [true, true]);
    let mut flow = Periodic::<f32, 2>::of_lattice(cell(0.0)?);
    let mut grains = grains();
    for step in 0..200 {
        flow.set_lattice(cell(0.05 * HEIGHT * step as f32 % LENGTH)?);
        let pairs = flow.par_detect(&grains);
        if step % 50 == 0 {
            let over_the_top = pairs.iter().filter(|pair| pair.shift[1] != 0).count();
            println!("shear flow, step {step:3}: {} contacts, {over_the_top} over the top", pairs.len());
        }
        move_on(&mut grains);
    }
    Ok(())
}

fn main() -> Result<(), PeriodicError> {
    channel()?;
    shear_flow()
}
