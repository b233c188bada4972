//! The data that the passes read and write (staged blocks, chunks, table), and the arithmetic of levels, cells, chunks and windows. No
//! threads.

mod borders;
mod chunk;
pub(crate) mod columns;
pub(crate) mod curve;
pub(crate) mod grid;
mod level;
pub(crate) mod levels;
pub(crate) mod list_tree;
mod shape;
pub(crate) mod staged;
pub(crate) mod table;
mod thin;
mod window;

pub(crate) use borders::Borders;
pub(crate) use chunk::{CELLS, CROWD, Chunk, ROW, Row, SWEPT};
pub(crate) use level::{Level, axis_of};
pub(crate) use levels::{Levels, MAX_LEVELS, Member};
pub(crate) use shape::{Shape, chunk_key, key_parts, z_key};
pub(crate) use thin::Thin;
pub(crate) use window::Window;

/// A cell's or chunk's coordinates. In two dimensions the last one is always 0, so that one code serves both.
pub(crate) type Coords = [i32; 3];
