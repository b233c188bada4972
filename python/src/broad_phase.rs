//! Pairs of overlapping objects.

use pivotgrid::{AnyPair, Bounded, BroadPhase, Config, Pairs};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

use crate::arrays::{Input, Number, Output};
use crate::errors::{Misfit, refused};
use crate::objects::{Given, Item, Objects, Side};
use crate::queries::{self, Query};
use crate::statics::PyStaticSet;
use crate::threads::Threads;
use crate::tracker::PyTracker;

/// An engine of some scalar and dimension.
trait Engine: Send + Sync {
    fn detect<'py>(&mut self, py: Python<'py>, given: &Given<'py>) -> PyResult<Bound<'py, PyAny>>;
    fn detect_between<'py>(&mut self, py: Python<'py>, sets: [&Given<'py>; 2]) -> PyResult<Bound<'py, PyAny>>;
    fn detect_with<'py>(
        &mut self,
        py: Python<'py>,
        given: &Given<'py>,
        statics: &PyStaticSet,
    ) -> PyResult<[Bound<'py, PyAny>; 2]>;
    fn track(
        &mut self,
        py: Python<'_>,
        given: &Given<'_>,
        tracker: &mut PyTracker,
        keys: Option<&[i64]>,
        margin: f64,
    ) -> PyResult<()>;
    fn query<'py>(&self, py: Python<'py>, query: &Query<'py>) -> PyResult<Vec<Bound<'py, PyAny>>>;
    fn stats(&self, stats: &Bound<'_, PyDict>) -> PyResult<()>;
    fn misfits(&self) -> Vec<Misfit>;
}

struct Typed<S: Number, const D: usize> {
    engine: BroadPhase<S, D>,
    items: Vec<Item<S, D>>,
    threads: Threads,
    /// Whether objects that are left out are an error.
    strict: bool,
}

impl<S: Number, const D: usize> Typed<S, D> {
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        if self.strict { Misfit::check(py, &self.misfits()) } else { Ok(()) }
    }

    /// A step of the items. Returns the pairs.
    fn detect_items(&mut self, py: Python<'_>) -> PyResult<Pairs<'_>> {
        step(py, &mut self.engine, &self.items, self.threads, self.strict)
    }
}

/// A step, on slices of whatever has a box. Invalid objects are an error if `strict`.
fn step<'a, S: Number, const D: usize>(
    py: Python<'_>,
    engine: &'a mut BroadPhase<S, D>,
    objects: &[impl Bounded<S, D> + Sync],
    threads: Threads,
    strict: bool,
) -> PyResult<Pairs<'a>> {
    let pairs = threads
        .run(py, objects.len(), |shared| if shared { engine.try_par_detect(objects) } else { engine.try_detect(objects) })?
        .map_err(refused)?;
    if strict {
        Misfit::check(py, &Misfit::of(pairs.rejected()))?;
    }
    Ok(pairs)
}

impl<S: Number, const D: usize> Engine for Typed<S, D> {
    fn detect<'py>(&mut self, py: Python<'py>, given: &Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        let objects = Objects::<S, D>::new(given)?;
        let threads = self.threads;
        self.items.clear();
        let pairs = match objects.plain()? {
            Some(boxes) => step(py, &mut self.engine, boxes, threads, self.strict)?,
            None => {
                objects.list(Side::Any, &mut self.items)?;
                self.detect_items(py)?
            }
        };
        exported(py, pairs, 0, threads)
    }

    fn detect_between<'py>(&mut self, py: Python<'py>, [first, second]: [&Given<'py>; 2]) -> PyResult<Bound<'py, PyAny>> {
        let (first, second) = (Objects::<S, D>::new(first)?, Objects::<S, D>::new(second)?);
        self.items.clear();
        first.list(Side::Of(1), &mut self.items)?;
        let border = self.items.len();
        second.list(Side::Of(2), &mut self.items)?;
        let (engine, items, threads, strict) = (&mut self.engine, &self.items[..], self.threads, self.strict);
        let pairs = step(py, engine, items, threads, false)?;
        if strict {
            let misfits = pairs.rejected().iter().map(|rejected| {
                let (set, index) = match rejected.index.checked_sub(border) {
                    None => ("first", rejected.index),
                    Some(index) => ("second", index),
                };
                Misfit { index, reason: format!("of the {set} set, {}", pivotgrid::Rejected { index, ..*rejected }) }
            });
            Misfit::check(py, &misfits.collect::<Vec<_>>())?;
        }
        exported(py, pairs, border as u32, threads)
    }

    fn detect_with<'py>(
        &mut self,
        py: Python<'py>,
        given: &Given<'py>,
        statics: &PyStaticSet,
    ) -> PyResult<[Bound<'py, PyAny>; 2]> {
        let statics = statics.typed::<S, D>()?;
        let objects = Objects::<S, D>::new(given)?;
        self.items.clear();
        objects.list(Side::Any, &mut self.items)?;
        let (engine, items, threads) = (&mut self.engine, &self.items[..], self.threads);
        let pairs = threads
            .run(py, items.len(), |shared| match shared {
                true => engine.over(items).with(statics).try_pairs(),
                false => engine.over(items).with(statics).serial().try_pairs(),
            })?
            .map_err(refused)?;
        let made = [exported(py, pairs.moving, 0, threads)?, exported(py, pairs.statics, 0, threads)?];
        self.check(py)?;
        Ok(made)
    }

    fn track(
        &mut self,
        py: Python<'_>,
        given: &Given<'_>,
        tracker: &mut PyTracker,
        keys: Option<&[i64]>,
        margin: f64,
    ) -> PyResult<()> {
        let objects = Objects::<S, D>::new(given)?;
        let count = objects.len()?;
        if keys.is_some_and(|keys| keys.len() != count) {
            return Err(PyValueError::new_err(format!("there are {count} objects, but not as many keys")));
        }
        let key = |index: u32| keys.map_or(i64::from(index), |keys| keys[index as usize]);
        let (threads, tracker) = (self.threads, &mut tracker.tracker);
        if margin > 0.0 {
            let Some(tight) = objects.plain()? else {
                return Err(PyValueError::new_err("a margin is for boxes without groups"));
            };
            let margin = S::nearest(margin);
            let loose: Vec<_> = tight.iter().map(|bounds| bounds.with_margin(margin)).collect();
            let touches = |pair: pivotgrid::Pair| tight[pair.a as usize].overlaps(&tight[pair.b as usize]);
            let pairs = step(py, &mut self.engine, &loose, threads, self.strict)?;
            let (count, pairs) = (pairs.len(), pairs.keyed_by(key).touching(touches));
            return threads
                .run(py, count, |shared| match shared {
                    true => tracker.try_par_update(pairs).map(drop),
                    false => tracker.try_update(pairs).map(drop),
                })?
                .map_err(refused);
        }
        self.items.clear();
        objects.list(Side::Any, &mut self.items)?;
        let pairs = self.detect_items(py)?.keyed_by(key);
        threads
            .run(py, count, |shared| match shared {
                true => tracker.try_par_update(pairs).map(drop),
                false => tracker.try_update(pairs).map(drop),
            })?
            .map_err(refused)
    }

    fn query<'py>(&self, py: Python<'py>, query: &Query<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        queries::answer(py, self.engine.queries(), query, self.threads)
    }

    fn stats(&self, dict: &Bound<'_, PyDict>) -> PyResult<()> {
        let stats = self.engine.stats();
        dict.set_item("objects", stats.objects)?;
        dict.set_item("rejected", stats.rejected)?;
        dict.set_item("pairs", stats.pairs)?;
        dict.set_item("candidates", stats.candidates)?;
        dict.set_item("levels", stats.levels.len())?;
        dict.set_item("workers", stats.workers)?;
        dict.set_item("bytes", stats.bytes)?;
        let times = PyDict::new(dict.py());
        for (name, time) in stats.times.named() {
            times.set_item(name, time.as_secs_f64())?;
        }
        dict.set_item("seconds", times)
    }

    fn misfits(&self) -> Vec<Misfit> {
        Misfit::of(self.engine.rejected())
    }
}

/// Pairs as an array of two columns. `border` is taken from the second index.
fn exported<'py, P: AnyPair>(py: Python<'py>, pairs: Pairs<'_, P>, border: u32, threads: Threads) -> PyResult<Bound<'py, PyAny>> {
    let mut output = Output::<i64>::new(py, &[pairs.len(), 2])?;
    let (mut rest, mut pieces) = (output.slice()?.as_chunks_mut::<2>().0, Vec::new());
    for slice in pairs.slices() {
        let slice: &[[u32; 2]] = bytemuck::cast_slice(slice);
        let (piece, others) = rest.split_at_mut(slice.len());
        pieces.push((piece, slice));
        rest = others;
    }
    let copy = |(piece, slice): (&mut [[i64; 2]], &[[u32; 2]])| {
        piece.iter_mut().zip(slice).for_each(|(place, &[a, b])| *place = [i64::from(a), i64::from(b - border)]);
    };
    threads.run(py, pairs.len(), |shared| match shared {
        true => pieces.into_par_iter().for_each(copy),
        false => pieces.into_iter().for_each(copy),
    })?;
    Ok(output.done())
}

/// An engine for pairs.
#[pyclass(name = "BroadPhase", module = "pivotgrid._native")]
pub(crate) struct PyBroadPhase {
    engine: Box<dyn Engine>,
}

#[pymethods]
impl PyBroadPhase {
    #[new]
    fn new(
        double: bool,
        dim: usize,
        n_threads: usize,
        strict: bool,
        canonical_order: bool,
        max_bytes: Option<usize>,
        cell_size: Option<f64>,
    ) -> PyResult<Self> {
        fn engine<S: Number, const D: usize>(config: Config, threads: Threads, strict: bool) -> PyResult<Box<dyn Engine>> {
            let engine = BroadPhase::<S, D>::with_config(config).map_err(|error| PyValueError::new_err(error.to_string()))?;
            Ok(Box::new(Typed { engine, items: Vec::new(), threads, strict }))
        }
        let mut config = Config::default().canonical_order(canonical_order);
        (config.max_bytes, config.cell_size) = (max_bytes, cell_size);
        let threads = Threads(n_threads);
        let engine = match (double, dim) {
            (false, 2) => engine::<f32, 2>(config, threads, strict),
            (false, 3) => engine::<f32, 3>(config, threads, strict),
            (true, 2) => engine::<f64, 2>(config, threads, strict),
            (true, 3) => engine::<f64, 3>(config, threads, strict),
            _ => Err(PyValueError::new_err("objects have 2 or 3 dimensions")),
        }?;
        Ok(PyBroadPhase { engine })
    }

    fn detect<'py>(&mut self, py: Python<'py>, objects: Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.engine.detect(py, &objects)
    }

    fn detect_between<'py>(&mut self, py: Python<'py>, first: Given<'py>, second: Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.engine.detect_between(py, [&first, &second])
    }

    fn detect_with<'py>(
        &mut self,
        py: Python<'py>,
        objects: Given<'py>,
        statics: PyRef<'py, PyStaticSet>,
    ) -> PyResult<[Bound<'py, PyAny>; 2]> {
        self.engine.detect_with(py, &objects, &statics)
    }

    fn track<'py>(
        &mut self,
        py: Python<'py>,
        objects: Given<'py>,
        mut tracker: PyRefMut<'py, PyTracker>,
        keys: Option<Bound<'py, PyAny>>,
        margin: f64,
    ) -> PyResult<[Bound<'py, PyAny>; 3]> {
        let keys = Input::<i64>::optional(keys.as_ref())?;
        let keys = keys.as_ref().map(Input::slice).transpose()?;
        self.engine.track(py, &objects, &mut tracker, keys, margin)?;
        tracker.events(py)
    }

    fn query<'py>(&self, py: Python<'py>, query: Query<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.engine.query(py, &query)
    }

    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = PyDict::new(py);
        self.engine.stats(&stats)?;
        Ok(stats)
    }

    /// What the last step left out, by index and reason.
    fn rejected(&self) -> Vec<(usize, String)> {
        self.engine.misfits().into_iter().map(|misfit| (misfit.index, misfit.reason)).collect()
    }
}
