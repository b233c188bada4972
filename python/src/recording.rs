//! Recordings of boxes, for `lab replay`.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use scenes::Bounds;
use scenes::recording::{Recorder, Recording, RecordingError, ScalarType};

use crate::arrays::{Input, Number, collected};

fn unreadable(error: RecordingError) -> PyErr {
    match error {
        RecordingError::Io { .. } => PyOSError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// A recording that is read frame by frame.
#[pyclass(name = "Recording", module = "pivotgrid._native")]
pub(crate) struct PyRecording {
    recording: Recording<File>,
}

impl PyRecording {
    fn next<'py, S: Number, const D: usize>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut boxes: Vec<Bounds<S, D>> = Vec::new();
        if !self.recording.next_frame(&mut boxes).map_err(unreadable)? {
            return Ok(None);
        }
        let values = boxes.iter().flat_map(|bounds| bounds.min.into_iter().chain(bounds.max));
        collected(py, &[boxes.len(), 2, D], values).map(Some)
    }

    fn is_double(&self) -> bool {
        self.recording.header().scalar == ScalarType::F64
    }
}

#[pymethods]
impl PyRecording {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        Recording::open(path).map(|recording| PyRecording { recording }).map_err(unreadable)
    }

    /// Format, dimension, whether coordinates are of double precision, and the number of frames if it is known.
    fn header(&self) -> (String, usize, bool, Option<u64>) {
        let header = self.recording.header();
        (format!("{:?}", header.format).to_lowercase(), header.dimension, self.is_double(), header.frames)
    }

    fn next_frame<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match (self.is_double(), self.recording.header().dimension) {
            (false, 2) => self.next::<f32, 2>(py),
            (false, _) => self.next::<f32, 3>(py),
            (true, 2) => self.next::<f64, 2>(py),
            (true, _) => self.next::<f64, 3>(py),
        }
    }
}

/// A recording that is written frame by frame.
trait AnyRecorder: Send + Sync {
    fn frame(&mut self, boxes: &Bound<'_, PyAny>) -> PyResult<()>;
    fn finish(self: Box<Self>) -> std::io::Result<()>;
}

impl<S: Number, const D: usize> AnyRecorder for Recorder<BufWriter<File>, S, D> {
    fn frame(&mut self, boxes: &Bound<'_, PyAny>) -> PyResult<()> {
        let boxes = Input::<S>::new(boxes)?;
        let boxes = boxes.rows::<[[S; D]; 2]>()?;
        let boxes: Vec<_> = boxes.iter().map(|&[min, max]| Bounds { min, max }).collect();
        Ok(Recorder::frame(self, &boxes)?)
    }

    fn finish(self: Box<Self>) -> std::io::Result<()> {
        Recorder::finish(*self).map(drop)
    }
}

/// A file of boxes, written frame by frame.
#[pyclass(name = "Recorder", module = "pivotgrid._native")]
pub(crate) struct PyRecorder {
    recorder: Option<Box<dyn AnyRecorder>>,
}

#[pymethods]
impl PyRecorder {
    #[new]
    fn new(path: PathBuf, double: bool, dim: usize) -> PyResult<Self> {
        let recorder: Box<dyn AnyRecorder> = match (double, dim) {
            (false, 2) => Box::new(Recorder::<_, f32, 2>::create(path)?),
            (false, 3) => Box::new(Recorder::<_, f32, 3>::create(path)?),
            (true, 2) => Box::new(Recorder::<_, f64, 2>::create(path)?),
            (true, 3) => Box::new(Recorder::<_, f64, 3>::create(path)?),
            _ => return Err(PyValueError::new_err("2 or 3 dimensions")),
        };
        Ok(PyRecorder { recorder: Some(recorder) })
    }

    fn frame(&mut self, boxes: Bound<'_, PyAny>) -> PyResult<()> {
        let closed = || PyValueError::new_err("the recording is finished");
        self.recorder.as_mut().ok_or_else(closed)?.frame(&boxes)
    }

    fn finish(&mut self) -> PyResult<()> {
        Ok(self.recorder.take().map_or(Ok(()), AnyRecorder::finish)?)
    }
}
