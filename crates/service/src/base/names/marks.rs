//! Limits on combining marks per letter.
//!
//! UTS #39, 5.4, advises against more than four nonspacing marks and against repeated ones. Two suffice for
//! letters beyond their composed forms, such as an Arabic shadda with its vowel. Scripts that mark vowels
//! need more: ٱللَّٰه has three on its second lam, Hebrew and Hindi use three, and the fullest Burmese
//! syllables five.

use icu_properties::props::{CanonicalCombiningClass, EnumeratedProperty, GeneralCategory};

use super::characters::is_selector_or_joiner;
use super::refusal::{Kind, Refusal};

/// Marks of any kind.
const MARKS: usize = 2;

/// Marks, if all are different vowel signs or points of a script.
const SIGNS: usize = 5;

/// Refuses the first mark that has no base letter, or exceeds the limit.
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

/// Vowel signs and points belong to one script and have a combining class of their own, or none. Generic
/// diacritics have the classes of overlays (1), reading marks (6) and positions (200 and above).
fn is_sign(mark: char) -> bool {
    let CanonicalCombiningClass(class) = CanonicalCombiningClass::for_char(mark);
    GeneralCategory::for_char(mark) != GeneralCategory::EnclosingMark && matches!(class, 0 | 7..200)
}
