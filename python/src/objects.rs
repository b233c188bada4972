//! What the engine is given: boxes where they lie, or a list of objects with groups.

use pivotgrid::{Aabb, Ball, Bounded, Groups};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{Input, Number};

/// Arrays of objects as Python hands them over: boxes, or centers if there are radii; and groups.
#[derive(FromPyObject)]
pub(crate) struct Given<'py>(Bound<'py, PyAny>, Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

/// The same as slices.
pub(crate) struct Objects<'py, S: Number, const D: usize> {
    corners: Input<'py, S>,
    radii: Option<Input<'py, S>>,
    groups: Option<Input<'py, u32>>,
}

impl<'py, S: Number, const D: usize> Objects<'py, S, D> {
    pub(crate) fn new(given: &Given<'py>) -> PyResult<Self> {
        let objects = Objects {
            corners: Input::new(&given.0)?,
            radii: Input::optional(given.1.as_ref())?,
            groups: Input::optional(given.2.as_ref())?,
        };
        let count = objects.len()?;
        let has = |what: &str, rows: usize| match rows == count {
            true => Ok(()),
            false => Err(PyValueError::new_err(format!("there are {count} objects, but {rows} {what}"))),
        };
        if let Some(radii) = &objects.radii {
            has("radii", radii.slice()?.len())?;
        }
        if let Some(groups) = &objects.groups {
            has("groups", groups.rows::<[u32; 3]>()?.len())?;
        }
        Ok(objects)
    }

    pub(crate) fn len(&self) -> PyResult<usize> {
        match self.radii {
            None => Ok(self.corners.rows::<Aabb<S, D>>()?.len()),
            Some(_) => Ok(self.corners.rows::<[S; D]>()?.len()),
        }
    }

    /// The boxes where they lie, if there is nothing else.
    pub(crate) fn plain(&self) -> PyResult<Option<&[Aabb<S, D>]>> {
        if self.radii.is_some() || self.groups.is_some() { Ok(None) } else { self.corners.rows().map(Some) }
    }

    /// A list of the objects, each marked with a side.
    pub(crate) fn list(&self, side: Side, items: &mut Vec<Item<S, D>>) -> PyResult<()> {
        let groups = self.groups.as_ref().map(|groups| groups.rows::<[u32; 3]>()).transpose()?;
        let groups = |index: usize| match groups {
            None => Groups::ALL,
            Some(groups) => {
                let [member, mask, body] = groups[index];
                Groups { member, mask, body }
            }
        };
        match &self.radii {
            None => {
                let boxes = self.corners.rows::<Aabb<S, D>>()?;
                items.extend(boxes.iter().enumerate().map(|(index, &bounds)| Item::new(Shape::Box(bounds), groups(index), side)));
            }
            Some(radii) => {
                let (centers, radii) = (self.corners.rows::<[S; D]>()?, radii.slice()?);
                let balls = centers.iter().zip(radii).map(|(&center, &radius)| Ball { center, radius });
                items.extend(balls.enumerate().map(|(index, ball)| Item::new(Shape::Ball(ball), groups(index), side)));
            }
        }
        Ok(())
    }
}

/// Which objects an object may pair with, beside its groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Side {
    /// All.
    Any,
    /// Those of the other set: the number of its own.
    Of(u32),
}

#[derive(Clone, Copy, Debug)]
enum Shape<S, const D: usize> {
    Box(Aabb<S, D>),
    Ball(Ball<S, D>),
}

/// An object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item<S, const D: usize> {
    shape: Shape<S, D>,
    groups: Groups,
    side: Side,
}

impl<S, const D: usize> Item<S, D> {
    fn new(shape: Shape<S, D>, groups: Groups, side: Side) -> Self {
        Item { shape, groups, side }
    }
}

impl<S: Number, const D: usize> Bounded<S, D> for Item<S, D> {
    #[inline]
    fn aabb(&self) -> Aabb<S, D> {
        match &self.shape {
            Shape::Box(bounds) => *bounds,
            Shape::Ball(ball) => ball.aabb(),
        }
    }

    #[inline]
    fn ball(&self) -> Option<Ball<S, D>> {
        match &self.shape {
            Shape::Box(_) => None,
            Shape::Ball(ball) => Some(*ball),
        }
    }

    /// Each of two sets is one body, whose parts do not pair; the kernels check that. Bodies of the user are then left to
    /// `pairs_with`.
    #[inline]
    fn groups(&self) -> Groups {
        match self.side {
            Side::Any => self.groups,
            Side::Of(set) => self.groups.of_body(set),
        }
    }

    #[inline]
    fn pairs_with(&self, other: &Self) -> bool {
        self.side == Side::Any || self.groups.body == 0 || self.groups.body != other.groups.body
    }
}
