//! The result of an audit, of a watch or of a proof, with its exit status.

use serde::Serialize;

/// The result in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Everything was checked, and nothing is wrong.
    Sound,
    /// Something was changed, omitted or invented.
    Tampered,
    /// Something could not be checked, and nothing that was checked is wrong.
    Unchecked,
    /// Everything was checked with keys that came with the file itself, and nothing is wrong.
    SoundByOwnKeys,
    /// A pinned witness did not cosign, and nothing else is wrong.
    Uncosigned,
}

impl Outcome {
    /// The outcome of a check that found nothing, or that found something.
    pub(crate) fn of(is_well: bool, is_tampered: bool) -> Outcome {
        match (is_well, is_tampered) {
            (true, _) => Outcome::Sound,
            (false, true) => Outcome::Tampered,
            (false, false) => Outcome::Unchecked,
        }
    }

    /// The exit status. Clap uses 2 for arguments that it refuses.
    pub fn status(self) -> u8 {
        match self {
            Outcome::Sound => 0,
            Outcome::Tampered => 1,
            Outcome::Unchecked => 3,
            Outcome::SoundByOwnKeys => 4,
            Outcome::Uncosigned => 5,
        }
    }

    /// The last line of the output.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Outcome::Sound => "all is well",
            Outcome::Tampered => "tampered with",
            Outcome::Unchecked => "not checked completely",
            Outcome::SoundByOwnKeys => "sound by the keys in this file",
            Outcome::Uncosigned => "a pinned witness's cosignature is missing",
        }
    }
}
