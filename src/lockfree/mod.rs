//! The lock-free kit, without geometry. `README.md` in this folder has the protocol, the races, and the proof that they end well.

mod append;
mod chunk;
mod cursor;
mod directory;
mod once;
mod pool;
mod shared;
mod shares;
pub(crate) mod sync;

pub(crate) use append::append;
pub(crate) use chunk::{BLOCK, ChunkHead, Key, NO_SEGMENT};
pub(crate) use cursor::Cursor;
pub(crate) use directory::{Directory, Spare};
pub(crate) use once::Once;
pub(crate) use pool::{ChunkId, Full, Pool};
pub(crate) use shared::{Blocks, Portions};
#[cfg(not(loom))]
pub(crate) use shared::{Rows, shared};
pub(crate) use shares::{Shares, Unit};

/// For the models, which name the type.
#[cfg(loom)]
pub(crate) use append::Room;
/// For the models, which look for keys that collide.
#[cfg(loom)]
pub(crate) use directory::hash;
