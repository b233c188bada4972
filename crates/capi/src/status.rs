//! Error codes, and the messages that go with them.

use std::fmt;

use engine::{ConfigError, DetectError, PeriodicError, WorldError};

/// The result of a function: `PG_OK`, or the reason why it did nothing. A call that fails leaves its handles usable.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pg_status {
    /// Done.
    PG_OK = 0,
    /// A pointer that must not be null is null.
    PG_ERROR_NULL = 1,
    /// No handle: 0, never given out, or one of another kind.
    PG_ERROR_HANDLE = 2,
    /// The handle was destroyed.
    PG_ERROR_STALE_HANDLE = 3,
    /// The handle is in use: by another thread, or by the call that runs this callback.
    PG_ERROR_BUSY = 4,
    /// The handle belongs to another thread (`PG_SAME_THREAD`).
    PG_ERROR_WRONG_THREAD = 5,
    /// The `size` of a struct is not one that this library knows.
    PG_ERROR_SIZE = 6,
    /// A stride is smaller than what it strides over, or the array does not fit into memory.
    PG_ERROR_STRIDE = 7,
    /// A pointer or a stride is not aligned for its type.
    PG_ERROR_ALIGNMENT = 8,
    /// Unknown scalar or number of dimensions, or not those of the handle.
    PG_ERROR_TYPE = 9,
    /// More objects than there are indices.
    PG_ERROR_TOO_MANY = 10,
    /// The system refused memory.
    PG_ERROR_OUT_OF_MEMORY = 11,
    /// The step needs more than `max_bytes`.
    PG_ERROR_OVER_BUDGET = 12,
    /// A setting is out of its range, the machine does not have it, or its threads could not be started.
    PG_ERROR_CONFIG = 13,
    /// A periodic domain is empty or not finite.
    PG_ERROR_DOMAIN = 14,
    /// Any other invalid argument.
    PG_ERROR_ARGUMENT = 15,
    /// An object of a world or a static set was removed, or never existed.
    PG_ERROR_STALE_OBJECT = 16,
    /// Not in this version.
    PG_ERROR_UNSUPPORTED = 17,
    /// The library failed; its message says where. Please report it.
    PG_ERROR_PANIC = 18,
}

pub(crate) use pg_status::*;

/// The reason why a call did nothing.
#[derive(Debug)]
pub(crate) struct Error {
    pub(crate) status: pg_status,
    pub(crate) message: String,
}

pub(crate) type Result<T = ()> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(status: pg_status, message: impl fmt::Display) -> Self {
        Error { status, message: message.to_string() }
    }
}

/// Ends the function with an error if the condition does not hold.
macro_rules! ensure {
    ($condition:expr, $status:ident, $($message:tt)+) => {
        if !$condition {
            return Err($crate::status::Error::new($crate::status::pg_status::$status, format_args!($($message)+)));
        }
    };
}
pub(crate) use ensure;

impl From<DetectError> for Error {
    fn from(error: DetectError) -> Self {
        let status = match error {
            DetectError::TooManyObjects(_) => PG_ERROR_TOO_MANY,
            DetectError::OverBudget { .. } => PG_ERROR_OVER_BUDGET,
            _ => PG_ERROR_OUT_OF_MEMORY,
        };
        Error::new(status, error)
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Error::new(PG_ERROR_CONFIG, error)
    }
}

impl From<WorldError> for Error {
    fn from(error: WorldError) -> Self {
        Error::new(PG_ERROR_CONFIG, error)
    }
}

impl From<PeriodicError> for Error {
    fn from(error: PeriodicError) -> Self {
        match error {
            PeriodicError::Config(error) => error.into(),
            error => Error::new(PG_ERROR_DOMAIN, error),
        }
    }
}

impl From<std::collections::TryReserveError> for Error {
    fn from(error: std::collections::TryReserveError) -> Self {
        Error::new(PG_ERROR_OUT_OF_MEMORY, error)
    }
}
