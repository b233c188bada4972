//! A bit per object. Half a million bits fit into a core's nearest caches; as many bytes would not.

/// Objects per word.
pub(crate) const WORD: usize = u64::BITS as usize;

/// A row of bits.
#[derive(Debug, Default)]
pub(crate) struct Bits {
    pub(crate) words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// Makes room for bits that are written afterwards, a word at a time.
    pub(crate) fn resize(&mut self, len: usize) {
        self.words.resize(len.div_ceil(WORD), 0);
        self.len = len;
    }

    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> bool {
        self.words[index / WORD] >> (index % WORD) & 1 != 0
    }

    pub(crate) fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(WORD) {
            self.words.push(0);
        }
        let (word, at) = (&mut self.words[self.len / WORD], self.len % WORD);
        // The rest of the word may be left over from earlier objects.
        *word = *word & !(u64::MAX << at) | u64::from(bit) << at;
        self.len += 1;
    }

    /// Keeps the bits whose number satisfies the condition.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut kept = Bits::default();
        for index in (0..self.len).filter(|&index| keep(index)) {
            kept.push(self.get(index));
        }
        *self = kept;
    }
}

/// The numbers of the bits of a word that are set.
#[inline]
pub(crate) fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        lowest
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_pushed_read_and_dropped() {
        let mut bits = Bits::default();
        bits.resize(70);
        bits.words.fill(u64::MAX);
        for index in 70..200 {
            bits.push(index % 3 == 0);
        }
        let expected = |index: usize| index < 70 || index.is_multiple_of(3);
        assert!((0..200).all(|index| bits.get(index) == expected(index)));
        assert_eq!(bits.words.iter().flat_map(|&word| ones(word)).count(), (0..200).filter(|&index| expected(index)).count());
        bits.retain(|index| index % 2 == 0);
        assert!((0..100).all(|index| bits.get(index) == expected(2 * index)));
        bits.resize(5);
        bits.push(false);
        assert!(bits.get(4) && !bits.get(5));
    }
}
