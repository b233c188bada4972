//! One engine through many scenes.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;

use pivotgrid::{Aabb, BroadPhase, Config, Pair};
use rayon::ThreadPool;
use scenes::Scene;

use crate::events::{Coordinate, boxes, happen};
use crate::features::Features;
use crate::options::Options;
use crate::oracle;
use crate::random::Random;

/// With more pairs than this, a scene has degenerated (everything in one place) and the next begins.
const MOST_PAIRS: usize = 3_000_000;

/// Steps between two comparisons with the oracle; small scenes are always compared.
const CHECK_EVERY: u64 = 4;
const SMALL: usize = 1500;

/// Steps between two runs of the features around the pairs.
const FEATURES_EVERY: usize = 4;

#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) steps: u64,
    objects: u64,
    pairs: u64,
    checked: u64,
    rejected: u64,
    scenes: u64,
    /// Steps of everything around the pairs.
    features: u64,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures { steps, objects, pairs, checked, rejected, scenes, features } = self;
        write!(f, "{scenes} scenes, {steps} steps ({checked} compared, {features} with everything around the pairs), ")?;
        write!(f, "{objects} objects, {pairs} pairs, {rejected} bad boxes")
    }
}

/// Two engines that live as long as the soak: one that chooses everything, one that delivers in order and uses its threads always. And
/// one of everything else.
#[derive(Debug)]
struct Life<S: Coordinate, const D: usize> {
    free: BroadPhase<S, D>,
    ordered: BroadPhase<S, D>,
    features: Features<S, D>,
}

impl<S: Coordinate, const D: usize> Default for Life<S, D> {
    fn default() -> Self {
        let ordered = Config::default().canonical_order(true).all_pairs_up_to(0).serial_up_to(0);
        Life {
            free: BroadPhase::new(),
            ordered: BroadPhase::with_config(ordered).expect("a valid config"),
            features: Features::default(),
        }
    }
}

impl<S: Coordinate, const D: usize> Life<S, D> {
    /// One scene for some steps.
    fn episode(
        &mut self,
        options: &Options,
        pools: &BTreeMap<usize, ThreadPool>,
        random: &mut Random,
        figures: &mut Figures,
        stop: &mut dyn FnMut(&Figures) -> bool,
    ) -> Result<(), String> {
        let there: Vec<Scene> = Scene::ALL.into_iter().filter(|scene| scene.dimensions().contains(&D)).collect();
        let scene = there[random.below(there.len())];
        // As many small scenes as large ones.
        let n = match options.fixed {
            true => options.objects,
            false => (options.objects as f64).powf(random.within(0.0, 1.0)) as usize,
        };
        let mut boxes: Vec<Aabb<S, D>> = boxes(scene, n, random.next());
        figures.scenes += 1;
        for step in 0..4 + random.below(28) {
            if stop(figures) {
                break;
            }
            // Without pools, everything stays on this thread.
            let pool = pools.values().nth(random.below(pools.len()));
            let threads = pool.map_or(0, ThreadPool::current_num_threads);
            let context =
                |what: String| format!("{scene} in {D}D, {} objects, {threads} threads, step {step}: {what}", boxes.len());
            let compare = boxes.len() <= SMALL || figures.steps.is_multiple_of(CHECK_EVERY);
            let pairs = self.step(pool, &boxes, compare, random, figures).map_err(context)?;
            if pairs > MOST_PAIRS {
                break;
            }
            if random.below(FEATURES_EVERY) == 0 {
                figures.features += 1;
                self.features.step(pool, &boxes, random).map_err(context)?;
            }
            happen(&mut boxes, scene, options.objects, options.fixed, random);
        }
        Ok(())
    }

    fn step(
        &mut self,
        pool: Option<&ThreadPool>,
        boxes: &[Aabb<S, D>],
        compare: bool,
        random: &mut Random,
        figures: &mut Figures,
    ) -> Result<usize, String> {
        let way = random.below(8);
        let engine = if random.below(2) == 0 { &mut self.free } else { &mut self.ordered };
        let pairs: Vec<Pair> = match (way, pool) {
            (0, _) | (_, None) => engine.detect(boxes).sorted(),
            (1, Some(pool)) => {
                let parts = pool.install(|| {
                    engine.over(boxes).visit(Vec::new, |mine, pair| {
                        mine.push(pair);
                        ControlFlow::Continue(())
                    })
                });
                parts.concat()
            }
            (_, Some(pool)) => pool.install(|| engine.par_detect(boxes)).iter().collect(),
        };
        figures.steps += 1;
        figures.objects += boxes.len() as u64;
        figures.pairs += pairs.len() as u64;
        figures.rejected += engine.rejected().len() as u64;
        if compare {
            figures.checked += 1;
            if let Some(flaw) = oracle::flaw(boxes, &pairs, engine.rejected(), random) {
                return Err(flaw);
            }
        }
        if random.below(100) == 0 {
            engine.shrink_to_fit();
        }
        Ok(pairs.len())
    }

    /// Gives back what it holds, so that what is left can be compared from round to round.
    fn rest(&mut self) {
        for engine in [&mut self.free, &mut self.ordered] {
            engine.detect::<Aabb<S, D>>(&[]);
            engine.shrink_to_fit();
        }
        self.features.rest();
    }
}

/// One life in each kind of space.
#[derive(Debug, Default)]
pub(crate) struct Lives {
    plane: Life<f32, 2>,
    space: Life<f32, 3>,
    // On 32-bit x86 `f64` does not compile.
    #[cfg(not(target_arch = "x86"))]
    fine_plane: Life<f64, 2>,
    #[cfg(not(target_arch = "x86"))]
    fine_space: Life<f64, 3>,
}

impl Lives {
    /// An episode of each; then they give back what they hold.
    pub(crate) fn round(
        &mut self,
        options: &Options,
        pools: &BTreeMap<usize, ThreadPool>,
        random: &mut Random,
        figures: &mut Figures,
        stop: &mut dyn FnMut(&Figures) -> bool,
    ) -> Result<(), String> {
        self.plane.episode(options, pools, random, figures, stop)?;
        self.space.episode(options, pools, random, figures, stop)?;
        self.plane.rest();
        self.space.rest();
        #[cfg(not(target_arch = "x86"))]
        {
            self.fine_plane.episode(options, pools, random, figures, stop)?;
            self.fine_space.episode(options, pools, random, figures, stop)?;
            self.fine_plane.rest();
            self.fine_space.rest();
        }
        Ok(())
    }
}
