//! Exceptions.

use pivotgrid::{DetectError, PeriodicRejected, Rejected};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Why a step could not be run.
pub(crate) fn refused(error: DetectError) -> PyErr {
    match error {
        DetectError::TooManyObjects(_) => PyValueError::new_err(error.to_string()),
        _ => PyMemoryError::new_err(error.to_string()),
    }
}

/// An object that was left out, by index, and why.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Misfit {
    pub(crate) index: usize,
    pub(crate) reason: String,
}

impl Misfit {
    pub(crate) fn of(rejected: &[Rejected]) -> Vec<Self> {
        rejected.iter().map(|rejected| Misfit { index: rejected.index, reason: rejected.to_string() }).collect()
    }

    pub(crate) fn of_periodic(rejected: &[PeriodicRejected]) -> Vec<Self> {
        rejected.iter().map(|rejected| Misfit { index: rejected.index, reason: rejected.to_string() }).collect()
    }

    /// The exception about some of them, or nothing if there are none.
    pub(crate) fn check(py: Python<'_>, misfits: &[Self]) -> PyResult<()> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let Some(first) = misfits.first() else { return Ok(()) };
        let class = CLASS.import(py, "pivotgrid._errors", "InvalidObjectError")?;
        let indices: Vec<usize> = misfits.iter().map(|misfit| misfit.index).collect();
        Err(PyErr::from_value(class.call1((&first.reason, first.index, indices))?))
    }
}
