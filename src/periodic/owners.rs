//! The owners of images: the object that each image shows, and by how many periods that object was moved.

use super::PeriodicPair;

/// By how many periods an object was moved down, in a word: ten bits for each axis. If they do not fit, the word contains a place in a
/// list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moved(u32);

impl Moved {
    const BITS: usize = 10;
    /// In the list, at the place in the bits below.
    const FAR: u32 = 1 << 30;
    const HAS_GHOSTS: u32 = 1 << 31;
    /// The list is always shorter.
    pub(crate) const MOST_FAR: usize = Self::FAR as usize - 1;

    /// Not moved, and without ghosts.
    pub(crate) const NOT: Self = Moved(0);
    /// There is no place for it.
    pub(crate) const MISFIT: Self = Moved(Self::FAR | Self::MOST_FAR as u32);

    pub(crate) fn new<const D: usize>(periods: [i32; D], has_ghosts: bool) -> Self {
        let most = 1 << (Self::BITS - 1);
        let word = match periods.iter().all(|periods| (-most..most).contains(periods)) {
            true => (0..D).fold(0, |word, axis| word | (periods[axis] as u32 & ((1 << Self::BITS) - 1)) << (axis * Self::BITS)),
            false => Self::FAR,
        };
        Moved(word | if has_ghosts { Self::HAS_GHOSTS } else { 0 })
    }

    /// The word of an object that [is far](Self::is_far), with its place in the list.
    pub(crate) fn listed_at(self, place: usize) -> Self {
        Moved(self.0 & Self::HAS_GHOSTS | Self::FAR | place as u32)
    }

    /// Whether it has ghosts or is in the list.
    #[inline(always)]
    pub(crate) fn has_more(self) -> bool {
        self.0 >= Self::FAR && self != Self::MISFIT
    }

    /// Whether some word of a run [has more](Self::has_more).
    #[inline(always)]
    pub(crate) fn some_have_more(run: &[Self]) -> bool {
        run.iter().fold(0, |bits, moved| bits | moved.0) >= Self::FAR
    }

    /// Whether it is in the list.
    #[inline(always)]
    pub(crate) fn is_far(self) -> bool {
        self.0 & Self::FAR != 0 && self != Self::MISFIT
    }

    #[inline(always)]
    pub(crate) fn has_ghosts(self) -> bool {
        self.0 & Self::HAS_GHOSTS != 0
    }

    /// The periods in the word, or in the list.
    #[inline(always)]
    fn periods<const D: usize>(self, far: &[[i32; D]]) -> [i32; D] {
        if self.0 & Self::FAR != 0 {
            return far.get((self.0 & !(Self::FAR | Self::HAS_GHOSTS)) as usize).copied().unwrap_or([0; D]);
        }
        let unused = u32::BITS as usize - Self::BITS;
        // Shifted up and down again, so that the sign is that of the ten bits.
        std::array::from_fn(|axis| ((self.0 >> (axis * Self::BITS)) << unused) as i32 >> unused)
    }
}

/// An image outside of the domain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ghost<const D: usize> {
    /// The object whose ghost it is.
    pub(crate) owner: u32,
    /// By how many periods it is moved down from where the object is in the domain.
    pub(crate) back: [u8; D],
    /// The largest such number for this object, along each axis.
    pub(crate) counts: [u8; D],
}

impl<const D: usize> Ghost<D> {
    pub(crate) const VACANT: Self = Ghost { owner: 0, back: [0; D], counts: [0; D] };
}

/// The owners of images. Images below the number of objects are objects; the others are ghosts, in the order of their owners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owners<'a, const D: usize> {
    /// A word for each object.
    pub(crate) moved: &'a [Moved],
    /// The periods of objects whose word cannot hold them.
    pub(crate) far: &'a [[i32; D]],
    pub(crate) ghosts: &'a [Ghost<D>],
}

// `get` everywhere, and no loops of unknown length: the compiler cannot remove unused code that might panic or not end. A step without a
// filter uses nothing of what pairs of images stand for.
impl<const D: usize> Owners<'_, D> {
    #[inline(always)]
    fn ghost(&self, image: usize) -> Option<&Ghost<D>> {
        self.ghosts.get(image.wrapping_sub(self.moved.len()))
    }

    /// The owner of an image.
    #[inline(always)]
    pub(crate) fn owner(&self, image: usize) -> u32 {
        self.ghost(image).map_or(image as u32, |ghost| ghost.owner)
    }

    /// By how many periods it is a ghost.
    #[inline(always)]
    pub(crate) fn back(&self, image: usize) -> [u8; D] {
        self.ghost(image).map_or([0; D], |ghost| ghost.back)
    }

    /// The axes, as bits, along which it is a ghost.
    #[inline(always)]
    pub(crate) fn shifted(&self, image: usize) -> u8 {
        let back = self.back(image);
        (0..D).fold(0, |bits, axis| bits | u8::from(back[axis] != 0) << axis)
    }

    /// The axes, as bits, along which its object has a ghost that is moved back further.
    pub(crate) fn reaching(&self, image: usize) -> u8 {
        let counts = match self.ghost(image) {
            Some(ghost) => ghost.counts,
            None if self.moved.get(image).is_some_and(|moved| moved.has_ghosts()) => {
                let first = self.ghosts.partition_point(|ghost| (ghost.owner as usize) < image);
                self.ghosts.get(first).filter(|ghost| ghost.owner as usize == image).map_or([0; D], |ghost| ghost.counts)
            }
            None => [0; D],
        };
        let back = self.back(image);
        (0..D).fold(0, |bits, axis| bits | u8::from(back[axis] < counts[axis]) << axis)
    }

    /// By how many periods it was moved down from the user's object.
    #[inline(always)]
    pub(crate) fn periods(&self, image: usize) -> [i32; D] {
        let (owner, back) = (self.owner(image), self.back(image));
        let moved = self.moved.get(owner as usize).copied().unwrap_or(Moved::NOT);
        let periods = moved.periods(self.far);
        std::array::from_fn(|axis| periods[axis] + i32::from(back[axis]))
    }

    /// Whether a pair of images stands for a meeting of two objects that no other pair stands for.
    #[inline(always)]
    pub(crate) fn admit(&self, a: usize, b: usize) -> bool {
        // In most pairs both are objects.
        if a.max(b) < self.moved.len() {
            return true;
        }
        self.owner(a) != self.owner(b) && are_apart(self.back(a), self.back(b))
    }

    /// Which objects meet, and where. If a moved down by `i` periods meets b moved down by `j`, then a where it is meets b moved up by
    /// `i - j`.
    #[inline(always)]
    pub(crate) fn meeting(&self, a: u32, b: u32) -> PeriodicPair<D> {
        let (one, other) = (self.owner(a as usize), self.owner(b as usize));
        let (first, second) = if one < other { (a, b) } else { (b, a) };
        let shift = difference(self.periods(first as usize), self.periods(second as usize));
        PeriodicPair { a: one.min(other), b: one.max(other), shift }
    }
}

/// Whether on no axis both of two images are ghosts.
#[inline(always)]
pub(crate) fn are_apart<const D: usize>(one: [u8; D], other: [u8; D]) -> bool {
    (0..D).all(|axis| one[axis] == 0 || other[axis] == 0)
}

/// By how many periods the object of one image is to be moved so that it meets the object of another, whose periods come first.
#[inline(always)]
pub(crate) fn difference<const D: usize>(one: [i32; D], other: [i32; D]) -> [i32; D] {
    std::array::from_fn(|axis| one[axis] - other[axis])
}
