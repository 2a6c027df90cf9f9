//! How a stored display name is shown. Names may be older than the rule: what breaks it is left out, and where
//! that is not enough a neutral name is shown instead. The stored name stays as it is until its owner changes it.

use serde::Serialize;

use super::refusal::Refusal;
use super::{DISPLAY_NAME_LENGTH, check_display_name, normal};
use crate::store::accounts::StoredName;

/// Why the owner of an account should change its display name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NameProblem {
    /// The code of the problem that the name would be refused with.
    pub code: &'static str,
    pub detail: String,
    /// The character that breaks the rule, as `U+XXXX`.
    pub character: Option<String>,
}

impl NameProblem {
    /// What is wrong with a stored name; none if it keeps to the rule.
    pub(in crate::app) fn of(stored: &StoredName) -> Option<NameProblem> {
        let refusal = check_display_name(&normal(stored.as_stored())).err()?;
        Some(NameProblem {
            code: refusal.code(),
            detail: refusal.to_string(),
            character: refusal.character(),
        })
    }
}

/// The name to show for an account: the stored one, as far as it keeps to the rule.
pub(in crate::app) fn shown(account: &str, stored: &StoredName) -> String {
    let mut name = normal(stored.as_stored());
    // Each turn takes a character away, after which others may compose or stand on another letter.
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

/// A name that says nothing about anybody, such as `Player 4821`: the number follows from the account's id.
pub(in crate::app) fn neutral(noun: &str, account: &str) -> String {
    let end = account.get(account.len().saturating_sub(8)..).unwrap_or_default();
    let number = u32::from_str_radix(end, 16).unwrap_or_default() % 10_000;
    format!("{noun} {number:04}")
}
