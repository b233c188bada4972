//! The twin of a world that is too simple to be wrong: a map of objects and a set of pairs.

use std::collections::{BTreeMap, BTreeSet};

use pivotgrid::{Aabb, Groups, Handle, Mobility, Object, RejectReason};

use crate::common::Coordinate;

pub(crate) type HandlePair = (Handle, Handle);

pub(crate) struct Twin<S, const D: usize> {
    pub(crate) objects: BTreeMap<Handle, Object<S, D>>,
    /// The objects as of the last step.
    pub(crate) seen: BTreeMap<Handle, Object<S, D>>,
    pub(crate) current: BTreeSet<HandlePair>,
    pub(crate) margin: S,
}

/// What a step must say.
pub(crate) struct Expected {
    pub(crate) started: Vec<HandlePair>,
    pub(crate) ongoing: Vec<HandlePair>,
    pub(crate) ended: Vec<HandlePair>,
    pub(crate) rejected: Vec<(Handle, RejectReason)>,
}

impl<S: Coordinate, const D: usize> Twin<S, D> {
    pub(crate) fn new(margin: S) -> Self {
        Twin { objects: BTreeMap::new(), seen: BTreeMap::new(), current: BTreeSet::new(), margin }
    }

    pub(crate) fn step(&mut self) -> Expected {
        let before = std::mem::take(&mut self.current);
        let valid: Vec<_> = self.objects.iter().filter(|(_, object)| flaw(object).is_none()).collect();
        for (place, &(&a, one)) in valid.iter().enumerate() {
            for &(&b, other) in &valid[place + 1..] {
                let moves = one.mobility == Mobility::Moving || other.mobility == Mobility::Moving;
                let near = || overlap(&grown(one, self.margin), &grown(other, self.margin));
                let goes_on = || before.contains(&(a, b)) || overlap(&one.aabb, &other.aabb);
                if moves && admit(one.groups, other.groups) && near() && goes_on() {
                    self.current.insert((a, b));
                }
            }
        }
        self.seen = self.objects.clone();
        Expected {
            started: self.current.difference(&before).copied().collect(),
            ongoing: self.current.intersection(&before).copied().collect(),
            ended: before.difference(&self.current).copied().collect(),
            rejected: self.objects.iter().filter_map(|(&handle, object)| Some((handle, flaw(object)?))).collect(),
        }
    }

    /// The handles and boxes, margins included, that queries are about.
    pub(crate) fn boxes(&self) -> impl Iterator<Item = (Handle, Aabb<S, D>)> {
        let valid = self.seen.iter().filter(|(_, object)| flaw(object).is_none());
        valid.map(|(&handle, object)| (handle, grown(object, self.margin)))
    }
}

fn grown<S: Coordinate, const D: usize>(object: &Object<S, D>, margin: S) -> Aabb<S, D> {
    Aabb { min: object.aabb.min.map(|bound| bound - margin), max: object.aabb.max.map(|bound| bound + margin) }
}

pub(crate) fn overlap<S: Coordinate, const D: usize>(one: &Aabb<S, D>, other: &Aabb<S, D>) -> bool {
    (0..D).all(|axis| one.min[axis] <= other.max[axis] && other.min[axis] <= one.max[axis])
}

fn admit(one: Groups, other: Groups) -> bool {
    let looks_for = |one: Groups, other: Groups| one.mask & other.member != 0;
    looks_for(one, other) && looks_for(other, one) && (one.body == 0 || one.body != other.body)
}

fn flaw<S: Coordinate, const D: usize>(object: &Object<S, D>) -> Option<RejectReason> {
    let bounds: [(f64, f64); D] = std::array::from_fn(|axis| (object.aabb.min[axis].into(), object.aabb.max[axis].into()));
    if bounds.iter().any(|(low, high)| low.is_nan() || high.is_nan()) {
        Some(RejectReason::NotANumber)
    } else if bounds.iter().any(|(low, high)| low > high) {
        Some(RejectReason::Inverted)
    } else {
        None
    }
}
