//! Seeded scenes of moving boxes, shared by the tests, the benches, the contest and the lab.
//!
//! A [`World`] holds the boxes of one [`Scene`] and moves them:
//!
//! ```
//! use scenes::{Scene, World};
//!
//! let scene: Scene = "poly12".parse().unwrap();
//! let mut world = World::<f32, 3>::new(scene, 1_000, 7);
//! let before = world.boxes()[0];
//! world.step();
//! assert_ne!(world.boxes()[0], before);
//! ```
//!
//! # What all scenes have in common
//!
//! - **Seeded.** The same scene, number and seed give the same boxes, on every machine and at every step. The `f32` world is
//!   the `f64` world rounded, so both have the same story and differ only in pairs that touch within a rounding error.
//! - **Constant density.** Space grows with the number of objects, so a series over N measures the engine and not the crowd.
//! - **Contacts, not pairs.** [`Scene::contacts`] says how many others an object meets on average. Every pair is met from both
//!   sides, so two contacts per object are N pairs among N objects.
//! - **Periodic centers, open borders.** A center that leaves the domain comes back on the other side, but a box that sticks
//!   out is not seen there. Objects near the border therefore meet fewer others than [`Scene::contacts`] says: 3.5 % fewer in
//!   `uniform` with 20 000 objects, 0.4 % with ten million.
//! - **Motion.** Each object keeps one velocity: any direction, and a speed uniform between nothing and 20 % of its shortest
//!   edge per step. [`World::slowed`] makes the whole world calmer.
//! - **No order.** Neighbors in space are not neighbors in memory, and sizes come mixed.
//!
//! Koch's scenes (`koch`, `huge`, `clustered`) are from sections 4.1.4, 4.1.7 and 4.1.8 of his thesis; the motion, the sizes
//! of `poly12` and the worst cases `long` and `line` follow the benchmarks of Schornbaum's. [`terdiman()`] is a fixed scene
//! with a known answer.
//!
//! # Scenes that are made to be slow
//!
//! [`Hostile`] is a second registry: scenes that users have, or could have, and on which a plan goes wrong. Their densities are not
//! constant, their boxes may be infinite, flat or points, and each says why it is hard.
//!
//! # What a program recorded
//!
//! Boxes need not be made up: the module [`recording`] reads and
//! writes those of a real engine.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod bounds;
mod edges;
mod hostile;
mod layout;
mod places;
mod random;
pub mod recording;
mod scene;
mod terdiman;
mod world;

pub use bounds::{Bounds, Scalar};
pub use hostile::{Hostile, UnknownHostile};
pub use scene::{Scene, UnknownScene};
pub use terdiman::terdiman;
pub use world::World;
