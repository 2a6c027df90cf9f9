//! Which characters a display name may contain, alone and by context.

use icu_properties::props::{
    BidiControl, BinaryProperty, CanonicalCombiningClass, DefaultIgnorableCodePoint, Emoji, EmojiModifier,
    EnumeratedProperty, ExtendedPictographic, GeneralCategory, JoiningType, NoncharacterCodePoint, Script,
};
use unicode_security::GeneralSecurityProfile;
use unicode_security::general_security_profile::IdentifierType;

use super::refusal::{Kind, Refusal};

const TEXT_PRESENTATION: char = '\u{fe0e}';
const EMOJI_PRESENTATION: char = '\u{fe0f}';
const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';
const KEYCAP: char = '\u{20e3}';

/// Characters that fonts draw as nothing, though no property says so: the null notehead and the object replacement
/// character.
const BLANKS: [char; 2] = ['\u{1d159}', '\u{fffc}'];

/// Refuses the first character that is not allowed in its context.
pub(super) fn check(name: &[char]) -> Result<(), Refusal> {
    for (at, &character) in name.iter().enumerate() {
        if let Some(kind) = refused(character)
            && !shows(name, at)
        {
            return Err(Refusal::Character { at, character, kind });
        }
    }
    Ok(())
}

fn refused(character: char) -> Option<Kind> {
    if NoncharacterCodePoint::for_char(character) {
        return Some(Kind::Noncharacter);
    }
    match GeneralCategory::for_char(character) {
        GeneralCategory::Control | GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator => {
            Some(Kind::Control)
        }
        GeneralCategory::PrivateUse => Some(Kind::PrivateUse),
        _ if BidiControl::for_char(character) => Some(Kind::BidiControl),
        GeneralCategory::Format => Some(Kind::Invisible),
        _ if DefaultIgnorableCodePoint::for_char(character) || BLANKS.contains(&character) => {
            Some(Kind::Invisible)
        }
        GeneralCategory::Unassigned => Some(Kind::Unassigned),
        _ if character.identifier_type() == Some(IdentifierType::Exclusion) => Some(Kind::Restricted),
        // The symbols of a script have blanks, such as U+2800, and whole phrases, such as U+FDFD.
        GeneralCategory::OtherSymbol if Script::for_char(character) != Script::Common => {
            Some(Kind::Restricted)
        }
        _ => None,
    }
}

/// Whether an invisible character has a visible effect.
fn shows(name: &[char], at: usize) -> bool {
    let (before, after) = (&name[..at], &name[at + 1..]);
    match name[at] {
        // Digits are emoji in some sequences: 1️⃣ is a digit, the selector and a keycap.
        TEXT_PRESENTATION | EMOJI_PRESENTATION => before.last().is_some_and(|&base| {
            Emoji::for_char(base) && (!base.is_ascii() || after.first() == Some(&KEYCAP))
        }),
        JOINER => after_virama(before) || between_emoji(before, after),
        NON_JOINER => after_virama(before) || parts_letters(before, after),
        _ => false,
    }
}

/// RFC 5892, A.1 and A.2: after a virama a joiner selects the form of a conjunct.
fn after_virama(before: &[char]) -> bool {
    before.last().is_some_and(|&c| CanonicalCombiningClass::for_char(c) == CanonicalCombiningClass::Virama)
}

/// An emoji sequence (UTS #51): 👩‍🚀.
fn between_emoji(before: &[char], after: &[char]) -> bool {
    let mut before =
        before.iter().rev().skip_while(|&&c| c == EMOJI_PRESENTATION || EmojiModifier::for_char(c));
    let pictograph = |c: Option<&char>| c.is_some_and(|&c| ExtendedPictographic::for_char(c));
    pictograph(before.next()) && pictograph(after.first())
}

/// RFC 5892, A.1: between letters that would join, as in Persian.
fn parts_letters(before: &[char], after: &[char]) -> bool {
    let joining =
        |c: &char| Some(JoiningType::for_char(*c)).filter(|&joining| joining != JoiningType::Transparent);
    let left = before.iter().rev().find_map(joining);
    let right = after.iter().find_map(joining);
    matches!(left, Some(JoiningType::DualJoining | JoiningType::LeftJoining))
        && matches!(right, Some(JoiningType::DualJoining | JoiningType::RightJoining))
}
