//! Sets of objects that hardly ever move.

use std::any::Any;

use pivotgrid::{Aabb, Bounded, Config, StaticSet};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arrays::Number;
use crate::errors::{Misfit, refused};
use crate::objects::{Given, Objects, Side};
use crate::queries::{self, Query};
use crate::threads::Threads;

/// A set of some scalar and dimension.
trait AnySet: Any + Send + Sync {
    fn build(&mut self, py: Python<'_>, given: &Given<'_>, threads: Threads) -> PyResult<usize>;
    fn insert(&mut self, py: Python<'_>, given: &Given<'_>, threads: Threads) -> PyResult<Vec<u32>>;
    fn update(&mut self, py: Python<'_>, index: u32, given: &Given<'_>, threads: Threads) -> PyResult<bool>;
    fn remove(&mut self, py: Python<'_>, index: u32, threads: Threads) -> PyResult<bool>;
    fn len(&self) -> usize;
    fn query<'py>(&mut self, py: Python<'py>, query: &Query<'py>, threads: Threads) -> PyResult<Vec<Bound<'py, PyAny>>>;
}

struct Typed<S: Number, const D: usize>(StaticSet<S, D>);

impl<S: Number, const D: usize> AnySet for Typed<S, D> {
    fn build(&mut self, py: Python<'_>, given: &Given<'_>, threads: Threads) -> PyResult<usize> {
        let objects = Objects::<S, D>::new(given)?;
        let count = objects.len()?;
        let mut items = Vec::new();
        objects.list(Side::Any, &mut items)?;
        check(py, items.iter().map(Bounded::aabb))?;
        threads
            .run(py, count, |shared| if shared { self.0.try_par_build(&items) } else { self.0.try_build(&items) })?
            .map_err(refused)?;
        Ok(count)
    }

    fn insert(&mut self, py: Python<'_>, given: &Given<'_>, threads: Threads) -> PyResult<Vec<u32>> {
        let mut items = Vec::new();
        Objects::<S, D>::new(given)?.list(Side::Any, &mut items)?;
        check(py, items.iter().map(Bounded::aabb))?;
        let set = &mut self.0;
        threads.run_divided(py, || items.iter().map(|item| set.try_par_insert(item)).collect::<Result<_, _>>())?.map_err(refused)
    }

    fn update(&mut self, py: Python<'_>, index: u32, given: &Given<'_>, threads: Threads) -> PyResult<bool> {
        let mut items = Vec::new();
        Objects::<S, D>::new(given)?.list(Side::Any, &mut items)?;
        check(py, items.iter().map(Bounded::aabb))?;
        let [item] = items[..] else { return Err(PyValueError::new_err("an update takes one object")) };
        let set = &mut self.0;
        Ok(threads.run_divided(py, || set.try_par_update(index, &item))?.map_err(refused)?.is_ok())
    }

    fn remove(&mut self, py: Python<'_>, index: u32, threads: Threads) -> PyResult<bool> {
        let set = &mut self.0;
        threads.run_divided(py, || set.remove(index).is_ok())
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn query<'py>(&mut self, py: Python<'py>, query: &Query<'py>, threads: Threads) -> PyResult<Vec<Bound<'py, PyAny>>> {
        queries::answer(py, self.0.queries(), query, threads)
    }
}

/// An exception about invalid boxes, which a set would keep without a word.
fn check<S: Number, const D: usize>(py: Python<'_>, boxes: impl Iterator<Item = Aabb<S, D>>) -> PyResult<()> {
    let is_invalid = |bounds: &Aabb<S, D>| !(0..D).all(|axis| bounds.min[axis] <= bounds.max[axis]);
    let invalid = boxes.enumerate().filter(|(_, bounds)| is_invalid(bounds));
    let misfit = |(index, _)| Misfit { index, reason: format!("object {index}: its box has NaN or min > max on some axis") };
    Misfit::check(py, &invalid.map(misfit).collect::<Vec<_>>())
}

/// Objects that hardly ever move.
#[pyclass(name = "StaticSet", module = "pivotgrid._native")]
pub(crate) struct PyStaticSet {
    set: Box<dyn AnySet>,
    threads: Threads,
}

impl PyStaticSet {
    /// The set, if it is of this scalar and dimension.
    pub(crate) fn typed<S: Number, const D: usize>(&self) -> PyResult<&StaticSet<S, D>> {
        let set: &dyn Any = &*self.set;
        let other = || PyTypeError::new_err(format!("the static set is not of {D} dimensions and {}", S::NAME));
        set.downcast_ref::<Typed<S, D>>().map(|typed| &typed.0).ok_or_else(other)
    }
}

#[pymethods]
impl PyStaticSet {
    #[new]
    fn new(double: bool, dim: usize, n_threads: usize) -> PyResult<Self> {
        fn set<S: Number, const D: usize>() -> PyResult<Box<dyn AnySet>> {
            let set = StaticSet::<S, D>::with_config(Config::default());
            Ok(Box::new(Typed(set.map_err(|error| PyValueError::new_err(error.to_string()))?)))
        }
        let set = match (double, dim) {
            (false, 2) => set::<f32, 2>(),
            (false, 3) => set::<f32, 3>(),
            (true, 2) => set::<f64, 2>(),
            (true, 3) => set::<f64, 3>(),
            _ => Err(PyValueError::new_err("2 or 3 dimensions")),
        }?;
        Ok(PyStaticSet { set, threads: Threads(n_threads) })
    }

    fn build(&mut self, py: Python<'_>, objects: Given<'_>) -> PyResult<usize> {
        self.set.build(py, &objects, self.threads)
    }

    fn insert(&mut self, py: Python<'_>, objects: Given<'_>) -> PyResult<Vec<u32>> {
        self.set.insert(py, &objects, self.threads)
    }

    fn update(&mut self, py: Python<'_>, index: u32, objects: Given<'_>) -> PyResult<bool> {
        self.set.update(py, index, &objects, self.threads)
    }

    fn remove(&mut self, py: Python<'_>, index: u32) -> PyResult<bool> {
        self.set.remove(py, index, self.threads)
    }

    fn query<'py>(&mut self, py: Python<'py>, query: Query<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.set.query(py, &query, self.threads)
    }

    fn __len__(&self) -> usize {
        self.set.len()
    }
}
