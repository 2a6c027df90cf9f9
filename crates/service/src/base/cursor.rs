//! Opaque cursors. Each carries a tag of its list, so that another list's cursor is refused.

use std::fmt::Display;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::failure::Failure;
use super::field_error::FieldCode;

/// Bytes of the tag. It detects mistakes and is no secret: a cursor grants nothing.
const TAG: usize = 6;

/// The identity of a list: a hash of its name and filters.
pub(crate) struct ListTag([u8; TAG]);

impl ListTag {
    pub(crate) fn of(words: &[&str]) -> ListTag {
        let mut hash = Sha256::new();
        for word in words {
            hash.update((word.len() as u64).to_be_bytes());
            hash.update(word);
        }
        let mut tag = [0; TAG];
        tag.copy_from_slice(&hash.finalize()[..TAG]);
        ListTag(tag)
    }

    /// The cursor of the page after a position.
    pub(crate) fn cursor(&self, position: impl Display) -> String {
        URL_SAFE_NO_PAD.encode([&self.0, position.to_string().as_bytes()].concat())
    }

    /// The position that a cursor encodes; `None` without a cursor.
    ///
    /// # Errors
    /// A fault of the field `cursor` if the cursor belongs to another list.
    pub(crate) fn position<T: FromStr>(&self, cursor: Option<&str>) -> Result<Option<T>, Failure> {
        let Some(cursor) = cursor else { return Ok(None) };
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok();
        let position = bytes.as_deref().and_then(|bytes| bytes.strip_prefix(&self.0));
        let position = position.and_then(|position| std::str::from_utf8(position).ok()?.parse().ok());
        position.map(Some).ok_or_else(other_list)
    }
}

fn other_list() -> Failure {
    let reason = "was not given out by this list; begin without it";
    Failure::field("cursor", FieldCode::OtherList, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_knows_its_own_cursors_and_no_others() {
        let (games, mine) = (ListTag::of(&["games", "", "squares"]), ListTag::of(&["games", "squares", ""]));
        let cursor = games.cursor(19);
        assert_eq!(games.position(Some(&cursor)).ok(), Some(Some(19)));
        assert_eq!(games.position::<u8>(None).ok(), Some(None));
        for wrong in [mine.cursor(19), games.cursor("x"), "19".to_owned(), String::new(), "%".to_owned()] {
            assert!(
                matches!(games.position::<u8>(Some(&wrong)), Err(Failure::MalformedQuery { .. })),
                "{wrong}"
            );
        }
    }
}
