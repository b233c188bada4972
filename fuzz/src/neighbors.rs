//! Neighbor lists: every rule of `Reach`, with and without a lattice, a skin, half and sorted rows; against all images of all others.
//!
//! Mostly in whole numbers, where the answer is exact. With any numbers whatever, those that are clearly within reach or clearly beyond.

use pivotgrid::{Lattice, NeighborRows, Neighbors, PeriodicRows, Reach};

use crate::bytes::Bytes;
use crate::number::Number;
use crate::plain::{self, Plain};
use crate::settings::{config, pool};
use crate::whole::{Body, UNIT, Whole, of, point_of};
use cell::Cell;

mod cell;
mod extremes;

const MOST_POINTS: usize = 30;
const MOST_SEARCHES: usize = 4;

pub fn run(data: &[u8]) {
    crate::in_some_space!(searches, data);
}

fn searches<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    match bytes.below(4) {
        0 => extremes::search::<S, D>(bytes),
        _ => whole_numbers::<S, D>(bytes),
    }
}

/// A neighbor: its index and its shift.
type Near<const D: usize> = (u32, [i32; D]);

/// What a search returned, in plain vectors.
#[derive(Debug)]
struct Found<const D: usize> {
    rows: Vec<Vec<Near<D>>>,
    vectors: Vec<[f64; D]>,
    distances: Vec<f64>,
    rejected: Vec<usize>,
}

impl<const D: usize> Found<D> {
    fn of_rows<S: Number>(rows: NeighborRows<'_, S, D>) -> Self {
        let plain = |row: &[u32]| row.iter().map(|&index| (index, [0; D])).collect();
        assert_eq!(rows.offsets().last().copied().unwrap_or(0), rows.indices().len());
        Found {
            rows: rows.iter().map(plain).collect(),
            vectors: rows.vectors().iter().map(|vector| vector.map(Into::into)).collect(),
            distances: rows.distances().iter().map(|&distance| distance.into()).collect(),
            rejected: rows.rejected().iter().map(|one| one.index).collect(),
        }
    }

    fn of_periodic<S: Number>(rows: PeriodicRows<'_, S, D>) -> Self {
        let listed: Vec<Vec<Near<D>>> = rows.iter().map(|row| row.map(|one| (one.index, one.shift)).collect()).collect();
        assert!(rows.indices().iter().copied().eq(listed.iter().flatten().map(|near| near.0)));
        assert!(rows.shifts().iter().copied().eq(listed.iter().flatten().map(|near| near.1)));
        Found {
            rows: listed,
            vectors: rows.vectors().iter().map(|vector| vector.map(Into::into)).collect(),
            distances: rows.distances().iter().map(|&distance| distance.into()).collect(),
            rejected: rows.rejected().iter().map(|one| one.index).collect(),
        }
    }
}

/// Points with radii, and by which rule they are near.
#[derive(Clone, Debug)]
struct Scene<const D: usize> {
    points: Vec<[i64; D]>,
    radii: Vec<i64>,
    fixed: i64,
    rule: usize,
}

impl<const D: usize> Scene<D> {
    /// Twice the reach: means need not be whole.
    fn reach(&self, i: usize, j: usize) -> i64 {
        let (own, other) = (self.radii[i], self.radii[j]);
        match self.rule {
            0 => 2 * self.fixed,
            1 => 2 * own,
            2 => 2 * other,
            3 => 2 * own.max(other),
            4 => 2 * (own + other),
            _ => own + other,
        }
    }

    fn is_valid(&self, i: usize) -> bool {
        let radius = if self.rule == 0 { self.fixed } else { self.radii[i] };
        radius >= 0
    }

    fn is_one_sided(&self) -> bool {
        matches!(self.rule, 1 | 2)
    }

    /// All that have a distance of at most the reach and this margin, in units.
    fn rows(&self, cell: &Cell<D>, margin: i64) -> Vec<Vec<Near<D>>> {
        let all = || (0..self.points.len()).filter(|&i| self.is_valid(i));
        let row = |i: usize| {
            let mut row = Vec::new();
            for j in all().filter(|_| self.is_valid(i)) {
                let reach = self.reach(i, j) + 2 * margin;
                for shift in cell.shifts(&self.points[i], &self.points[j], reach / 2 + 1) {
                    let square: i64 = cell.vector(&self.points[i], &self.points[j], shift).iter().map(|x| (2 * x).pow(2)).sum();
                    if (i != j || shift != [0; D]) && square <= reach.pow(2) {
                        row.push((j as u32, shift));
                    }
                }
            }
            row.sort_unstable();
            row
        };
        (0..self.points.len()).map(row).collect()
    }
}

/// Of two that are each other's neighbors, the first one in order has the other.
fn leads<const D: usize>(i: usize, near: &Near<D>) -> bool {
    (near.0 as usize, near.1) > (i, [0; D])
}

fn whole_numbers<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let cell = Cell::<D>::new(bytes);
    let (options, margin) = (bytes.byte(), [0, 0, 0, 2, 8, 20][bytes.below(6)]);
    let (half, sorted, noted) = (options & 1 != 0, options & 2 != 0, options & 4 != 0);
    let neighbors = Neighbors::<S, D>::with_config(config(bytes)).expect("a valid config");
    let neighbors = neighbors.half(half).sorted(sorted).distances(noted).vectors(noted).shifts(true).skin(of(margin));
    let mut search = match cell.is_periodic() {
        true => Search::Periodic(neighbors.lattice(Lattice::new(cell.vectors(), cell.periodic).expect("a lattice"))),
        false => Search::Plain(neighbors),
    };
    for _ in 0..MOST_SEARCHES {
        if bytes.is_empty() {
            break;
        }
        let (rule, count, way) = (bytes.below(8), bytes.below(MOST_POINTS), bytes.byte());
        if rule >= 6 {
            touching(&mut search, &cell, bytes, count, way, (half, sorted));
            continue;
        }
        let mut scene = Scene { points: Vec::new(), radii: Vec::new(), fixed: cell.length(bytes), rule };
        while scene.points.len() < count && !bytes.is_empty() {
            scene.points.push(cell.place(bytes));
            scene.radii.push(if bytes.below(20) == 0 { -1 } else { cell.length(bytes) });
        }
        let found = search.within(&scene, way);
        check(&scene, &cell, &found, margin, (half, sorted, noted));
        if margin > 0 {
            outgrow(&mut search, &scene, &cell, &found, margin, bytes, half);
        }
    }
}

/// The two kinds of searches.
enum Search<S: Number, const D: usize> {
    Plain(Neighbors<S, D>),
    Periodic(pivotgrid::PeriodicNeighbors<S, D>),
}

impl<S: Number, const D: usize> Search<S, D> {
    fn within(&mut self, scene: &Scene<D>, way: u8) -> Found<D> {
        let points: Vec<[S; D]> = scene.points.iter().map(|&point| point_of(point)).collect();
        let radii: Vec<S> = scene.radii.iter().map(|&radius| of(radius)).collect();
        let reach = match scene.rule {
            0 => Reach::Fixed(of(scene.fixed)),
            1 => Reach::Gather(&radii),
            2 => Reach::Scatter(&radii),
            3 => Reach::Max(&radii),
            4 => Reach::Sum(&radii),
            _ => Reach::Mean(&radii),
        };
        let alone = way & 1 == 0;
        let (points, pool) = (&points[..], pool(usize::from(way >> 1)));
        match self {
            Search::Plain(search) if alone => Found::of_rows(search.within(points, reach)),
            Search::Plain(search) => Found::of_rows(pool.install(|| search.par_within(points, reach))),
            Search::Periodic(search) if alone => Found::of_periodic(search.within(points, reach)),
            Search::Periodic(search) => Found::of_periodic(pool.install(|| search.par_within(points, reach))),
        }
    }

    fn needs_rebuild(&self, points: &[[i64; D]]) -> bool {
        let points: Vec<[S; D]> = points.iter().map(|&point| point_of(point)).collect();
        let needed = match self {
            Search::Plain(search) => (search.needs_rebuild(&points), search.par_needs_rebuild(&points)),
            Search::Periodic(search) => (search.needs_rebuild(&points), search.par_needs_rebuild(&points)),
        };
        assert_eq!(needed.0, needed.1);
        needed.0
    }
}

/// Full rows of half ones: each neighbor in the row of the other, too.
fn both_ways<const D: usize>(rows: &[Vec<Near<D>>]) -> Vec<Vec<Near<D>>> {
    let mut both = rows.to_vec();
    for (i, row) in rows.iter().enumerate() {
        for near in row {
            both[near.0 as usize].push((i as u32, near.1.map(|by| -by)));
        }
    }
    both.iter_mut().for_each(|row| row.sort_unstable());
    both
}

fn check<const D: usize>(
    scene: &Scene<D>,
    cell: &Cell<D>,
    found: &Found<D>,
    margin: i64,
    (half, sorted, noted): (bool, bool, bool),
) {
    let context = || format!("half {half}, sorted {sorted}, margin {margin}: {scene:?} in {cell:?}");
    let rejected: Vec<usize> = (0..scene.points.len()).filter(|&i| !scene.is_valid(i)).collect();
    assert_eq!(found.rejected, rejected, "{}", context());
    let half = half && !scene.is_one_sided();
    let mut rows = found.rows.clone();
    if sorted {
        assert!(rows.iter().all(|row| row.windows(2).all(|two| two[0] < two[1])), "{}", context());
        assert!(!half || rows.iter().enumerate().all(|(i, row)| row.iter().all(|near| leads(i, near))), "{}", context());
    }
    if half {
        rows = both_ways(&rows);
    } else {
        rows.iter_mut().for_each(|row| row.sort_unstable());
    }
    assert!(rows.iter().all(|row| row.windows(2).all(|two| two[0] < two[1])), "twice: {}", context());
    let expected = scene.rows(cell, 0);
    if margin == 0 {
        for (i, (row, expected)) in rows.iter().zip(&expected).enumerate() {
            let surplus: Vec<_> = row.iter().filter(|near| !expected.contains(near)).collect();
            let missing: Vec<_> = expected.iter().filter(|near| !row.contains(near)).collect();
            assert!(row == expected, "row {i}: surplus {surplus:?}, missing {missing:?}, {}", context());
        }
        assert_eq!(rows.len(), expected.len());
    } else {
        let most = scene.rows(cell, margin);
        for (i, row) in rows.iter().enumerate() {
            assert!(expected[i].iter().all(|near| row.binary_search(near).is_ok()), "row {i} lacks some: {}", context());
            assert!(row.iter().all(|near| most[i].binary_search(near).is_ok()), "row {i} has too many: {}", context());
        }
    }
    let all = found.rows.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |near| (i, near)));
    assert_eq!(
        (found.vectors.len(), found.distances.len()),
        if noted { (all.clone().count(), all.clone().count()) } else { (0, 0) }
    );
    for (place, (i, near)) in all.enumerate().filter(|_| noted) {
        let vector = cell.vector(&scene.points[i], &scene.points[near.0 as usize], near.1).map(|x| x as f64 * UNIT);
        let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert_eq!(found.vectors[place], vector, "{}", context());
        assert!((found.distances[place] - length).abs() <= 1e-6 * length, "{}", context());
    }
}

/// Moves points: as long as no new search is needed, nobody within reach is missing; and none is needed after small steps.
fn outgrow<S: Number, const D: usize>(
    search: &mut Search<S, D>,
    scene: &Scene<D>,
    cell: &Cell<D>,
    found: &Found<D>,
    margin: i64,
    bytes: &mut Bytes<'_>,
    half: bool,
) {
    let mut later = scene.clone();
    let step = 1 + margin * bytes.below(4) as i64 / 3;
    let mut farthest = 0;
    for point in &mut later.points {
        let by: [i64; D] = std::array::from_fn(|_| bytes.below(3) as i64 - 1).map(|x: i64| x * step);
        farthest = farthest.max(by.iter().map(|x| x * x).sum());
        *point = std::array::from_fn(|axis| point[axis] + by[axis]);
    }
    if search.needs_rebuild(&later.points) {
        // Less than nine tenths of half of the margin.
        assert!(
            scene.points.is_empty() || (400 * farthest) as f64 >= 0.81 * (100 * margin * margin) as f64,
            "{scene:?} in {cell:?}"
        );
        return;
    }
    let half = half && !scene.is_one_sided();
    let mut rows = if half { both_ways(&found.rows) } else { found.rows.clone() };
    rows.iter_mut().for_each(|row| row.sort_unstable());
    for (i, row) in later.rows(cell, 0).iter().enumerate() {
        assert!(row.iter().all(|near| rows[i].binary_search(near).is_ok()), "row {i}: {later:?} after {scene:?} in {cell:?}");
    }
}

/// Boxes and balls, with groups.
fn touching<S: Number, const D: usize>(
    search: &mut Search<S, D>,
    cell: &Cell<D>,
    bytes: &mut Bytes<'_>,
    count: usize,
    way: u8,
    (half, sorted): (bool, bool),
) {
    let mut objects: Vec<Whole<D>> = Vec::new();
    while objects.len() < count && !bytes.is_empty() {
        let (at, length, kind) = (cell.place(bytes), cell.length(bytes), bytes.byte());
        let object = match kind & 1 {
            0 => Whole::ball(at, length / 2),
            _ => Whole::boxed(at, std::array::from_fn(|axis| at[axis] + length * i64::from(kind >> axis & 1))),
        };
        objects.push(if way & 0x40 == 0 { object } else { object.grouped(bytes) });
    }
    let bodies: Vec<Body<S, D>> = objects.iter().map(Whole::body).collect();
    let (alone, pool) = (way & 1 == 0, pool(usize::from(way >> 1)));
    let found = match search {
        Search::Plain(search) if alone => Found::of_rows(search.touching(&bodies)),
        Search::Plain(search) => Found::of_rows(pool.install(|| search.par_touching(&bodies))),
        Search::Periodic(search) if alone => Found::of_periodic(search.touching(&bodies)),
        Search::Periodic(search) => Found::of_periodic(pool.install(|| search.par_touching(&bodies))),
    };
    let mut expected = vec![Vec::new(); objects.len()];
    for (i, one) in objects.iter().enumerate() {
        for (j, other) in objects.iter().enumerate().filter(|(_, other)| one.admits(other)) {
            let reach = (0..D).map(|axis| one.high[axis] - one.low[axis] + other.high[axis] - other.low[axis]).max().unwrap_or(0);
            for shift in cell.shifts(&one.low, &other.low, reach) {
                if (i != j || shift != [0; D]) && one.meets(other, cell.moved(shift)) {
                    expected[i].push((j as u32, shift));
                }
            }
        }
    }
    expected.iter_mut().for_each(|row: &mut Vec<Near<D>>| row.sort_unstable());
    let mut rows = found.rows.clone();
    if sorted {
        assert!(rows.iter().all(|row| row.windows(2).all(|two| two[0] < two[1])));
    }
    if half {
        rows = both_ways(&rows);
    } else {
        rows.iter_mut().for_each(|row| row.sort_unstable());
    }
    assert_eq!(rows, expected, "half {half}, sorted {sorted}: {objects:?} in {cell:?}");
    assert_eq!(found.rejected, Vec::<usize>::new());
}

/// Rows of any boxes whatever, by the pairs that they make.
fn touching_anything<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let mut neighbors = Neighbors::<S, D>::with_config(config(bytes)).expect("a valid config").sorted(true);
    let (count, way) = (bytes.below(60), bytes.byte());
    let objects: Vec<Plain<S, D>> = Plain::several(bytes, count, way & 2 != 0);
    let rows = match way & 1 {
        0 => neighbors.touching(&objects),
        _ => pool(usize::from(way >> 2)).install(|| neighbors.par_touching(&objects)),
    };
    let mut expected = vec![Vec::new(); objects.len()];
    for pair in plain::pairs(&objects) {
        expected[pair.a as usize].push(pair.b);
        expected[pair.b as usize].push(pair.a);
    }
    expected.iter_mut().for_each(|row| row.sort_unstable());
    assert!(rows.iter().eq(expected.iter().map(Vec::as_slice)), "{objects:?}");
    assert_eq!(rows.rejected(), plain::rejected(&objects));
}
