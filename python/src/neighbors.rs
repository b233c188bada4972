//! Neighbor lists.

use pivotgrid::{Config, Lattice, Neighbors, PeriodicNeighbors, Reach};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{Input, Number, Spare};
use crate::errors::{Misfit, refused};
use crate::threads::Threads;
use crate::write::{Request, Species};

/// What is the same for all searches of an engine.
#[derive(Clone, Copy)]
struct Settings {
    half: bool,
    sorted: bool,
    max_bytes: Option<usize>,
    threads: Threads,
}

/// A search as Python describes it.
#[derive(FromPyObject)]
struct Asked<'py> {
    #[pyo3(item)]
    quantities: String,
    #[pyo3(item)]
    positions: Bound<'py, PyAny>,
    /// How radii make a reach.
    #[pyo3(item)]
    rule: String,
    #[pyo3(item)]
    radius: f64,
    #[pyo3(item)]
    radii: Option<Bound<'py, PyAny>>,
    /// The vectors of the cell, and along which of them space repeats itself; no cell if it does not.
    #[pyo3(item)]
    cell: Option<Vec<Vec<f64>>>,
    #[pyo3(item)]
    periodic: Vec<bool>,
    /// Species by particle, and the table of their cutoffs.
    #[pyo3(item)]
    species: Option<Bound<'py, PyAny>>,
    #[pyo3(item)]
    table: Option<Vec<Vec<f64>>>,
    #[pyo3(item)]
    with_self: bool,
    #[pyo3(item)]
    wide: bool,
    /// Whether memory of arrays that are gone is used again.
    #[pyo3(item)]
    reuse: bool,
    /// Whether particles that are left out are an error.
    #[pyo3(item)]
    strict: bool,
}

trait Finder: Send + Sync {
    fn search<'py>(&mut self, py: Python<'py>, asked: &Asked<'py>) -> PyResult<Vec<Bound<'py, PyAny>>>;
    fn misfits(&self) -> &[Misfit];
}

struct Typed<S: Number, const D: usize> {
    settings: Settings,
    plain: Option<Neighbors<S, D>>,
    periodic: Option<PeriodicNeighbors<S, D>>,
    misfits: Vec<Misfit>,
    spare: Spare,
}

impl<S: Number, const D: usize> Typed<S, D> {
    fn engine(&self) -> PyResult<Neighbors<S, D>> {
        let mut config = Config::default();
        config.max_bytes = self.settings.max_bytes;
        let engine = Neighbors::with_config(config).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(engine.half(self.settings.half).sorted(self.settings.sorted))
    }
}

impl<S: Number, const D: usize> Finder for Typed<S, D> {
    fn search<'py>(&mut self, py: Python<'py>, asked: &Asked<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let threads = self.settings.threads;
        let positions = Input::<S>::new(&asked.positions)?;
        let positions: &[[S; D]] = positions.rows()?;
        let radii = Input::<S>::optional(asked.radii.as_ref())?;
        let radii = radii.as_ref().map(Input::slice).transpose()?.unwrap_or(&[]);
        let reach = reach_of(&asked.rule, asked.radius, radii, positions.len())?;
        let species = Input::<i32>::optional(asked.species.as_ref())?;
        let of = species.as_ref().map(Input::slice).transpose()?;
        let species = of.map(|of| species_of(of, asked.table.as_deref().unwrap_or(&[]), positions.len())).transpose()?;
        let lattice = asked.cell.as_deref().map(|cell| lattice_of(cell, &asked.periodic)).transpose()?;
        let quantities = &asked.quantities[..];
        let (with_self, sorted, wide) = (asked.with_self, self.settings.sorted, asked.wide);
        let request = Request { quantities, positions, lattice, species, with_self, sorted, wide };
        if !asked.reuse {
            self.spare = Spare::default();
        }
        // What the last search left out must not be taken for what this one does.
        self.misfits.clear();
        let Some(lattice) = lattice else {
            let mut engine = match self.plain.take() {
                Some(engine) => engine,
                None => self.engine()?,
            };
            threads
                .run(py, positions.len(), |shared| match shared {
                    true => engine.try_par_within(positions, reach).map(drop),
                    false => engine.try_within(positions, reach).map(drop),
                })?
                .map_err(refused)?;
            let engine = self.plain.insert(engine);
            self.misfits = Misfit::of(engine.rejected());
            if asked.strict {
                Misfit::check(py, &self.misfits)?;
            }
            return request.arrays(py, &engine.rows(), threads, &mut self.spare);
        };
        let mut engine = match self.periodic.take() {
            Some(mut engine) => {
                engine.set_lattice(lattice);
                engine
            }
            None => self.engine()?.lattice(lattice),
        };
        threads
            .run(py, positions.len(), |shared| match shared {
                true => engine.try_par_within(positions, reach).map(drop),
                false => engine.try_within(positions, reach).map(drop),
            })?
            .map_err(refused)?;
        let engine = self.periodic.insert(engine);
        self.misfits = Misfit::of_periodic(engine.rows().rejected());
        if asked.strict {
            Misfit::check(py, &self.misfits)?;
        }
        request.arrays(py, &engine.rows(), threads, &mut self.spare)
    }

    fn misfits(&self) -> &[Misfit] {
        &self.misfits
    }
}

fn reach_of<'a, S: Number>(rule: &str, radius: f64, radii: &'a [S], points: usize) -> PyResult<Reach<'a, S>> {
    if rule != "fixed" && radii.len() != points {
        return Err(PyValueError::new_err(format!("there are {points} positions, but {} cutoffs", radii.len())));
    }
    Ok(match rule {
        "fixed" => Reach::Fixed(S::nearest(radius)),
        "sum" => Reach::Sum(radii),
        "mean" => Reach::Mean(radii),
        "max" => Reach::Max(radii),
        "gather" => Reach::Gather(radii),
        "scatter" => Reach::Scatter(radii),
        _ => {
            return Err(PyValueError::new_err(format!(
                "there is no rule {rule:?}; there are sum, mean, max, gather and scatter"
            )));
        }
    })
}

fn species_of<'a>(of: &'a [i32], table: &[Vec<f64>], points: usize) -> PyResult<Species<'a>> {
    let count = table.len();
    let fits = table.iter().all(|row| row.len() == count)
        && of.iter().all(|&species| usize::try_from(species).is_ok_and(|at| at < count));
    if !fits || of.len() != points {
        return Err(PyValueError::new_err("there is not a species for each position and a cutoff for each pair of them"));
    }
    // A pair without a cutoff has a negative one, and no distance is less.
    let square = |&cutoff: &f64| if cutoff >= 0.0 { cutoff * cutoff } else { -1.0 };
    Ok(Species { of, squares: table.iter().flatten().map(square).collect(), count })
}

fn lattice_of<const D: usize>(cell: &[Vec<f64>], periodic: &[bool]) -> PyResult<Lattice<D>> {
    let mut vectors = [[0.0; D]; D];
    if cell.len() != D || periodic.len() != D || cell.iter().any(|vector| vector.len() != D) {
        return Err(PyValueError::new_err(format!("in {D} dimensions a cell has {D} vectors of {D} numbers")));
    }
    for (vector, given) in vectors.iter_mut().zip(cell) {
        vector.copy_from_slice(given);
    }
    let periodic = std::array::from_fn(|axis| periodic[axis]);
    Lattice::new(vectors, periodic).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// An engine for neighbor lists.
#[pyclass(name = "Neighbors", module = "pivotgrid._native")]
pub(crate) struct PyNeighbors {
    finder: Box<dyn Finder>,
}

#[pymethods]
impl PyNeighbors {
    #[new]
    fn new(double: bool, dim: usize, n_threads: usize, half: bool, sorted: bool, max_bytes: Option<usize>) -> PyResult<Self> {
        fn finder<S: Number, const D: usize>(settings: Settings) -> Box<dyn Finder> {
            Box::new(Typed::<S, D> { settings, plain: None, periodic: None, misfits: Vec::new(), spare: Spare::default() })
        }
        let settings = Settings { half, sorted, max_bytes, threads: Threads(n_threads) };
        let finder = match (double, dim) {
            (false, 2) => finder::<f32, 2>(settings),
            (false, 3) => finder::<f32, 3>(settings),
            (true, 2) => finder::<f64, 2>(settings),
            (true, 3) => finder::<f64, 3>(settings),
            _ => return Err(PyValueError::new_err("positions have 2 or 3 dimensions")),
        };
        Ok(PyNeighbors { finder })
    }

    fn search<'py>(&mut self, py: Python<'py>, asked: Asked<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.finder.search(py, &asked)
    }

    /// What the last search left out, by index and reason.
    fn rejected(&self) -> Vec<(usize, String)> {
        self.finder.misfits().iter().map(|misfit| (misfit.index, misfit.reason.clone())).collect()
    }
}
