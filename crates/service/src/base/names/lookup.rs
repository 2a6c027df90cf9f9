//! Display names by account, cached for a few seconds: every view needs them and they seldom change.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use quick_cache::sync::Cache;

use super::{ForbiddenWords, NameFault, Refusal, choose_display_name};
use crate::base::clock::Clock;
use crate::base::failure::Failure;
use estimation_engine::player::AccountId;
use estimation_store::Database;
use estimation_store::accounts;

/// How long this node may show an old name after a change on another node.
const FRESH: SignedDuration = SignedDuration::from_secs(5);

const KEPT: usize = 20_000;

/// The name of a deleted account. It follows from the account's id, so that two at a table differ.
pub(crate) fn pseudonym(account: &AccountId) -> Arc<str> {
    let id = account.as_str();
    let end = id.get(id.len().saturating_sub(6)..).unwrap_or(id);
    format!("(deleted {end})").into()
}

/// A neutral name such as `Player 4821`; the number follows from the account's id.
pub(crate) fn neutral(noun: &str, account: &AccountId) -> String {
    let account = account.as_str();
    let end = account.get(account.len().saturating_sub(8)..).unwrap_or_default();
    let number = u32::from_str_radix(end, 16).unwrap_or_default() % 10_000;
    format!("{noun} {number:04}")
}

/// A cache of recently used names.
pub(crate) struct Names {
    database: Database,
    clock: Arc<dyn Clock>,
    kept: Cache<AccountId, (Arc<str>, Timestamp)>,
    forbidden: ForbiddenWords,
}

impl Names {
    pub(crate) fn new(database: Database, clock: Arc<dyn Clock>, forbidden: ForbiddenWords) -> Names {
        Names { database, clock, kept: Cache::new(KEPT), forbidden }
    }

    /// Normalises and checks a chosen display name, also against the words that the operator forbids.
    pub(crate) fn choose(&self, name: &str) -> Result<String, NameFault> {
        let name = choose_display_name(name)?;
        match self.forbidden.forbid(&name) {
            true => Err(NameFault { field: "/display_name", refusal: Refusal::Forbidden }),
            false => Ok(name),
        }
    }
}

/// Accounts with their names. A linear scan suffices for the few entries.
pub(crate) struct Named(Vec<(AccountId, Arc<str>)>);

impl Named {
    /// The name of an account; empty if it was not requested.
    pub(crate) fn of(&self, account: &AccountId) -> Arc<str> {
        let found = self.0.iter().find(|(named, _)| named == account);
        found.map(|(_, name)| Arc::clone(name)).unwrap_or_default()
    }
}

impl Names {
    /// Drops a name that this node has changed.
    pub(crate) fn forget(&self, account: &AccountId) {
        self.kept.remove(account);
    }

    pub(crate) async fn names_of(
        &self,
        accounts: impl IntoIterator<Item = &AccountId>,
    ) -> Result<Named, Failure> {
        let now = self.clock.now();
        let mut names = Vec::new();
        let mut missing = Vec::new();
        for account in accounts {
            match self.kept.get(account) {
                Some((name, at)) if now.duration_since(at) < FRESH => {
                    names.push((account.clone(), name));
                }
                _ => missing.push(account.clone()),
            }
        }
        if !missing.is_empty() {
            let asked = missing.clone();
            let found: HashMap<AccountId, String> = self
                .database
                .read(move |conn| accounts::display_names(conn, &asked))
                .await?
                .into_iter()
                .collect();
            for account in missing {
                let name =
                    found.get(&account).map_or_else(|| pseudonym(&account), |name| name.as_str().into());
                self.kept.insert(account.clone(), (Arc::clone(&name), now));
                names.push((account, name));
            }
        }
        Ok(Named(names))
    }
}
