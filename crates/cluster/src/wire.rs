//! Boxes as words. A message is a row of sections, each padded to whole words, and only those that are needed:
//!
//! | section | bytes per box (f32, 3D) | there if |
//! |---|---|---|
//! | id | 8 | always |
//! | box | 24 | unless every object is a ball whose box follows from it |
//! | groups | 12 | some object has groups |
//! | ball | 16 | some object is a ball |
//! | shift | 16 | space is periodic |
//!
//! So a box takes 32 bytes, one with groups 44, a ball 24, a box of a periodic space 48.

use bytemuck::Pod;
use pivotgrid::{Aabb, Ball, Groups};

use crate::coordinate::Coordinate;
use crate::held::{Body, Held, Parcel};
use crate::space::Shift;

const BOXES: u64 = 1;
const GROUPS: u64 = 2;
const BALLS: u64 = 4;
const SHIFTS: u64 = 8;

/// The sections that some parcels need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Format(pub(crate) u64);

impl Format {
    #[inline]
    pub(crate) fn add<S: Coordinate, const D: usize>(&mut self, parcel: &Parcel<S, D>, is_periodic: bool) {
        let body = &parcel.body;
        let follows = body.ball.is_some_and(|ball| ball.aabb() == body.bounds);
        self.0 |= if follows { 0 } else { BOXES };
        self.0 |= if body.groups == Groups::ALL { 0 } else { GROUPS };
        self.0 |= if body.ball.is_some() { BALLS } else { 0 };
        self.0 |= if is_periodic { SHIFTS } else { 0 };
    }

    pub(crate) fn has_bodies(self) -> bool {
        self.0 & (GROUPS | BALLS) != 0
    }

    fn has(self, section: u64) -> bool {
        self.0 & section != 0
    }

    /// The words of `count` boxes.
    pub(crate) fn words<S: Coordinate, const D: usize>(self, count: usize) -> usize {
        let section = |section: u64, bytes: usize| if self.has(section) { (count * bytes).div_ceil(8) } else { 0 };
        count
            + section(BOXES, size_of::<Aabb<S, D>>())
            + section(GROUPS, size_of::<[u32; 3]>())
            + section(BALLS, (D + 1) * size_of::<S>())
            + section(SHIFTS, (D + 1) * size_of::<u32>())
    }
}

/// Writes parcels in their format. `ids` are those of all own objects.
pub(crate) fn write<'a, S: Coordinate, const D: usize>(
    mut words: &mut [u64],
    format: Format,
    ids: &[u64],
    count: usize,
    parcels: impl Iterator<Item = &'a Parcel<S, D>> + Clone,
) {
    let each = || parcels.clone();
    fill(section(&mut words, count, 1), each().map(|parcel| ids[parcel.index as usize]));
    if format.has(BOXES) {
        fill(section(&mut words, count, 1), each().map(|parcel| parcel.body.bounds));
    }
    if format.has(GROUPS) {
        let groups = each().flat_map(|parcel| {
            let Groups { member, mask, body } = parcel.body.groups;
            [member, mask, body]
        });
        fill(section(&mut words, count, 3), groups);
    }
    if format.has(BALLS) {
        let balls = each().flat_map(|parcel| {
            // A box among balls has no radius.
            let ball = parcel.body.ball.unwrap_or(Ball { center: [S::NAN; D], radius: S::NAN });
            ball.center.into_iter().chain([ball.radius])
        });
        fill(section(&mut words, count, D + 1), balls);
    }
    if format.has(SHIFTS) {
        let shifts = each().flat_map(|parcel| parcel.shift.periods.map(|n| n as u32).into_iter().chain([parcel.shift.axes]));
        fill(section(&mut words, count, D + 1), shifts);
    }
}

/// Reads boxes and appends them to what a rank holds.
pub(crate) fn read<S: Coordinate, const D: usize>(
    words: &[u64],
    format: Format,
    count: usize,
    held: &mut Held<S, D>,
    is_periodic: bool,
    has_bodies: bool,
) {
    let mut rest = words;
    let ids: &[u64] = part(&mut rest, count);
    let boxes: &[Aabb<S, D>] = part(&mut rest, if format.has(BOXES) { count } else { 0 });
    let groups: &[u32] = part(&mut rest, if format.has(GROUPS) { count * 3 } else { 0 });
    let balls: &[S] = part(&mut rest, if format.has(BALLS) { count * (D + 1) } else { 0 });
    let shifts: &[u32] = part(&mut rest, if format.has(SHIFTS) { count * (D + 1) } else { 0 });
    for (index, &id) in ids.iter().enumerate() {
        let groups = groups.get(index * 3..index * 3 + 3);
        let groups = groups.map_or(Groups::ALL, |of| Groups::new(of[0], of[1]).of_body(of[2]));
        let ball = balls
            .get(index * (D + 1)..(index + 1) * (D + 1))
            .map(|of| Ball { center: std::array::from_fn(|axis| of[axis]), radius: of[D] });
        #[allow(clippy::eq_op, reason = "a NaN is the only number that differs from itself")]
        let ball = ball.filter(|ball| ball.radius == ball.radius);
        // Without a section of boxes, all are balls.
        let follows = || ball.map_or(Aabb { min: [S::NAN; D], max: [S::NAN; D] }, |ball| ball.aabb());
        let bounds = boxes.get(index).copied().unwrap_or_else(follows);
        let shift = shifts
            .get(index * (D + 1)..(index + 1) * (D + 1))
            .map_or(Shift::NONE, |of| Shift { periods: std::array::from_fn(|axis| of[axis] as i32), axes: of[D] });
        held.push(id, Body { bounds, groups, ball }, shift, is_periodic, has_bodies);
    }
}

/// The next section: `count` times a fixed number of items.
fn section<'a, T: Pod>(words: &mut &'a mut [u64], count: usize, items: usize) -> &'a mut [T] {
    let bytes = count * items * size_of::<T>();
    let (section, rest) = std::mem::take(words).split_at_mut(bytes.div_ceil(8));
    *words = rest;
    bytemuck::cast_slice_mut(&mut bytemuck::cast_slice_mut::<u64, u8>(section)[..bytes])
}

fn fill<T: Pod>(section: &mut [T], items: impl Iterator<Item = T>) {
    section.iter_mut().zip(items).for_each(|(place, item)| *place = item);
}

fn part<'a, T: Pod>(words: &mut &'a [u64], items: usize) -> &'a [T] {
    let bytes = items * size_of::<T>();
    let (section, rest) = words.split_at(bytes.div_ceil(8));
    *words = rest;
    bytemuck::cast_slice(&bytemuck::cast_slice::<u64, u8>(section)[..bytes])
}
