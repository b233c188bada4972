//! Actors among a hundred thousand static trees: who bumps into what, by handle. `cargo run --release --example static_world`

use pivotgrid::{Aabb, Object, StaleHandle, World};

fn main() -> Result<(), StaleHandle> {
    let mut world = World::<f32, 2>::new();
    for tree in 0..100_000 {
        let center = [(tree % 1000) as f32 * 4.0, (tree / 1000) as f32 * 4.0];
        world.insert(Object::new_static(Aabb::around(center, [0.5, 0.5])));
    }
    let mut actors: Vec<_> = (0..3)
        .map(|actor| {
            let place = [2.0, 3.2 * actor as f32];
            (world.insert(Object::new_moving(Aabb::around(place, [0.4, 0.4]))), place)
        })
        .collect();

    for step in 0..8 {
        let events = world.par_step();
        for (one, other) in events.started {
            println!("step {step}: {} bumps into {}", other.index, one.index);
        }
        for (one, other) in events.ended {
            println!("step {step}: {} leaves {}", other.index, one.index);
        }
        for (handle, place) in &mut actors {
            place[0] += 0.5;
            world.set_aabb(*handle, Aabb::around(*place, [0.4, 0.4]))?;
        }
    }
    let (first, _) = actors[0];
    world.remove(first)?;
    println!("removed: {}", world.get(first).expect_err("it is gone"));
    Ok(())
}
