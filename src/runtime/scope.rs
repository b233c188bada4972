//! Scopes for profilers, with the feature `profiling`; without it they compile to nothing.

/// `scope!("pivotgrid::name")` lasts to the end of the block it stands in, `scope!("pivotgrid::name", expression)` as long as the
/// expression. A macro, because profilers want a place in the program, and a name that is a literal, for each of them.
macro_rules! scope {
    ($name:literal) => {
        #[cfg(feature = "profiling")]
        profiling::scope!($name);
    };
    ($name:literal, $work:expr) => {{
        $crate::runtime::scope::scope!($name);
        $work
    }};
}

pub(crate) use scope;
