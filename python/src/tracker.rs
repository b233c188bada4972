//! Events: which pairs began, go on and ended.

use pivotgrid::PairTracker;
use pyo3::prelude::*;

use crate::arrays::collected;

/// The pairs of the last step, by keys.
#[pyclass(name = "PairTracker", module = "pivotgrid._native")]
pub(crate) struct PyTracker {
    pub(crate) tracker: PairTracker<i64>,
}

#[pymethods]
impl PyTracker {
    #[new]
    fn new() -> Self {
        PyTracker { tracker: PairTracker::new() }
    }

    /// Pairs that started, go on and ended in the last update, each as an array of keys.
    pub(crate) fn events<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyAny>; 3]> {
        let events = self.tracker.events();
        Ok([pairs(py, events.started)?, pairs(py, events.ongoing)?, pairs(py, events.ended)?])
    }

    fn current<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        pairs(py, self.tracker.current())
    }

    fn forget(&mut self, key: i64) {
        self.tracker.forget(key);
    }
}

fn pairs<'py>(py: Python<'py>, pairs: &[(i64, i64)]) -> PyResult<Bound<'py, PyAny>> {
    collected(py, &[pairs.len(), 2], pairs.iter().flat_map(|&(a, b)| [a, b]))
}
