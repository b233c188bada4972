//! Results of queries.

use std::cmp::Ordering;

use crate::Scalar;

/// An object that a [`Ray`](crate::Ray) or a [`BoxCast`](crate::BoxCast) meets, and when. Ordered by `t`, then by index.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Hit, Ray};
///
/// let boxes = [Aabb::new([6.0, 0.0], [7.0, 1.0]), Aabb::new([2.0, 0.0], [3.0, 1.0])];
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// broad_phase.par_detect(&boxes);
///
/// let mut hits = Vec::new();
/// broad_phase.queries().ray_hits(&Ray::new([0.0, 0.5], [2.0, 0.0]), &mut hits);
/// hits.sort_unstable(); // along the ray
/// assert_eq!(hits, [Hit { index: 1, t: 1.0 }, Hit { index: 0, t: 3.0 }]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hit<S> {
    /// The object.
    pub index: u32,
    /// Where along the path its box is entered: at origin + t · direction. 0 if the path begins inside.
    pub t: S,
}

/// An object near a point, and how near. Ordered by distance, then by index.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Neighbor<S> {
    /// The object.
    pub index: u32,
    /// The square of the distance from the point to the nearest point of its box; 0 inside.
    pub distance_squared: S,
}

/// Orders what was found by a measure, and equal ones by the object's name: its index or its handle.
macro_rules! ordered_by {
    ($found:ident, $measure:ident, $name:ident) => {
        impl<S: Scalar> Ord for $found<S> {
            fn cmp(&self, other: &Self) -> Ordering {
                // Plus zero, so that both zeros are the same: which of them a minimum returns is not defined.
                let measures = (self.$measure.to_f64() + 0.0).total_cmp(&(other.$measure.to_f64() + 0.0));
                measures.then(self.$name.cmp(&other.$name))
            }
        }

        impl<S: Scalar> PartialOrd for $found<S> {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl<S: Scalar> PartialEq for $found<S> {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl<S: Scalar> Eq for $found<S> {}
    };
}

pub(crate) use ordered_by;

ordered_by!(Hit, t, index);
ordered_by!(Neighbor, distance_squared, index);
