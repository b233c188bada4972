//! The caller's objects, as the engine reads them: where they lie, without a copy.

use engine::{Aabb, Ball, Bounded, Groups, Scalar};

use crate::memory::{In, Plain, Strided, User, as_boxes, as_slice, reserve};
use crate::status::{Error, PG_ERROR_TYPE, Result, ensure};
use crate::types::{
    PG_F32, PG_F64, PG_REJECTED_BEYOND_INDEX, PG_REJECTED_INVERTED, PG_REJECTED_LARGER_THAN_PERIOD, PG_REJECTED_NAN,
    PG_REJECTED_OTHERWISE, PG_REJECTED_TOO_FAR_OUT, pg_array, pg_groups, pg_objects, pg_rejected,
};

/// A coordinate of C.
pub(crate) trait Real: Scalar + Plain + Into<f64> {
    const TAG: u32;
    const INFINITE: Self;

    fn of(value: f64) -> Self;
}

impl Real for f32 {
    const TAG: u32 = PG_F32;
    const INFINITE: Self = f32::INFINITY;

    fn of(value: f64) -> Self {
        value as f32
    }
}

impl Real for f64 {
    const TAG: u32 = PG_F64;
    const INFINITE: Self = f64::INFINITY;

    fn of(value: f64) -> Self {
        value
    }
}

/// Makes a boxed value of the type that scalar and number of dimensions name.
macro_rules! of_type {
    ($scalar:expr, $dimensions:expr, $make:ident ( $($argument:expr),* )) => {
        match ($scalar, $dimensions) {
            ($crate::types::PG_F32, 2) => Ok(Box::new($make::<f32, 2>($($argument),*)?) as _),
            ($crate::types::PG_F32, 3) => Ok(Box::new($make::<f32, 3>($($argument),*)?) as _),
            ($crate::types::PG_F64, 2) => Ok(Box::new($make::<f64, 2>($($argument),*)?) as _),
            ($crate::types::PG_F64, 3) => Ok(Box::new($make::<f64, 3>($($argument),*)?) as _),
            (scalar, dimensions) => Err($crate::objects::no_such_type(scalar, dimensions)),
        }
    };
}
pub(crate) use of_type;

pub(crate) fn no_such_type(scalar: u32, dimensions: u32) -> Error {
    let message =
        format_args!("scalar {scalar} in {dimensions} dimensions; there are PG_F32 (1) and PG_F64 (2) in 2 and 3 dimensions");
    Error::new(PG_ERROR_TYPE, message)
}

/// Checks that a struct has the scalar and the dimension of its handle.
pub(crate) fn check_type<S: Real, const D: usize>(scalar: u32, dimensions: u32, what: &str) -> Result {
    ensure!(
        (1..=2).contains(&scalar) && (2..=3).contains(&dimensions),
        PG_ERROR_TYPE,
        "{}",
        no_such_type(scalar, dimensions).message
    );
    let is_same = scalar == S::TAG && dimensions as usize == D;
    ensure!(is_same, PG_ERROR_TYPE, "{what} are scalar {scalar} in {dimensions} dimensions, the handle is {} in {D}", S::TAG);
    Ok(())
}

/// The caller's filter of pairs.
#[derive(Clone, Copy, Debug)]
struct Filter {
    wanted: extern "C" fn(User, u32, u32) -> std::ffi::c_int,
    user: User,
}

#[derive(Clone, Copy, Debug)]
enum Shapes<S, const D: usize> {
    Boxes { min: Strided<[S; D]>, max: Strided<[S; D]> },
    Balls { center: Strided<[S; D]>, radius: Strided<S> },
}

/// Checked objects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Objects<S, const D: usize> {
    shapes: Shapes<S, D>,
    groups: Option<Strided<pg_groups>>,
    filter: Option<Filter>,
    count: usize,
}

/// An object: its index, and the objects that it is one of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item<'a, S, const D: usize> {
    objects: &'a Objects<S, D>,
    index: u32,
}

fn is_used(array: pg_array) -> bool {
    !array.data.is_null()
}

impl<S: Real, const D: usize> Objects<S, D> {
    pub(crate) fn new(objects: In<pg_objects>, what: &str) -> Result<Self> {
        let given = objects.versioned(what)?;
        check_type::<S, D>(given.scalar, given.dimensions, what)?;
        let count = given.count;
        ensure!(count <= u32::MAX as usize, PG_ERROR_TOO_MANY, "{count} {what}, but a step takes at most {}", u32::MAX);
        let has_boxes = is_used(given.min) || is_used(given.max);
        let has_balls = is_used(given.center) || is_used(given.radius);
        ensure!(!(has_boxes && has_balls), PG_ERROR_ARGUMENT, "{what} are boxes (min, max) and balls (center, radius) at once");
        ensure!(has_boxes || has_balls || count == 0, PG_ERROR_NULL, "{count} {what} without min and max or center and radius");
        let shapes = match has_balls {
            false => Shapes::Boxes { min: Strided::new(given.min, count, "min")?, max: Strided::new(given.max, count, "max")? },
            true => Shapes::Balls {
                center: Strided::new(given.center, count, "center")?,
                radius: Strided::or_one(given.radius, count, "radius")?,
            },
        };
        let groups = is_used(given.groups).then(|| Strided::or_one(given.groups, count, "groups")).transpose()?;
        let filter = given.filter.map(|wanted: extern "C" fn(User, u32, u32) -> _| Filter { wanted, user: given.filter_user });
        Ok(Objects { shapes, groups, filter, count })
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn has_filter(&self) -> bool {
        self.filter.is_some()
    }

    pub(crate) fn has_balls(&self) -> bool {
        matches!(self.shapes, Shapes::Balls { .. })
    }

    pub(crate) fn has_groups(&self) -> bool {
        self.groups.is_some()
    }

    /// The boxes themselves, if there is nothing but boxes and they lie as the engine's own do.
    pub(crate) fn as_boxes(&self) -> Option<&[Aabb<S, D>]> {
        match &self.shapes {
            Shapes::Boxes { min, max } if self.groups.is_none() && self.filter.is_none() => as_boxes(min, max),
            _ => None,
        }
    }

    pub(crate) fn item(&self, index: u32) -> Item<'_, S, D> {
        Item { objects: self, index }
    }

    /// A list of all items, in the memory of an old one.
    pub(crate) fn items<'a>(&'a self, memory: &mut Items<S, D>) -> Result<Vec<Item<'a, S, D>>> {
        let mut items = recycled(std::mem::take(&mut memory.0));
        reserve(&mut items, self.count)?;
        items.extend((0..self.count as u32).map(|index| self.item(index)));
        Ok(items)
    }
}

/// Memory for a list of items.
#[derive(Debug, Default)]
pub(crate) struct Items<S: 'static, const D: usize>(Vec<Item<'static, S, D>>);

impl<S, const D: usize> Items<S, D> {
    pub(crate) fn keep(&mut self, items: Vec<Item<'_, S, D>>) {
        self.0 = recycled(items);
    }
}

/// An empty list in the memory of another: `collect` takes over what `into_iter` leaves.
fn recycled<'b, S, const D: usize>(mut items: Vec<Item<'_, S, D>>) -> Vec<Item<'b, S, D>> {
    items.clear();
    items.into_iter().map(|_| unreachable!("the list is empty")).collect()
}

impl<S: Real, const D: usize> Item<'_, S, D> {
    /// Its box and groups.
    pub(crate) fn parts(&self) -> (Aabb<S, D>, Groups) {
        (self.aabb(), self.groups())
    }
}

impl<S: Real, const D: usize> Bounded<S, D> for Item<'_, S, D> {
    #[inline]
    fn aabb(&self) -> Aabb<S, D> {
        match &self.objects.shapes {
            Shapes::Boxes { min, max } => Aabb { min: min.get(self.index as usize), max: max.get(self.index as usize) },
            Shapes::Balls { center, radius } => {
                Ball { center: center.get(self.index as usize), radius: radius.get(self.index as usize) }.aabb()
            }
        }
    }

    #[inline]
    fn ball(&self) -> Option<Ball<S, D>> {
        match &self.objects.shapes {
            Shapes::Boxes { .. } => None,
            Shapes::Balls { center, radius } => {
                Some(Ball { center: center.get(self.index as usize), radius: radius.get(self.index as usize) })
            }
        }
    }

    #[inline]
    fn groups(&self) -> Groups {
        self.objects.groups.map_or(Groups::ALL, |groups| {
            let pg_groups { member, mask, body } = groups.get(self.index as usize);
            Groups { member, mask, body }
        })
    }

    #[inline]
    fn pairs_with(&self, other: &Self) -> bool {
        self.objects.filter.is_none_or(|Filter { wanted, user }| wanted(user, self.index, other.index) != 0)
    }
}

/// Checked points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Points<S, const D: usize>(Strided<[S; D]>);

impl<S: Real, const D: usize> Points<S, D> {
    pub(crate) fn new(points: In<pg_objects>) -> Result<Self> {
        let given = points.versioned("points")?;
        check_type::<S, D>(given.scalar, given.dimensions, "points")?;
        let count = given.count;
        ensure!(count <= u32::MAX as usize, PG_ERROR_TOO_MANY, "{count} points, but a search takes at most {}", u32::MAX);
        let has_more = [given.min, given.max, given.radius, given.groups].into_iter().any(is_used) || given.filter.is_some();
        ensure!(!has_more, PG_ERROR_ARGUMENT, "points have a center and nothing else; particles with more are for touching");
        Ok(Points(Strided::new(given.center, count, "center")?))
    }

    /// The points in one array: in place if they are contiguous, otherwise as a copy.
    pub(crate) fn as_slice<'a>(&'a self, memory: &'a mut Vec<[S; D]>) -> Result<&'a [[S; D]]> {
        if let Some(slice) = as_slice(&self.0) {
            return Ok(slice);
        }
        memory.clear();
        reserve(memory, self.0.len())?;
        memory.extend((0..self.0.len()).map(|index| self.0.get(index)));
        Ok(memory)
    }
}

/// Why an object was left out, in C.
pub(crate) fn reason(reason: engine::RejectReason) -> u32 {
    match reason {
        engine::RejectReason::NotANumber => PG_REJECTED_NAN,
        engine::RejectReason::Inverted => PG_REJECTED_INVERTED,
        engine::RejectReason::BeyondIndex => PG_REJECTED_BEYOND_INDEX,
        _ => PG_REJECTED_OTHERWISE,
    }
}

/// Keeps the list of objects that were left out.
pub(crate) fn keep_rejected(list: &mut Vec<pg_rejected>, rejected: &[engine::Rejected]) -> Result {
    list.clear();
    reserve(list, rejected.len())?;
    list.extend(rejected.iter().map(|rejected| pg_rejected { index: rejected.index as u32, reason: reason(rejected.reason) }));
    Ok(())
}

/// The same for a periodic domain.
pub(crate) fn keep_periodic_rejected(list: &mut Vec<pg_rejected>, rejected: &[engine::PeriodicRejected]) -> Result {
    list.clear();
    reserve(list, rejected.len())?;
    list.extend(rejected.iter().map(|rejected| pg_rejected {
        index: rejected.index as u32,
        reason: match rejected.reason {
            engine::PeriodicReason::Box(of_box) => reason(of_box),
            engine::PeriodicReason::LargerThanPeriod { .. } => PG_REJECTED_LARGER_THAN_PERIOD,
            engine::PeriodicReason::TooFarOut { .. } => PG_REJECTED_TOO_FAR_OUT,
            _ => PG_REJECTED_OTHERWISE,
        },
    }));
    Ok(())
}
