//! Queries see the objects as of the last step, whatever has happened since.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use pivotgrid::{Aabb, Handle, Mobility, Object, Ray, World};

use crate::common::Coordinate;
use crate::fleet::Fleet;
use crate::twin::overlap;

/// A ray along an axis: all arithmetic is a difference, and there is one way to round it.
#[derive(Clone, Copy, Debug)]
struct AxisRay<S, const D: usize> {
    origin: [S; D],
    axis: usize,
    forward: bool,
}

impl<S: Coordinate, const D: usize> AxisRay<S, D> {
    fn ray(&self) -> Ray<S, D> {
        let mut direction = [S::of(0.0); D];
        direction[self.axis] = S::of(if self.forward { 1.0 } else { -1.0 });
        Ray::new(self.origin, direction)
    }

    /// When it meets a box.
    fn meets(&self, aabb: &Aabb<S, D>) -> Option<f64> {
        let beside =
            (0..D).any(|axis| axis != self.axis && !(aabb.min[axis] <= self.origin[axis] && self.origin[axis] <= aabb.max[axis]));
        let (start, low, high) = (self.origin[self.axis], aabb.min[self.axis], aabb.max[self.axis]);
        let [enter, leave] = if self.forward { [low - start, high - start] } else { [start - high, start - low] };
        (!beside && leave.into() >= 0.0).then(|| enter.into().max(0.0))
    }
}

impl<S: Coordinate, const D: usize> Fleet<S, D> {
    fn ask(&mut self, context: &str) {
        let (query, point) = (self.aabb(), self.aabb().min);
        let ray = AxisRay { origin: self.aabb().min, axis: self.rng.below(D), forward: self.rng.below(2) == 0 };
        let sane = |aabb: &Aabb<S, D>| (0..D).all(|axis| aabb.min[axis] <= aabb.max[axis]);
        let boxes: Vec<_> = self.twin.boxes().collect();
        let those = |what: &Aabb<S, D>| -> Vec<Handle> {
            boxes.iter().filter(|(_, aabb)| sane(what) && overlap(what, aabb)).map(|(handle, _)| *handle).collect()
        };
        let mut hits: Vec<(f64, Handle)> = boxes.iter().filter_map(|(handle, aabb)| Some((ray.meets(aabb)?, *handle))).collect();
        if ray.origin.iter().any(|&x| !x.into().is_finite()) {
            hits.clear();
        }
        hits.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        for (world, crew) in &mut self.worlds {
            let context = format!("{context}, {crew:?}");
            let queries = world.queries();
            let mut found = vec![Handle { index: 9, generation: 9 }];
            queries.overlapping(&query, &mut found);
            assert_eq!(found, those(&query), "{context}: {query:?}");
            queries.containing(point, &mut found);
            assert_eq!(found, those(&Aabb { min: point, max: point }), "{context}: {point:?}");
            let any = queries.visit_overlapping(&query, ControlFlow::Break);
            assert_eq!(any.is_break(), !those(&query).is_empty(), "{context}");

            let mut met = Vec::new();
            queries.ray_hits(&ray.ray(), &mut met);
            let met: Vec<_> = met.iter().map(|hit| (hit.t.into(), hit.handle)).collect();
            assert_eq!(met, hits, "{context}: {ray:?}");
            let first = queries.first_hit(&ray.ray()).map(|hit| (hit.t.into(), hit.handle));
            assert_eq!(first, hits.first().copied(), "{context}: {ray:?}");

            let (everything, mut indices) = (Aabb::new([S::of(-1e9); D], [S::of(1e9); D]), Vec::new());
            let mut all = BTreeSet::new();
            for (queries, handles) in [queries.moving(), queries.statics()] {
                queries.overlapping(&everything, &mut indices);
                all.extend(indices.iter().map(|&index| handles[index as usize]));
            }
            assert!(boxes.iter().map(|(handle, _)| handle).eq(&all), "{context}");
        }
    }
}

fn asks<S: Coordinate, const D: usize>(margin: f64) {
    let mut fleet = Fleet::<S, D>::new(margin, 5);
    fleet.ask("before the first step");
    fleet.disturb(60);
    fleet.ask("still before the first step");
    for round in 0..12 {
        // Now and then a long time without a query, so that changes of static objects pile up.
        fleet.live(if round % 4 == 3 { 9 } else { 1 }, "asks");
        fleet.ask(&format!("after a step, round {round}"));
        fleet.disturb(50);
        fleet.ask(&format!("changes since, round {round}"));
    }
}

#[test]
fn queries_see_the_last_step() {
    asks::<f32, 3>(0.0);
    asks::<f32, 2>(0.25);
    asks::<f64, 3>(0.3);
    asks::<f64, 2>(0.0);
}

/// The first hit is decided by handles, wherever the objects happen to lie.
#[test]
fn of_objects_met_at_once_the_least_handle_is_first() {
    let aabb = Aabb::new([5.0, 0.0], [6.0, 1.0]);
    for kinds in [[Mobility::Moving, Mobility::Static], [Mobility::Static, Mobility::Moving]] {
        let mut world = World::<f32, 2>::new();
        let handles: Vec<_> = (0..6)
            .map(|count| {
                let groups = pivotgrid::Groups::ALL;
                world.insert(Object { groups, mobility: kinds[count % 2], ..Object::new_moving(aabb) })
            })
            .collect();
        for gone in handles {
            world.par_step();
            let hit = world.queries().first_hit(&Ray::new([0.0, 0.5], [1.0, 0.0])).expect("they are in the way");
            assert_eq!((hit.handle, hit.t), (gone, 5.0));
            world.remove(gone).expect("it is there");
        }
    }
}
