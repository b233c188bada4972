//! The contest of queries: pivotgrid and what one could ask instead, on the same objects, with the same queries.
//!
//! The queries are of a [`Kind`], the systems are in [`respondents`], and [`ask_all`] runs them in turn and makes a [`Ranking`]. The
//! example `queries` is the command line.
//!
//! ```
//! use scenes::Scene;
//! use versus::queries::{Kind, Settings, ask_all};
//!
//! let settings = Settings { queries: 100, rounds: 1, ..Settings::default() };
//! let ranking = ask_all(Kind::Ray, Scene::Uniform, 1_000, &settings);
//! assert!(ranking.all_agree());
//! println!("{ranking}");
//! ```

mod answers;
mod kind;
mod race;
mod ranking;
mod respondent;
mod rivals;
mod task;

pub use kind::{Kind, UnknownKind};
pub use race::{Settings, ask_all};
pub use ranking::{Ranking, Standing};
pub use respondent::respondents;
