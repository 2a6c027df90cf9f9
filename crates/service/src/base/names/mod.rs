//! The rules for usernames and display names.
//!
//! **A username** is the login name, and only its owner sees it. It has 3 to 32 ASCII letters, digits, `-`,
//! `_` and `.`, is unique without case, and is not a reserved name.
//!
//! **A display name** is visible to others. Its normal form is that of nicknames (RFC 8266, 2.1): NFKC, with every run of
//! spaces of any kind as one U+0020 and none at the ends. In normal form it
//! - has 1 to 40 characters;
//! - has no control, bidirectional control, invisible, private use or unassigned character, and no
//!   noncharacter (`characters`). Joiners and variation selectors pass where they have a visible effect;
//! - has no letter of an excluded script (UAX #31), and no symbol that belongs to one script (`characters`);
//! - does not begin with a combining mark (RFC 5891, 4.2.3.2), and has at most 4 nonspacing marks in a row, none of which
//!   is repeated (UTS #39, 5.4; `marks`);
//! - has a single script as in UTS #39, 5.1 (`scripts`). Digits, punctuation, symbols and emoji are common
//!   to all scripts; Han with kana, with Hangul or with Bopomofo counts as one script;
//! - is not confusable with a reserved name (`reserved`);
//! - has no word that the operator forbids (`words`), when it is chosen;
//! - is at most 40 columns wide (UAX #11). A column is half an em; fonts draw some characters wider than their columns, at
//!   most 3 em (`⸻`).
//!
//! Display names are not unique, and two players of a table may have names that look alike: the account's id distinguishes
//! them. No character of a name opens or closes an embedding, an isolate or a paragraph (UAX #9), so a name that an app
//! shows in an isolate does not reorder the text around it.
//!
//! # Libraries
//!
//! Unicode data come from crates of the Unicode organisations, all at version 18.0; a test checks this:
//! - `unicode-security` has the skeletons, the script sets and the identifier types of UTS #39.
//! - `icu_properties` (ICU4X) has general categories, scripts, default ignorables, joining types, combining classes
//!   and emoji. The URL parser depends on it anyway. `unicode-general-category` is at Unicode 16.
//! - `unicode-normalization` has NFKC.
//! - `unicode-width` has the columns.
//!
//! `precis-profiles` 0.2 (RFC 8266, nicknames) is not used. Its class of characters, in `precis-core`, is from Unicode 6.3
//! and refuses everything newer, and the tatweel and emoji sequences too. It also accepts any number of marks, mixed scripts
//! and look-alikes. `Identifier_Status` of UTS #39 is not used: it refuses the tatweel, emoji and scripts in
//! daily use such as Tifinagh.
//!
//! No library has, and these files have: where joiners and variation selectors show, and two blanks that no property
//! marks (`characters`); the count of marks (`marks`); keys that also ignore case, spaces, punctuation and accents, which
//! the skeleton keeps, and the reserved names (`reserved`); the forbidden words (`words`).

mod characters;
mod lookup;
mod marks;
pub(crate) mod refusal;
mod reserved;
mod scripts;
#[cfg(test)]
mod tests;
mod words;

use icu_properties::props::{EnumeratedProperty, GeneralCategory};
use unicode_normalization::UnicodeNormalization;
use unicode_width::UnicodeWidthStr;

pub(crate) use lookup::{Named, Names, neutral, pseudonym};
pub use {refusal::Kind, refusal::NameFault, refusal::Refusal, words::ForbiddenWords, words::NotWords};

/// The longest display name, in characters of its normal form.
pub(crate) const DISPLAY_NAME_LENGTH: usize = 40;

/// The widest display name, in columns of UAX #11: 40 letters of most scripts, or 20 Han characters.
const WIDEST: usize = 40;

pub(crate) const USERNAME_LENGTH: std::ops::RangeInclusive<usize> = 3..=32;

pub(crate) fn choose_username(username: &str) -> Result<(), NameFault> {
    let refused = |refusal| NameFault { field: "/username", refusal };
    check_username(username).map_err(refused)?;
    if reserved::is_whole(username) { Err(refused(Refusal::Reserved)) } else { Ok(()) }
}

/// Whether a username has the right form.
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
    let refused = |refusal| NameFault { field: "/display_name", refusal };
    // NFKC shortens no name this much, so skip the normalisation.
    if name.len() > 64 * DISPLAY_NAME_LENGTH {
        return Err(refused(Refusal::DisplayNameLength { characters: name.len() / 4 }));
    }
    let name = normal(name);
    check_display_name(&name).map_err(refused)?;
    Ok(name)
}

/// NFKC, with every run of spaces as one U+0020 and none at the ends (RFC 8266, 2.1). Of a name that is too long only the
/// beginning, which is too long as well.
pub(crate) fn normal(name: &str) -> String {
    let is_space = |c| GeneralCategory::for_char(c) == GeneralCategory::SpaceSeparator;
    let mut after_space = true;
    let kept = name.nfkc().map(|c| if is_space(c) { ' ' } else { c }).filter(|c| {
        let is_kept = *c != ' ' || !after_space;
        after_space = *c == ' ';
        is_kept
    });
    // One more than is too long: a space at the end goes.
    let mut normal: String = kept.take(DISPLAY_NAME_LENGTH + 2).collect();
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
    let columns = name.width();
    if columns > WIDEST { Err(Refusal::TooWide { columns }) } else { Ok(()) }
}
