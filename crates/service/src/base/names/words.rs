//! Words that display names must not have: the operator's file, or a small list in English and Arabic.
//!
//! A word matches a whole word of a name, also with look-alike letters and a number behind it. A word with `*` before it
//! matches anywhere, also across spaces and punctuation.

use thiserror::Error;

use super::reserved::{key, looks_like_one_of, words_of};
use std::collections::HashSet;

/// Insults that no table needs. Words that are parts of harmless ones match as whole words alone.
const DEFAULT: &str = "\
*fuck
*nigger
*nigga
*faggot
*motherf
cunt
cunts
whore
whores
slut
bitch
bitches
shit
rape
rapist
nazi
hitler
*شرموط
*متناك
*قحبة
*كسمك
*كسامك
عرص
خول
نيك
زنجي
منيوك
هتلر
نازي
";

/// The longest word, in characters.
const LONGEST: usize = 64;

/// The most words.
const MAX: usize = 10_000;

/// Words that display names must not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForbiddenWords {
    /// Keys of whole words.
    whole: HashSet<String>,
    /// Keys that match anywhere.
    parts: Vec<String>,
}

/// Why a list of words cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum NotWords {
    #[error("line {line} has no letter or digit, or more than {LONGEST} characters")]
    Line {
        /// From 1.
        line: usize,
    },
    #[error("there are more than {MAX} words")]
    TooMany,
}

impl Default for ForbiddenWords {
    fn default() -> ForbiddenWords {
        ForbiddenWords::read(DEFAULT).unwrap_or(ForbiddenWords { whole: HashSet::new(), parts: Vec::new() })
    }
}

impl ForbiddenWords {
    /// Reads one word a line. Empty lines and lines that begin with `#` are left out.
    ///
    /// # Errors
    /// [`NotWords`] with the first line that is no word.
    pub fn read(text: &str) -> Result<ForbiddenWords, NotWords> {
        let mut words = ForbiddenWords { whole: HashSet::new(), parts: Vec::new() };
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let (is_part, word) = match text.strip_prefix('*') {
                Some(word) => (true, word),
                None => (false, text),
            };
            let key = key(word);
            if key.is_empty() || word.chars().count() > LONGEST {
                return Err(NotWords::Line { line });
            }
            if is_part {
                words.parts.push(key);
            } else {
                words.whole.insert(key);
            }
            if words.whole.len() + words.parts.len() > MAX {
                return Err(NotWords::TooMany);
            }
        }
        Ok(words)
    }

    /// Whether a name has one of the words.
    pub(super) fn forbid(&self, name: &str) -> bool {
        let joined = key(name);
        words_of(name).any(|word| looks_like_one_of(word, &self.whole))
            || looks_like_one_of(name, &self.whole)
            || self.parts.iter().any(|part| joined.contains(part.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_matches_whole_and_a_part_anywhere() {
        let words = ForbiddenWords::read("# insults\nfoo\n\n*bar\n").unwrap();
        for name in ["Foo", "a foo b", "foo 7", "ｆｏｏ", "Rebarred", "b a r", "b-a.r"] {
            assert!(words.forbid(name), "{name}");
        }
        for name in ["Food", "Noor", "ba"] {
            assert!(!words.forbid(name), "{name}");
        }
    }

    #[test]
    fn the_default_list_spares_harmless_names() {
        let words = ForbiddenWords::default();
        for name in ["Scunthorpe", "Noor", "Shitara Rapeseed", "Assassin", "نور", "خولة", "Essex"] {
            assert!(!words.forbid(name), "{name}");
        }
        for name in ["Big Fuck", "f u c k", "شرموطة", "Hitler 88"] {
            assert!(words.forbid(name), "{name}");
        }
    }

    #[test]
    fn a_line_without_a_letter_is_no_word() {
        assert_eq!(ForbiddenWords::read("foo\n*\n"), Err(NotWords::Line { line: 2 }));
        assert_eq!(ForbiddenWords::read(&"x".repeat(65)), Err(NotWords::Line { line: 1 }));
    }
}
