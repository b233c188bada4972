//! The rebuild: plan, gather, count, offset, scatter.

pub(crate) mod count;
pub(crate) mod gather;
pub(crate) mod offset;
pub(crate) mod plan;
pub(crate) mod scatter;
