//! Scopes for profilers, with the feature `profiling`; without it they compile to nothing.

/// `scope!("pivotgrid::name")` lasts to the end of the enclosing block, `scope!("pivotgrid::name", expression)` as long as the expression.
/// A macro, because profilers need a place in the source and a literal name for each scope.
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
