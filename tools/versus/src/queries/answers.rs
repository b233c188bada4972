//! Where respondents that come without a batch of their own keep their answers, and how their queries are shared out.

use rayon::prelude::*;

/// QuerySet that a thread answers at a time.
const BLOCK: usize = 256;
/// Rows that are copied at a time.
const COPIED: usize = 1 << 13;

/// Rows of objects, block by block of queries. Nothing is copied together afterwards. Kept between rounds.
#[derive(Debug, Default)]
pub(super) struct Answers {
    blocks: Vec<Block>,
}

/// The rows of some queries.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The query's index, and where its row ends.
    rows: Vec<(u32, u32)>,
    items: Vec<u32>,
}

impl Block {
    /// Adds the row of a query; `find` appends what is found.
    #[inline(always)]
    pub(super) fn add_row(&mut self, query: usize, find: impl FnOnce(&mut Vec<u32>)) {
        find(&mut self.items);
        self.rows.push((query as u32, self.items.len() as u32));
    }
}

impl Answers {
    /// Replaces the answers by those of `answer`, which is given queries by number, in blocks, and adds a row for each.
    pub(super) fn fill(&mut self, queries: usize, answer: impl Fn(std::ops::Range<usize>, &mut Block) + Sync) {
        self.blocks.resize_with(queries.div_ceil(BLOCK), Block::default);
        self.blocks.par_iter_mut().enumerate().for_each(|(number, block)| {
            block.rows.clear();
            block.items.clear();
            answer(number * BLOCK..((number + 1) * BLOCK).min(queries), block);
        });
    }

    /// The same for neighbor lists: then the rows are copied together in the order of the queries, so that each is found by its
    /// owner's index. That is what a particle code works with, and what pivotgrid's lists are.
    pub(super) fn fill_lists(
        &mut self,
        owners: usize,
        answer: impl Fn(std::ops::Range<usize>, &mut Block) + Sync,
        lists: &mut Lists,
    ) {
        self.fill(owners, answer);
        lists.places.resize(owners, (0, 0, 0));
        for (number, block) in (0..).zip(&self.blocks) {
            let mut begin = 0;
            for &(owner, end) in &block.rows {
                lists.places[owner as usize] = (number, begin, end - begin);
                begin = end;
            }
        }
        lists.offsets.clear();
        lists.offsets.push(0);
        let mut total = 0;
        lists.offsets.extend(lists.places.iter().map(|&(.., length)| {
            total += length as usize;
            total
        }));
        lists.items.resize(total, 0);
        copy(&self.blocks, &lists.places, &mut lists.items);
    }

    pub(super) fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for block in &self.blocks {
            let mut begin = 0;
            for &(query, end) in &block.rows {
                summary.add_row(query as usize, block.items[begin..end as usize].iter().copied());
                begin = end as usize;
            }
        }
        summary
    }
}

/// Neighbor lists in compressed rows. Kept between rounds.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// By owner: the block, and where in it the row begins, and its length.
    places: Vec<(u32, u32, u32)>,
    offsets: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    pub(super) fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for (owner, ends) in self.offsets.windows(2).enumerate() {
            summary.add_row(owner, self.items[ends[0]..ends[1]].iter().copied());
        }
        summary
    }
}

/// Copies rows behind one another, in parallel.
fn copy(blocks: &[Block], places: &[(u32, u32, u32)], items: &mut [u32]) {
    if places.len() <= COPIED {
        let mut rest = items;
        for &(block, begin, length) in places {
            let (row, others) = rest.split_at_mut(length as usize);
            row.copy_from_slice(&blocks[block as usize].items[begin as usize..][..length as usize]);
            rest = others;
        }
        return;
    }
    let (left, right) = places.split_at(places.len() / 2);
    let (left_items, right_items) = items.split_at_mut(left.iter().map(|&(.., length)| length as usize).sum());
    rayon::join(|| copy(blocks, left, left_items), || copy(blocks, right, right_items));
}

/// What the answers of two respondents are compared by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    /// How much was found, all in all.
    pub(super) found: usize,
    /// A digest of what each query found, independent of the order.
    digest: u64,
}

impl Summary {
    pub(super) fn add_row(&mut self, query: usize, row: impl Iterator<Item = u32>) {
        for object in row {
            self.found += 1;
            self.digest = self.digest.wrapping_add(mix(query, object));
        }
    }

    /// Where a ray hits something. What it is is left out: of two objects that are hit at once, either will do.
    pub(super) fn add_hit(&mut self, query: usize, t: f32) {
        self.found += 1;
        self.digest = self.digest.wrapping_add(mix(query, t.to_bits()));
    }
}

fn mix(query: usize, what: u32) -> u64 {
    let bits = ((query as u64) << 32 | u64::from(what)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (bits ^ bits >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ bits >> 32
}
