//! The latest changes of a set, for features that keep data derived from its objects.

use super::Stamp;

/// How many changes are remembered.
const MOST: usize = 128;

/// The changes since the latest stamps. Of a fixed size, because removing an object must not need memory.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    /// The stamp of the set before these changes.
    base: Stamp,
    /// The stamps of the set after each change, which ascend, and the index of the object that changed.
    noted: [(Stamp, u32); MOST],
    len: usize,
}

impl Changes {
    /// The changes of a new set: none.
    pub(super) fn new() -> Self {
        let base = Stamp::new();
        Changes { base, noted: [(base, 0); MOST], len: 0 }
    }

    /// Notes that an object was put in, moved or taken out.
    pub(super) fn note(&mut self, index: u32) {
        if self.len == MOST {
            // The older half is forgotten.
            self.base = self.noted[MOST / 2 - 1].0;
            self.noted.copy_within(MOST / 2.., 0);
            self.len = MOST / 2;
        }
        self.noted[self.len] = (Stamp::new(), index);
        self.len += 1;
    }

    /// The stamp of the set as it is now.
    pub(super) fn stamp(&self) -> Stamp {
        self.noted[..self.len].last().map_or(self.base, |last| last.0)
    }

    /// The indices of the objects that have changed since the set had a stamp, possibly several times each; `None` if that is not known,
    /// because the stamp is too old or another set's.
    pub(super) fn since(&self, stamp: Stamp) -> Option<impl Iterator<Item = u32> + Clone> {
        let noted = &self.noted[..self.len];
        let first = match noted.binary_search_by_key(&stamp, |noted| noted.0) {
            Ok(last) => last + 1,
            Err(_) if stamp == self.base => 0,
            Err(_) => return None,
        };
        Some(noted[first..].iter().map(|noted| noted.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_since_any_stamp_that_is_remembered() {
        let (mut changes, other) = (Changes::new(), Changes::new());
        let mut stamps = vec![changes.stamp()];
        for index in 0..1000 {
            changes.note(index);
            stamps.push(changes.stamp());
            for (seen, &stamp) in (0..).zip(&stamps) {
                let expected = (index < seen + MOST as u32 / 2).then(|| (seen..=index).collect::<Vec<_>>());
                let found = changes.since(stamp).map(|changes| changes.collect::<Vec<_>>());
                assert!(
                    found == expected || found == Some((seen..=index).collect()) && index < seen + MOST as u32,
                    "{seen} to {index}"
                );
            }
            assert!(changes.since(other.stamp()).is_none());
        }
        assert!(stamps.is_sorted_by(|one, next| one < next));
    }
}
