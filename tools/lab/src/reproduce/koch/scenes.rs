//! The seven scenes of Koch's sections 4.1.2 to 4.1.8, with his parameters.

/// A scene, the settings that were fastest in it, and the thesis' results.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene {
    pub(super) name: &'static str,
    /// Edge of the cube that everything is in.
    pub(super) edge: f64,
    pub(super) crowds: &'static [Crowd],
    pub(super) steps: usize,
    pub(super) linked_cell: f64,
    /// Cells of the hash grid: 2^this.
    pub(super) hash_bits: u32,
    /// Linked cells, octree, hash grid.
    pub(super) published: [Option<Result>; 3],
}

/// Spheres of one size in one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crowd {
    pub(super) count: usize,
    pub(super) radius: f64,
    pub(super) place: Place,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Anywhere,
    Box {
        min: [f64; 3],
        max: [f64; 3],
    },
    /// The black fields of a board with `fields` fields along each edge.
    Checkerboard {
        fields: usize,
    },
}

/// Seconds for all steps, of these in the search for pairs, and pairs handed to the fine check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Result {
    pub(super) total: f64,
    pub(super) collision: f64,
    pub(super) pairs: f64,
}

const fn result(total: f64, collision: f64, pairs: f64) -> Option<Result> {
    Some(Result { total, collision, pairs })
}

const fn crowd(count: usize, radius: f64, place: Place) -> Crowd {
    Crowd { count, radius, place }
}

const fn part(min: [f64; 3], max: [f64; 3]) -> Place {
    Place::Box { min, max }
}

pub(super) const REFERENCE: Scene = Scene {
    name: "reference",
    edge: 100.0,
    crowds: &[crowd(100_000, 0.5, Place::Anywhere)],
    steps: 200,
    linked_cell: 1.3,
    hash_bits: 21,
    published: [result(5.24, 4.42, 1.75e8), result(20.8, 17.9, 9.04e8), result(17.1, 12.5, 1.92e8)],
};

/// The first area is said to be 150×150×100 and to end at (150, 250, 350), which makes it 150×50×100. With the former, linked
/// cells compare as many pairs here as in table 2, so that is what it is.
pub(super) const INHOMOGENEOUS: Scene = Scene {
    name: "inhomogeneous",
    edge: 500.0,
    crowds: &[
        crowd(70_000, 0.5, part([0.0, 200.0, 250.0], [150.0, 350.0, 350.0])),
        crowd(25_000, 0.5, part([325.0, 150.0, 100.0], [400.0, 225.0, 175.0])),
        crowd(4_000, 0.5, part([475.0; 3], [500.0; 3])),
        crowd(1_000, 0.5, Place::Anywhere),
    ],
    steps: 200,
    linked_cell: 3.75,
    hash_bits: 21,
    published: [result(15.9, 13.3, 7.09e8), result(20.6, 17.3, 8.40e8), result(9.42, 6.50, 1.59e8)],
};

pub(super) const VERY_INHOMOGENEOUS: Scene = Scene {
    name: "very inhomogeneous",
    edge: 2000.0,
    crowds: &[
        crowd(8_000, 0.5, part([0.0; 3], [40.0; 3])),
        crowd(68_000, 0.5, part([0.0; 3], [100.0; 3])),
        crowd(4_000, 0.5, Place::Anywhere),
    ],
    steps: 200,
    linked_cell: 7.0,
    hash_bits: 21,
    published: [result(93.0, 69.1, 5.06e9), result(19.6, 17.3, 9.72e8), result(7.50, 5.60, 1.42e8)],
};

pub(super) const CHECKERBOARD: Scene = Scene {
    name: "checkerboard",
    edge: 400.0,
    crowds: &[crowd(1_000_000, 0.5, Place::Checkerboard { fields: 4 })],
    steps: 50,
    linked_cell: 2.1,
    hash_bits: 24,
    published: [result(19.8, 14.8, 4.87e8), result(73.6, 64.9, 4.12e9), result(30.2, 16.6, 3.71e8)],
};

pub(super) const POLYDISPERSE: Scene = Scene {
    name: "polydisperse",
    edge: 200.0,
    crowds: &[
        crowd(12_500, 2.0, Place::Anywhere),
        crowd(12_500, 1.0, Place::Anywhere),
        crowd(12_500, 0.5, Place::Anywhere),
        crowd(12_500, 0.25, Place::Anywhere),
    ],
    steps: 200,
    linked_cell: 4.0,
    hash_bits: 21,
    published: [result(2.87, 2.64, 1.12e8), None, result(12.6, 8.99, 6.54e7)],
};

pub(super) const MORE_POLYDISPERSE: Scene = Scene {
    name: "more polydisperse",
    edge: 400.0,
    crowds: &[
        crowd(320, 20.0, Place::Anywhere),
        crowd(2_880, 2.5, Place::Anywhere),
        crowd(12_800, 1.0, Place::Anywhere),
        crowd(64_000, 0.5, Place::Anywhere),
    ],
    steps: 200,
    linked_cell: 40.0,
    hash_bits: 21,
    published: [result(166.0, 165.8, 1.30e10), None, result(24.0, 18.7, 4.17e8)],
};

pub(super) const VERY_POLYDISPERSE: Scene = Scene {
    name: "very polydisperse",
    edge: 400.0,
    crowds: &[crowd(1, 180.0, Place::Anywhere), crowd(39_999, 0.5, Place::Anywhere)],
    steps: 10,
    linked_cell: 360.0,
    hash_bits: 21,
    published: [result(104.4, 104.4, 8.00e9), None, result(0.154, 0.0965, 3.01e6)],
};
