//! What a step did, and its cost.

use std::time::Duration;

/// Figures of the last step, from [`BroadPhase::stats`](crate::BroadPhase::stats). They are always collected, at the cost of a clock
/// reading per pass and a few additions per chunk.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase};
///
/// let boxes: Vec<Aabb<f32, 2>> = (0..1000).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.0, 1.0])).collect();
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// broad_phase.detect(&boxes);
///
/// let stats = broad_phase.stats();
/// assert_eq!((stats.objects, stats.rejected, stats.pairs), (1000, 0, 999));
/// // Far more candidates than pairs, or many objects outside of all levels: a scene that the planner has trouble with.
/// assert!(stats.candidates >= 999 && stats.oversized < 10);
/// for (pass, time) in stats.times.named() {
///     println!("{pass:>8} {time:?}");
/// }
/// println!("{} bytes held", stats.bytes);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Stats {
    /// How many objects the step was given.
    pub objects: usize,
    /// How many of them were left out because their box was invalid.
    pub rejected: usize,
    /// How many pairs it found.
    pub pairs: usize,
    /// How many pairs of boxes it compared; `candidates / pairs` shows how well the cells fit the scene.
    pub candidates: u64,
    /// How many chunks of other levels it looked for, and how many nodes of the tree of the last resort it visited. These look-ups can make
    /// a step slow even if it has few candidates.
    pub looks: u64,
    /// The most workers that took part in a pass.
    pub workers: usize,
    /// The levels that have objects, from small chunks to large ones.
    pub levels: Vec<LevelStats>,
    /// How many objects no level took, such as huge ones; they are compared as a list.
    pub oversized: usize,
    /// How many of these were held in a tree instead, the last resort: they were too many for a list, because no cells separate them.
    pub last_resort: usize,
    /// How many chunks hold at least one object.
    pub chunks: usize,
    /// How many cells hold at least one object.
    pub occupied_cells: usize,
    /// How often a pass ran again, because there was no room for more chunks or the plan no longer fitted the scene.
    pub repeats: usize,
    /// Whether the levels were replanned in this step.
    pub replanned: bool,
    /// How often the new levels were revised in this step, because the counts showed that some objects were expensive.
    pub revisions: usize,
    /// Memory held by the engine after the step, in bytes, the pairs included.
    pub bytes: usize,
    /// Time by pass.
    pub times: PassTimes,
    /// The part of that time which only one worker can use, however many there are: preparing, arranging, planning, dealing out work.
    pub serial: Duration,
    /// How long each worker was busy in the shared parts of the passes from presort to detect. If the figures differ, or are less than the
    /// time of these passes, workers waited for each other or started late.
    pub busy: Vec<Duration>,
    /// What the planner expected of its levels when it chose them.
    pub predicted: Predicted,
}

/// One level of the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LevelStats {
    /// The edges of its cells, x, y and z: 0 for z in two dimensions, infinite along an axis that the level ignores because its
    /// objects are as long as the scene.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "edges"))]
    pub cell_size: [f64; 3],
    /// Where one of the cells begins; the others begin at multiples of the edges from it, up to rounding. 0 along an axis that the level
    /// ignores.
    #[cfg_attr(feature = "serde", serde(default))]
    pub origin: [f64; 3],
    /// How many objects live in it.
    pub objects: usize,
    /// How many chunks it has.
    pub chunks: usize,
    /// The most cells that one of its objects reaches beyond its own, by axis.
    pub span: [u32; 3],
    /// The axis along which its rows of cells lie: 0 for x, unless another axis separates the objects far better.
    #[cfg_attr(feature = "serde", serde(default))]
    pub row_axis: usize,
}

/// Wall time of the last step, by pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PassTimes {
    /// Sorting the objects in space, if the last step's order is unknown or useless.
    pub presort: Duration,
    /// Surveying sizes and choosing levels; next to nothing while the last plan still fits.
    pub plan: Duration,
    /// Reading the boxes, finding each object's cell and appending segments to chunks.
    pub gather: Duration,
    /// Ordering the chunks, on one thread.
    pub arrange: Duration,
    /// Sorting each chunk's objects into the table.
    pub sort: Duration,
    /// Finding pairs.
    pub detect: Duration,
    /// Work after the step: figures, and memory for the next one.
    pub conclude: Duration,
    /// Putting the pairs into canonical order, if the settings say so.
    pub order: Duration,
    /// Looking objects up in a static set. In the [figures of a static set](crate::StaticSet::stats): reading its objects.
    pub statics: Duration,
    /// Making the images of objects in a periodic domain, and those of static objects that have changed.
    pub images: Duration,
    /// Keeping the pairs that belong to a rank of a distributed job; the engine itself has no such pass.
    pub filter: Duration,
}

impl PassTimes {
    /// The passes with their names, in order.
    pub fn named(&self) -> [(&'static str, Duration); 11] {
        [
            ("presort", self.presort),
            ("plan", self.plan),
            ("gather", self.gather),
            ("arrange", self.arrange),
            ("sort", self.sort),
            ("detect", self.detect),
            ("conclude", self.conclude),
            ("order", self.order),
            ("statics", self.statics),
            ("images", self.images),
            ("filter", self.filter),
        ]
    }

    /// All passes together.
    pub fn total(&self) -> Duration {
        self.named().iter().map(|(_, time)| *time).sum()
    }
}

/// Wall time of the last update of a [`Tracker`](crate::Tracker) or a [`DataMap`](crate::DataMap), by part.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, PairTracker};
///
/// let boxes: Vec<_> = (0..1000).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.0, 1.0])).collect();
/// let (mut broad_phase, mut tracker) = (BroadPhase::<f32, 2>::new(), PairTracker::new());
/// tracker.par_update(broad_phase.par_detect(&boxes).by_index());
/// for (part, time) in tracker.times().named() {
///     println!("{part:>6} {time:?}");
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TrackTimes {
    /// Reading the keys and ranking them.
    pub keys: Duration,
    /// Sorting the pairs by their keys.
    pub sort: Duration,
    /// Merging them with those of the update before, and making and moving their data.
    pub merge: Duration,
}

impl TrackTimes {
    /// The parts with their names, in order.
    pub fn named(&self) -> [(&'static str, Duration); 3] {
        [("keys", self.keys), ("sort", self.sort), ("merge", self.merge)]
    }

    /// All parts together.
    pub fn total(&self) -> Duration {
        self.named().iter().map(|(_, time)| *time).sum()
    }
}

/// Wall time of the last step of a [`World`](crate::World), by part.
///
/// ```
/// use pivotgrid::{Aabb, Object, World};
///
/// let mut world = World::<f32, 2>::new();
/// world.insert(Object::new_moving(Aabb::new([0.0, 0.0], [1.0, 1.0])));
/// world.par_step();
/// let times = world.times();
/// assert_eq!(times.total(), times.statics + times.detect + times.track);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct WorldTimes {
    /// Making the changes of static objects.
    pub statics: Duration,
    /// Finding pairs, of which [`Stats::times`] has the passes.
    pub detect: Duration,
    /// Following them from step to step.
    pub track: Duration,
}

impl WorldTimes {
    /// The parts with their names, in order.
    pub fn named(&self) -> [(&'static str, Duration); 3] {
        [("statics", self.statics), ("detect", self.detect), ("track", self.track)]
    }

    /// All parts together.
    pub fn total(&self) -> Duration {
        self.named().iter().map(|(_, time)| *time).sum()
    }
}

/// Edges, of which JSON represents infinite ones as `null`.
#[cfg(feature = "serde")]
fn edges<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<[f64; 3], D::Error> {
    let edges = <[Option<f64>; 3] as serde::Deserialize>::deserialize(deserializer)?;
    Ok(edges.map(|edge| edge.unwrap_or(f64::INFINITY)))
}

/// The cost that the planner expected of a step with its levels, in nanoseconds of one core: the sum that it minimized.
///
/// It contains only costs that depend on the choice of levels, and not those of every object in every step, such as reading its box and
/// writing its entry. All 0 if there was nothing to choose: see [`Config::all_pairs_up_to`](crate::Config::all_pairs_up_to).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Predicted {
    /// Counting in and placing the objects, cell by cell.
    pub runs: f64,
    /// Counting, summing, clearing and visiting the chunks.
    pub chunks: f64,
    /// Comparing objects with those of their own level.
    pub within: f64,
    /// Comparing objects with those of coarser levels, and looking for them from every finer chunk.
    pub across: f64,
    /// Comparing objects with those that the planner leaves oversized.
    pub oversized: f64,
}

impl Predicted {
    /// The parts with their names.
    pub fn named(&self) -> [(&'static str, f64); 5] {
        let Predicted { runs, chunks, within, across, oversized } = *self;
        [("runs", runs), ("chunks", chunks), ("within", within), ("across", across), ("oversized", oversized)]
    }

    /// All parts together.
    pub fn total(&self) -> f64 {
        self.named().iter().map(|(_, cost)| cost).sum()
    }
}
