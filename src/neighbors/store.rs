//! Where rows lie: first where their finders put them, then behind one another in the order of the objects.

use crossbeam::utils::CachePadded;

use super::search::Search;
use super::shelf::{Place, Stock, block_size};
use crate::Scalar;
use crate::kernel::{Columns, PADDING};
use crate::lockfree::Blocks;
use crate::runtime::memory::{Budget, replace_if_short, reserve_with_slack};
use crate::runtime::prefetch::prefetch;
use crate::runtime::team::Team;

/// Indices that a worker copies at a time.
const COPIED: usize = 1 << 14;

/// How many rows ahead of the one at hand memory is asked for, so many indices at a time, and how many of a row: after that, the
/// processor sees by itself where it goes.
const AHEAD: usize = 16;
const LINE: usize = 16;
const MOST_FETCHED: usize = 4 * LINE;

/// The rows of a step, and the memory to find them in.
///
/// Workers write rows into blocks of a common stock, for the reason that detection does: how the work falls to them differs from step
/// to step. A row lies in one block, and is copied once to where it belongs.
#[derive(Debug)]
pub(super) struct Store<S, const D: usize> {
    pub(super) workers: Vec<CachePadded<Worker<S, D>>>,
    stock: Vec<Vec<u32>>,
    /// By object. Longer than needed, like those below.
    places: Vec<Place>,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    /// How long rows are expected to be at most: a block with less room is full.
    room: usize,
    objects: usize,
}

/// What a worker writes.
#[derive(Debug)]
pub(super) struct Worker<S, const D: usize> {
    pub(super) search: Search<S, D>,
    /// Blocks beyond the stock, with their numbers.
    pub(super) beyond: Vec<(usize, Vec<u32>)>,
    /// The length of its longest row.
    pub(super) longest: usize,
}

impl<S: Scalar, const D: usize> Store<S, D> {
    pub(super) fn new() -> Self {
        Store {
            workers: Vec::new(),
            stock: Vec::new(),
            places: Vec::new(),
            offsets: Vec::new(),
            indices: Vec::new(),
            room: 512,
            objects: 0,
        }
    }

    /// Makes room for the rows of so many objects.
    pub(super) fn prepare(&mut self, objects: usize, team: Team) {
        // There are some blocks beyond if the user's filter panicked in the last step.
        self.take_in();
        self.objects = 0;
        self.stock.iter_mut().for_each(Vec::clear);
        while self.workers.len() < team.workers() {
            self.workers.push(CachePadded::new(Worker { search: Search::new(), beyond: Vec::new(), longest: 0 }));
        }
        replace_if_short(&mut self.places, objects, &Budget::unlimited());
        replace_if_short(&mut self.offsets, objects + 1, &Budget::unlimited());
    }

    /// The workers, and what they share.
    pub(super) fn lend(&mut self) -> (Blocks<'_, CachePadded<Worker<S, D>>>, Stock<'_>) {
        let stock = Stock::new(&mut self.stock, &mut self.places, self.room);
        (Blocks::new(&mut self.workers, 1), stock)
    }

    /// Puts the rows of so many objects behind one another. Those of `rowless` are empty.
    pub(super) fn compress(&mut self, objects: usize, rowless: &[u32], table: &Columns<'_, S, D>, team: Team) {
        self.take_in();
        for &object in rowless {
            self.places[object as usize] = Place::default();
        }
        let mut total = 0;
        for (offset, [_, _, length]) in self.offsets[..objects].iter_mut().zip(&self.places) {
            *offset = total;
            total += *length as usize;
        }
        self.offsets[objects] = total;
        self.objects = objects;
        replace_if_short(&mut self.indices, total, &Budget::unlimited());

        let (offsets, places, stock) = (&self.offsets[..=objects], &self.places[..objects], &self.stock);
        let blocks = Blocks::new(&mut self.indices[..total], COPIED);
        team.at_most(total.div_ceil(COPIED)).run(|| {
            while let Some((first, block)) = blocks.claim() {
                copy(offsets, places, stock, first, block);
            }
        });
        self.even_out(total, table, team);
    }

    /// Makes sure that the next step finds room however the work falls to the workers, as long as there are not more neighbors.
    fn even_out(&mut self, total: usize, table: &Columns<'_, S, D>, team: Team) {
        let longest = self.workers.iter_mut().map(|worker| std::mem::take(&mut worker.longest)).max().unwrap_or(0);
        self.room = self.room.max(longest + longest / 4 + PADDING);
        let size = block_size(self.room);
        // A block is left when it has less room than this, and each worker may leave one early.
        let blocks = total.div_ceil(size - self.room) + team.workers();
        let blocks = if self.stock.len() < blocks { blocks + blocks / 16 } else { blocks };
        reserve_with_slack(&mut self.stock, blocks);
        while self.stock.len() < blocks {
            self.stock.push(Vec::new());
        }
        for block in &mut self.stock {
            block.clear();
            block.reserve_exact(size);
        }
        let most = self.workers.iter().map(|worker| worker.search.room());
        let most = most.fold([0; 2], |most, room| std::array::from_fn(|kind| most[kind].max(room[kind])));
        self.workers.iter_mut().for_each(|worker| worker.search.reserve(table, most));
    }

    /// Takes blocks that workers had to make into the stock, each at the place that its number says.
    fn take_in(&mut self) {
        let first = self.stock.len();
        let beyond: usize = self.workers.iter().map(|worker| worker.beyond.len()).sum();
        self.stock.resize_with(first + beyond, Vec::new);
        for worker in &mut self.workers {
            for (number, block) in worker.beyond.drain(..) {
                if let Some(place) = self.stock.get_mut(number) {
                    *place = block;
                }
            }
        }
    }

    pub(super) fn offsets(&self) -> &[usize] {
        self.offsets.get(..=self.objects).unwrap_or(&[0])
    }

    pub(super) fn indices(&self) -> &[u32] {
        self.offsets().last().map_or(&[], |&total| &self.indices[..total])
    }

    pub(super) fn bytes(&self) -> usize {
        let stock: usize = self.stock.iter().map(Vec::capacity).sum();
        let workers: usize = self.workers.iter().map(|worker| worker.search.bytes()).sum();
        (stock + self.indices.capacity()) * size_of::<u32>()
            + self.stock.capacity() * size_of::<Vec<u32>>()
            + self.places.capacity() * size_of::<Place>()
            + self.offsets.capacity() * size_of::<usize>()
            + self.workers.capacity() * size_of::<CachePadded<Worker<S, D>>>()
            + workers
    }
}

/// Copies what belongs to a part of the final rows, which begins at `first` and may begin and end in the midst of a row.
fn copy(offsets: &[usize], places: &[Place], stock: &[Vec<u32>], first: usize, part: &mut [u32]) {
    let at = |object: usize| {
        let [block, begin, _] = places[object].map(|word| word as usize);
        (&stock[block], begin)
    };
    // The last row that begins here or before: empty ones that begin at the same place come earlier.
    let mut object = offsets.partition_point(|&offset| offset <= first) - 1;
    let mut copied = 0;
    while copied < part.len() {
        if let Some(&[_, _, length]) = places.get(object + AHEAD) {
            for line in (0..MOST_FETCHED.min(length as usize)).step_by(LINE) {
                let (block, begin) = at(object + AHEAD);
                prefetch(block, begin + line);
            }
        }
        let (begin, end) = (offsets[object], offsets[object + 1]);
        if begin < end {
            let (block, place) = at(object);
            let skipped = first + copied - begin;
            let length = (end - begin - skipped).min(part.len() - copied);
            part[copied..copied + length].copy_from_slice(&block[place + skipped..place + skipped + length]);
            copied += length;
        }
        object += 1;
    }
}
