//! The scenes by name, and what each of them is.

use std::{error::Error, fmt, str::FromStr};

use crate::layout;

/// One of the scenes; [`Scene::describe`] gives its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scene {
    /// Equal cubes anywhere: the plain case.
    Uniform,
    /// Sizes within a factor of 12.
    Poly12,
    /// Koch's "more polydisperse" benchmark: four sizes within a factor of 40.
    Koch,
    /// Koch's "very polydisperse" benchmark: one rock in the sand, almost as large as the domain.
    Huge,
    /// Koch's "very inhomogeneous" benchmark: a dense corner, a denser corner of the corner, and almost nothing elsewhere.
    Clustered,
    /// Long boxes: a grid of cubic cells fits them badly.
    Long,
    /// A layer one box thick: a 3D engine on what is really a 2D scene.
    Plane,
    /// A domain like a wire: most of its bounding cube is empty.
    Line,
    /// Few contacts: the price of finding nothing.
    Sparse,
    /// A settled heap: every object touches its neighbors.
    Pile,
    /// A power law of sizes over four decades.
    Power,
}

impl Scene {
    /// Every scene.
    pub const ALL: [Self; 11] = [
        Self::Uniform,
        Self::Poly12,
        Self::Koch,
        Self::Huge,
        Self::Clustered,
        Self::Long,
        Self::Plane,
        Self::Line,
        Self::Sparse,
        Self::Pile,
        Self::Power,
    ];

    /// The name, as [`FromStr`] reads it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Poly12 => "poly12",
            Self::Koch => "koch",
            Self::Huge => "huge",
            Self::Clustered => "clustered",
            Self::Long => "long",
            Self::Plane => "plane",
            Self::Line => "line",
            Self::Sparse => "sparse",
            Self::Pile => "pile",
            Self::Power => "power",
        }
    }

    /// One line with the exact parameters. "Space" is volume in 3D and area in 2D.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Uniform => "cubes of edge 1, 2 contacts each: space 4 per object (2D: 2)",
            Self::Poly12 => "cubes, edges uniform in 1 to 12, 2 contacts each: space 1491.75 per object (2D: 94.58)",
            Self::Koch => {
                "cubes of edge 1, 2, 5 and 40 in the ratio 200:40:9:1, 0.752 contacts each: space 800 per object, \
                 400³ for 80 000 (2D: 28.9)"
            }
            Self::Huge => {
                "one cube with 0.9 of the domain's edge among cubes of edge 1: space 1600 per object, 400³ for 40 000 (2D: 800)"
            }
            Self::Clustered => {
                "cubes of edge 1, 85 % in a corner with 1/20 of the domain's edge, 10 % in one with 1/50, 5 % anywhere: \
                 space 100 000 per object, 2000³ for 80 000 (2D: 2500)"
            }
            Self::Long => "boxes of 10×1×1 with the long axis at random, 2 contacts each: space 94 per object (2D: 10×1, 40.25)",
            Self::Plane => {
                "cubes of edge 1 with the centers in a layer of thickness 1, 2 contacts each: area 2 per object (3D only)"
            }
            Self::Line => "cubes of edge 1 in a domain of 1024:1:1 (2D: 1024:1), 2 contacts each, borders accounted for",
            Self::Sparse => "cubes of edge 0.1 in the domain of uniform, 0.002 contacts each (2D: 0.02)",
            Self::Pile => {
                "cubes of edge 1 stacked cell by cell, twice as wide as high, each center off by at most 0.1 per axis: \
                 7 contacts each inside, 6 to 7 with the surface, up to 8 once motion has mixed it (2D: 3, up to 4)"
            }
            Self::Power => {
                "cubes, edges in 0.01 to 100 with density edge^-2 (a tenth as many per decade), 2 contacts each at large N, \
                 1.2 for 20 000 and 1.7 for 1 000 000: space 50.3 per object (2D: 1.01)"
            }
        }
    }

    /// The dimensions the scene exists in, of 2 and 3.
    pub fn dimensions(self) -> &'static [usize] {
        match self {
            Self::Plane => &[3],
            _ => &[2, 3],
        }
    }

    /// How many others an object meets on average, in a domain so large that its borders do not matter. N objects have
    /// N/2 times as many pairs.
    pub fn contacts(self, dimension: usize) -> f64 {
        layout::contacts(self, dimension as u32)
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Scene {
    type Err = UnknownScene;

    fn from_str(name: &str) -> Result<Self, UnknownScene> {
        Self::ALL.into_iter().find(|scene| scene.name() == name).ok_or_else(|| UnknownScene(name.to_owned()))
    }
}

/// No scene has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownScene(String);

impl fmt::Display for UnknownScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Scene::ALL.map(Scene::name).join(", ");
        write!(f, "no scene is called {:?}; there are {names}", self.0)
    }
}

impl Error for UnknownScene {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for scene in Scene::ALL {
            assert_eq!(scene.to_string().parse(), Ok(scene));
            assert!(!scene.describe().contains('\n'));
        }
        let error = "unifrom".parse::<Scene>().unwrap_err().to_string();
        assert!(error.contains("unifrom") && error.contains("uniform, poly12"), "{error}");
    }
}
