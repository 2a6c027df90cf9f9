//! Standings of accounts, compared with what moderators did.

use std::collections::BTreeMap;

use super::DatabaseAudit;
use super::existing_accounts::ExistingAccounts;
use super::roles::{SKEW, made_at};
use crate::games::failure::GameFailure;
use crate::moderation::Act;
use estimation_engine::choice::Choice;
use estimation_engine::player::AccountId;
use estimation_store::Connection;
use estimation_store::moderation::{self, ModerationAct, StandingRow};

impl DatabaseAudit<'_> {
    /// Compares `standings` with `moderation_acts`, in one snapshot of the database.
    pub(super) fn standings(&mut self, conn: &mut Connection) -> Result<(), GameFailure> {
        let mut expected: BTreeMap<AccountId, StandingRow> = BTreeMap::new();
        for act in moderation::all_acts(conn)? {
            let ModerationAct { id, account_id, act: name, created_at, .. } = &act;
            if made_at(id).is_none_or(|made| made.abs_diff(*created_at) > SKEW.unsigned_abs()) {
                self.find(None, format!("the act {id} of a moderator has another time than its id"));
            }
            let Some(kind) = Act::from_name(name) else {
                self.find(None, format!("the act {id} of a moderator is {name:?}, which is none"));
                continue;
            };
            let good = || StandingRow::good(account_id);
            let standing = expected.entry(account_id.clone()).or_insert_with(good);
            match kind {
                Act::Muted => standing.muted_until = act.until_at,
                Act::Suspended => standing.suspended_until = act.until_at,
                Act::Banned => standing.banned_until = act.until_at,
                Act::Lifted => *standing = good(),
                Act::Renamed | Act::ReportUpheld | Act::ReportDismissed => {}
            }
        }
        for standing in moderation::all_standings(conn)? {
            let account = standing.account_id.clone();
            let made = expected.remove(&account).unwrap_or_else(|| StandingRow::good(&account));
            if made != standing {
                self.find(None, format!("the standing of account {account} is not what moderators did"));
            }
        }
        let mut existing = ExistingAccounts::default();
        for (account, standing) in expected {
            if standing != StandingRow::good(&account) && existing.exist(conn, &account)? {
                self.find(None, format!("account {account} has no standing, and a moderator gave it one"));
            }
        }
        Ok(())
    }
}
