//! The table of handles.
//!
//! A handle is an index into a table and a generation, so a destroyed handle is detected, whatever has its place now. The table is locked
//! for the time of a look-up only. No call waits for an entry: if it is in use, the call returns `PG_ERROR_BUSY`.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::thread::{self, ThreadId};

use crate::status::{Error, PG_ERROR_BUSY, PG_ERROR_HANDLE, PG_ERROR_STALE_HANDLE, Result, ensure};

/// Something that a handle leads to.
pub(crate) trait Kind: Any + Send + Sync {
    /// Its name in messages.
    const NAME: &'static str;
}

type Value = Box<dyn Any + Send + Sync>;

/// The value of a handle, and its last error.
pub(crate) struct Entry {
    name: &'static str,
    owner: Option<ThreadId>,
    value: RwLock<Value>,
    message: Mutex<String>,
}

struct Slot {
    generation: u32,
    entry: Option<Arc<Entry>>,
}

struct Table {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

static TABLE: RwLock<Table> = RwLock::new(Table { slots: Vec::new(), free: Vec::new() });

/// A slot that has reached this generation is not used again.
const LAST_GENERATION: u32 = u32::MAX;

/// Puts a value into the table. With `owned`, only the calling thread may use it.
pub(crate) fn insert<T: Kind>(value: T, owned: bool) -> Result<u64> {
    let owner = owned.then(|| thread::current().id());
    let entry = Arc::new(Entry { name: T::NAME, owner, value: RwLock::new(Box::new(value)), message: Mutex::default() });
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    let index = match table.free.pop() {
        Some(index) => index,
        None => {
            ensure!(table.slots.len() < u32::MAX as usize - 1, PG_ERROR_TOO_MANY, "there are {} handles", table.slots.len());
            table.slots.try_reserve(1)?;
            table.slots.push(Slot { generation: 1, entry: None });
            table.slots.len() as u32 - 1
        }
    };
    let slot = &mut table.slots[index as usize];
    slot.entry = Some(entry);
    Ok(u64::from(slot.generation) << 32 | u64::from(index + 1))
}

fn no_handle(id: u64) -> Error {
    Error::new(PG_ERROR_HANDLE, format_args!("{id:#x} is no handle"))
}

impl Table {
    fn slot(&self, id: u64) -> Result<usize> {
        let (generation, index) = ((id >> 32) as u32, (id as u32).checked_sub(1).ok_or_else(|| no_handle(id))? as usize);
        let slot =
            self.slots.get(index).filter(|slot| generation != 0 && generation <= slot.generation).ok_or_else(|| no_handle(id))?;
        match slot.entry {
            _ if generation < slot.generation => {
                Err(Error::new(PG_ERROR_STALE_HANDLE, format_args!("the handle {id:#x} was destroyed")))
            }
            Some(_) => Ok(index),
            // The generation of the next handle in this slot.
            None => Err(no_handle(id)),
        }
    }
}

/// The entry of a handle.
pub(crate) fn find(id: u64) -> Result<Arc<Entry>> {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    let slot = table.slot(id)?;
    table.slots[slot].entry.clone().ok_or_else(|| no_handle(id))
}

/// Takes a value out of the table and drops it.
pub(crate) fn destroy<T: Kind>(id: u64) -> Result {
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    let index = table.slot(id)?;
    let Table { slots, free } = &mut *table;
    let slot = &mut slots[index];
    let Some(entry) = slot.entry.as_ref() else { return Err(no_handle(id)) };
    drop(entry.write::<T>()?);
    let entry = slot.entry.take();
    slot.generation += 1;
    if slot.generation != LAST_GENERATION {
        free.push(index as u32);
    }
    drop(table);
    // Dropped outside of the lock, because it may have to end threads.
    drop(entry);
    Ok(())
}

/// The value for reading, by any number of threads.
pub(crate) struct Shared<'a, T>(RwLockReadGuard<'a, Value>, std::marker::PhantomData<T>);
/// The value for writing.
pub(crate) struct Exclusive<'a, T>(RwLockWriteGuard<'a, Value>, std::marker::PhantomData<T>);

impl Entry {
    pub(crate) fn read<T: Kind>(&self) -> Result<Shared<'_, T>> {
        self.check::<T>()?;
        match self.value.try_read() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(self.busy()),
        }
        .map(|guard| Shared(guard, std::marker::PhantomData))
    }

    /// A panic inside the engine leaves it usable, so a poisoned lock means nothing.
    pub(crate) fn write<T: Kind>(&self) -> Result<Exclusive<'_, T>> {
        self.check::<T>()?;
        match self.value.try_write() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(self.busy()),
        }
        .map(|guard| Exclusive(guard, std::marker::PhantomData))
    }

    fn check<T: Kind>(&self) -> Result {
        ensure!(self.name == T::NAME, PG_ERROR_HANDLE, "the handle is a {}, no {}", self.name, T::NAME);
        let is_own = self.owner.is_none_or(|owner| owner == thread::current().id());
        ensure!(is_own, PG_ERROR_WRONG_THREAD, "the {} was made with PG_SAME_THREAD by another thread", self.name);
        Ok(())
    }

    fn busy(&self) -> Error {
        let message = format_args!("the {} is in use, by another thread or by the call that runs this callback", self.name);
        Error::new(PG_ERROR_BUSY, message)
    }

    pub(crate) fn note(&self, message: &str) {
        let mut own = self.message.lock().unwrap_or_else(PoisonError::into_inner);
        own.clear();
        own.push_str(message);
    }

    pub(crate) fn message(&self) -> String {
        self.message.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// `write` and `read` have checked the name, which stands for the type.
const CHECKED: &str = "a handle of this name has a value of this type";

impl<T: Kind> std::ops::Deref for Shared<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.downcast_ref().expect(CHECKED)
    }
}

impl<T: Kind> std::ops::Deref for Exclusive<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.downcast_ref().expect(CHECKED)
    }
}

impl<T: Kind> std::ops::DerefMut for Exclusive<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.downcast_mut().expect(CHECKED)
    }
}
