//! Squares in the plane, half a cell wide.

use baselines::Bounds;

use crate::reproduce::measure::Motion;
use crate::reproduce::random::Random;

const EDGE: f64 = 0.5;
/// The largest step as a part of the edge.
const SPEED: f64 = 0.2;
/// Objects of a cluster, and its radius in cells.
const CLUSTER: usize = 200;
const RADIUS: f64 = 32.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// The paper's worst case.
    Even,
    /// The paper's real case.
    Clustered,
}

/// Squares that go to and fro around where they were, so that clusters stay clusters.
#[derive(Clone, Debug)]
pub(super) struct Squares {
    homes: Vec<[f64; 2]>,
    arrows: Vec<[f64; 2]>,
    boxes: Vec<Bounds<2>>,
    step: usize,
}

impl Squares {
    /// In a scene of `cells` by `cells` cells of edge 1.
    pub(super) fn new(spread: Spread, objects: usize, cells: f64) -> Self {
        let mut random = Random::new(7);
        let inside = cells - 2.0;
        let centers: Vec<[f64; 2]> = match spread {
            Spread::Even => Vec::new(),
            Spread::Clustered => {
                let radius = RADIUS.min(inside / 4.0);
                (0..objects.div_ceil(CLUSTER)).map(|_| [0, 1].map(|_| random.between(radius, inside - radius))).collect()
            }
        };
        let homes = (0..objects).map(|object| match spread {
            Spread::Even => [0, 1].map(|_| random.between(1.0, inside)),
            Spread::Clustered => {
                let (center, arrow) = (centers[object % centers.len()], random.arrow::<2>(RADIUS.min(inside / 4.0)));
                [0, 1].map(|axis| (center[axis] + arrow[axis]).clamp(1.0, inside))
            }
        });
        let homes: Vec<[f64; 2]> = homes.collect();
        let arrows = homes.iter().map(|_| random.arrow(SPEED * EDGE)).collect();
        let mut squares = Squares { boxes: Vec::with_capacity(homes.len()), homes, arrows, step: 0 };
        squares.place();
        squares
    }

    fn place(&mut self) {
        // Four steps out, four steps back.
        let phase = (self.step % 8).min(8 - self.step % 8) as f64;
        self.boxes.clear();
        self.boxes.extend(self.homes.iter().zip(&self.arrows).map(|(home, arrow)| {
            let min: [f64; 2] = [0, 1].map(|axis| home[axis] + phase * arrow[axis]);
            Bounds { min: min.map(|x| x as f32), max: min.map(|x| (x + EDGE) as f32) }
        }));
    }
}

impl Motion<2> for Squares {
    fn boxes(&self) -> &[Bounds<2>] {
        &self.boxes
    }

    fn advance(&mut self) {
        self.step += 1;
        self.place();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_stay_in_the_scene() {
        for spread in [Spread::Even, Spread::Clustered] {
            for cells in [64.0, 2048.0] {
                let mut squares = Squares::new(spread, 500, cells);
                for _ in 0..20 {
                    assert!(
                        squares.boxes().iter().all(|b| b.min.iter().all(|x| *x > 0.0) && b.max.iter().all(|x| *x < cells as f32))
                    );
                    squares.advance();
                }
            }
        }
    }
}
