//! A step whose images are kept apart by kind: a search of trees instead of detection.

use crossbeam::utils::CachePadded;

use super::images::ImagesOf;
use super::kinds::{Kinds, kind_of};
use super::owners::Owners;
use crate::build::sort::Sorted;
use crate::detect::DetectWorker;
use crate::detect::sink::{Consumer, Sink, refuse_missed};
use crate::engine::Engine;
use crate::engine::step::{rebuild, step};
use crate::isa::WIDTH;
use crate::kernel::hits::PairRoom;
use crate::lockfree::{Blocks, Cursor};
use crate::runtime::memory::{self, bytes_of};
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{Pair, Scalar};

/// The most images that a worker claims at a time.
const MOST_IMAGES: usize = 64;

/// The memory for searching images by kind; kept for the next step.
#[derive(Debug)]
pub(super) struct ByKind<S, const D: usize> {
    kinds: Kinds<S, D>,
    workers: Vec<CachePadded<Lists>>,
}

/// What a worker writes.
#[derive(Debug, Default)]
struct Lists {
    runs: Vec<[u32; 2]>,
    /// Images that one image meets.
    met: Vec<u32>,
}

impl<S: Scalar, const D: usize> ByKind<S, D> {
    pub(super) fn new() -> Self {
        ByKind { kinds: Kinds::new(), workers: Vec::new() }
    }

    pub(super) fn bytes(&self) -> usize {
        let lists =
            self.workers.iter().map(|lists| bytes_of::<[u32; 2]>(lists.runs.capacity()) + bytes_of::<u32>(lists.met.capacity()));
        self.kinds.bytes() + bytes_of::<CachePadded<Lists>>(self.workers.capacity()) + lists.sum::<usize>()
    }

    /// A step; its images are searched by kind or by the engine.
    pub(super) fn step<O: Objects<S, D> + ?Sized, C: Consumer>(
        &mut self,
        engine: &mut Engine<S, D>,
        (images, by_kind): (&ImagesOf<'_, S, D, O>, bool),
        team: Team,
        consumer: impl Fn() -> C + Sync,
        finish: impl Fn(C) + Sync,
    ) {
        if !by_kind {
            return step(engine, images, team, consumer, finish);
        }
        scope!("pivotgrid::step");
        let rebuilt = rebuild(engine, images, team);
        scope!("pivotgrid::detect", self.search(engine, &rebuilt.sorted, rebuilt.team, images.owners, consumer, finish));
        rebuilt.conclude(engine);
    }

    /// Finds the pairs of images that count. In parallel over images: reads the table and its copies, writes pairs.
    fn search<C: Consumer>(
        &mut self,
        engine: &mut Engine<S, D>,
        _: &Sorted,
        team: Team,
        owners: Owners<'_, D>,
        consumer: impl Fn() -> C + Sync,
        finish: impl Fn(C) + Sync,
    ) {
        let Engine { builder, detector, .. } = engine;
        let (budget, kernel, entries) = (&builder.budget, builder.kernel, builder.grid.oversized.end);
        let table = builder.table.columns(&builder.order).for_partners(entries);
        let kind = |image: u32| kind_of(owners.back(image as usize));
        self.kinds.fill(&table, entries, kind, &[&|entry| table.bounds(entry)], budget);
        while self.workers.len() < team.workers() {
            memory::push(&mut self.workers, CachePadded::default());
        }
        let (kinds, copies, count) = (&self.kinds, self.kinds.columns(&table), self.kinds.len());
        let (places, missed) = (Cursor::new(), Cursor::new());
        let stock = Blocks::new(&mut detector.pairs, 1);
        let workers =
            Blocks::new(&mut detector.workers[..team.workers()], 1).zip(Blocks::new(&mut self.workers[..team.workers()], 1));
        team.run(|| {
            let Some((_, [worker], [lists])) = workers.claim() else { return };
            let (DetectWorker { finder, overflow_pairs, .. }, Lists { runs, met }) = (&mut **worker, &mut **lists);
            let mut sink = Sink::new(&stock, overflow_pairs, budget, consumer());
            while let Some(claimed) = places.claim(team.claim(count, MOST_IMAGES), count) {
                for place in claimed {
                    let entry = kinds.entry(place);
                    kinds.list_runs(place, &[table.bounds(entry)], true, runs);
                    met.clear();
                    for &[begin, end] in &*runs {
                        finder.candidates += u64::from(end - begin);
                        kernel.partners(&table, entry, &copies, begin as usize..end as usize, met);
                    }
                    let own = table.id(entry);
                    for some in met.chunks(WIDTH) {
                        sink.room().extend(some.iter().map(|&other| Pair { a: own.min(other), b: own.max(other) }));
                    }
                }
                sink.settle();
                if sink.has_enough() {
                    // Ends the pass: the other workers find nothing left to claim.
                    places.take(count);
                    break;
                }
            }
            let (consumer, without_room) = sink.finish();
            missed.take(without_room);
            finish(consumer);
        });
        refuse_missed(missed.claimed(), team.workers(), budget);
        for worker in &mut detector.workers {
            memory::reserve(&mut detector.pairs, worker.overflow_pairs.len());
            detector.pairs.append(&mut worker.overflow_pairs);
        }
        self.even_out();
    }

    /// Gives all workers the same room: the division of work differs from step to step.
    fn even_out(&mut self) {
        let room = self
            .workers
            .iter()
            .fold((0, 0), |(runs, met), lists| (runs.max(lists.runs.capacity()), met.max(lists.met.capacity())));
        for lists in &mut self.workers {
            lists.runs.clear();
            lists.met.clear();
            memory::reserve_exact(&mut lists.runs, room.0);
            memory::reserve_exact(&mut lists.met, room.1);
        }
    }
}
