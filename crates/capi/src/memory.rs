//! The caller's memory: the only module with unsafe code.
//!
//! An exported function takes its pointers as [`In`], [`Out`] and [`User`]. In C these are plain pointers; in Rust they can be made
//! only by `unsafe`. So the caller of an exported function has promised what the header demands: **a pointer that is not null
//! points to as many values of its type as the header says, they stay there for the whole call, and no other thread writes to
//! them**. Everything below rests on that promise. What can be checked (null, alignment, strides) is checked here.

use std::ffi::c_void;
use std::mem::{MaybeUninit, align_of, size_of};
use std::ptr::NonNull;
use std::slice;

use crate::status::{Error, Result, ensure};
use crate::types::{pg_array, pg_block, pg_config, pg_fork_join, pg_objects, pg_query, pg_stats};
use engine::{Aabb, ForkJoin, Scalar};

/// A pointer to values that the library reads.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct In<T>(*const T);

/// A pointer to values that the library writes.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Out<T>(*mut T);

/// A pointer that the library hands on to callbacks and never follows.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct User(*mut c_void);

// SAFETY: the library never follows the pointer. The header states that callbacks get it on any thread.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

// SAFETY: a block is a pointer to pairs that the engine owns and does not write until the next step, with their number. The handle
// that keeps it is the one that keeps the engine, so both move to another thread together.
unsafe impl Send for pg_block {}
// SAFETY: as above; shared, a block can only be copied.
unsafe impl Sync for pg_block {}

// SAFETY: two integers, `repr(C)`: zeros are a value, there is no padding, any bytes are a value.
unsafe impl bytemuck::Zeroable for crate::types::pg_pair {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for crate::types::pg_pair {}

/// Values that C may hand over: any bytes that a C compiler puts there are one.
///
/// # Safety
///
/// `repr(C)`, and made of integers, floats, data pointers, `Option`s of function pointers, and arrays and structs of those.
pub(crate) unsafe trait Plain: Copy {}

// SAFETY: a primitive.
unsafe impl Plain for u8 {}
// SAFETY: a primitive.
unsafe impl Plain for u32 {}
// SAFETY: a primitive.
unsafe impl Plain for u64 {}
// SAFETY: a primitive.
unsafe impl Plain for f32 {}
// SAFETY: a primitive.
unsafe impl Plain for f64 {}
// SAFETY: an array of such values.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
// SAFETY: three integers, `repr(C)`.
unsafe impl Plain for crate::types::pg_groups {}
// SAFETY: two integers, `repr(C)`.
unsafe impl Plain for crate::types::pg_object {}

/// A struct that begins with its size, and may grow from version to version.
///
/// # Safety
///
/// As for [`Plain`], and its first field is a `size_t`. Zeros are a value, and mean "not used" in every field but the size.
pub(crate) unsafe trait Versioned: Copy {
    /// Its size in the first version that had it.
    const FIRST_SIZE: usize;
}

// SAFETY: `repr(C)`: size, integers, floats, a nullable pointer.
unsafe impl Versioned for pg_config {
    const FIRST_SIZE: usize = size_of::<Self>();
}
// SAFETY: `repr(C)`: size, integers, floats, arrays of those.
unsafe impl Versioned for pg_stats {
    const FIRST_SIZE: usize = size_of::<Self>();
}
// SAFETY: `repr(C)`: size, integers, nullable data pointers with strides, a nullable function pointer.
unsafe impl Versioned for pg_objects {
    const FIRST_SIZE: usize = size_of::<Self>();
}
// SAFETY: `repr(C)`: size, integers, nullable data pointers with strides.
unsafe impl Versioned for pg_query {
    const FIRST_SIZE: usize = size_of::<Self>();
}

// SAFETY: `repr(C)`: size, an integer, a nullable function pointer, a pointer that is not followed.
unsafe impl Versioned for pg_fork_join {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// The caller's own threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jobs {
    workers: u32,
    run: RunJobs,
    user: User,
}

type RunJobs = extern "C" fn(*mut c_void, u32, Option<extern "C" fn(*mut c_void, u32)>, *mut c_void);

impl Jobs {
    /// The threads that a caller passed.
    pub(crate) fn new(given: *const pg_fork_join) -> Result<Self> {
        let pg_fork_join { workers, run, user, .. } = In(given).versioned("fork_join")?;
        let Some(run) = run else { return Err(Error::new(crate::status::PG_ERROR_NULL, "run of fork_join is null")) };
        ensure!((1..=1024).contains(&workers), PG_ERROR_CONFIG, "fork_join has {workers} workers, but can have 1 to 1024");
        Ok(Jobs { workers, run, user: User(user) })
    }
}

impl ForkJoin for Jobs {
    fn workers(&self) -> usize {
        self.workers as usize
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        // A pointer to a reference: one to the closure itself has two words, and C has room for one.
        (self.run)(self.user.0, self.workers, Some(run_job), (&raw const work).cast_mut().cast());
    }
}

/// Runs one worker. It does not unwind: the engine catches what its workers panic with.
extern "C" fn run_job(data: *mut c_void, worker: u32) {
    // SAFETY: `data` is the pointer that `Jobs::run` handed out. What it points to stays there until the caller's `run` returns, and the
    // header says that no job runs after that. The closure is `Sync`.
    let work = unsafe { *data.cast_const().cast::<&(dyn Fn(usize) + Sync)>() };
    work(worker as usize);
}

fn check<T>(pointer: *const T, what: &str) -> Result {
    ensure!(!pointer.is_null(), PG_ERROR_NULL, "{what} is null");
    ensure!(pointer.is_aligned(), PG_ERROR_ALIGNMENT, "{what} is not aligned to {} bytes", align_of::<T>());
    Ok(())
}

impl<T> In<T> {
    /// # Safety
    ///
    /// The promise of the module's documentation.
    pub unsafe fn new(pointer: *const T) -> Self {
        In(pointer)
    }

    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

impl<T: Plain> In<T> {
    /// The first `count` values; the pointer may be null if `count` is 0.
    pub(crate) fn slice<'a>(self, count: usize, what: &str) -> Result<&'a [T]> {
        if count == 0 {
            return Ok(&[]);
        }
        check(self.0, what)?;
        ensure!(fits::<T>(count, size_of::<T>()), PG_ERROR_STRIDE, "{count} of {what} do not fit into memory");
        // SAFETY: by the promise there are `count` values for the whole call, which no thread writes to; aligned and not null by `check`;
        // not larger than memory by `fits`. The lifetime is the call's: no exported function keeps it.
        Ok(unsafe { slice::from_raw_parts(self.0, count) })
    }
}

impl<T: Versioned> In<T> {
    /// A copy of a struct of any version: fields that an older program lacks are zero, and fields that this library does not know must be
    /// zero.
    pub(crate) fn versioned(self, what: &str) -> Result<T> {
        check(self.0, what)?;
        // SAFETY: not null and aligned by `check`, and `Versioned`: every version begins with a `size_t`.
        let size = unsafe { self.0.cast::<usize>().read() };
        check_size::<T>(size, what)?;
        let mut value = MaybeUninit::<T>::zeroed();
        let known = size.min(size_of::<T>());
        // SAFETY: by the promise the struct has the size that it says; `value` has room for `known` bytes; they are two places.
        unsafe { self.0.cast::<u8>().copy_to_nonoverlapping(value.as_mut_ptr().cast(), known) };
        for at in known..size {
            // SAFETY: by the promise the struct has the size that it says, and C zeroes its padding when it zeroes the struct.
            let byte = unsafe { self.0.cast::<u8>().add(at).read() };
            ensure!(byte == 0, PG_ERROR_SIZE, "{what} uses a field of a newer version of the header; byte {at} is not zero");
        }
        // SAFETY: `Versioned`: zeros are a value in each field, and so is what C has put there.
        Ok(unsafe { value.assume_init() })
    }
}

fn check_size<T: Versioned>(size: usize, what: &str) -> Result {
    let known = size_of::<T>();
    ensure!(
        size >= T::FIRST_SIZE && size <= 16 * known,
        PG_ERROR_SIZE,
        "the size of {what} is {size}, but must be its sizeof, which is {known} in this version"
    );
    Ok(())
}

impl<T> Out<T> {
    /// # Safety
    ///
    /// The promise of the module's documentation.
    pub unsafe fn new(pointer: *mut T) -> Self {
        Out(pointer)
    }

    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Checks that it can be written, before the work whose result goes there.
    pub(crate) fn check(self, what: &str) -> Result {
        check(self.0, what)
    }

    /// Puts a value there.
    pub(crate) fn set(self, value: T, what: &str) -> Result {
        check(self.0, what)?;
        // SAFETY: by the promise there is room for a value; not null and aligned by `check`. `T` is `Copy` or a view: nothing that
        // was there has to be dropped.
        unsafe { self.0.write(value) };
        Ok(())
    }

    /// Checks that `count` values can be written.
    pub(crate) fn check_room(self, count: usize, what: &str) -> Result {
        if count == 0 { Ok(()) } else { check(self.0, what) }
    }

    /// Writes values there, one after another; the header states how many must have room.
    pub(crate) fn set_all(self, values: &[T], what: &str) -> Result
    where
        T: Copy,
    {
        if values.is_empty() {
            return Ok(());
        }
        check(self.0, what)?;
        // SAFETY: by the promise there is room for as many as the header says, which is what every caller of this hands over; aligned
        // by `check`; `values` is the library's own memory.
        unsafe { self.0.copy_from_nonoverlapping(values.as_ptr(), values.len()) };
        Ok(())
    }
}

impl<T: Versioned> Out<T> {
    /// Puts a struct there, as much of it as the caller's version has.
    pub(crate) fn set_versioned(self, value: T, what: &str) -> Result {
        check(self.0, what)?;
        // SAFETY: not null and aligned by `check`, and `Versioned`: every version begins with a `size_t`, which the header demands to
        // be set.
        let size = unsafe { self.0.cast::<usize>().read() };
        check_size::<T>(size, what)?;
        let first = size_of::<usize>();
        let known = size.min(size_of::<T>()) - first;
        // SAFETY: by the promise the struct has the size that it says, so there is room for `known` bytes behind the first field;
        // `value` has as many there.
        unsafe {
            let from = (&raw const value).cast::<MaybeUninit<u8>>().add(first);
            self.0.cast::<MaybeUninit<u8>>().add(first).copy_from_nonoverlapping(from, known);
        }
        Ok(())
    }

    /// Puts a struct there that has no size yet.
    pub(crate) fn init(self, value: T, size: usize, what: &str) -> Result {
        check(self.0, what)?;
        check_size::<T>(size, what)?;
        // SAFETY: by the promise there is room for `size` bytes.
        unsafe {
            self.0.cast::<u8>().write_bytes(0, size);
            self.0.cast::<usize>().write(size);
        }
        self.set_versioned(value, what)
    }
}

impl User {
    /// # Safety
    ///
    /// Any thread may hand it to the callbacks that it is for.
    pub unsafe fn new(pointer: *mut c_void) -> Self {
        User(pointer)
    }
}

/// Values of the caller's that lie `stride` bytes from one another, checked; or one value for all, with a stride of 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided<T> {
    first: NonNull<T>,
    stride: usize,
    count: usize,
}

// SAFETY: it is read only, and by the promise no thread writes to it during the call.
unsafe impl<T: Plain + Sync> Sync for Strided<T> {}
// SAFETY: as above.
unsafe impl<T: Plain + Sync> Send for Strided<T> {}

impl<T: Plain> Strided<T> {
    /// The array, if it makes sense. The pointer may be null if there are no values.
    pub(crate) fn new(array: pg_array, count: usize, what: &str) -> Result<Self> {
        let (size, align) = (size_of::<T>(), align_of::<T>());
        let Some(first) = NonNull::new(array.data.cast::<T>().cast_mut()) else {
            ensure!(count == 0, PG_ERROR_NULL, "{what} is null, but there are {count} of them");
            return Ok(Strided { first: NonNull::dangling(), stride: size, count });
        };
        let stride = array.stride;
        ensure!(first.as_ptr().is_aligned(), PG_ERROR_ALIGNMENT, "{what} is not aligned to {align} bytes");
        ensure!(stride >= size, PG_ERROR_STRIDE, "the stride of {what} is {stride}, but one takes {size} bytes");
        ensure!(stride.is_multiple_of(align), PG_ERROR_ALIGNMENT, "the stride of {what} is {stride}, no multiple of {align}");
        ensure!(fits::<T>(count, stride), PG_ERROR_STRIDE, "{count} of {what} with a stride of {stride} do not fit into memory");
        Ok(Strided { first, stride, count })
    }

    /// The same, but a stride of 0 means that there is one value for all.
    pub(crate) fn or_one(array: pg_array, count: usize, what: &str) -> Result<Self> {
        match array.stride {
            0 => Ok(Strided { stride: 0, count, ..Self::new(pg_array { stride: size_of::<T>(), ..array }, count.min(1), what)? }),
            _ => Self::new(array, count, what),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// # Panics
    ///
    /// If `index` is not less than the count.
    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> T {
        assert!(index < self.count);
        // SAFETY: by the promise there are `count` values, `stride` apart, and `index` is one of them; `new` has seen that each is
        // aligned and that the offset does not overflow.
        unsafe { self.first.byte_add(index * self.stride).read() }
    }
}

/// Whether `count` values, `stride` bytes apart, fit into the address space.
fn fits<T>(count: usize, stride: usize) -> bool {
    let Some(last) = count.checked_sub(1) else { return true };
    last.checked_mul(stride).and_then(|bytes| bytes.checked_add(size_of::<T>())).is_some_and(|bytes| bytes <= isize::MAX as usize)
}

/// The boxes as a slice, if they lie in memory as the engine's own boxes do.
pub(crate) fn as_boxes<'a, S: Scalar + Plain, const D: usize>(
    min: &'a Strided<[S; D]>,
    max: &'a Strided<[S; D]>,
) -> Option<&'a [Aabb<S, D>]> {
    let corner = size_of::<[S; D]>();
    let is_dense = min.stride == 2 * corner && max.stride == 2 * corner && min.count == max.count;
    if !is_dense || min.first.as_ptr().addr() + corner != max.first.as_ptr().addr() || min.count == 0 {
        return None;
    }
    // SAFETY: `Aabb` is `repr(C)`: two corners, the second directly behind the first, aligned as a corner is. By the promise there are
    // `count` lower corners, two corners apart, and an upper one behind each, so `count` boxes. `Strided::new` has seen that they are
    // aligned and fit into memory (the last upper corner as part of `max`). No thread writes to them during the call; `'a` ends with it,
    // because the exported function owns the `Strided`s.
    Some(unsafe { slice::from_raw_parts(min.first.as_ptr().cast(), min.count) })
}

/// The values as a slice, if they lie directly behind one another.
pub(crate) fn as_slice<T: Plain>(values: &Strided<T>) -> Option<&[T]> {
    // SAFETY: by the promise there are `count` values, and here each begins where the last one ends; `Strided::new` has seen that they
    // are aligned and fit into memory. No thread writes to them during the call, which outlives the `Strided`.
    (values.stride == size_of::<T>()).then(|| unsafe { slice::from_raw_parts(values.first.as_ptr(), values.count) })
}

/// Makes room in a list of the library's own, or returns an error.
pub(crate) fn reserve<T>(list: &mut Vec<T>, additional: usize) -> Result {
    list.try_reserve(additional).map_err(Error::from)
}
