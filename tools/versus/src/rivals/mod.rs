//! pivotgrid and the libraries one could use instead, each driven as its documentation suggests.

mod broccoli;
mod bvh;
mod obvhs;
mod parry;
mod pivotgrid;
mod rapier;
mod rstar;

pub(crate) use broccoli::BroccoliTree;
pub(crate) use bvh::BvhCrate;
pub(crate) use obvhs::ObvhsPloc;
pub(crate) use parry::{ParryRebuild, ParryRefit, converted as parry_box};
pub(crate) use pivotgrid::Pivotgrid;
pub(crate) use rapier::RapierBvh;
pub(crate) use rstar::RstarTree;
