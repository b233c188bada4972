//! The border: every exported function runs its work through it.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use engine::DetectError;

use crate::memory::Out;
use crate::status::{Error, PG_ERROR_OUT_OF_MEMORY, PG_ERROR_OVER_BUDGET, PG_ERROR_PANIC, PG_OK, Result, pg_status};
use crate::table;

#[cfg(not(panic = "unwind"))]
compile_error!("a panic must not end the caller's program: build with `panic = \"unwind\"`");

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Runs a call that has no handle yet.
pub(crate) fn border(call: impl FnOnce() -> Result) -> pg_status {
    match caught(call) {
        Ok(()) => PG_OK,
        Err(error) => noted(error, None),
    }
}

/// Runs a call for a handle, which gets the message if it fails.
pub(crate) fn border_of(handle: u64, call: impl FnOnce() -> Result) -> pg_status {
    match caught(call) {
        Ok(()) => PG_OK,
        Err(error) => noted(error, Some(handle)),
    }
}

/// Panics become errors.
fn caught(call: impl FnOnce() -> Result) -> Result {
    // The engine stays usable after a panic, and so do the lists of this crate, which each call fills anew.
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        let text = text(&*payload);
        Err(Error::new(status_of(text), text))
    })
}

/// Steps that have no `try_` form panic with the message of the error when memory is refused.
fn status_of(text: &str) -> pg_status {
    let begins_like = |error: DetectError| {
        let message = error.to_string();
        text.starts_with(message.split(char::is_numeric).next().unwrap_or(&message))
    };
    if begins_like(DetectError::OutOfMemory { needed: 0 }) {
        PG_ERROR_OUT_OF_MEMORY
    } else if begins_like(DetectError::OverBudget { needed: 0, max_bytes: 0 }) {
        PG_ERROR_OVER_BUDGET
    } else {
        PG_ERROR_PANIC
    }
}

fn text(payload: &(dyn Any + Send)) -> &str {
    payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
}

fn noted(error: Error, handle: Option<u64>) -> pg_status {
    let Error { status, message } = error;
    let keep = || {
        if let Some(entry) = handle.and_then(|id| table::find(id).ok()) {
            entry.note(&message);
        }
        // It does not exist any more while the thread ends.
        let _ = MESSAGE.try_with(|own| {
            if let Ok(mut own) = own.try_borrow_mut() {
                *own = CString::new(message.replace('\0', " ")).unwrap_or_default();
            }
        });
    };
    let _ = catch_unwind(AssertUnwindSafe(keep));
    status
}

/// The message of the last failed call of this thread. Valid until the next one. Never null.
#[unsafe(no_mangle)]
pub extern "C" fn pg_last_error() -> *const c_char {
    MESSAGE.try_with(|own| own.try_borrow().map_or(c"".as_ptr(), |own| own.as_ptr())).unwrap_or(c"".as_ptr())
}

/// The message of the last failed call of a handle, on any thread: at most `capacity` bytes of it, the zero included. `handle` is the `id`
/// of any handle. Returns how long the message is without its zero, and 0 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn pg_error_of(handle: u64, buffer: Out<c_char>, capacity: usize) -> usize {
    let message = catch_unwind(|| table::find(handle).map(|entry| entry.message()).unwrap_or_default()).unwrap_or_default();
    let put = || {
        let room = capacity.saturating_sub(1).min(message.len());
        let mut bytes: Vec<c_char> = message.as_bytes()[..room].iter().map(|&byte| byte as c_char).collect();
        bytes.push(0);
        if capacity > 0 && !buffer.is_null() {
            let _ = buffer.set_all(&bytes, "buffer");
        }
    };
    let _ = catch_unwind(AssertUnwindSafe(put));
    message.len()
}

/// The name of a status, such as "PG_ERROR_NULL". `status` may be any number.
#[unsafe(no_mangle)]
pub extern "C" fn pg_status_name(status: i32) -> *const c_char {
    let name = match status {
        0 => c"PG_OK",
        1 => c"PG_ERROR_NULL",
        2 => c"PG_ERROR_HANDLE",
        3 => c"PG_ERROR_STALE_HANDLE",
        4 => c"PG_ERROR_BUSY",
        5 => c"PG_ERROR_WRONG_THREAD",
        6 => c"PG_ERROR_SIZE",
        7 => c"PG_ERROR_STRIDE",
        8 => c"PG_ERROR_ALIGNMENT",
        9 => c"PG_ERROR_TYPE",
        10 => c"PG_ERROR_TOO_MANY",
        11 => c"PG_ERROR_OUT_OF_MEMORY",
        12 => c"PG_ERROR_OVER_BUDGET",
        13 => c"PG_ERROR_CONFIG",
        14 => c"PG_ERROR_DOMAIN",
        15 => c"PG_ERROR_ARGUMENT",
        16 => c"PG_ERROR_STALE_OBJECT",
        17 => c"PG_ERROR_UNSUPPORTED",
        18 => c"PG_ERROR_PANIC",
        _ => c"unknown status",
    };
    name.as_ptr()
}

/// The version of the library: major * 10000 + minor * 100 + patch. Compare with `PG_VERSION`.
#[unsafe(no_mangle)]
pub extern "C" fn pg_version() -> u32 {
    PG_VERSION
}

/// The version of the header: major * 10000 + minor * 100 + patch.
pub const PG_VERSION: u32 = 100;
