//! NumPy arrays as slices, and new ones.

use std::any::TypeId;

use bytemuck::Pod;
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PySlice;

/// A coordinate that arrays and the engine have in common: `f32` or `f64`.
pub(crate) trait Number: pivotgrid::Scalar + Element + Into<f64> + scenes::recording::Coordinate {
    const NAME: &'static str;

    fn nearest(value: f64) -> Self;
}

impl Number for f32 {
    const NAME: &'static str = "float32";

    fn nearest(value: f64) -> Self {
        value as f32
    }
}

impl Number for f64 {
    const NAME: &'static str = "float64";

    fn nearest(value: f64) -> Self {
        value
    }
}

/// An array that is read where it lies, row after row. While it is held, the array stays alive.
pub(crate) struct Input<'py, T: Element>(PyReadonlyArrayDyn<'py, T>);

impl<'py, T: Element> Input<'py, T> {
    /// The array as it is: of this type and in C order. The Python half sees to that.
    pub(crate) fn new(array: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array =
            array.cast::<PyArrayDyn<T>>().map_err(|_| PyValueError::new_err("an array has another dtype than expected"))?;
        if !array.is_c_contiguous() {
            return Err(PyValueError::new_err("an array is not C-contiguous"));
        }
        let array = array.try_readonly().map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Input(array))
    }

    pub(crate) fn optional(array: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Self>> {
        array.map(Self::new).transpose()
    }

    pub(crate) fn slice(&self) -> PyResult<&[T]> {
        self.0.as_slice().map_err(|_| PyValueError::new_err("an array is not aligned"))
    }
}

impl<T: Element + Pod> Input<'_, T> {
    /// The array as rows of another type: points, boxes.
    pub(crate) fn rows<R: Pod>(&self) -> PyResult<&[R]> {
        bytemuck::try_cast_slice(self.slice()?).map_err(|_| PyValueError::new_err("an array has the wrong number of columns"))
    }
}

/// A new array whose elements mean nothing yet; `MemoryError` if there is no room for it.
pub(crate) fn empty<'py, T: Element>(py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    static EMPTY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let empty = EMPTY.import(py, "numpy", "empty")?;
    Ok(empty.call1((shape, numpy::dtype::<T>(py)))?.cast_into::<PyArrayDyn<T>>()?)
}

/// A new array to be written.
pub(crate) struct Output<'py, T: Element> {
    array: Bound<'py, PyArrayDyn<T>>,
    view: PyReadwriteArrayDyn<'py, T>,
}

impl<'py, T: Element> Output<'py, T> {
    pub(crate) fn new(py: Python<'py>, shape: &[usize]) -> PyResult<Self> {
        Self::of(empty(py, shape)?)
    }

    fn of(array: Bound<'py, PyArrayDyn<T>>) -> PyResult<Self> {
        let view = array.try_readwrite().map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Output { array, view })
    }

    pub(crate) fn slice(&mut self) -> PyResult<&mut [T]> {
        self.view.as_slice_mut().map_err(|_| PyValueError::new_err("a new array is not in one piece"))
    }

    pub(crate) fn done(self) -> Bound<'py, PyAny> {
        drop(self.view);
        self.array.into_any()
    }
}

/// Memory of arrays that were handed out, to be used again for the next ones of their kind when nothing refers to them any more.
///
/// New memory costs more than what is written into it: the system clears it first. What is handed out is a view of a longer array, and
/// refers to it, so the count of references tells whether there is a view left.
#[derive(Default)]
pub(crate) struct Spare(Vec<(char, TypeId, Py<PyAny>)>);

/// Arrays of a kind that are kept: in a loop, the last one is still referred to while the next is made.
const KEPT: usize = 2;

impl Spare {
    /// An array of so many rows, whose elements mean nothing yet.
    pub(crate) fn output<'py, T: Element + 'static>(
        &mut self,
        py: Python<'py>,
        kind: char,
        rows: usize,
        columns: Option<usize>,
    ) -> PyResult<Output<'py, T>> {
        let key = (kind, TypeId::of::<T>());
        let shape = |rows: usize| [rows].into_iter().chain(columns).collect::<Vec<_>>();
        let room = |array: &Py<PyAny>| array.bind(py).len().unwrap_or(0);
        let fits = |array: &Py<PyAny>| (rows..=2 * rows + KEPT).contains(&room(array));
        let is_free = |array: &Py<PyAny>| references(array) == 1;
        // What is free and does not fit is given back.
        self.0.retain(|(kind, dtype, array)| (*kind, *dtype) != key || !is_free(array) || fits(array));
        let found = self.0.iter().find(|(kind, dtype, array)| (*kind, *dtype) == key && is_free(array));
        let array = match found {
            Some((_, _, array)) => array.bind(py).clone(),
            None => {
                let array = empty::<T>(py, &shape(rows + rows / 16))?.into_any();
                if self.0.iter().filter(|(kind, dtype, _)| (*kind, *dtype) == key).count() >= KEPT {
                    let oldest = self.0.iter().position(|(kind, dtype, _)| (*kind, *dtype) == key);
                    oldest.map(|oldest| self.0.remove(oldest));
                }
                self.0.push((kind, TypeId::of::<T>(), array.clone().unbind()));
                array
            }
        };
        let view = array.get_item(PySlice::new(py, 0, rows as isize, 1))?;
        Output::of(view.cast_into::<PyArrayDyn<T>>()?)
    }
}

/// How many references there are to an object.
#[allow(unsafe_code)]
fn references(object: &Py<PyAny>) -> isize {
    // SAFETY: the pointer is that of a live object, since `object` is one of the references that are counted.
    unsafe { ffi::Py_REFCNT(object.as_ptr()) }
}

/// A new array with what an iterator yields.
pub(crate) fn collected<'py, T: Element + Copy>(
    py: Python<'py>,
    shape: &[usize],
    values: impl Iterator<Item = T>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut output = Output::new(py, shape)?;
    output.slice()?.iter_mut().zip(values).for_each(|(place, value)| *place = value);
    Ok(output.done())
}
