//! Queries in batches, and where their results go.

use std::ops::ControlFlow;

use engine::{Aabb, Ball, BoxCast, Handle, Hit, Neighbor, PeriodicQueries, Queries, Ray, Rows, Shifted};

use crate::border::{border, border_of};
use crate::handles::pg_results;
use crate::memory::{In, Out, Strided, reserve};
use crate::objects::{Real, check_type};
use crate::settings::Threads;
use crate::status::{Error, PG_ERROR_ARGUMENT, Result, ensure, pg_status};
use crate::table::{self, Kind};
use crate::types::{
    PG_QUERY_CONTAINING, PG_QUERY_NEAREST, PG_QUERY_OVERLAPPING, PG_QUERY_RAY, PG_QUERY_RAY_FIRST, PG_QUERY_SWEEP,
    PG_QUERY_SWEEP_FIRST, PG_QUERY_WITHIN, pg_query, pg_rows,
};

/// Checked queries.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Query<S, const D: usize> {
    Overlapping { min: Strided<[S; D]>, max: Strided<[S; D]> },
    Containing { point: Strided<[S; D]> },
    Within { center: Strided<[S; D]>, radius: Strided<S> },
    Nearest { point: Strided<[S; D]>, k: usize },
    Ray { origin: Strided<[S; D]>, direction: Strided<[S; D]>, max_t: Option<Strided<S>>, first: bool },
    BoxCast { min: Strided<[S; D]>, max: Strided<[S; D]>, translation: Strided<[S; D]>, first: bool },
}

impl<S: Real, const D: usize> Query<S, D> {
    /// The queries and how many there are.
    pub(crate) fn new(query: In<pg_query>) -> Result<(Self, usize)> {
        let given = query.versioned("query")?;
        check_type::<S, D>(given.scalar, given.dimensions, "queries")?;
        let count = given.count;
        let corners = |array, what| Strided::<[S; D]>::new(array, count, what);
        let scalars = |array, what| Strided::<S>::or_one(array, count, what);
        let query = match given.kind {
            PG_QUERY_OVERLAPPING => Query::Overlapping { min: corners(given.min, "min")?, max: corners(given.max, "max")? },
            PG_QUERY_CONTAINING => Query::Containing { point: corners(given.center, "center")? },
            PG_QUERY_WITHIN => {
                Query::Within { center: corners(given.center, "center")?, radius: scalars(given.radius, "radius")? }
            }
            PG_QUERY_NEAREST => Query::Nearest { point: corners(given.center, "center")?, k: given.k as usize },
            PG_QUERY_RAY | PG_QUERY_RAY_FIRST => Query::Ray {
                origin: corners(given.center, "center")?,
                direction: corners(given.direction, "direction")?,
                max_t: (!given.max_t.data.is_null()).then(|| scalars(given.max_t, "max_t")).transpose()?,
                first: given.kind == PG_QUERY_RAY_FIRST,
            },
            PG_QUERY_SWEEP | PG_QUERY_SWEEP_FIRST => Query::BoxCast {
                min: corners(given.min, "min")?,
                max: corners(given.max, "max")?,
                translation: corners(given.direction, "direction")?,
                first: given.kind == PG_QUERY_SWEEP_FIRST,
            },
            kind => return Err(Error::new(PG_ERROR_ARGUMENT, format_args!("the kind of query is {kind}, but 1 to 8 are known"))),
        };
        Ok((query, count))
    }

    fn is_cast(&self) -> bool {
        matches!(self, Query::Ray { .. } | Query::BoxCast { .. })
    }

    fn has_values(&self) -> bool {
        !matches!(self, Query::Overlapping { .. } | Query::Containing { .. })
    }

    fn one(&self, index: usize) -> One<S, D> {
        let ball = |center: &Strided<[S; D]>, radius| Ball { center: center.get(index), radius };
        match self {
            Query::Overlapping { min, max } => One::Overlapping(Aabb { min: min.get(index), max: max.get(index) }),
            Query::Containing { point } => One::Overlapping(Aabb { min: point.get(index), max: point.get(index) }),
            Query::Within { center, radius } => One::Within(ball(center, radius.get(index))),
            Query::Nearest { point, k } => One::Nearest(point.get(index), *k),
            Query::Ray { origin, direction, max_t, first } => {
                let max_t = max_t.map_or(S::INFINITE, |max_t| max_t.get(index));
                One::Ray(Ray { origin: origin.get(index), direction: direction.get(index), max_t }, *first)
            }
            Query::BoxCast { min, max, translation, first } => {
                let bounds = Aabb { min: min.get(index), max: max.get(index) };
                One::BoxCast(BoxCast { bounds, translation: translation.get(index) }, *first)
            }
        }
    }
}

/// One query.
pub(crate) enum One<S, const D: usize> {
    Overlapping(Aabb<S, D>),
    Within(Ball<S, D>),
    Nearest([S; D], usize),
    Ray(Ray<S, D>, bool),
    BoxCast(BoxCast<S, D>, bool),
}

/// A result of any kind of query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    value: f64,
    index: u32,
    generation: u32,
    shift: [i32; 3],
}

impl Found {
    fn sort(row: &mut [Found]) {
        let place = |found: &Found| (found.index, found.generation, found.shift);
        row.sort_unstable_by(|one, other| one.value.total_cmp(&other.value).then_with(|| place(one).cmp(&place(other))));
    }
}

/// Something that can be queried. Rows come in the order of values, then of objects.
pub(crate) trait Target<S: Real, const D: usize>: Sync {
    const HAS_SHIFTS: bool;
    const HAS_GENERATIONS: bool;

    /// Puts the results into an empty row.
    fn answer(&self, query: One<S, D>, row: &mut Vec<Found>) -> Result;

    /// Builds the tree on all threads, which the first cast would build alone.
    fn expect_casts(&self);
}

/// Objects without handles.
impl<S: Real, const D: usize> Target<S, D> for Queries<'_, S, D> {
    const HAS_SHIFTS: bool = false;
    const HAS_GENERATIONS: bool = false;

    fn answer(&self, query: One<S, D>, row: &mut Vec<Found>) -> Result {
        of_side(self, query, |index| Handle { index, generation: 0 }, row)?;
        Found::sort(row);
        Ok(())
    }

    fn expect_casts(&self) {
        self.par_ray_hits(&[], &mut Rows::new());
    }
}

/// The two kinds of objects of a world: each side's queries, and the handles of its indices.
pub(crate) struct Sides<'a, S: Real, const D: usize>(pub(crate) [(Queries<'a, S, D>, &'a [Handle]); 2]);

impl<S: Real, const D: usize> Target<S, D> for Sides<'_, S, D> {
    const HAS_SHIFTS: bool = false;
    const HAS_GENERATIONS: bool = true;

    fn answer(&self, query: One<S, D>, row: &mut Vec<Found>) -> Result {
        // Of several objects met at once, the engine returns the one with the least index, which need not be the one with the least handle.
        let (query, most) = match query {
            One::Nearest(point, k) => (One::Nearest(point, k), k),
            One::Ray(ray, true) => (One::Ray(ray, false), 1),
            One::BoxCast(sweep, true) => (One::BoxCast(sweep, false), 1),
            other => (other, usize::MAX),
        };
        for (queries, handles) in &self.0 {
            let query = match (&query, most) {
                // No farther than to the first hit known so far.
                (One::Ray(ray, _), 1) => {
                    let so_far = row.iter().map(|found| found.value).fold(f64::INFINITY, f64::min);
                    let ray = ray.up_to(if so_far < ray.max_t.into() { S::of(so_far) } else { ray.max_t });
                    match queries.first_hit(&ray) {
                        Some(first) => One::Ray(ray.up_to(first.t), false),
                        None => continue,
                    }
                }
                _ => query.copied(),
            };
            of_side(queries, query, |index| handles[index as usize], row)?;
        }
        Found::sort(row);
        row.truncate(most);
        Ok(())
    }

    fn expect_casts(&self) {
        self.0.iter().for_each(|(queries, _)| queries.expect_casts());
    }
}

impl<S: Real, const D: usize> One<S, D> {
    fn copied(&self) -> Self {
        match *self {
            One::Overlapping(bounds) => One::Overlapping(bounds),
            One::Within(ball) => One::Within(ball),
            One::Nearest(point, k) => One::Nearest(point, k),
            One::Ray(ray, first) => One::Ray(ray, first),
            One::BoxCast(sweep, first) => One::BoxCast(sweep, first),
        }
    }
}

/// Adds the results among the objects of one side.
fn of_side<S: Real, const D: usize>(
    queries: &Queries<'_, S, D>,
    query: One<S, D>,
    handle: impl Fn(u32) -> Handle,
    row: &mut Vec<Found>,
) -> Result {
    let found = |index: u32, value: f64| {
        let Handle { index, generation } = handle(index);
        Found { value, index, generation, shift: [0; 3] }
    };
    let near = |neighbor: Neighbor<S>| found(neighbor.index, neighbor.distance_squared.into());
    let hit = |hit: Hit<S>| found(hit.index, hit.t.into());
    let mut add = |found: Found| match reserve(row, 1) {
        Ok(()) => {
            row.push(found);
            ControlFlow::Continue(())
        }
        Err(refused) => ControlFlow::Break(refused),
    };
    let outcome = match query {
        One::Overlapping(bounds) => queries.visit_overlapping(&bounds, |index| add(found(index, 0.0))),
        One::Within(ball) => queries.visit_within(&ball, |neighbor| add(near(neighbor))),
        One::Ray(ray, false) => queries.visit_ray(&ray, |met| add(hit(met))),
        One::BoxCast(sweep, false) => queries.visit_sweep(&sweep, |met| add(hit(met))),
        One::Ray(ray, true) => queries.first_hit(&ray).into_iter().try_for_each(|met| add(hit(met))),
        One::BoxCast(sweep, true) => queries.first_contact(&sweep).into_iter().try_for_each(|met| add(hit(met))),
        One::Nearest(point, k) => {
            let mut nearest = Vec::new();
            queries.nearest(point, k, &mut nearest);
            nearest.into_iter().try_for_each(|neighbor| add(near(neighbor)))
        }
    };
    outcome.break_value().map_or(Ok(()), Err)
}

/// Objects that repeat themselves.
impl<S: Real, const D: usize> Target<S, D> for PeriodicQueries<'_, S, D> {
    const HAS_SHIFTS: bool = true;
    const HAS_GENERATIONS: bool = false;

    fn answer(&self, query: One<S, D>, row: &mut Vec<Found>) -> Result {
        let found = |index, value, shift| Found { value, index, generation: 0, shift: padded(shift) };
        let near = |at: Shifted<Neighbor<S>, D>| found(at.found.index, at.found.distance_squared.into(), at.shift);
        let hit = |at: Shifted<Hit<S>, D>| found(at.found.index, at.found.t.into(), at.shift);
        let (mut objects, mut neighbors, mut hits) = (Vec::new(), Vec::new(), Vec::new());
        match query {
            One::Overlapping(bounds) => self.overlapping(&bounds, &mut objects),
            One::Within(ball) => self.within(&ball, &mut neighbors),
            One::Nearest(point, k) => self.nearest(point, k, &mut neighbors),
            One::Ray(ray, false) => self.ray_hits(&ray, &mut hits),
            One::BoxCast(sweep, false) => self.sweep_hits(&sweep, &mut hits),
            One::Ray(ray, true) => hits.extend(self.first_hit(&ray)),
            One::BoxCast(sweep, true) => hits.extend(self.first_contact(&sweep)),
        }
        reserve(row, objects.len() + neighbors.len() + hits.len())?;
        row.extend(objects.into_iter().map(|at| found(at.found, 0.0, at.shift)));
        row.extend(neighbors.into_iter().map(near));
        row.extend(hits.into_iter().map(hit));
        Found::sort(row);
        Ok(())
    }

    fn expect_casts(&self) {
        self.par_ray_hits(&[], &mut Rows::new());
    }
}

/// Three numbers of periods, whatever the dimension.
pub(crate) fn padded<const D: usize>(shift: [i32; D]) -> [i32; 3] {
    std::array::from_fn(|axis| shift.get(axis).copied().unwrap_or(0))
}

/// The results of a batch.
#[derive(Debug, Default)]
pub(crate) struct Results {
    offsets: Vec<usize>,
    columns: Columns,
    has_values: bool,
    has_shifts: bool,
    has_generations: bool,
}

#[derive(Debug, Default)]
struct Columns {
    indices: Vec<u32>,
    values: Vec<f64>,
    shifts: Vec<[i32; 3]>,
    generations: Vec<u32>,
}

impl Kind for Results {
    const NAME: &'static str = "pg_results";
}

/// Queries that a thread answers at a time.
const BLOCK: usize = 256;

impl Results {
    /// Answers queries about a target.
    pub(crate) fn fill<S: Real, const D: usize, T: Target<S, D>>(
        &mut self,
        target: &T,
        query: In<pg_query>,
        threads: &Threads,
    ) -> Result {
        let (query, count) = Query::<S, D>::new(query)?;
        ensure!(count <= u32::MAX as usize, PG_ERROR_TOO_MANY, "{count} queries in a batch, which takes at most {}", u32::MAX);
        (self.has_values, self.has_shifts, self.has_generations) = (query.has_values(), T::HAS_SHIFTS, T::HAS_GENERATIONS);
        self.offsets.clear();
        self.offsets.try_reserve(count + 1)?;
        self.offsets.push(0);
        self.columns.clear();
        let wanted = (self.has_values, self.has_shifts, self.has_generations);
        if matches!(threads, Threads::Caller) || count <= BLOCK {
            let mut row = Vec::new();
            for index in 0..count {
                row.clear();
                target.answer(query.one(index), &mut row)?;
                self.columns.extend(&row, wanted)?;
                self.offsets.push(self.columns.indices.len());
            }
            return Ok(());
        }
        if query.is_cast() && threads.are_many() {
            threads.run(|| target.expect_casts());
        }
        let part = |block: usize| -> Result<_> {
            let (mut row, mut columns, mut lengths) = (Vec::new(), Columns::default(), [0; BLOCK]);
            for (index, length) in (block * BLOCK..count.min((block + 1) * BLOCK)).zip(&mut lengths) {
                row.clear();
                target.answer(query.one(index), &mut row)?;
                columns.extend(&row, wanted)?;
                *length = row.len();
            }
            Ok((columns, lengths))
        };
        for part in threads.each(count.div_ceil(BLOCK), part)? {
            let (columns, lengths) = part?;
            self.columns.append(&columns)?;
            let mut end = self.offsets.last().copied().unwrap_or(0);
            self.offsets.extend(lengths.into_iter().take(count + 1 - self.offsets.len()).map(|length| {
                end += length;
                end
            }));
        }
        Ok(())
    }

    pub(crate) fn rows(&self) -> pg_rows {
        let Columns { indices, values, shifts, generations } = &self.columns;
        let null = std::ptr::null();
        pg_rows {
            offsets: if self.offsets.is_empty() { NO_ROWS.as_ptr() } else { self.offsets.as_ptr() },
            row_count: self.offsets.len().saturating_sub(1),
            count: indices.len(),
            indices: indices.as_ptr(),
            values: if self.has_values { values.as_ptr() } else { null },
            shifts: if self.has_shifts { shifts.as_ptr() } else { std::ptr::null() },
            generations: if self.has_generations { generations.as_ptr() } else { std::ptr::null() },
            distances: std::ptr::null(),
            vectors: std::ptr::null(),
            rejected: std::ptr::null(),
            rejected_count: 0,
        }
    }
}

static NO_ROWS: [usize; 1] = [0];

impl Columns {
    fn clear(&mut self) {
        self.indices.clear();
        self.values.clear();
        self.shifts.clear();
        self.generations.clear();
    }

    fn extend(&mut self, row: &[Found], (values, shifts, generations): (bool, bool, bool)) -> Result {
        fn add<T>(to: &mut Vec<T>, row: &[Found], is_wanted: bool, of: impl Fn(&Found) -> T) -> Result {
            if is_wanted {
                reserve(to, row.len())?;
                to.extend(row.iter().map(of));
            }
            Ok(())
        }
        add(&mut self.indices, row, true, |found| found.index)?;
        add(&mut self.values, row, values, |found| found.value)?;
        add(&mut self.shifts, row, shifts, |found| found.shift)?;
        add(&mut self.generations, row, generations, |found| found.generation)
    }

    fn append(&mut self, other: &Columns) -> Result {
        fn add<T: Copy>(to: &mut Vec<T>, from: &[T]) -> Result {
            reserve(to, from.len())?;
            to.extend_from_slice(from);
            Ok(())
        }
        add(&mut self.indices, &other.indices)?;
        add(&mut self.values, &other.values)?;
        add(&mut self.shifts, &other.shifts)?;
        add(&mut self.generations, &other.generations)
    }
}

/// Makes memory for the results of queries. Threads that query the same handle at once need one each.
#[unsafe(no_mangle)]
pub extern "C" fn pg_results_create(results: Out<pg_results>) -> pg_status {
    border(|| {
        results.check("results")?;
        results.set(pg_results { id: table::insert(Results::default(), false)? }, "results")
    })
}

/// Destroys it. Memory that it lent becomes invalid.
#[unsafe(no_mangle)]
pub extern "C" fn pg_results_destroy(results: pg_results) -> pg_status {
    border_of(results.id, || table::destroy::<Results>(results.id))
}
