//! Stores the rows of the workers until `output.rs` puts them into the order of the particles.

use crossbeam::utils::CachePadded;

use super::row_sink::{BlockPool, RowPlace, block_size};
use super::search::RowSearch;
use crate::Scalar;
use crate::layout::columns::{Columns, PADDING};
use crate::lockfree::Blocks;
use crate::periodic::Kinds;
use crate::runtime::memory::{self, Budget, replace_if_short};
use crate::runtime::team::Team;

/// The expected length of the longest row, before any row was found.
const FIRST_ROOM: usize = 512;

/// The memory for finding rows.
///
/// Workers write rows into blocks of a common stock, for the same reason as in detection: the division of work among them differs from step
/// to step. A row lies in one block, and is copied once to its final place.
#[derive(Debug)]
pub(super) struct RowStore<S, const D: usize> {
    workers: Vec<CachePadded<RowWorker<S, D>>>,
    stock: Vec<Vec<u32>>,
    /// By object. May be longer than needed.
    places: Vec<RowPlace>,
    /// The expected length of the longest row: a block with less room counts as full.
    room: usize,
    /// Images by kind, if they are searched so.
    pub(super) kinds: Kinds<S, D>,
}

/// What a worker writes.
#[derive(Debug)]
pub(super) struct RowWorker<S, const D: usize> {
    pub(super) search: RowSearch<S, D>,
    /// Blocks beyond the stock, with their numbers.
    pub(super) overflow: Vec<(usize, Vec<u32>)>,
    /// The length of its longest row.
    pub(super) longest: usize,
}

impl<S: Scalar, const D: usize> RowStore<S, D> {
    pub(super) fn new() -> Self {
        RowStore { workers: Vec::new(), stock: Vec::new(), places: Vec::new(), room: FIRST_ROOM, kinds: Kinds::new() }
    }

    /// Makes room for the rows of `objects` objects.
    pub(super) fn prepare(&mut self, objects: usize, team: Team, budget: &Budget) {
        // There are some overflow blocks if the user's filter panicked in the last step.
        self.take_in();
        self.stock.iter_mut().for_each(Vec::clear);
        while self.workers.len() < team.workers() {
            let worker = RowWorker { search: RowSearch::new(), overflow: Vec::new(), longest: 0 };
            memory::push(&mut self.workers, CachePadded::new(worker));
        }
        replace_if_short(&mut self.places, objects, budget);
    }

    /// The first workers, what they share, and images by kind.
    pub(super) fn lend<'a>(
        &'a mut self,
        workers: usize,
        budget: &'a Budget,
    ) -> (Blocks<'a, CachePadded<RowWorker<S, D>>>, BlockPool<'a>, &'a Kinds<S, D>) {
        let stock = BlockPool::new(&mut self.stock, &mut self.places, self.room, budget);
        (Blocks::new(&mut self.workers[..workers], 1), stock, &self.kinds)
    }

    /// Ends the search: the rows of `rowless` are empty.
    pub(super) fn settle(&mut self, rowless: &[u32]) {
        self.take_in();
        for &object in rowless {
            self.places[object as usize] = RowPlace::default();
        }
    }

    /// The rows of the first objects, wherever they lie.
    pub(super) fn found(&self, objects: usize) -> Found<'_> {
        Found { places: &self.places[..objects], stock: &self.stock }
    }

    /// Makes sure that the next step has room, however its work is divided among the workers, as long as there are no more neighbors than
    /// now.
    pub(super) fn even_out(&mut self, total: usize, table: &Columns<'_, S, D>, team: Team, budget: &Budget) {
        let longest = self.workers.iter_mut().map(|worker| std::mem::take(&mut worker.longest)).max().unwrap_or(0);
        self.room = self.room.max(longest + longest / 4 + PADDING);
        let size = block_size(self.room);
        // A block is left when it has less room than this, and each worker may leave one early.
        let blocks = total.div_ceil(size - self.room) + team.workers();
        let blocks = if self.stock.len() < blocks { blocks + blocks / 16 } else { blocks };
        self.stock.iter_mut().for_each(Vec::clear);
        // Memory that is only a reserve for the next step may be refused without harm.
        if self.stock.len() < blocks && budget.stock_up_with_slack(&mut self.stock, blocks) {
            self.stock.resize_with(blocks, Vec::new);
        }
        for block in &mut self.stock {
            if !budget.stock_up(block, size) {
                break;
            }
        }
        let most = self.workers.iter().map(|worker| worker.search.room());
        let most = most.fold([0; 4], |most, room| std::array::from_fn(|kind| most[kind].max(room[kind])));
        self.workers.iter_mut().for_each(|worker| worker.search.reserve(table, most));
    }

    /// Moves the overflow blocks of the workers into the stock, each to the place of its number.
    fn take_in(&mut self) {
        let first = self.stock.len();
        let overflow: usize = self.workers.iter().map(|worker| worker.overflow.len()).sum();
        memory::reserve(&mut self.stock, overflow);
        self.stock.resize_with(first + overflow, Vec::new);
        for worker in &mut self.workers {
            for (number, block) in worker.overflow.drain(..) {
                if let Some(place) = self.stock.get_mut(number) {
                    *place = block;
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let stock: usize = self.stock.iter().map(Vec::capacity).sum();
        let workers: usize = self.workers.iter().map(|worker| worker.search.bytes()).sum();
        stock * size_of::<u32>()
            + self.stock.capacity() * size_of::<Vec<u32>>()
            + self.places.capacity() * size_of::<RowPlace>()
            + self.workers.capacity() * size_of::<CachePadded<RowWorker<S, D>>>()
            + self.kinds.bytes()
            + workers
    }
}

/// The rows of a search, each in one piece, in no order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<'a> {
    places: &'a [RowPlace],
    stock: &'a [Vec<u32>],
}

impl<'a> Found<'a> {
    /// The row of an object.
    #[inline(always)]
    pub(super) fn row(&self, object: usize) -> &'a [u32] {
        let [block, begin, length] = self.places[object].map(|word| word as usize);
        // An empty row may have no block.
        if length == 0 { &[] } else { &self.stock[block][begin..begin + length] }
    }

    #[inline(always)]
    pub(super) fn row_len(&self, object: usize) -> usize {
        self.places[object][2] as usize
    }

    /// The block of an object's row, where it begins there, and how long it is, if there is such an object.
    #[inline(always)]
    pub(super) fn place(&self, object: usize) -> Option<(&'a [u32], usize, usize)> {
        let [block, begin, length] = self.places.get(object)?.map(|word| word as usize);
        self.stock.get(block).map(|block| (&block[..], begin, length))
    }
}
