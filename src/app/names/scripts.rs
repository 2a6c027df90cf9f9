//! One script in a name: the resolved script set of UTS #39, 5.1, is not empty.

use unicode_security::mixed_script::AugmentedScriptSet;

use super::refusal::Refusal;

/// Refuses the first character that shares no script with those before it. What is common to all scripts, such as
/// ASCII digits, and what takes the script of its letter shares every script.
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
