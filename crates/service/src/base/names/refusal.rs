//! Why a name is refused, as a failure with the character at fault.

use thiserror::Error;

use crate::base::failure::{Failure, Fault, Faults};
use crate::base::field_error::{FieldCode, FieldError, FieldErrors};

use super::{DISPLAY_NAME_LENGTH, USERNAME_LENGTH, WIDEST};

/// A name that may not be chosen.
#[derive(Debug, Error)]
#[error("`{field}` {refusal}")]
pub struct NameFault {
    pub field: &'static str,
    pub refusal: Refusal,
}

impl Fault for NameFault {
    fn field_error(&self) -> FieldError {
        FieldError::new(self.field, self.refusal.field_code(), &self.refusal.to_string())
    }

    fn failure(self, errors: FieldErrors) -> Failure {
        let NameFault { field, refusal } = self;
        let character = refusal.character().unwrap_or_default();
        match refusal {
            Refusal::Character { kind, .. } => {
                Failure::CharacterNotAllowed { errors, field, character, reason: kind.as_str() }
            }
            Refusal::DisplayNameLength { .. } | Refusal::TooWide { .. } | Refusal::UsernameLength { .. } => {
                Failure::InvalidField { errors, field: field.to_owned(), reason: refusal.to_string() }
            }
            Refusal::Marks { .. } => Failure::TooManyMarks { errors, field, character },
            Refusal::Scripts { .. } => Failure::MixedScripts { errors, field, character },
            Refusal::Reserved => Failure::NameReserved { errors, field },
            Refusal::Forbidden => Failure::NameForbidden { errors, field },
        }
    }
}

impl From<NameFault> for Failure {
    fn from(fault: NameFault) -> Failure {
        Faults::from(fault).into()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A control character, or a separator of lines or paragraphs.
    Control,
    /// Changes the direction of surrounding text.
    BidiControl,
    Invisible,
    PrivateUse,
    /// Not assigned in Unicode 18.0.
    Unassigned,
    Noncharacter,
    /// A combining mark before the first letter.
    BareMark,
    /// A letter of an excluded script (UAX #31), such as a hieroglyph, or a symbol that belongs to one script, such as `﷽`.
    Restricted,
    /// Not an ASCII letter, digit, `-`, `_` or `.`.
    NotForUsernames,
}

impl Kind {
    /// The problem's `reason`.
    pub const fn as_str(self) -> &'static str {
        self.texts().0
    }

    const fn phrase(self) -> &'static str {
        self.texts().1
    }

    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Kind::Control => ("control", "a control character"),
            Kind::BidiControl => ("bidi-control", "a bidirectional control"),
            Kind::Invisible => ("invisible", "an invisible character"),
            Kind::PrivateUse => ("private-use", "a private use character"),
            Kind::Unassigned => ("unassigned", "an unassigned character"),
            Kind::Noncharacter => ("noncharacter", "a noncharacter"),
            Kind::BareMark => ("bare-mark", "a combining mark without a letter before it"),
            Kind::Restricted => ("restricted", "a letter of an excluded script or a symbol of one script"),
            Kind::NotForUsernames => {
                ("not-for-usernames", "not a letter, digit, hyphen, underscore or dot of ASCII")
            }
        }
    }
}

/// Why a name is refused. Its text continues a sentence that starts with the field's name. `at` counts
/// characters of the normal form from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A display name is blank or too long; `characters` is a lower bound.
    DisplayNameLength { characters: usize },
    /// A display name is wider than 40 columns of half an em.
    TooWide { columns: usize },
    /// A username is too short or too long.
    UsernameLength { characters: usize },
    /// A character that is never allowed, or not in its context.
    Character { at: usize, character: char, kind: Kind },
    /// `at` is the first combining mark that is one too many in its row, or is repeated.
    Marks { at: usize, character: char },
    /// `at` is the first character in another script.
    Scripts { at: usize, character: char },
    /// A reserved name, or confusable with one.
    Reserved,
    /// It has a word that the operator forbids.
    Forbidden,
}

impl Refusal {
    fn field_code(&self) -> FieldCode {
        match self {
            Refusal::DisplayNameLength { characters: 0 } => FieldCode::TooShort,
            Refusal::UsernameLength { characters } if characters < USERNAME_LENGTH.start() => {
                FieldCode::TooShort
            }
            Refusal::DisplayNameLength { .. } | Refusal::TooWide { .. } | Refusal::UsernameLength { .. } => {
                FieldCode::TooLong
            }
            Refusal::Character { .. } => FieldCode::CharacterNotAllowed,
            Refusal::Marks { .. } => FieldCode::TooManyMarks,
            Refusal::Scripts { .. } => FieldCode::MixedScripts,
            Refusal::Reserved => FieldCode::Reserved,
            Refusal::Forbidden => FieldCode::Forbidden,
        }
    }

    /// The character at fault, as `U+XXXX`.
    pub fn character(&self) -> Option<String> {
        match self {
            Refusal::Character { character, .. }
            | Refusal::Marks { character, .. }
            | Refusal::Scripts { character, .. } => Some(code_point(*character)),
            Refusal::DisplayNameLength { .. }
            | Refusal::TooWide { .. }
            | Refusal::UsernameLength { .. }
            | Refusal::Reserved
            | Refusal::Forbidden => None,
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let character = self.character().unwrap_or_default();
        match self {
            Refusal::DisplayNameLength { .. } => {
                write!(f, "must have 1 to {DISPLAY_NAME_LENGTH} characters that are not blank")
            }
            Refusal::TooWide { columns } => write!(
                f,
                "is too wide: it takes {columns} columns and may take {WIDEST}; a Han character takes two",
            ),
            Refusal::UsernameLength { .. } => {
                let (shortest, longest) = (USERNAME_LENGTH.start(), USERNAME_LENGTH.end());
                write!(f, "must be {shortest} to {longest} letters, digits, hyphens, underscores and dots")
            }
            Refusal::Character { kind, .. } => write!(f, "has {character}, {}", kind.phrase()),
            Refusal::Marks { .. } => {
                write!(f, "has {character}, one combining mark too many, or one that is repeated")
            }
            Refusal::Scripts { .. } => {
                write!(f, "has {character}, of another script than the letters before it")
            }
            Refusal::Reserved => f.write_str("is, or looks like, a name that the service keeps for itself"),
            Refusal::Forbidden => f.write_str("has a word that is not allowed here"),
        }
    }
}

/// A code point in Unicode notation, `U+XXXX`.
fn code_point(character: char) -> String {
    format!("U+{:04X}", u32::from(character))
}
