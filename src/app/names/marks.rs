//! How many combining marks a letter may have.
//!
//! UTS #39, 5.4, advises against more than four nonspacing marks and against the same one twice. Two are
//! enough for what letters carry beyond their composed forms, an Arabic shadda with its vowel among them. More are in
//! use where vowels themselves are marks: ٱللَّٰه has three on its second lam, Hebrew and Hindi have three, and
//! the fullest Burmese syllables five.

use icu_properties::props::{CanonicalCombiningClass, EnumeratedProperty, GeneralCategory};

use super::characters::is_selector_or_joiner;
use super::refusal::{Kind, Refusal};

/// How many marks of any kind.
const MARKS: usize = 2;

/// How many if all are different vowel signs or points of a script.
const SIGNS: usize = 5;

/// Refuses the first mark that has no letter to stand on, or one too many below it.
pub(super) fn check(name: &[char]) -> Result<(), Refusal> {
    let mut on_letter = false;
    let mut marks: Vec<char> = Vec::new();
    for (at, &character) in name.iter().enumerate() {
        if is_selector_or_joiner(character) {
            continue;
        }
        if !is_mark(character) {
            on_letter = character != ' ';
            marks.clear();
            continue;
        }
        if !on_letter {
            return Err(Refusal::Character { at, character, kind: Kind::BareMark });
        }
        marks.push(character);
        if marks.len() > MARKS && !are_different_signs(&marks) {
            return Err(Refusal::Marks { at, character });
        }
    }
    Ok(())
}

/// Whether a character is a combining mark of any kind.
pub(super) fn is_mark(character: char) -> bool {
    matches!(
        GeneralCategory::for_char(character),
        GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark | GeneralCategory::EnclosingMark
    )
}

fn are_different_signs(marks: &[char]) -> bool {
    let different = |(at, mark): (usize, &char)| !marks[..at].contains(mark);
    marks.len() <= SIGNS && marks.iter().all(|&mark| is_sign(mark)) && marks.iter().enumerate().all(different)
}

/// Vowel signs and points belong to one script and have a combining class of their own, or none. Diacritics for
/// any letter have the classes of overlays (1), reading marks (6) and positions (200 and above).
fn is_sign(mark: char) -> bool {
    let CanonicalCombiningClass(class) = CanonicalCombiningClass::for_char(mark);
    GeneralCategory::for_char(mark) != GeneralCategory::EnclosingMark && matches!(class, 0 | 7..200)
}
