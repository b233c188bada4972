//! The command line.

use std::time::Duration;

const USAGE: &str = "\
soak [--minutes N] [--steps N] [--seed N] [--objects N] [--fixed] [--threads N,N,...] [--serial] [--race]

  --minutes N    how long; 1 unless --steps is given
  --steps N      how many steps, instead of a time
  --seed N       another seed, other scenes; 1 unless given
  --objects N    the most objects of a scene; 60000 unless given
  --fixed        exactly that many objects in every step: what a sanitizer run wants
  --threads ...  the pools to choose from; 1,2,3,4,7,16 unless given
  --serial       on the calling thread alone, without any pool: what Miri wants
  --race         nothing but a data race on purpose, which ThreadSanitizer must report";

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) time: Option<Duration>,
    pub(crate) steps: Option<u64>,
    pub(crate) seed: u64,
    pub(crate) objects: usize,
    pub(crate) fixed: bool,
    pub(crate) threads: Vec<usize>,
    pub(crate) race: bool,
}

impl Options {
    /// The options, or what to tell the user.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Options {
            time: None,
            steps: None,
            seed: 1,
            objects: 60_000,
            fixed: false,
            threads: vec![1, 2, 3, 4, 7, 16],
            race: false,
        };
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{name} needs a value\n\n{USAGE}"));
            match name.as_str() {
                "--minutes" => {
                    options.time = Some(Duration::from_secs_f64(60.0 * number::<f64>(&name, &value()?)?.clamp(0.0, 1e6)))
                }
                "--steps" => options.steps = Some(number(&name, &value()?)?),
                "--seed" => options.seed = number(&name, &value()?)?,
                "--objects" => options.objects = number::<usize>(&name, &value()?)?.max(1),
                "--threads" => options.threads = value()?.split(',').map(|part| number(&name, part)).collect::<Result<_, _>>()?,
                "--serial" => options.threads.clear(),
                "--fixed" => options.fixed = true,
                "--race" => options.race = true,
                _ => return Err(format!("{name} is no option\n\n{USAGE}")),
            }
        }
        if options.time.is_none() && options.steps.is_none() {
            options.time = Some(Duration::from_secs(60));
        }
        Ok(options)
    }
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name} takes a number, not {text:?}\n\n{USAGE}"))
}
