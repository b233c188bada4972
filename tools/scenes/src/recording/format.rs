//! Which format a file has.

use std::fmt;

use super::broadmark;
use super::error::{Place, RecordingError};

/// The first bytes of our own format.
pub(super) const MAGIC: [u8; 8] = *b"pgboxes\0";

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Our own.
    Binary,
    /// Comma-separated values.
    Csv,
    /// The `.aabbs` files of the Broadmark framework.
    Broadmark,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Binary => "binary",
            Self::Csv => "CSV",
            Self::Broadmark => "Broadmark",
        })
    }
}

impl Format {
    /// How many bytes the decision needs, if the file has as many.
    pub(super) const PREFIX: usize = broadmark::HEADER;

    /// The magic number first, whatever the file is called. Broadmark and CSV have none, so the ending of the name goes before
    /// what the bytes look like: a Broadmark file cut off within its first name looks like text.
    pub(super) fn detect(prefix: &[u8], extension: Option<&str>) -> Result<Self, RecordingError> {
        let start = &prefix[..prefix.len().min(MAGIC.len())];
        match extension.map(str::to_ascii_lowercase).as_deref() {
            _ if !start.is_empty() && MAGIC.starts_with(start) => Ok(Self::Binary),
            Some("aabbs") => Ok(Self::Broadmark),
            Some("csv") => Ok(Self::Csv),
            _ if start.is_empty() => {
                let place = Place { offset: 0, line: None };
                Err(RecordingError::Truncated { place, expected: "a recording".to_owned() })
            }
            _ if broadmark::looks_like(prefix) => Ok(Self::Broadmark),
            _ if looks_like_text(prefix) => Ok(Self::Csv),
            _ => Err(RecordingError::UnknownFormat),
        }
    }
}

fn looks_like_text(prefix: &[u8]) -> bool {
    prefix.iter().all(|&byte| byte >= b' ' || byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_goes_first_and_the_name_decides_the_rest() {
        let detect = |bytes: &[u8], extension| Format::detect(bytes, extension).ok();
        assert_eq!(detect(b"pgboxes\0and so on", Some("csv")), Some(Format::Binary));
        assert_eq!(detect(b"pgbo", None), Some(Format::Binary), "cut off, but known");
        assert_eq!(detect(b"0,1,2,3,4\n", None), Some(Format::Csv));
        assert_eq!(detect(b"FreeFall", Some("AABBS")), Some(Format::Broadmark));
        assert_eq!(detect(b"FreeFall", None), Some(Format::Csv));
        assert_eq!(detect(b"\x7fELF\0\0\0\0", None), None);
        assert_eq!(detect(b"", None), None);
        assert_eq!(detect(b"", Some("csv")), Some(Format::Csv));
    }
}
