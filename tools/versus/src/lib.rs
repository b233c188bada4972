//! The contest: pivotgrid and everything one could use instead, on the same boxes, in the same steps.
//!
//! What takes part is in [`roster_2d`] and [`roster_3d`], and on request [`literature_2d`] and [`literature_3d`]; [`contest`] runs it and
//! makes a [`Table`]. The example `contest` is the command line. [`hostile_contest`] does the same for scenes that are made to be slow, and
//! [`queries`] is another contest, about queries instead of pairs. `README.md` describes what is measured and how each rival is driven.
//!
//! ```
//! use scenes::Scene;
//! use versus::{Settings, contest, roster_3d};
//!
//! let table = contest(Scene::Uniform, 1_000, &roster_3d(), &Settings { steps: 1, ..Settings::default() });
//! assert!(table.all_agree());
//! println!("{table}");
//! ```

#![deny(unsafe_code)]
#![warn(missing_docs)]

mod contest;
mod counting;
mod exhaustive;
mod found;
mod hostile;
mod house;
mod literature;
pub mod queries;
mod rival;
mod rivals;
mod roster;
mod table;

pub use contest::{Settings, contest};
pub use counting::Counting;
pub use exhaustive::exhaustive;
pub use hostile::{HostileLine, HostileTable, HostileTimes, hostile_contest};
pub use rival::{Answer, Bounds, Entry, Resources, Rival};
pub use roster::{literature_2d, literature_3d, roster_2d, roster_3d};
pub use table::{Outcome, Row, Table};
