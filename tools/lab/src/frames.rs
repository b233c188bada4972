//! Which frames of a recording are meant.

use std::str::FromStr;

/// From 0, without the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameRange {
    pub(crate) start: u64,
    pub(crate) end: Option<u64>,
}

impl FrameRange {
    /// How many of a recording's `frames` these are.
    pub(crate) fn count(&self, frames: u64) -> u64 {
        self.end.map_or(frames, |end| end.min(frames)).saturating_sub(self.start)
    }
}

impl FromStr for FrameRange {
    type Err = String;

    /// `100` are the first hundred; `20..100`, `20..` and `..100` mean what they mean in Rust.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<u64>().map_err(|_| "not frames; write 100, 20..100, 20.. or ..100".to_owned());
        let range = match text.split_once("..") {
            None => Self { start: 0, end: Some(number(text)?) },
            Some((start, end)) => Self {
                start: if start.is_empty() { 0 } else { number(start)? },
                end: if end.is_empty() { None } else { Some(number(end)?) },
            },
        };
        if range.end.is_some_and(|end| end <= range.start) { Err("these are no frames at all".to_owned()) } else { Ok(range) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        for (text, start, end) in
            [("7", 0, Some(7)), ("2..5", 2, Some(5)), ("2..", 2, None), ("..5", 0, Some(5)), ("..", 0, None)]
        {
            assert_eq!(text.parse(), Ok(FrameRange { start, end }), "{text}");
        }
        for wrong in ["", "0", "5..5", "5..2", "a", "1..b", "-1", "1...3", "1..=3"] {
            assert!(wrong.parse::<FrameRange>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn counts() {
        let range = FrameRange { start: 3, end: Some(5) };
        assert_eq!([0, 3, 4, 5, 9].map(|frames| range.count(frames)), [0, 0, 1, 2, 2]);
        assert_eq!(FrameRange::default().count(u64::MAX), u64::MAX);
    }
}
