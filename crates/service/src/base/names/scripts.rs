//! Requires a single script: a non-empty resolved script set (UTS #39, 5.1).

use unicode_security::mixed_script::AugmentedScriptSet;

use super::refusal::Refusal;

/// Refuses the first character that shares no script with those before it. Common characters, such as ASCII
/// digits, and inherited ones share every script.
pub(super) fn check(name: &[char]) -> Result<(), Refusal> {
    let mut shared = AugmentedScriptSet::default();
    for (at, &character) in name.iter().enumerate() {
        shared.intersect_with(character.into());
        if shared.is_empty() {
            return Err(Refusal::Scripts { at, character });
        }
    }
    Ok(())
}
