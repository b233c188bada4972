//! The levels of a step, and the choice of an object's level.

use std::ops::Deref;

use super::{Coords, Level, Thin};
use crate::runtime::memory;
use crate::{Aabb, Scalar};

/// The most levels there can be. Few levels are better than many: a pair of levels costs every chunk of the one a look into the
/// other.
pub(crate) const MAX_LEVELS: usize = 16;
const _: () = assert!(MAX_LEVELS <= u32::BITS as usize, "a bit for each level that another looks into");

/// A level, and its place among others.
#[derive(Clone, Debug)]
pub(crate) struct Member<S, const D: usize> {
    pub(crate) level: Level<S, D>,
    /// The logarithm of its chunks' size. Levels are stored from small chunks to large ones.
    pub(crate) chunk_size: f64,
    /// The logarithm of its largest objects' size. An object goes to the first level in this order that takes it.
    pub(crate) object_size: f64,
    /// Whether it takes every object that fits, or only those that a map sends there.
    pub(crate) by_size: bool,
}

/// The levels of a step. As a slice: from small chunks to large ones.
///
/// Which level an object is in never decides about a pair. A bad choice is slow, never wrong.
#[derive(Debug)]
pub(crate) struct Levels<S, const D: usize> {
    levels: Vec<Level<S, D>>,
    members: Vec<Member<S, D>>,
    /// For each level, the regions in which its objects are few, and so go to another level.
    thin: Vec<Option<Thin<S, D>>>,
    /// The levels that take objects by size, in the order in which they are tried.
    order: Vec<usize>,
    /// For each level, a bit for each level that its chunks look into. Of two levels, the one or the other does.
    looks_into: [u32; MAX_LEVELS],
    /// For each level, the cells whose objects no level takes: crowds that no cells separate.
    refused: Vec<Option<Thin<S, D>>>,
}

/// Where an object lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Assigned {
    pub(crate) level: usize,
    pub(crate) cell: Coords,
    /// How many cells it reaches beyond that.
    pub(crate) span: Coords,
}

impl<S, const D: usize> Default for Levels<S, D> {
    fn default() -> Self {
        Levels {
            levels: Vec::new(),
            members: Vec::new(),
            thin: Vec::new(),
            order: Vec::new(),
            looks_into: [0; MAX_LEVELS],
            refused: Vec::new(),
        }
    }
}

impl<S, const D: usize> Deref for Levels<S, D> {
    type Target = [Level<S, D>];

    fn deref(&self) -> &[Level<S, D>] {
        &self.levels
    }
}

impl<S: Scalar, const D: usize> Levels<S, D> {
    /// A copy, in memory that may be refused.
    pub(crate) fn duplicate(&self) -> Self {
        Levels {
            levels: memory::collect(self.levels.iter().copied()),
            members: memory::collect(self.members.iter().cloned()),
            thin: memory::collect(self.thin.iter().map(|thin| thin.as_ref().map(Thin::duplicate))),
            order: memory::collect(self.order.iter().copied()),
            looks_into: self.looks_into,
            refused: memory::collect(self.refused.iter().map(|refused| refused.as_ref().map(Thin::duplicate))),
        }
    }

    /// Adds a level and returns its number; those of larger chunks move up by one. Levels of smaller chunks look into it, and it looks into
    /// those of larger ones. So a look finds few chunks; in the opposite direction it might find many, or look for many in vain.
    pub(crate) fn insert(&mut self, member: Member<S, D>) -> usize {
        assert!(self.levels.len() < MAX_LEVELS);
        let at = self.members.partition_point(|other| other.chunk_size <= member.chunk_size);
        memory::reserve(&mut self.levels, 1);
        memory::reserve(&mut self.members, 1);
        memory::reserve(&mut self.thin, 1);
        self.levels.insert(at, member.level);
        self.members.insert(at, member);
        self.thin.insert(at, None);
        memory::reserve(&mut self.refused, 1);
        self.refused.insert(at, None);
        for to in self.thin.iter_mut().flatten().filter_map(|thin| thin.to.as_mut()) {
            *to += usize::from(*to >= at);
        }
        self.looks_into.copy_within(at..MAX_LEVELS - 1, at + 1);
        let below = (1 << at) - 1;
        for (level, looks) in self.looks_into.iter_mut().enumerate() {
            let moved = (*looks & below) | (*looks & !below) << 1;
            *looks = moved | u32::from(level < at) << at;
        }
        self.looks_into[at] = !below << 1;
        self.sort();
        at
    }

    /// Makes the chunks of one level look into another, and not the other way round.
    pub(crate) fn look_from(&mut self, from: usize, into: usize) {
        self.looks_into[from] |= 1 << into;
        self.looks_into[into] &= !(1 << from);
    }

    /// Whether the chunks of one level look into another.
    #[inline]
    pub(crate) fn looks_into(&self, from: usize, into: usize) -> bool {
        self.looks_into[from] >> into & 1 == 1
    }

    /// Replaces a level that no other one sends objects to, and returns the new one's number.
    pub(crate) fn replace(&mut self, level: usize, member: Member<S, D>) -> usize {
        self.levels.remove(level);
        self.members.remove(level);
        self.thin.remove(level);
        self.refused.remove(level);
        for to in self.thin.iter_mut().flatten().filter_map(|thin| thin.to.as_mut()) {
            *to -= usize::from(*to > level);
        }
        self.looks_into.copy_within(level + 1.., level);
        let below = (1 << level) - 1;
        for looks in &mut self.looks_into {
            *looks = (*looks & below) | (*looks >> 1 & !below);
        }
        self.insert(member)
    }

    fn sort(&mut self) {
        let by_size = (0..self.members.len()).filter(|&level| self.members[level].by_size);
        self.order = memory::collect(by_size);
        let size = |level: usize| self.members[level].object_size;
        self.order.sort_unstable_by(|&a, &b| size(a).total_cmp(&size(b)).then(a.cmp(&b)));
    }

    /// Sends the objects of a level away where they are few.
    pub(crate) fn set_thin(&mut self, level: usize, thin: Thin<S, D>) {
        self.thin[level] = Some(thin);
    }

    /// The regions in which objects of a level are few, and so go to another level.
    pub(crate) fn thin(&self, level: usize) -> Option<&Thin<S, D>> {
        self.thin[level].as_ref()
    }

    /// Refuses the objects of some cells of a level, which `crowds` counts: no level takes them.
    pub(crate) fn refuse(&mut self, level: usize, crowds: Thin<S, D>) {
        self.refused[level] = Some(crowds);
    }

    /// The cells of a level whose objects no level takes.
    pub(crate) fn refused(&self, level: usize) -> Option<&Thin<S, D>> {
        self.refused[level].as_ref()
    }

    pub(crate) fn member(&self, level: usize) -> &Member<S, D> {
        &self.members[level]
    }

    /// Makes all cells twice as large along each axis.
    pub(crate) fn coarsen(&mut self) {
        for (level, member) in self.levels.iter_mut().zip(&mut self.members) {
            *level = level.doubled();
            member.level = *level;
            member.chunk_size += D as f64;
        }
    }

    /// The levels that take objects by size, in the order in which they are tried.
    #[inline(always)]
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    /// Where a box lives; nothing if no level takes it.
    #[inline]
    pub(crate) fn assign(&self, bounds: &Aabb<S, D>) -> Option<Assigned> {
        let is_only = self.levels.len() == 1;
        let home = self.order.iter().find_map(|&level| {
            let (cell, span, fits) = self.levels[level].measure(bounds);
            let fits = fits && (is_only || self.levels[level].admits(bounds, cell));
            if fits { self.settle(bounds, Assigned { level, cell, span }) } else { None }
        });
        home.filter(|home| self.refused[home.level].as_ref().is_none_or(|crowds| crowds.is_thin(&bounds.min)))
    }

    /// The same for a box that fits a level: where objects are few, another level takes it, or none of those that were tried yet.
    #[inline]
    pub(crate) fn settle(&self, bounds: &Aabb<S, D>, mut home: Assigned) -> Option<Assigned> {
        while let Some(thin) = &self.thin[home.level]
            && thin.is_thin(&bounds.min)
        {
            let to = thin.to?;
            let (cell, span, fits) = self.levels[to].measure(bounds);
            if !fits || !self.levels[to].admits(bounds, cell) {
                break;
            }
            home = Assigned { level: to, cell, span };
        }
        Some(home)
    }

    pub(crate) fn bytes(&self) -> usize {
        let thin: usize = self.thin.iter().chain(&self.refused).flatten().map(Thin::bytes).sum();
        let per_level = size_of::<Level<S, D>>() + size_of::<Member<S, D>>() + size_of::<Option<Thin<S, D>>>();
        self.levels.capacity() * per_level + thin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(cell: f64, most: f64, by_size: bool) -> Member<f32, 2> {
        let level = Level::new([0.0; 2], [cell; 2], [1, 1, 0]).taking([most, most, 0.0]);
        Member { level, chunk_size: 2.0 * cell.log2(), object_size: 2.0 * most.log2(), by_size }
    }

    fn cube(at: f32, edge: f32) -> Aabb<f32, 2> {
        Aabb::new([at; 2], [at + edge; 2])
    }

    #[test]
    fn the_order_of_looking_is_not_that_of_fitting() {
        let mut levels = Levels::default();
        // Large cells for small objects, and small cells for larger ones.
        assert_eq!(levels.insert(member(16.0, 0.5, true)), 0);
        assert_eq!(levels.insert(member(4.0, 2.0, true)), 0);
        let home = |edge: f32| levels.assign(&cube(0.0, edge)).map(|home| home.level);
        assert_eq!((home(0.5), home(0.6), home(2.0), home(3.0)), (Some(1), Some(0), Some(0), None));
        assert_eq!(levels.order(), [1, 0]);
    }

    #[test]
    fn a_single_level_takes_what_its_cells_hold() {
        let mut levels = Levels::default();
        levels.insert(member(4.0, 1.0, true));
        assert_eq!(levels.assign(&cube(1.0, 3.0)), Some(Assigned { level: 0, cell: [0; 3], span: [1, 1, 0] }));
        assert!(levels.assign(&cube(1e30, 0.0)).is_some() && levels.assign(&cube(1.0, 100.0)).is_none());
    }

    #[test]
    fn where_objects_are_few_they_go_to_the_coarse_level_whatever_is_inserted_later() {
        let mut levels = Levels::default();
        let fine = levels.insert(member(1.0, 1.0, true));
        let coarse = levels.insert(member(64.0, 1.0, false));
        let mut thin = Thin::new(Some(coarse), *levels.first_chunk::<1>().map(|[level]| level).unwrap(), 64, 3);
        (0..9).for_each(|_| thin.add(&[5.5; 2]));
        levels.set_thin(fine, thin);
        let between = levels.insert(member(8.0, 4.0, true));
        assert_eq!((fine, between), (0, 1));
        let home = |at: f32, edge: f32| levels.assign(&cube(at, edge)).map(|home| home.level);
        assert_eq!((home(5.5, 0.5), home(50.5, 0.5), home(50.5, 3.0)), (Some(0), Some(2), Some(1)));
        assert!(levels.thin(0).is_some() && levels.bytes() > 0);
    }

    #[test]
    fn a_level_for_crowds_leaves_the_others_to_those_tried_next() {
        let mut levels = Levels::default();
        let all = levels.insert(member(16.0, 1.0, true));
        let mut crowds = Thin::new(None, levels[all], 64, 3);
        (0..9).for_each(|_| crowds.add(&[5.5; 2]));
        let fine = levels.insert(member(1.0, 1.0, true));
        levels.set_thin(fine, crowds);
        assert_eq!((fine, levels.order()), (0, &[0, 1][..]));
        let home = |at: f32| levels.assign(&cube(at, 0.5)).map(|home| home.level);
        assert_eq!((home(5.5), home(50.5)), (Some(0), Some(1)));
        assert_eq!(levels.replace(0, member(32.0, 1.0, true)), 1);
        assert_eq!(levels[0].cell_size()[0], 16.0);
    }

    /// However levels come and go, of any two, exactly one looks into the other.
    #[test]
    fn of_two_levels_one_looks_into_the_other() {
        let mut levels = Levels::default();
        let check = |levels: &Levels<f32, 2>| {
            for a in 0..levels.len() {
                assert!(!levels.looks_into(a, a));
                (0..a).for_each(|b| assert!(levels.looks_into(a, b) != levels.looks_into(b, a), "{a} and {b}"));
            }
        };
        for cell in [8.0, 1.0, 64.0, 4.0, 16.0, 2.0] {
            levels.insert(member(cell, 1.0, true));
            check(&levels);
        }
        assert!((1..6).all(|level| levels.looks_into(level - 1, level)));
        levels.look_from(4, 1);
        check(&levels);
        // 1, 2, 4, 8, 16, 64: the one of 16 looks into the one of 2, also when a new one is put between or one is removed.
        assert_eq!(levels.insert(member(3.0, 1.0, true)), 2);
        assert!(levels.looks_into(5, 1) && levels.looks_into(1, 2));
        check(&levels);
        assert_eq!(levels.replace(3, member(100.0, 1.0, true)), 6);
        assert!(levels.looks_into(4, 1) && levels.looks_into(4, 6));
        check(&levels);
        assert_eq!(levels.replace(0, member(1.0, 1.0, true)), 0);
        assert!(levels.looks_into(4, 1) && levels.looks_into(0, 4));
        check(&levels);
    }
}
