//! How a stored display name is shown. Stored names may predate the rule. Characters that break it are
//! removed; if that does not suffice, a neutral name is shown. The stored name stays until its owner changes
//! it.

use serde::Serialize;

use super::refusal::Refusal;
use super::{DISPLAY_NAME_LENGTH, check_display_name, normal};
use crate::store::accounts::StoredName;

/// Why the owner of an account should change its display name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NameProblem {
    /// The problem code that the name would be refused with.
    pub code: &'static str,
    pub detail: String,
    /// The character at fault, as `U+XXXX`.
    pub character: Option<String>,
}

impl NameProblem {
    /// `None` if the name follows the rule.
    pub(in crate::app) fn of(stored: &StoredName) -> Option<NameProblem> {
        let refusal = check_display_name(&normal(stored.as_stored())).err()?;
        Some(NameProblem {
            code: refusal.code(),
            detail: refusal.to_string(),
            character: refusal.character(),
        })
    }
}

/// The stored name without the characters that break the rule, or else a neutral name.
pub(in crate::app) fn shown(account: &str, stored: &StoredName) -> String {
    let mut name = normal(stored.as_stored());
    // After a removal, other characters may compose or attach to another letter.
    loop {
        match check_display_name(&name) {
            Ok(()) => return name,
            Err(Refusal::DisplayNameLength { .. }) if !name.is_empty() => {
                name = normal(&name.chars().take(DISPLAY_NAME_LENGTH).collect::<String>());
            }
            Err(Refusal::Character { at, .. } | Refusal::Marks { at, .. }) => {
                let rest = name.chars().enumerate().filter(|(place, _)| *place != at);
                name = normal(&rest.map(|(_, c)| c).collect::<String>());
            }
            Err(_) => return neutral("Player", account),
        }
    }
}

/// A neutral name such as `Player 4821`; the number follows from the account's id.
pub(in crate::app) fn neutral(noun: &str, account: &str) -> String {
    let end = account.get(account.len().saturating_sub(8)..).unwrap_or_default();
    let number = u32::from_str_radix(end, 16).unwrap_or_default() % 10_000;
    format!("{noun} {number:04}")
}
