//! Places in a source file, and what can be changed there.

use std::ops::Range;
use std::path::PathBuf;

/// A source file and its sites, in the order of their beginnings; of two that begin at one place the outer one comes first.
pub(crate) struct SourceFile {
    /// Relative to the root of the repository.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) sites: Vec<Site>,
}

/// A place that has mutants.
pub(crate) struct Site {
    /// The bytes that are written anew; empty where something is only inserted.
    pub(crate) span: Range<usize>,
    pub(crate) form: Form,
    pub(crate) mutants: Vec<Mutant>,
    /// The function around it, with its type.
    pub(crate) function: String,
}

/// How a site is written with its switches.
pub(crate) enum Form {
    /// `left operator right`: both are evaluated once.
    Operator { left: Range<usize>, operator: String, right: Range<usize> },
    /// The same by reference, as comparisons do.
    Comparison { left: Range<usize>, operator: String, right: Range<usize> },
    /// `&&` or `||`, whose right side may not be evaluated.
    Lazy { left: Range<usize>, and: bool, right: Range<usize> },
    /// `place operator= value`.
    Assignment { place: Range<usize>, operator: String, value: Range<usize> },
    /// `!` or `-`, which the mutant leaves out.
    Unary { operand: Range<usize> },
    /// The beginning of a body that a mutant leaves at once.
    Body,
    /// The end of an arm's pattern: the mutant never takes the arm.
    Arm,
    /// An arm's condition.
    Guard,
}

pub(crate) struct Mutant {
    /// One number per mutant of the library, from 1.
    pub(crate) id: u32,
    /// What stands there instead: an operator, the value of a body.
    pub(crate) text: String,
    /// For people.
    pub(crate) what: String,
}
