//! Structures that answer questions, behind one face, and how long they take.

use std::fmt;

use baselines::Bounds;
use baselines::System;
use baselines::pouchol::{HierarchicalHashing, KdTree, MultilevelHashing, Queries, UniformHashing};
use cpu_time::ProcessTime;
use pivotgrid::{Ball, BroadPhase};

use crate::failure::Failure;
use crate::reproduce::figure::{Role, Series};
use crate::reproduce::measure::median;

/// The queries.
#[derive(Clone, Debug)]
pub(super) enum Questions<const D: usize> {
    /// Which objects overlap each of these boxes.
    Boxes(Vec<Bounds<D>>),
    /// Which objects' centers are within a radius of each of these points.
    Within(Vec<[f32; D]>, f32),
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answers {
    pub(super) milliseconds: f64,
    /// Answers in total, questions with at least one, and the most to one question.
    pub(super) found: usize,
    pub(super) answered: usize,
    pub(super) most: usize,
    pub(super) bytes: usize,
}

/// How a structure is queried.
type Ask<const D: usize> = Box<dyn Fn(&[Bounds<D>], &Questions<D>) -> Answers>;

/// A structure that is queried, with its name.
pub(super) struct Asked<const D: usize> {
    pub(super) name: &'static str,
    pub(super) role: Role,
    ask: Ask<D>,
}

impl<const D: usize> fmt::Debug for Asked<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<const D: usize> Asked<D> {
    fn theirs<Q: Queries<D> + System<D>>(name: &'static str, make: impl Fn() -> Q + 'static) -> Self {
        let ask = move |boxes: &[Bounds<D>], questions: &Questions<D>| {
            let clock = ProcessTime::now();
            let mut structure = make();
            structure.build(boxes);
            let mut answers = Answers::default();
            let mut found = Vec::new();
            let mut ask = |question: &dyn Fn(&mut Vec<u32>)| {
                found.clear();
                question(&mut found);
                answers.add(found.len());
            };
            match questions {
                Questions::Boxes(queries) => {
                    queries.iter().for_each(|query| ask(&|found| structure.overlapping(boxes, query, found)));
                }
                Questions::Within(points, radius) => {
                    points.iter().for_each(|point| ask(&|found| structure.within(boxes, *point, *radius, found)));
                }
            }
            answers.milliseconds = 1e3 * clock.elapsed().as_secs_f64();
            answers.bytes = structure.bytes();
            answers
        };
        Asked { name, role: Role::Theirs, ask: Box::new(ask) }
    }

    fn ours() -> Self {
        let ask = |boxes: &[Bounds<D>], questions: &Questions<D>| {
            let clock = ProcessTime::now();
            let mut engine = BroadPhase::<f32, D>::new();
            // The grid is what is needed; the pairs among the objects are found as well, and not kept.
            engine.over(boxes).visit(|| (), |(), _| std::ops::ControlFlow::Continue(()));
            let asked = engine.queries();
            let mut answers = Answers::default();
            match questions {
                Questions::Boxes(queries) => {
                    let mut found = Vec::new();
                    for query in queries {
                        asked.overlapping(query, &mut found);
                        answers.add(found.len());
                    }
                }
                Questions::Within(points, radius) => {
                    let mut found = Vec::new();
                    for point in points {
                        asked.within(&Ball::new(*point, *radius), &mut found);
                        answers.add(found.len());
                    }
                }
            }
            answers.milliseconds = 1e3 * clock.elapsed().as_secs_f64();
            answers.bytes = engine.stats().bytes;
            answers
        };
        Asked { name: "pivotgrid", role: Role::Ours, ask: Box::new(ask) }
    }
}

impl Answers {
    fn add(&mut self, found: usize) {
        self.found += found;
        self.answered += usize::from(found > 0);
        self.most = self.most.max(found);
    }
}

/// Everybody, for boxes of all sizes.
pub(super) fn all<const D: usize>() -> Vec<Asked<D>> {
    vec![
        Asked::theirs("KD-tree", KdTree::<D>::new),
        Asked::theirs("multilevel hashing", MultilevelHashing::<D>::new),
        Asked::theirs("hierarchical hashing", HierarchicalHashing::<D>::new),
        Asked::theirs("uniform hashing", UniformHashing::<D>::new),
        Asked::ours(),
    ]
}

/// Everybody, for neighbors within a radius.
pub(super) fn all_for_radius<const D: usize>(radius: f32) -> Vec<Asked<D>> {
    // Larger classes only tell where nothing is.
    const CLASSES: [u32; 2] = [3, 6];
    vec![
        Asked::theirs("KD-tree", KdTree::<D>::new),
        Asked::theirs("multilevel hashing", move || MultilevelHashing::<D>::with_classes(radius, &CLASSES)),
        Asked::theirs("hierarchical hashing", move || HierarchicalHashing::<D>::with_classes(radius, &CLASSES)),
        Asked::theirs("uniform hashing", move || UniformHashing::<D>::with_cell_size(radius)),
        Asked::ours(),
    ]
}

/// Asks everybody `repeats` times, in turn; times are medians. All have to give as many answers.
pub(super) fn ask<const D: usize>(
    asked: &[Asked<D>],
    boxes: &[Bounds<D>],
    questions: &Questions<D>,
    repeats: usize,
) -> Result<Vec<Answers>, Failure> {
    let mut rounds: Vec<Vec<Answers>> = vec![Vec::new(); asked.len()];
    for _ in 0..repeats {
        for (one, rounds) in asked.iter().zip(&mut rounds) {
            rounds.push((one.ask)(boxes, questions));
        }
    }
    let answers: Vec<Answers> = rounds
        .iter()
        .map(|rounds| Answers { milliseconds: median(rounds.iter().map(|round| round.milliseconds)), ..rounds[0] })
        .collect();
    match answers.iter().position(|answer| answer.found != answers[0].found) {
        Some(index) => Err(Failure::Disagreement { system: asked[index].name.to_owned(), boxes: boxes.len() }),
        None => Ok(answers),
    }
}

/// Curves of everybody: for each x, all answers.
pub(super) fn series<const D: usize>(
    asked: &[Asked<D>],
    points: &[(f64, Vec<Answers>)],
    quantity: fn(&Answers) -> f64,
) -> Vec<Series> {
    let one = |(index, one): (usize, &Asked<D>)| Series {
        name: one.name.to_owned(),
        role: one.role,
        family: one.name.to_owned(),
        variant: 0,
        points: points.iter().map(|(x, answers)| (*x, quantity(&answers[index]))).collect(),
        stopped: None,
    };
    asked.iter().enumerate().map(one).collect()
}
