//! The plain types of a scene: boxes, balls, groups, scalars. No memory, no threads.

pub(crate) mod aabb;
pub(crate) mod ball;
pub(crate) mod bounded;
pub(crate) mod groups;
#[allow(unsafe_code)]
pub(crate) mod plain;
pub(crate) mod scalar;
pub(crate) mod swept;
