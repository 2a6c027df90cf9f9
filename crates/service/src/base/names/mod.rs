//! The rules for usernames and display names, and for showing stored names.
//!
//! **A username** is the login name, and only its owner sees it. It has 3 to 32 ASCII letters, digits, `-`,
//! `_` and `.`, is unique without case, and is not a reserved name.
//!
//! **A display name** is visible to others. Its normal form is NFC, with every run of spaces of any kind as
//! one U+0020 and none at the ends. In normal form it
//! - has 1 to 40 characters;
//! - has no control, bidirectional control, invisible, private use or unassigned character, and no
//!   noncharacter (`characters`). Joiners and variation selectors pass where they have a visible effect;
//! - has at most 2 combining marks per letter after NFC, or 5 if all are different vowel signs or points of a
//!   script (`marks`);
//! - has a single script as in UTS #39, 5.1 (`scripts`). Digits, punctuation, symbols and emoji are common
//!   to all scripts; Han with kana, with Hangul or with Bopomofo counts as one script;
//! - is not confusable with a reserved name (`reserved`);
//! - has no word that the operator forbids (`words`), when it is chosen;
//! - is at most 40 columns of half an em wide (`width`). A stored name that is wider is shown; apps cut it off.
//!
//! Display names are not unique: the account's id distinguishes two players with the same name.
//!
//! # Libraries
//!
//! Unicode data come from crates of the Unicode organisations, all at version 18.0; a test checks this:
//! - `unicode-security` has the skeletons and the script sets of UTS #39.
//! - `icu_properties` (ICU4X) has general categories, default ignorables, joining types, combining classes
//!   and emoji. The URL parser depends on it anyway. `unicode-general-category` is at Unicode 16.
//! - `unicode-normalization` has NFC.
//! - `unicode-width` has the width of most characters.
//!
//! `precis-profiles` (RFC 8266, nicknames) is not used. Its tables are from Unicode 6.3 and refuse everything
//! newer. It also accepts any number of marks, mixed scripts and look-alikes. The normal form of spaces is
//! from that RFC. `Identifier_Status` of UTS #39 is not used: it refuses the tatweel, emoji and scripts in
//! daily use such as Tifinagh.

mod characters;
mod lookup;
mod marks;
pub(crate) mod refusal;
mod reserved;
mod scripts;
mod shown;
#[cfg(test)]
mod tests;
mod width;
mod words;

use icu_properties::props::{EnumeratedProperty, GeneralCategory};
use unicode_normalization::UnicodeNormalization;

pub(crate) use lookup::{Named, Names, pseudonym};
pub(crate) use shown::{neutral, shown};
pub use {refusal::Kind, refusal::Refusal, shown::NameProblem, words::ForbiddenWords, words::NotWords};

use super::failure::{Failure, Fault};
use super::field_error::{FieldError, FieldErrors};
use thiserror::Error;

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

/// The longest display name, in characters of its normal form.
pub(crate) const DISPLAY_NAME_LENGTH: usize = 40;

/// The widest display name, in columns of half an em: 40 letters of most scripts, or 20 Han characters.
const WIDEST: usize = 40;

pub(crate) const USERNAME_LENGTH: std::ops::RangeInclusive<usize> = 3..=32;

pub(crate) fn choose_username(username: &str) -> Result<(), NameFault> {
    let refused = |refusal| NameFault { field: "username", refusal };
    check_username(username).map_err(refused)?;
    if reserved::is_whole(username) { Err(refused(Refusal::Reserved)) } else { Ok(()) }
}

/// Whether an account may have this username. Reserved names pass, since an account may predate the
/// reservation.
pub(crate) fn check_username(username: &str) -> Result<(), Refusal> {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let characters = username.chars().count();
    if !USERNAME_LENGTH.contains(&characters) {
        return Err(Refusal::UsernameLength { characters });
    }
    match username.chars().enumerate().find(|(_, c)| !allowed(c)) {
        Some((at, character)) => Err(Refusal::Character { at, character, kind: Kind::NotForUsernames }),
        None => Ok(()),
    }
}

/// Normalises and checks a chosen display name.
pub(crate) fn choose_display_name(name: &str) -> Result<String, NameFault> {
    let refused = |refusal| NameFault { field: "display_name", refusal };
    // NFC never shortens a text this much, so skip the normalisation.
    if name.len() > 64 * DISPLAY_NAME_LENGTH {
        return Err(refused(Refusal::DisplayNameLength { characters: name.len() / 4 }));
    }
    let name = normal(name);
    check_display_name(&name).map_err(refused)?;
    Ok(name)
}

/// NFC, with every run of spaces as one U+0020 and none at the ends (RFC 8266, 2.1).
pub(crate) fn normal(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for c in name.nfc() {
        if GeneralCategory::for_char(c) != GeneralCategory::SpaceSeparator {
            normal.push(c);
        } else if !normal.is_empty() && !normal.ends_with(' ') {
            normal.push(' ');
        }
    }
    if normal.ends_with(' ') {
        normal.pop();
    }
    normal
}

/// Checks a display name in its normal form.
fn check_display_name(name: &str) -> Result<(), Refusal> {
    let name_characters: Vec<char> = name.chars().collect();
    if !(1..=DISPLAY_NAME_LENGTH).contains(&name_characters.len()) {
        return Err(Refusal::DisplayNameLength { characters: name_characters.len() });
    }
    characters::check(&name_characters)?;
    marks::check(&name_characters)?;
    scripts::check(&name_characters)?;
    if reserved::is_whole(name) || reserved::has_word(name) {
        return Err(Refusal::Reserved);
    }
    width::check(name)
}
