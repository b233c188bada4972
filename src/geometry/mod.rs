pub(crate) mod aabb;
pub(crate) mod ball;
pub(crate) mod bounded;
pub(crate) mod groups;
#[allow(unsafe_code)]
pub(crate) mod plain;
pub(crate) mod swept;
