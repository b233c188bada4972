//! The reach of particles that have radii of their own.

use crate::detect::View;
use crate::kernel::Reaching;
use crate::layout::columns::Columns;
use crate::layout::key_parts;
use crate::{Aabb, Scalar};

/// How near two points must be to be neighbors: one radius for all, or a rule for the radii `h` that the points have.
///
/// A number is one radius for all, so [`par_within`](super::Neighbors::par_within) takes either. A point exactly at the reach is a
/// neighbor. Points with a radius that is negative or NaN are left out.
///
/// ```
/// use pivotgrid::{Neighbors, Reach};
///
/// let (points, radii) = ([[0.0, 0.0], [2.0, 0.0], [5.0, 0.0]], [1.0, 2.5, 3.5]);
/// let mut neighbors = Neighbors::<f32, 2>::new().sorted(true);
/// let mut rows = |reach: Reach<'_, f32>| neighbors.par_within(&points, reach).iter().map(<[u32]>::to_vec).collect::<Vec<_>>();
/// assert_eq!(rows(Reach::Gather(&radii)), [vec![], vec![0], vec![1]]);
/// assert_eq!(rows(Reach::Scatter(&radii)), [vec![1], vec![2], vec![]]);
/// assert_eq!(rows(Reach::Max(&radii)), [vec![1], vec![0, 2], vec![1]]);
/// assert_eq!(rows(Reach::Sum(&radii)), [vec![1], vec![0, 2], vec![1]]);
/// assert_eq!(rows(Reach::Mean(&radii)), [vec![], vec![2], vec![1]]);
/// assert_eq!(rows(2.0.into()), [vec![1], vec![0], vec![]]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reach<'a, S> {
    /// The same reach for all points.
    Fixed(S),
    /// Row `i` has all `j` with a distance of at most `h[i]`.
    Gather(&'a [S]),
    /// Row `i` has all `j` with a distance of at most `h[j]`.
    Scatter(&'a [S]),
    /// At most the greater one of `h[i]` and `h[j]`: gather or scatter.
    Max(&'a [S]),
    /// At most `h[i] + h[j]`: balls that touch.
    Sum(&'a [S]),
    /// At most `(h[i] + h[j]) / 2`.
    Mean(&'a [S]),
}

impl<S: Scalar> From<S> for Reach<'_, S> {
    fn from(radius: S) -> Self {
        Reach::Fixed(radius)
    }
}

/// Rules that are not those of balls that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    Gather,
    Scatter,
    Max,
}

/// Radii whose squares neither underflow nor overflow lie between these.
const LEAST: f64 = 1e-15;
const MOST: f64 = 1e15;

/// A bound for the roundings that add up.
const FEW: f64 = 8.0;

impl<'a, S: Scalar> Reach<'a, S> {
    /// # Panics
    ///
    /// If there is not a radius for each point.
    pub(super) fn check(&self, points: usize) {
        let radii = self.radii().map_or(points, <[S]>::len);
        assert!(radii == points, "there are {points} points, but {radii} radii");
    }

    pub(super) fn radii(&self) -> Option<&'a [S]> {
        match *self {
            Reach::Fixed(_) => None,
            Reach::Gather(radii) | Reach::Scatter(radii) | Reach::Max(radii) | Reach::Sum(radii) | Reach::Mean(radii) => {
                Some(radii)
            }
        }
    }

    /// The rule; none if points are neighbors exactly if balls around them touch.
    pub(super) fn rule(&self) -> Option<Rule> {
        match self {
            Reach::Gather(_) => Some(Rule::Gather),
            Reach::Scatter(_) => Some(Rule::Scatter),
            Reach::Max(_) => Some(Rule::Max),
            Reach::Fixed(_) | Reach::Sum(_) | Reach::Mean(_) => None,
        }
    }

    /// The radius that the table has for a point: that of a ball, or the argument of the rule.
    #[inline(always)]
    pub(super) fn radius(&self, index: usize) -> S {
        match *self {
            // Halving is exact, and so is the sum of two equal halves.
            Reach::Fixed(radius) => half_of(radius),
            Reach::Mean(radii) => half_of(radii[index]),
            Reach::Gather(radii) | Reach::Scatter(radii) | Reach::Max(radii) | Reach::Sum(radii) => radii[index],
        }
    }

    /// The same with a margin: points that come within the reach after each has moved by half of the margin are within this now.
    pub(super) fn with_margin(&self, radius: S, margin: S) -> S {
        match self.rule() {
            // A margin must not turn an invalid radius into a valid one.
            _ if radius < S::ZERO => radius,
            Some(_) => radius + margin,
            None => radius + half_of(margin),
        }
    }

    /// The least radius that the table has.
    pub(super) fn least(&self) -> S {
        match self.radii() {
            None => self.radius(0),
            Some(radii) => (0..radii.len())
                .map(|index| self.radius(index))
                .fold(S::INFINITY, |least, radius| if radius >= S::ZERO && radius < least { radius } else { least }),
        }
    }

    /// An upper bound for the distance of two neighbors.
    pub(super) fn largest(&self) -> f64 {
        let all = self.radii().map_or(1, <[S]>::len);
        2.0 * (0..all).map(|index| self.radius(index).to_f64()).filter(|radius| radius.is_finite()).fold(0.0, f64::max)
    }

    /// Whether the squares of some radii may be rounded so much that the kernels find too many.
    pub(super) fn is_odd(&self) -> bool {
        let (least, most) = (S::from_f64(LEAST), S::from_f64(MOST));
        self.rule().is_some()
            && !self.radii().unwrap_or(&[]).iter().fold(true, |all, &radius| all & (radius >= least) & (radius <= most))
    }
}

impl Rule {
    /// Half of the edge of the box that represents a radius, in radii.
    ///
    /// Boxes of this size make the planner choose the cells that it would choose for balls of equal radii: those that touch if one center
    /// lies in the other's reach. Boxes as wide as the reach would make cells of eight times the volume, and the search would compare about
    /// 80 times as many as it finds.
    pub(super) const BOX: f64 = 0.5;

    /// The largest distance of a pair with these radii.
    #[inline]
    pub(super) fn reach<S: Scalar>(self, own: S, other: S) -> S {
        match self {
            Rule::Gather => own,
            Rule::Scatter => other,
            Rule::Max => {
                if own > other {
                    own
                } else {
                    other
                }
            }
        }
    }

    /// The boxes in which others are searched by kind of image, and the boxes that look for them.
    ///
    /// [`look`](Self::look) knows the largest radius of a level, and here are no levels, so others have boxes as large as their radii.
    pub(super) fn searches(self) -> &'static [[BoxKind; 2]] {
        const GATHER: [BoxKind; 2] = [BoxKind::Point, BoxKind::Reach];
        const SCATTER: [BoxKind; 2] = [BoxKind::Reach, BoxKind::Point];
        match self {
            Rule::Gather => &[GATHER],
            Rule::Scatter => &[SCATTER],
            Rule::Max => &[GATHER, SCATTER],
        }
    }

    /// The entry as a kernel compares it.
    #[inline(always)]
    pub(super) fn own<S: Scalar, const D: usize>(self, columns: &Columns<'_, S, D>, entry: usize) -> Reaching<S, D> {
        let (center, radius) = ball(columns, entry);
        // Beyond these bounds squares are rounded away. The kernel then finds too many, which are removed afterwards.
        let least = S::from_f64(LEAST);
        let radius = if radius > least { radius } else { least };
        let (floor, cap) = match self {
            Rule::Gather => (radius, radius),
            Rule::Scatter => (least, S::INFINITY),
            Rule::Max => (radius, S::INFINITY),
        };
        Reaching { id: columns.id(entry), center, floor, cap }
    }

    /// A box that overlaps the boxes of all others in a tier that are within reach of some entries.
    pub(super) fn look<S: Scalar, const D: usize>(
        self,
        columns: &Columns<'_, S, D>,
        entries: std::ops::Range<usize>,
        tier: &Tier<S>,
    ) -> Aabb<S, D> {
        let half = S::from_f64(Rule::BOX);
        let mut around = Aabb::EMPTY;
        for entry in entries {
            let (center, radius) = ball(columns, entry);
            // The box of another point with radius h covers h / 2 of the way, and this one must cover the rest.
            let (gathers, scatters) = (radius - tier.least * half, tier.most * half);
            let least = match self {
                Rule::Gather => gathers,
                Rule::Scatter => scatters,
                Rule::Max => {
                    if gathers > scatters {
                        gathers
                    } else {
                        scatters
                    }
                }
            };
            let rounded = (radius + tier.most) * S::from_f64(FEW * S::EPSILON);
            let least = if least > S::ZERO { least } else { S::ZERO };
            let far = least + rounded;
            // Infinite less infinite: everything is near.
            let far = if far.is_nan() || gathers.is_nan() { S::INFINITY } else { far };
            let low = center.map(|x| if far < S::INFINITY { (x - far).below() } else { S::NEG_INFINITY });
            let high = center.map(|x| if far < S::INFINITY { (x + far).above() } else { S::INFINITY });
            around.grow(&Aabb { min: low, max: high });
        }
        around
    }
}

/// A box of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) enum BoxKind {
    /// That of the table.
    Whole,
    /// Of its center alone.
    Point,
    /// Around all that its radius reaches.
    Reach,
}

impl BoxKind {
    pub(super) fn of<S: Scalar, const D: usize>(self, columns: &Columns<'_, S, D>, entry: usize) -> Aabb<S, D> {
        if let BoxKind::Whole = self {
            return columns.bounds(entry);
        }
        let (center, radius) = ball(columns, entry);
        match self {
            BoxKind::Reach if radius < S::INFINITY => {
                let far = radius + radius * S::from_f64(FEW * S::EPSILON);
                Aabb { min: center.map(|x| (x - far).below()), max: center.map(|x| (x + far).above()) }
            }
            BoxKind::Reach => Aabb { min: [S::NEG_INFINITY; D], max: [S::INFINITY; D] },
            BoxKind::Whole | BoxKind::Point => Aabb { min: center, max: center },
        }
    }
}

#[inline(always)]
fn ball<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, entry: usize) -> ([S; D], S) {
    let (centers, radii) = columns.balls.expect("points are balls");
    (centers.map(|column| column[entry]), radii[entry])
}

/// The radius of a ball that stands for a point. A negative one stays negative: half of the smallest one would be rounded to zero, which is
/// valid.
pub(super) fn half_of<S: Scalar>(radius: S) -> S {
    if radius < S::ZERO { radius } else { radius * S::from_f64(0.5) }
}

/// The radii in a level, or of the oversized entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tier<S> {
    pub(super) least: S,
    pub(super) most: S,
}

impl<S: Scalar> Tier<S> {
    pub(super) const EMPTY: Self = Tier { least: S::INFINITY, most: S::ZERO };

    fn add(&mut self, radii: &[S]) {
        for &radius in radii {
            self.least = if radius < self.least { radius } else { self.least };
            self.most = if radius > self.most { radius } else { self.most };
        }
    }

    /// The tiers of all levels, and last that of the oversized entries.
    pub(super) fn all<const D: usize>(view: &View<'_, S, D>, tiers: &mut [Self]) {
        tiers.fill(Tier::EMPTY);
        let (Some((_, radii)), Some(listed)) = (view.columns.balls, tiers.len().checked_sub(1)) else { return };
        for chunk in view.grid.chunks() {
            tiers[key_parts(chunk.key()).0].add(&radii[chunk.entries()]);
        }
        tiers[listed].add(&radii[view.grid.oversized.clone()]);
    }
}

/// Whether two points are within a distance, even if squares of these numbers round badly.
pub(super) fn is_within<S: Scalar, const D: usize>(one: &[S; D], other: &[S; D], reach: S) -> bool {
    if reach >= S::from_f64(LEAST) && reach <= S::from_f64(MOST) {
        // As the kernels compute it: an odd radius must not change the neighbors of other points.
        let square = (0..D).fold(S::ZERO, |sum, axis| {
            let along = one[axis] - other[axis];
            sum + along * along
        });
        return square <= reach * reach;
    }
    let reach = reach.to_f64();
    let along: [f64; D] = std::array::from_fn(|axis| (one[axis].to_f64() - other[axis].to_f64()).abs());
    if reach == f64::INFINITY {
        return !along.iter().any(|x| x.is_nan());
    }
    // Scaled by a power of two, which rounds nothing: a point exactly at the reach is within it.
    let scale = match reach {
        tiny if tiny < 1e-150 => f64::powi(2.0, 900),
        huge if huge > 1e150 => f64::powi(2.0, -520),
        _ => 1.0,
    };
    let squares: f64 = along.iter().map(|x| (x * scale).powi(2)).sum();
    squares <= (reach * scale).powi(2)
}
