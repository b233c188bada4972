//! Errors in the settings of a world.

use std::fmt;

use crate::ConfigError;

/// Why a [`World`](crate::World) could not be made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WorldError {
    /// The settings of its engine are wrong.
    Config(ConfigError),
    /// The margin is negative, infinite or NaN.
    Margin(f64),
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorldError::Config(error) => error.fmt(f),
            WorldError::Margin(margin) => write!(f, "the margin is {margin}, but must be finite and not negative"),
        }
    }
}

impl std::error::Error for WorldError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WorldError::Config(error) => Some(error),
            WorldError::Margin(_) => None,
        }
    }
}

impl From<ConfigError> for WorldError {
    fn from(error: ConfigError) -> Self {
        WorldError::Config(error)
    }
}
