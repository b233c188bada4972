pub(crate) mod aabb;
pub(crate) mod ball;
pub(crate) mod bounded;
pub(crate) mod groups;
pub(crate) mod moving_box;
#[allow(unsafe_code)]
pub(crate) mod plain;
