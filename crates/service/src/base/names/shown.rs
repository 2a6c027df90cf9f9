//! How a stored display name is shown. Stored names may predate the rule. Characters that break it are
//! removed; if that does not suffice, a neutral name is shown. The stored name stays until its owner changes
//! it.

use serde::Serialize;
use utoipa::ToSchema;

use super::refusal::{NameFault, Refusal};
use super::{DISPLAY_NAME_LENGTH, check_display_name, normal};
use crate::base::failure::Failure;
use estimation_engine::player::AccountId;
use estimation_store::accounts::StoredName;

/// Why the owner of an account should change its display name, which is older than the rule for names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct NameProblem {
    /// The code of the problem that refuses such a name today.
    #[schema(min_length = 1, max_length = 64, example = "character-not-allowed")]
    pub code: &'static str,
    /// What is wrong, as text.
    #[schema(min_length = 1, max_length = 1000, example = "has U+202E, a bidirectional control")]
    pub detail: String,
    /// The character at fault, as `U+XXXX`; null if no single character is at fault.
    #[schema(min_length = 6, max_length = 8, pattern = "^U\\+[0-9A-F]{4,6}$", example = "U+202E")]
    pub character: Option<String>,
}

impl NameProblem {
    /// `None` if the name follows the rule.
    pub(crate) fn of(stored: &StoredName) -> Option<NameProblem> {
        let refusal = check_display_name(&normal(stored.as_stored())).err()?;
        let (detail, character) = (refusal.to_string(), refusal.character());
        let failure = Failure::from(NameFault { field: "/display_name", refusal });
        Some(NameProblem { code: failure.kind().code, detail, character })
    }
}

/// The stored name without the characters that break the rule, or else a neutral name.
pub(crate) fn shown(account: &AccountId, stored: &StoredName) -> String {
    let mut name = normal(stored.as_stored());
    // After a removal, other characters may compose or attach to another letter.
    loop {
        match check_display_name(&name) {
            Ok(()) | Err(Refusal::TooWide { .. }) => return name,
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
pub(crate) fn neutral(noun: &str, account: &AccountId) -> String {
    let account = account.as_str();
    let end = account.get(account.len().saturating_sub(8)..).unwrap_or_default();
    let number = u32::from_str_radix(end, 16).unwrap_or_default() % 10_000;
    format!("{noun} {number:04}")
}
