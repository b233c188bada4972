//! Bad input, reported by value.

use std::fmt;

use crate::{Aabb, Scalar};

/// An object that was left out of a step, and why. The pairs of all other objects are complete.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, RejectReason};
///
/// let boxes = [
///     Aabb { min: [0.0, 0.0], max: [1.0, 1.0] },
///     Aabb { min: [0.5, f32::NAN], max: [1.5, 1.0] },
///     Aabb { min: [0.5, 0.5], max: [1.5, 1.5] },
/// ];
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let pairs = broad_phase.par_detect(&boxes);
/// assert_eq!(pairs.len(), 1); // of the other two
/// let [rejected] = pairs.rejected() else { panic!("one box is invalid") };
/// assert_eq!((rejected.index, rejected.reason), (1, RejectReason::NotANumber));
/// assert_eq!(rejected.to_string(), "object 1: a bound of its box is NaN");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rejected {
    /// The object's index in the slice.
    pub index: usize,
    /// What was wrong with it.
    pub reason: RejectReason,
}

/// Why an object was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum RejectReason {
    /// A bound of the box is NaN.
    NotANumber,
    /// `min > max` on some axis.
    Inverted,
    /// The object lies beyond the largest index that a pair can hold: it *and all objects after it* were left out. Listed once.
    BeyondIndex,
}

impl RejectReason {
    /// What is wrong with a box, if anything is.
    pub(crate) fn of<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> Option<Self> {
        let has_nan = || bounds.min.iter().chain(&bounds.max).any(|bound| bound.is_nan());
        match bounds.is_valid() {
            true => None,
            false if has_nan() => Some(RejectReason::NotANumber),
            false => Some(RejectReason::Inverted),
        }
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = self.index;
        match self.reason {
            RejectReason::NotANumber => write!(f, "object {index}: a bound of its box is NaN"),
            RejectReason::Inverted => write!(f, "object {index}: its box has min > max on some axis"),
            RejectReason::BeyondIndex => {
                write!(f, "object {index} and all after it: more than {MAX_OBJECTS} objects; split the scene")
            }
        }
    }
}

/// The most objects one step can take: their indices must fit into a [`Pair`](crate::Pair).
pub const MAX_OBJECTS: usize = u32::MAX as usize;

/// Why a step could not be run.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Config, ConfigError, DetectError};
///
/// let crowd = vec![Aabb::around([0.0, 0.0], [0.5, 0.5]); 1000]; // half a million pairs of eight bytes
/// let mut broad_phase = BroadPhase::<f32, 2>::with_config(Config::default().max_bytes(1 << 20))?;
/// match broad_phase.try_par_detect(&crowd) {
///     Err(DetectError::OverBudget { needed, max_bytes }) => assert!(needed > max_bytes),
///     outcome => panic!("{outcome:?}"),
/// }
/// assert_eq!(broad_phase.try_par_detect(&crowd[..100]).map(|pairs| pairs.len()), Ok(4950)); // it still works
/// # Ok::<(), ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DetectError {
    /// More than [`MAX_OBJECTS`] objects; contains how many there were.
    TooManyObjects(usize),
    /// The system has no memory left: it refused `needed` bytes in one piece.
    OutOfMemory {
        /// The bytes requested.
        needed: usize,
    },
    /// The step needs more memory than [`Config::max_bytes`](crate::Config::max_bytes) allows.
    OverBudget {
        /// The bytes that the engine would have to hold in all, at least. (Needs after the point of refusal are not known. If the pairs
        /// have no room, all pairs have been counted.)
        needed: usize,
        /// The limit.
        max_bytes: usize,
    },
}

impl fmt::Display for DetectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DetectError::TooManyObjects(count) => {
                write!(f, "{count} objects, but a step takes at most {MAX_OBJECTS}; split the scene")
            }
            DetectError::OutOfMemory { needed } => write!(f, "out of memory: the system refused {needed} bytes"),
            DetectError::OverBudget { needed, max_bytes } => {
                write!(f, "the step needs at least {needed} bytes, but max_bytes is {max_bytes}")
            }
        }
    }
}

impl std::error::Error for DetectError {}
