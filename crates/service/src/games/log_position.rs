//! Positions in a game's log: an event's number, and a tag of its hash.
//!
//! After a restore or a failover that lost events, a log may have another event, or none, at a known number.
//! The tag detects that.

use std::fmt;
use std::str::FromStr;

use estimation_engine::hex::Hex;
use estimation_store::Hash;

/// The first 8 bytes of an event's hash.
pub type HashTag = Hex<8>;

pub fn tag_of(hash: &Hash) -> HashTag {
    let [a, b, c, d, e, f, g, h, ..] = *hash;
    Hex([a, b, c, d, e, f, g, h])
}

/// A position in a game's log, written `41-9f3c2a71b0d4e655`, and `0` for the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogPosition {
    /// The event's number, below 2⁵³; 0 for the beginning.
    pub seq: u64,
    /// The tag of its hash; `None` matches any event with that number.
    pub tag: Option<HashTag>,
}

impl LogPosition {
    pub fn of(seq: u64, hash: &Hash) -> LogPosition {
        LogPosition { seq, tag: Some(tag_of(hash)) }
    }

    pub(crate) fn matches(self, seq: u64, hash: &Hash) -> bool {
        self.seq == seq && self.tag.is_none_or(|tag| tag == tag_of(hash))
    }
}

impl From<u64> for LogPosition {
    fn from(seq: u64) -> LogPosition {
        LogPosition { seq, tag: None }
    }
}

impl fmt::Display for LogPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tag {
            Some(tag) => write!(f, "{}-{tag}", self.seq),
            None => write!(f, "{}", self.seq),
        }
    }
}

impl FromStr for LogPosition {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<LogPosition, &'static str> {
        if text == "0" {
            return Ok(LogPosition::default());
        }
        let wrong = "0, or a number, a hyphen and 16 hexadecimal digits";
        let (seq, tag) = text.split_once('-').ok_or(wrong)?;
        let seq = seq.parse().ok().filter(|seq| *seq < 1 << 53).ok_or(wrong)?;
        Ok(LogPosition { seq, tag: Some(HashTag::parse(tag).ok_or(wrong)?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_as_they_are_written() {
        let position = LogPosition::of(41, &[0x9f; 32]);
        assert_eq!(position.to_string(), "41-9f9f9f9f9f9f9f9f");
        assert_eq!(position.to_string().parse(), Ok(position));
        assert_eq!("0".parse(), Ok(LogPosition::default()));
        let wrong = ["", "-", "x", "41", "00", "41-", "41-9f", "41-9F9F9F9F9F9F9F9F", "-1", "1-2-3"];
        for wrong in wrong.into_iter().chain(["9007199254740992-9f9f9f9f9f9f9f9f"]) {
            assert!(wrong.parse::<LogPosition>().is_err(), "{wrong}");
        }
    }
}
