//! Chunked parallel pivots: tables only where objects are.

use std::ops::{Range, RangeInclusive};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use rayon::prelude::*;

use super::dense::TASK;
use super::domain::{CHUNKED_CELLS_PER_OBJECT, Domain, Extent, Layout};
use super::pool::{Chunk, Pool};
use super::records::Record;
use super::search::{Cells, DataTable, par_search};
use super::table::Ranged;
use crate::{Bounds, Pairs, System};

/// No chunk.
const NONE: u32 = u32::MAX;
/// Cells along a chunk's edge, by default.
const CHUNK_EDGE: u32 = 16;

/// Zhyhallo & Woźna-Szcześniak, section 2.2: the pivot table cut into chunks, which come from a pool and exist only where
/// objects are.
#[derive(Debug)]
pub struct ChunkedPivots {
    given: Option<Domain>,
    layout: Option<Layout>,
    table: Table,
}

#[derive(Debug)]
struct Table {
    /// The chunk's edge is a power of two, so that shifts do for divisions.
    edge_bits: u32,
    /// Chunks per row of the directory.
    columns: usize,
    /// Which chunk is where.
    directory: Vec<AtomicU32>,
    pool: Pool,
    records: Vec<Record>,
}

impl ChunkedPivots {
    /// Covers the boxes of each step, with at most 16 cells per object.
    pub fn new() -> Self {
        Self::with_chunks(None, CHUNK_EDGE)
    }

    /// Always covers the given domain, whatever that takes.
    pub fn with_domain(domain: Domain) -> Self {
        Self::with_chunks(Some(domain), CHUNK_EDGE)
    }

    /// With chunks of `edge` by `edge` cells, a power of two and at least 4, so that a chunk fills its cache lines.
    ///
    /// # Panics
    ///
    /// With another edge.
    pub fn with_chunks(domain: Option<Domain>, edge: u32) -> Self {
        assert!(edge.is_power_of_two() && edge >= 4, "a chunk's edge is a power of two from 4 on, not {edge}");
        let pool = Pool::new(edge as usize * edge as usize);
        let table = Table { edge_bits: edge.ilog2(), columns: 0, directory: Vec::new(), pool, records: Vec::new() };
        ChunkedPivots { given: domain, layout: None, table }
    }
}

impl Default for ChunkedPivots {
    fn default() -> Self {
        Self::new()
    }
}

impl System<2> for ChunkedPivots {
    fn update(&mut self, boxes: &[Bounds<2>]) {
        let layout = Layout::of(self.given, &Extent::par_of(boxes), CHUNKED_CELLS_PER_OBJECT);
        self.table.clear();
        self.table.resize(&layout, boxes.len());
        self.table.count(&layout, boxes);
        self.table.start_chunks();
        self.table.index_chunks();
        self.table.assign(&layout, boxes);
        self.layout = Some(layout);
    }

    fn report(&mut self, _: &[Bounds<2>], pairs: &mut Pairs) {
        if let Some(layout) = &self.layout {
            par_search(layout, &self.table, pairs);
        }
    }

    fn bytes(&self) -> usize {
        let Table { directory, pool, records, .. } = &self.table;
        directory.capacity() * size_of::<AtomicU32>() + pool.bytes() + records.capacity() * size_of::<Record>()
    }
}

/// The steps of the paper.
impl Table {
    /// Step 0: clears the chunks of the last step, and nothing else.
    fn clear(&mut self) {
        let (pool, directory) = (&self.pool, &self.directory);
        (0..pool.taken()).into_par_iter().for_each(|chunk| {
            let chunk = pool.chunk(chunk);
            chunk.pivots().for_each(|pivot| pivot.clear());
            chunk.head.objects.store(0, Relaxed);
            directory[chunk.head.place.load(Relaxed) as usize].store(NONE, Relaxed);
        });
        self.pool.give_back();
    }

    /// A directory in which nothing is, of the size that the scene has now.
    fn resize(&mut self, layout: &Layout, objects: usize) {
        let [columns, rows] = layout.domain.cells().map(|cells| cells.div_ceil(1 << self.edge_bits));
        self.columns = columns;
        self.directory.resize_with(columns * rows, || AtomicU32::new(NONE));
        // Each task may be left with one chunk that another was faster to replace.
        self.pool.reserve(self.directory.len().min(objects) + objects.div_ceil(TASK));
        self.records.resize_with(objects, Record::default);
    }

    /// Step 1: counts the objects of each chunk and of each of its cells. Who finds no chunk takes one from the pool, and if
    /// another thread was faster to put one into the directory, keeps it for the next time.
    fn count(&self, layout: &Layout, boxes: &[Bounds<2>]) {
        boxes.par_chunks(TASK).for_each(|boxes| {
            let mut spare = None;
            for bounds in boxes {
                let (place, pivot) = self.place(layout.domain.cell(bounds.min));
                // Acquire: with the release in `put_chunk`, so that the chunk's memory is there.
                let mut chunk = self.directory[place].load(Acquire);
                if chunk == NONE {
                    chunk = self.put_chunk(place, &mut spare);
                }
                let chunk = self.pool.chunk(chunk);
                chunk.pivot(pivot).count.fetch_add(1, Relaxed);
                chunk.head.objects.fetch_add(1, Relaxed);
            }
        });
    }

    #[cold]
    fn put_chunk(&self, place: usize, spare: &mut Option<u32>) -> u32 {
        let new = spare.take().unwrap_or_else(|| self.pool.allocate());
        self.pool.chunk(new).head.place.store(place as u32, Relaxed);
        match self.directory[place].compare_exchange(NONE, new, Release, Acquire) {
            Ok(_) => new,
            Err(faster) => {
                *spare = Some(new);
                faster
            }
        }
    }

    /// Step 2: where each chunk's records begin.
    fn start_chunks(&self) {
        let mut start = 0;
        for chunk in 0..self.pool.taken() {
            let head = self.pool.chunk(chunk).head;
            head.start.store(start, Relaxed);
            start += head.objects.load(Relaxed);
        }
    }

    /// Step 3: where each cell's records end.
    fn index_chunks(&self) {
        (0..self.pool.taken()).into_par_iter().for_each(|chunk| {
            let chunk = self.pool.chunk(chunk);
            let mut end = chunk.head.start.load(Relaxed);
            for pivot in chunk.pivots() {
                end += pivot.count.load(Relaxed);
                pivot.index.store(end, Relaxed);
            }
        });
    }

    /// Step 4: copies the objects to the data table, each cell's from its end.
    fn assign(&self, layout: &Layout, boxes: &[Bounds<2>]) {
        boxes.par_chunks(TASK).enumerate().for_each(|(task, boxes)| {
            for (k, bounds) in boxes.iter().enumerate() {
                let (place, pivot) = self.place(layout.domain.cell(bounds.min));
                let chunk = self.pool.chunk(self.directory[place].load(Relaxed));
                let record = chunk.pivot(pivot).index.fetch_sub(1, Relaxed) - 1;
                self.records[record as usize].set(bounds, (task * TASK + k) as u32);
            }
        });
    }
}

impl Table {
    /// A cell's place in the directory, and in the chunk there.
    #[inline]
    fn place(&self, [column, row]: [u32; 2]) -> (usize, usize) {
        let inside = (1 << self.edge_bits) - 1;
        let place = (row >> self.edge_bits) as usize * self.columns + (column >> self.edge_bits) as usize;
        (place, ((row & inside) << self.edge_bits | column & inside) as usize)
    }

    #[inline]
    fn chunk_at(&self, place: usize) -> Option<Chunk<'_>> {
        let chunk = self.directory[place].load(Relaxed);
        (chunk != NONE).then(|| self.pool.chunk(chunk))
    }
}

impl Cells for Table {
    /// The cells of a row follow each other in the data table as far as a chunk goes.
    #[inline]
    fn visit(&self, row: u32, columns: RangeInclusive<u32>, mut visit: impl FnMut(&[Record])) {
        let (mut first, last) = columns.into_inner();
        while first <= last {
            let last_in_chunk = last.min(first | ((1 << self.edge_bits) - 1));
            let (place, pivot) = self.place([first, row]);
            if let Some(chunk) = self.chunk_at(place) {
                let start = chunk.pivot(pivot).range().start;
                let end = chunk.pivot(pivot + (last_in_chunk - first) as usize).range().end;
                visit(&self.records[start..end]);
            }
            first = last_in_chunk + 1;
        }
    }
}

impl DataTable for Table {
    fn records(&self) -> &[Record] {
        &self.records
    }

    #[inline]
    fn range(&self, cell: [u32; 2]) -> Range<usize> {
        let (place, pivot) = self.place(cell);
        self.chunk_at(place).expect("there is a chunk where there is an object").pivot(pivot).range()
    }
}
