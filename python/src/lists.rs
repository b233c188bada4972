//! Rows of neighbors as the arrays that Python programs use.

use bytemuck::Pod;
use numpy::Element;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays::{Input, Number, Output, Spare, collected};
use crate::threads::Threads;
use crate::write::{Index, Part, Request, Rows, share_out};

impl<S: Number, const D: usize> Request<'_, S, D> {
    /// The arrays, in the order of the letters.
    pub(crate) fn arrays<'py>(
        &self,
        py: Python<'py>,
        rows: &impl Rows<D>,
        threads: Threads,
        spare: &mut Spare,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if self.wide { self.arrays_of::<i64>(py, rows, threads, spare) } else { self.arrays_of::<i32>(py, rows, threads, spare) }
    }

    fn arrays_of<'py, I: Index + Element + Pod>(
        &self,
        py: Python<'py>,
        rows: &impl Rows<D>,
        threads: Threads,
        spare: &mut Spare,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let work = rows.indices().len();
        let own = threads.run(py, work, |shared| self.offsets(rows, shared))?;
        let offsets = own.as_deref().unwrap_or(rows.offsets());
        let total = offsets.last().copied().unwrap_or(0);
        let wanted = |letter: char| if self.wants(letter) { total } else { 0 };

        let mut first: Output<'_, I> = spare.output(py, 'i', wanted('i'), None)?;
        let mut second: Output<'_, I> = spare.output(py, 'j', wanted('j'), None)?;
        let mut pairs: Output<'_, I> = spare.output(py, 'P', wanted('P'), Some(2))?;
        let mut shifts: Output<'_, i32> = spare.output(py, 'S', wanted('S'), Some(D))?;
        let mut distances: Output<'_, S> = spare.output(py, 'd', wanted('d'), None)?;
        let mut vectors: Output<'_, S> = spare.output(py, 'D', wanted('D'), Some(D))?;
        let part = Part {
            rows: 0..offsets.len() - 1,
            first: first.slice()?,
            second: second.slice()?,
            pairs: pairs.slice()?.as_chunks_mut().0,
            shifts: shifts.slice()?.as_chunks_mut().0,
            distances: distances.slice()?,
            vectors: vectors.slice()?.as_chunks_mut().0,
        };
        threads.run(py, work, |shared| share_out(part, offsets, self, rows, shared))?;

        let made = [('i', first.done()), ('j', second.done()), ('P', pairs.done())];
        let others = [('S', shifts.done()), ('d', distances.done()), ('D', vectors.done())];
        let array = |letter: char| match letter {
            'o' => collected(py, &[offsets.len()], offsets.iter().map(|&offset| offset as i64)),
            _ => match made.iter().chain(&others).find(|(other, _)| *other == letter) {
                Some((_, array)) => Ok(array.clone()),
                None => Err(PyValueError::new_err(format!("there is no quantity {letter:?}; there are i, j, P, S, d and D"))),
            },
        };
        self.quantities.chars().map(array).collect()
    }
}

/// Rows as a list of lists.
#[pyfunction]
pub(crate) fn rows_to_lists<'py>(
    py: Python<'py>,
    offsets: Bound<'py, PyAny>,
    indices: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let (offsets, indices) = (Input::<i64>::new(&offsets)?, Input::<i64>::new(&indices)?);
    let (offsets, indices) = (offsets.slice()?, indices.slice()?);
    let row = |ends: &[i64]| {
        let row = indices.get(ends[0] as usize..ends[1] as usize);
        PyList::new(py, row.ok_or_else(|| PyValueError::new_err("offsets beyond the indices"))?)
    };
    PyList::new(py, offsets.windows(2).map(row).collect::<PyResult<Vec<_>>>()?)
}
