//! Results of a step: readable if the step was completed, and gone otherwise.
//!
//! A panic in the user's code and refused memory both leave a step by unwinding, at any point. The data written by then is neither the last
//! result nor the next one. [`Outcome`] keeps such memory and lends it for reading only after a complete step.

/// Memory that a step fills, together with whether the last step was completed.
///
/// ```text
/// let mut draft = self.rows.begin();   // from here on nothing can be read …
/// draft.fill(objects);                 // … also not after a panic here …
/// draft.finish();                      // … until here
/// ```
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome<T> {
    value: T,
    is_complete: bool,
}

impl<T> Outcome<T> {
    /// Memory without a result.
    pub(crate) fn new(value: T) -> Self {
        Outcome { value, is_complete: false }
    }

    /// The result of the last step, if that was completed.
    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        self.is_complete.then_some(&self.value)
    }

    /// Begins a step: discards the last result, and lends the memory to be filled.
    pub(crate) fn begin(&mut self) -> Draft<'_, T> {
        self.is_complete = false;
        Draft { outcome: self }
    }

    /// Discards the result and keeps the memory.
    pub(crate) fn discard(&mut self) -> &mut T {
        self.is_complete = false;
        &mut self.value
    }
}

/// A result in the making. Dropped without [`finish`](Self::finish), it leaves nothing to read.
#[derive(Debug)]
pub(crate) struct Draft<'a, T> {
    outcome: &'a mut Outcome<T>,
}

impl<T> std::ops::Deref for Draft<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.outcome.value
    }
}

impl<T> std::ops::DerefMut for Draft<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.outcome.value
    }
}

impl<T> Draft<'_, T> {
    /// The step is completed: its result may be read.
    pub(crate) fn finish(self) {
        self.outcome.is_complete = true;
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    use super::*;

    #[test]
    fn only_a_finished_answer_can_be_read() {
        let mut outcome = Outcome::new(Vec::new());
        assert!(outcome.get().is_none());
        let mut draft = outcome.begin();
        draft.push(7);
        draft.finish();
        assert_eq!(outcome.get(), Some(&vec![7]));

        let panicking = catch_unwind(AssertUnwindSafe(|| {
            let mut draft = outcome.begin();
            draft.push(8);
            resume_unwind(Box::new(()));
        }));
        assert!(panicking.is_err() && outcome.get().is_none());
        assert_eq!(*outcome.begin(), [7, 8], "the memory is kept");

        outcome.begin().finish();
        outcome.discard().clear();
        assert!(outcome.get().is_none());
    }
}
