//! The rebuild: presort, plan, gather, arrange, sort.

pub(crate) mod arrange;
pub(crate) mod costs;
pub(crate) mod density;
pub(crate) mod gather;
pub(crate) mod plan;
pub(crate) mod presort;
pub(crate) mod sort;
pub(crate) mod survey;
