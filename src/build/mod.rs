//! The rebuild: presort, plan, gather, arrange, sort, review.

pub(crate) mod arrange;
pub(crate) mod builder;
mod chunk_boxes;
pub(crate) mod gather;
mod list;
pub(crate) mod plan;
pub(crate) mod presort;
mod regroup;
pub(crate) mod review;
pub(crate) mod sort;
