//! rapier's broad phase as its pipeline drives it: the new boxes are set, `update` reports pairs that came and went, and the
//! user keeps the set up to date, since rapier's own is private. Its leaves are fattened, so the set holds candidates, which
//! are tested exactly.

use parry3d::utils::hashmap::HashMap;
use pivotgrid::Pair;
use rapier3d::dynamics::{IntegrationParameters, RigidBodySet};
use rapier3d::geometry::{
    ActiveCollisionTypes, BroadPhaseBvh, BroadPhasePairEvent, ColliderBuilder, ColliderHandle, ColliderPair, ColliderSet,
};

use super::parry::converted;
use crate::found::Found;
use crate::{Answer, Bounds, Rival};

pub(crate) struct RapierBvh {
    parameters: IntegrationParameters,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    handles: Vec<ColliderHandle>,
    broad_phase: BroadPhaseBvh,
    events: Vec<BroadPhasePairEvent>,
    candidates: HashMap<Pair, ()>,
    found: Found,
}

impl RapierBvh {
    pub(crate) fn new(_threads: usize) -> Self {
        RapierBvh {
            parameters: IntegrationParameters::default(),
            bodies: RigidBodySet::new(),
            colliders: ColliderSet::new(),
            handles: Vec::new(),
            broad_phase: BroadPhaseBvh::new(),
            events: Vec::new(),
            candidates: HashMap::default(),
            found: Found::new(1),
        }
    }

    /// One collider per box. Their shapes do not matter, since their boxes are set.
    fn create(&mut self, boxes: &[Bounds<3>]) {
        // rapier's margins are in lengths of a typical object.
        let mut edges: Vec<f32> = boxes.iter().map(|bounds| bounds.max[0] - bounds.min[0]).collect();
        let middle = edges.len() / 2;
        self.parameters.length_unit = *edges.select_nth_unstable_by(middle, f32::total_cmp).1;
        let collider = ColliderBuilder::ball(0.5).active_collision_types(ActiveCollisionTypes::all());
        self.handles = boxes.iter().map(|_| self.colliders.insert(collider.clone())).collect();
    }
}

fn pair(colliders: ColliderPair) -> Pair {
    Pair::new(colliders.collider1.into_raw_parts().0, colliders.collider2.into_raw_parts().0)
}

impl Rival<3> for RapierBvh {
    fn step(&mut self, boxes: &[Bounds<3>]) -> Answer<'_> {
        if self.handles.is_empty() && !boxes.is_empty() {
            self.create(boxes);
        }
        for (&handle, bounds) in self.handles.iter().zip(boxes) {
            self.broad_phase.set_aabb(&self.parameters, handle, converted(bounds));
        }
        self.events.clear();
        self.broad_phase.update(&self.parameters, &self.colliders, &self.bodies, &[], &[], &mut self.events);
        for event in &self.events {
            match event {
                BroadPhasePairEvent::AddPair(added) => drop(self.candidates.insert(pair(*added), ())),
                BroadPhasePairEvent::DeletePair(deleted) => drop(self.candidates.remove(&pair(*deleted))),
            }
        }
        let overlapping = |pair: &&Pair| boxes[pair.a as usize].overlaps(&boxes[pair.b as usize]);
        self.found.fill_alone(|pairs| pairs.extend(self.candidates.keys().filter(overlapping)))
    }
}
