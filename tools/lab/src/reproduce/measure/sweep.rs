//! The same contenders over a range of scenes.

use super::contender::Contender;
use super::motion::Motion;
use super::race::{Clock, Measured, race};
use super::{Bench, growth};
use crate::failure::Failure;
use crate::report::grouped;
use crate::reproduce::figure::{Role, Series};

/// What was seen of one contender.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) points: Vec<(f64, Measured)>,
    pub(crate) stopped: Option<String>,
}

impl Lane {
    /// The curve of one of the measured quantities.
    pub(crate) fn series(&self, quantity: impl Fn(&Measured) -> f64) -> Series {
        Series {
            name: self.name.clone(),
            role: self.role,
            family: self.name.clone(),
            variant: 0,
            points: self.curve(quantity),
            stopped: self.stopped.clone(),
        }
    }

    /// The same in a scene that has a word, beside the same contender in other scenes.
    pub(crate) fn series_in(&self, scene: &str, variant: usize, quantity: impl Fn(&Measured) -> f64) -> Series {
        Series { name: format!("{}, {scene}", self.name), variant, ..self.series(quantity) }
    }

    pub(crate) fn curve(&self, quantity: impl Fn(&Measured) -> f64) -> Vec<(f64, f64)> {
        self.points.iter().map(|(x, measured)| (*x, quantity(measured))).collect()
    }

    pub(crate) fn growth(&self, quantity: impl Fn(&Measured) -> f64) -> f64 {
        growth(&self.curve(quantity)).unwrap_or(f64::NAN)
    }

    /// What was measured at `x`, if it came so far.
    pub(crate) fn at(&self, x: f64) -> Option<&Measured> {
        self.points.iter().find(|point| point.0 == x).map(|point| &point.1)
    }

    pub(crate) fn last(&self) -> Option<&(f64, Measured)> {
        self.points.last()
    }

    /// The time of the next step, if it goes on like this.
    fn forecast(&self, x: f64) -> Option<f64> {
        let (last_x, last) = self.points.last()?;
        // The growth shows in the last points; before there are two of them, it is taken to be linear.
        let tail: Vec<(f64, f64)> = self.points.iter().rev().take(3).map(|(x, measured)| (*x, measured.total)).collect();
        let exponent = growth(&tail).map_or(1.0, |exponent| exponent.clamp(0.0, 2.5));
        Some(last.total * (x / last_x).powf(exponent))
    }
}

/// [`sweep`] where x is not a number of objects, so that time does not grow with it in a way that could be foreseen; contenders may
/// differ from x to x, but not in number and names.
pub(crate) fn sweep_each<const D: usize, M: Motion<D>>(
    bench: &Bench,
    contenders: impl Fn(f64) -> Vec<Contender<D>>,
    xs: &[f64],
    laps: usize,
    clock: Clock,
    scene: impl Fn(f64) -> M,
) -> Result<Vec<Lane>, Failure> {
    let mut lanes: Vec<Lane> = Vec::new();
    for &x in xs {
        let measured = sweep(bench, &contenders(x), &[x], laps, clock, &scene)?;
        if lanes.is_empty() {
            lanes = measured;
        } else {
            lanes.iter_mut().zip(measured).for_each(|(lane, more)| lane.points.extend(more.points));
        }
    }
    Ok(lanes)
}

/// Measures all contenders at each x, for which `scene` makes the boxes. Who would take longer than the limit per step is left
/// out from there on.
pub(crate) fn sweep<const D: usize, M: Motion<D>>(
    bench: &Bench,
    contenders: &[Contender<D>],
    xs: &[f64],
    laps: usize,
    clock: Clock,
    mut scene: impl FnMut(f64) -> M,
) -> Result<Vec<Lane>, Failure> {
    let lane =
        |contender: &Contender<D>| Lane { name: contender.name.clone(), role: contender.role, points: Vec::new(), stopped: None };
    let mut lanes: Vec<Lane> = contenders.iter().map(lane).collect();
    let limit = 1e3 * bench.limit.as_secs_f64();
    for &x in xs {
        for lane in &mut lanes {
            let forecast = lane.forecast(x).filter(|time| lane.stopped.is_none() && *time > limit);
            if let Some(forecast) = forecast {
                let (x, seconds) = (grouped(x as u64), forecast / 1e3);
                lane.stopped = Some(format!("{} stops before {x}: about {seconds:.1} s per step expected", lane.name));
            }
        }
        let running: Vec<usize> = (0..lanes.len()).filter(|&lane| lanes[lane].stopped.is_none()).collect();
        let racers: Vec<&Contender<D>> = running.iter().map(|&lane| &contenders[lane]).collect();
        for (lane, measured) in running.iter().zip(race(&racers, &mut scene(x), laps, clock, bench.limit)?) {
            lanes[*lane].points.push((x, measured));
        }
        bench.bar.tick();
    }
    Ok(lanes)
}
