//! Limits on combining marks, so that a name stays on its line.

use icu_properties::props::{EnumeratedProperty, GeneralCategory, GeneralCategoryGroup};

use super::refusal::{Kind, Refusal};

/// The most nonspacing marks in a row.
const MARKS: usize = 4;

/// Refuses a mark before the first letter (RFC 5891, 4.2.3.2), and the first nonspacing mark that is the fifth in a row or
/// repeats one of its row (UTS #39, 5.4).
pub(super) fn check(name: &[char]) -> Result<(), Refusal> {
    if let Some(&character) = name.first().filter(|&&first| is_mark(first)) {
        return Err(Refusal::Character { at: 0, character, kind: Kind::BareMark });
    }
    let mut row: Vec<char> = Vec::new();
    for (at, &character) in name.iter().enumerate() {
        match GeneralCategory::for_char(character) {
            GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark => {
                if row.len() == MARKS || row.contains(&character) {
                    return Err(Refusal::Marks { at, character });
                }
                row.push(character);
            }
            // A joiner does not end a row.
            GeneralCategory::Format => {}
            _ => row.clear(),
        }
    }
    Ok(())
}

pub(super) fn is_mark(character: char) -> bool {
    GeneralCategoryGroup::Mark.contains(GeneralCategory::for_char(character))
}
