//! Scenes that are made to be slow: each breaks an assumption that a plan could be built on.
//!
//! Each scene is a small function that draws on a `Canvas`, in a file with its like. A scene with a number of objects, a seed and a
//! step is always the same boxes; the `f32` boxes are the `f64` ones rounded. The objects keep their indices from step to step. Except
//! where the name says `crowded`, there are at most some twenty pairs per object, for any number of objects: what is slow is the search.

mod canvas;
mod clumps;
mod decades;
mod endless;
mod extremes;
mod lattices;
mod long;
mod moving;
mod thin;
mod worlds;

use std::{error::Error, fmt, str::FromStr};

use crate::bounds::{Bounds, Scalar};
use canvas::Canvas;

/// One line per scene: variant, name, function, dimensions, whether it moves, and why it is hard.
macro_rules! hostile {
    ($($variant:ident $name:literal $module:ident::$draw:ident $dimensions:expr, $moves:literal, $why:literal;)*) => {
        /// A scene that is made to be slow. Each variant says why it is.
        ///
        /// ```
        /// use scenes::Hostile;
        ///
        /// let scene: Hostile = "log_polar_6".parse().unwrap();
        /// let boxes = scene.boxes::<f32, 3>(1_000, 7, 0);
        /// assert_eq!(boxes.len(), 1_000);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Hostile {
            $(#[doc = $why] $variant,)*
        }

        impl Hostile {
            /// Every scene.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name, as [`FromStr`] reads it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it is, and why it is hard.
            pub fn describe(self) -> &'static str {
                match self { $(Self::$variant => $why,)* }
            }

            /// The dimensions the scene exists in, of 2 and 3.
            pub fn dimensions(self) -> &'static [usize] {
                match self { $(Self::$variant => $dimensions,)* }
            }

            /// Whether the boxes change from step to step.
            pub fn moves(self) -> bool {
                match self { $(Self::$variant => $moves,)* }
            }

            fn draw<const D: usize>(self, canvas: &mut Canvas<D>) {
                match self { $(Self::$variant => $module::$draw(canvas),)* }
            }
        }
    };
}

const BOTH: &[usize] = &[2, 3];
const SPACE: &[usize] = &[3];

hostile! {
    Flat "flat" thin::flat BOTH, false, "Squares in one plane, without thickness (2D: on one line): an axis has no extent, and a density per volume is infinite.";
    Wire "wire" thin::wire BOTH, false, "Segments on one line, without thickness: all axes but one have no extent.";
    Points "points" thin::points BOTH, false, "Points, two at each place: boxes without size give no scale for cells.";
    Tiles "tiles" thin::tiles BOTH, true, "A floor of touching tiles without thickness, and 1 % cubes that move on it: large sets of flat boxes are what levels are made of.";
    Sheets "sheets" thin::sheets BOTH, false, "Sixteen planes without thickness at distances from 0.001 to 32: one axis has few distinct values over five decades.";
    Tilted "tilted" thin::tilted BOTH, false, "A tilted plane of cubes: as thin as a plane, but with the extent of a cube on every axis.";
    Stacks "stacks" thin::stacks BOTH, false, "Eight equal cubes at each place: no cell is small enough to part them.";
    CrowdedKnot "crowded_knot" thin::knot BOTH, false, "Up to 400 equal cubes at one place in a plain scene: one cell is full, and replanning for it would ruin all others.";

    Clump50 "clump_50" clumps::clump_50 BOTH, false, "Half of the objects in a clump of a thousandth of the domain, sizes to match: one density curve for all sizes is wrong for both.";
    Clump70 "clump_70" clumps::clump_70 BOTH, false, "70 % of the objects in a clump of 1/10 000, sizes to match: the majority decides for cells in which the rest is lost.";
    Clump90 "clump_90" clumps::clump_90 BOTH, false, "90 % of the objects in a clump of a hundredth, sizes to match: a sample hardly sees the others.";
    Pinprick "pinprick" clumps::pinprick BOTH, false, "1 % of equal cubes in a clump of 1/10 000 of the domain: the sizes say nothing of the two densities, and cells for the clump leave each of the others alone in its chunk.";
    TwoClumps "two_clumps" clumps::two_clumps BOTH, false, "Two clumps a million apart, sizes in the ratio 1:1000: nearly all of the domain is empty.";
    Archipelago "archipelago" clumps::archipelago BOTH, false, "Thirty clumps with sizes over four decades: more scales than a plan has levels.";
    Matryoshka "matryoshka" clumps::matryoshka BOTH, false, "Twelve clumps in each other, each with half of the objects of the last at a sixteenth of its scale: every scale has its own density.";
    Halo "halo" clumps::halo BOTH, false, "Equal cubes whose density falls with the distance from a point: crowded in the middle, one per chunk outside.";
    Sediment "sediment" clumps::sediment BOTH, false, "Three of four equal cubes in a layer 1/10 000 of the domain high, the rest above it: flat for most and not for all.";

    LogPolar4 "log_polar_4" decades::log_polar_4 BOTH, false, "Sizes and distances from a point over four decades: as many objects at every scale.";
    LogPolar6 "log_polar_6" decades::log_polar_6 BOTH, false, "Sizes and distances from a point over six decades: more scales than levels.";
    Geometric "geometric" decades::geometric BOTH, false, "Cubes from corner to corner along the diagonal over sixty octaves: no two have the same size, and most are invisible at the scale of the largest.";
    LogUniform "log_uniform" decades::log_uniform BOTH, false, "Sizes over three decades, all places alike: a large one meets thousands of small ones.";
    PowerHalo "power_halo" decades::power_halo BOTH, false, "A power law of sizes at each of five decades of distance: size does not tell density.";
    Onion "onion" decades::onion BOTH, false, "Seventeen concentric spheres, each twice as wide as the last: surfaces with nothing between them.";
    NestedRooms "nested_rooms" decades::nested_rooms BOTH, false, "Nested rooms whose walls are plates of all sizes around one point: every cell that fits a wall holds all smaller ones.";
    Quadtree "quadtree" decades::quadtree BOTH, false, "Cubes in cubes, each half as large: every place is covered once per level.";
    Levy "levy" decades::levy BOTH, false, "A walk with steps of a power law, cubes in proportion: clumps of clumps, with outliers.";
    SandAndSlab "sand_and_slab" decades::sand_and_slab BOTH, false, "Sand, and one in a thousand a plate of a quarter of the domain in one plane: the few large ones share a place.";

    Needles "needles" long::needles BOTH, false, "Boxes of 1×1×1000 along x, y and z: a cell that holds one holds hundreds.";
    Plates "plates" long::plates BOTH, false, "Boxes of 100×100×1 across x, y and z: one class of sizes, three shapes.";
    Weave "weave" long::weave SPACE, false, "Rods as long as the domain, in layers along x and y in turn, that never meet: every two of neighboring layers overlap on two axes.";
    Rods "rods" long::rods BOTH, false, "A lattice of upright rods of 1×1×50: cubic cells hold a thousand of them.";
    RodWall "rod_wall" long::rod_wall BOTH, false, "A wall of rods as long as the domain: one axis tells nothing.";
    Combs "combs" long::combs BOTH, false, "Combs of six sizes: a long spine across many long teeth.";
    SlabsX "slabs_x" long::slabs_x BOTH, false, "Slabs as wide as the domain, one behind the other along x: each row of cells holds one object.";
    SlabsY "slabs_y" long::slabs_y BOTH, false, "Slabs as wide as the domain, one behind the other along y.";
    SlabsSorted "slabs_sorted" long::slabs_sorted BOTH, false, "Slabs as wide as the domain along the last axis, sorted in memory: a sweep has nothing left to do.";
    Diagonal "diagonal" long::diagonal BOTH, false, "Cubes along the diagonal: the domain is empty, and each chunk holds a few.";
    Stairs "stairs" long::stairs BOTH, false, "Wide thin steps, each further along and higher than the last: on one axis each overlaps with sixty others.";
    Hairs "hairs" long::hairs BOTH, false, "A bundle of hairs with lengths of up to a million: the aspect ratio has no bound.";
    Sticks "sticks" long::sticks BOTH, false, "Boxes that are long by 3 along x, 30 along y or 300 along z: shape and orientation go together.";

    InfiniteSlabs "infinite_slabs" endless::infinite_slabs BOTH, false, "Slabs that are infinite on all axes but the last: none fits a cell.";
    InfiniteColumns "infinite_columns" endless::infinite_columns BOTH, false, "Columns that are infinite along the last axis: a plane of boxes in disguise.";
    HalfInfinite "half_infinite" endless::half_infinite BOTH, false, "Columns from somewhere to infinity, up or down: their lower corners are at infinity, or not.";
    LongColumns "long_columns" endless::long_columns BOTH, false, "Columns from -1e9..-1e30 to 1e9..1e30: finite, but no cell size is.";
    InfiniteBeams "infinite_beams" endless::infinite_beams SPACE, false, "Beams that are infinite along x, y or z: three planes of boxes that cross.";
    Everywhere "everywhere" endless::everywhere BOTH, false, "Five boxes that contain all of space, and a plain scene: they meet everything.";
    MixedReach "mixed_reach" endless::mixed_reach BOTH, false, "Infinite columns, beams of 1000 and unit cubes in one sparse domain: finite and infinite in one plan.";

    Touching "touching" lattices::touching BOTH, false, "Unit cubes that fill space and touch: every border is a border of a cell, and thirteen pairs per object meet in a point, a line or a face.";
    Hairline "hairline" lattices::hairline BOTH, false, "The same with gaps of 1/1024: as many candidates, no pairs.";
    Checkerboard "checkerboard" lattices::checkerboard BOTH, false, "Every other cube of a lattice: they touch at edges and corners only.";
    Bricks "bricks" lattices::bricks BOTH, false, "A wall of bricks of 4×2×1 that touch, every other layer shifted.";
    Threads "threads" lattices::threads BOTH, false, "Rows of touching cubes along x, a thousand apart: dense on one axis, sparse on the others.";
    Cantor "cantor" lattices::cantor BOTH, false, "Cantor dust: gaps at every scale, so that the density depends on the scale at which it is measured.";
    Menger "menger" lattices::menger BOTH, false, "A Menger sponge of touching cubes: holes at every scale.";

    City "city" worlds::city BOTH, false, "Towers with heights over two decades, furniture in them, cars in the streets: what users build.";
    Swarm "swarm" worlds::swarm BOTH, false, "A swarm of dust, 60 %, over one block of a city of towers, with plates and twenty huge boxes: the many small ones are in few of the large cells, and the largest boxes cover them all.";
    Rain "rain" worlds::rain BOTH, true, "Drops that fall on a floor of one slab: one object meets thousands, and the density changes with the height.";
    Galaxy "galaxy" worlds::galaxy BOTH, false, "A disc with two arms and sizes that follow its density over six decades: flat, uneven and polydisperse at once.";
    Filament "filament" worlds::filament BOTH, false, "Beads on a helix (2D: on a growing spiral): a line that lies along no axis.";
    Cobweb "cobweb" worlds::cobweb BOTH, false, "Beads on 64 threads from a center, sizes over three decades: lines at every scale.";
    Scree "scree" worlds::scree BOTH, false, "Boulders, rocks and gravel on a slope: a thin layer along no axis with a power law of sizes.";

    Outliers "outliers" extremes::outliers BOTH, false, "Ten cubes at a distance of 1e30 from a plain scene: the extent says nothing.";
    Stragglers "stragglers" extremes::stragglers BOTH, false, "A thousandth of the objects at distances of 1e3 to 1e30: trimming the extent at one of them finds the next.";
    Denormal "denormal" extremes::denormal BOTH, false, "A plain scene below the smallest normal number of `f32`: the inverse of a cell's edge overflows.";
    Brim "brim" extremes::brim BOTH, false, "A plain scene from -3e38 to 3e38: the extent overflows in `f32`.";
    Offset "offset" extremes::offset BOTH, false, "A plain scene a million from the origin: a sixteenth of a box is all that `f32` can tell there.";
    Rounded "rounded" extremes::rounded BOTH, false, "A plain scene so far out that `f32` rounds every border to an even number: many boxes touch or coincide.";
    Specks "specks" extremes::specks BOTH, false, "Sizes far below what `f32` can tell at their places: points in `f32`, and a density without a scale in `f64`.";
    Units "units" extremes::units BOTH, false, "A plain scene whose axes have units of a million, one and a millionth: the longest edge says nothing of the others.";

    Implosion "implosion" moving::implosion BOTH, true, "At step 3 everything is a hundred times as near, sizes and number as before: kept cells hold everything.";
    Explosion "explosion" moving::explosion BOTH, true, "At step 3 everything is a hundred times as far apart: kept cells leave each object alone in its chunk.";
    Shrink "shrink" moving::shrink BOTH, true, "At step 3 places and sizes shrink a hundredfold: the kept plan still fits all boxes.";
    Breathing "breathing" moving::breathing BOTH, true, "The places breathe by a factor of 32 in 32 steps: every plan is wrong soon.";
    SlowImplosion "slow_implosion" moving::slow_implosion BOTH, true, "The places contract by a factor of 100 within 200 steps: no step is a reason to plan anew.";
    SlowExplosion "slow_explosion" moving::slow_explosion BOTH, true, "The places expand by a factor of 100 within 200 steps: the same the other way.";
    Teleport "teleport" moving::teleport BOTH, true, "At every step all of it is somewhere else: nothing learned about places holds, while densities and sizes do.";
    Reshuffled "reshuffled" moving::reshuffled BOTH, true, "At every step each object is somewhere else: the order of the last step is worthless.";
    Flicker "flicker" moving::flicker BOTH, true, "Spread at even steps, half of it in a clump at odd ones: a plan that follows is always one step late.";
    Press "press" moving::press BOTH, true, "Pressed flat within eight steps, to no thickness at all, and back: an axis disappears.";
    Bubbles "bubbles" moving::bubbles BOTH, true, "One object in a hundred grows thirtyfold and shrinks again: levels come and go.";
    Comet "comet" moving::comet BOTH, true, "A clump of a fifth of the objects flies through the others: the dense place moves.";
    Collision "collision" moving::collision BOTH, true, "Two clumps pass through each other: the density doubles and halves.";
    TurningRods "turning_rods" moving::turning_rods BOTH, true, "Rods that lie along x, then along y, then along z: the extents are as before, the shapes are not.";
}

impl Hostile {
    /// The boxes of the scene with `n` objects at a step. The same arguments give the same boxes; an object keeps its index from step
    /// to step, and scenes that do not [move](Self::moves) are the same at every step.
    ///
    /// # Panics
    ///
    /// When the scene does not exist in `D` dimensions, see [`Hostile::dimensions`].
    pub fn boxes<S: Scalar, const D: usize>(self, n: usize, seed: u64, step: u64) -> Vec<Bounds<S, D>> {
        let dimensions = self.dimensions();
        assert!(dimensions.contains(&D), "the scene {self} exists in {dimensions:?} dimensions, not in {D}");
        let mut canvas = Canvas::new(n, seed, step);
        self.draw(&mut canvas);
        canvas.finish()
    }

    /// Whether many objects are at one place on purpose, so that there may be more than some twenty pairs per object.
    pub fn is_crowded(self) -> bool {
        self.name().starts_with("crowded")
    }
}

impl fmt::Display for Hostile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Hostile {
    type Err = UnknownHostile;

    fn from_str(name: &str) -> Result<Self, UnknownHostile> {
        Self::ALL.iter().copied().find(|scene| scene.name() == name).ok_or_else(|| UnknownHostile(name.to_owned()))
    }
}

/// No hostile scene has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownHostile(String);

impl fmt::Display for UnknownHostile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Hostile::ALL.iter().map(|scene| scene.name()).collect();
        write!(f, "no hostile scene is called {:?}; there are {}", self.0, names.join(", "))
    }
}

impl Error for UnknownHostile {}
