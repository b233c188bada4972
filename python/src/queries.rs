//! Queries in batches: rows of results as arrays.

use pivotgrid::{Aabb, Ball, Hit, Neighbor, Queries, Ray, Rows};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{Input, Number, Output, collected};
use crate::threads::Threads;

type Arrays<'py> = Vec<Bound<'py, PyAny>>;

/// The query as Python describes it: its name and arrays.
#[derive(FromPyObject)]
pub(crate) struct Query<'py>(String, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>, usize);

/// Answers a batch.
pub(crate) fn answer<'py, S: Number, const D: usize>(
    py: Python<'py>,
    queries: Queries<'_, S, D>,
    query: &Query<'py>,
    threads: Threads,
) -> PyResult<Arrays<'py>> {
    let Query(name, first, second, third, k) = query;
    let first = Input::<S>::new(first)?;
    let second = Input::<S>::optional(second.as_ref())?;
    let third = Input::<S>::optional(third.as_ref())?;
    let other = |input: &Option<Input<'py, S>>, count: usize, columns: usize| match input {
        Some(input) if input.slice()?.len() == count * columns => Ok(()),
        _ => Err(PyValueError::new_err(format!("the arrays of a query do not have {count} rows each"))),
    };
    match &name[..] {
        "boxes" => {
            let boxes: &[Aabb<S, D>] = first.rows()?;
            let mut rows = Rows::new();
            threads.run_divided(py, || {
                queries.par_overlapping(boxes, &mut rows);
                rows.sort();
            })?;
            indices(py, rows.offsets(), rows.items().iter().copied())
        }
        "points" => {
            let points: &[[S; D]] = first.rows()?;
            let mut rows = Rows::new();
            threads.run_divided(py, || {
                queries.par_containing(points, &mut rows);
                rows.sort();
            })?;
            indices(py, rows.offsets(), rows.items().iter().copied())
        }
        "within" | "ball" => {
            let centers: &[[S; D]] = first.rows()?;
            other(&second, centers.len(), 1)?;
            let radii = second.as_ref().map(Input::slice).transpose()?.unwrap_or(&[]);
            let balls: Vec<_> = centers.iter().zip(radii).map(|(&center, &radius)| Ball { center, radius }).collect();
            let mut rows = Rows::new();
            if name == "ball" {
                // Only who, in ascending order.
                let found = threads.run_divided(py, || {
                    queries.par_within(&balls, &mut rows);
                    let mut found: Vec<u32> = rows.items().iter().map(|near| near.index).collect();
                    rows.offsets().windows(2).for_each(|ends| found[ends[0]..ends[1]].sort_unstable());
                    found
                })?;
                return indices(py, rows.offsets(), found.into_iter());
            }
            threads.run_divided(py, || {
                queries.par_within(&balls, &mut rows);
                rows.sort();
            })?;
            measured(py, rows.offsets(), rows.items(), |near| (near.index, distance(near)))
        }
        "nearest" => {
            let points: &[[S; D]] = first.rows()?;
            let mut rows = Rows::new();
            threads.run_divided(py, || queries.par_nearest(points, *k, &mut rows))?;
            padded(py, &rows, *k)
        }
        "rays" | "first" => {
            let origins: &[[S; D]] = first.rows()?;
            other(&second, origins.len(), D)?;
            other(&third, origins.len(), 1)?;
            let directions: &[[S; D]] = second.as_ref().map(Input::rows).transpose()?.unwrap_or(&[]);
            let ends = third.as_ref().map(Input::slice).transpose()?.unwrap_or(&[]);
            let ray = |((&origin, &direction), &end)| Ray::new(origin, direction).up_to(end);
            let rays: Vec<Ray<S, D>> = origins.iter().zip(directions).zip(ends).map(ray).collect();
            if name == "rays" {
                let mut rows = Rows::new();
                threads.run_divided(py, || queries.par_ray_hits(&rays, &mut rows))?;
                return measured(py, rows.offsets(), rows.items(), |hit: &Hit<S>| (hit.index, hit.t));
            }
            let mut hits = Vec::new();
            threads.run_divided(py, || queries.par_first_hits(&rays, &mut hits))?;
            let index = |hit: &Option<Hit<S>>| hit.map_or(-1, |hit| i64::from(hit.index));
            let time = |hit: &Option<Hit<S>>| hit.map_or(S::nearest(f64::INFINITY), |hit| hit.t);
            Ok(vec![collected(py, &[hits.len()], hits.iter().map(index))?, collected(py, &[hits.len()], hits.iter().map(time))?])
        }
        _ => Err(PyValueError::new_err(format!("there is no query {name:?}"))),
    }
}

fn distance<S: Number>(near: &Neighbor<S>) -> S {
    let square: f64 = near.distance_squared.into();
    S::nearest(square.sqrt())
}

fn offsets_of<'py>(py: Python<'py>, offsets: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    // Without questions there are no offsets, but as rows of an array there is one.
    let offsets = if offsets.is_empty() { &[0] } else { offsets };
    collected(py, &[offsets.len()], offsets.iter().map(|&offset| offset as i64))
}

fn indices<'py>(py: Python<'py>, offsets: &[usize], found: impl ExactSizeIterator<Item = u32>) -> PyResult<Arrays<'py>> {
    Ok(vec![offsets_of(py, offsets)?, collected(py, &[found.len()], found.map(i64::from))?])
}

fn measured<'py, T, S: Number>(
    py: Python<'py>,
    offsets: &[usize],
    items: &[T],
    parts: impl Fn(&T) -> (u32, S) + Copy,
) -> PyResult<Arrays<'py>> {
    let indices = collected(py, &[items.len()], items.iter().map(|item| i64::from(parts(item).0)))?;
    let measures = collected(py, &[items.len()], items.iter().map(|item| parts(item).1))?;
    Ok(vec![offsets_of(py, offsets)?, indices, measures])
}

/// Rows of equal length: those with less than `k` neighbors end in -1, infinitely far away.
fn padded<'py, S: Number>(py: Python<'py>, rows: &Rows<Neighbor<S>>, k: usize) -> PyResult<Arrays<'py>> {
    let mut indices = Output::<i64>::new(py, &[rows.len(), k])?;
    let mut distances = Output::<S>::new(py, &[rows.len(), k])?;
    let (places, lengths) = (indices.slice()?, distances.slice()?);
    places.fill(-1);
    lengths.fill(S::nearest(f64::INFINITY));
    for (row, found) in rows.iter().enumerate() {
        for (at, near) in found.iter().enumerate() {
            (places[row * k + at], lengths[row * k + at]) = (i64::from(near.index), distance(near));
        }
    }
    Ok(vec![indices.done(), distances.done()])
}
