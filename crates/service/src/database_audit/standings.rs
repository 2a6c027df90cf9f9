//! Standings of accounts, and games that were ended early, compared with what moderators did.

use std::collections::{BTreeMap, BTreeSet};

use super::DatabaseAudit;
use super::existing_accounts::ExistingAccounts;
use super::game::ended_meanwhile;
use super::roles::{SKEW, made_at};
use crate::auth::keys::BindingCheck;
use crate::games::failure::GameFailure;
use crate::moderation::{Act, ChangedValue, seal, standing_changes};
use estimation_engine::choice::Choice;
use estimation_engine::player::AccountId;
use estimation_store::moderation::{self, ModerationAct, SealedAct, StandingRow};
use estimation_store::{Connection, GameId};

impl DatabaseAudit<'_> {
    /// Compares `standings` with `moderation_acts`, in one snapshot of the database.
    pub(super) fn standings(&mut self, conn: &mut Connection) -> Result<(), GameFailure> {
        let mut expected: BTreeMap<AccountId, StandingRow> = BTreeMap::new();
        let mut next = 1;
        for sealed in moderation::all_acts(conn)? {
            if sealed.number != next {
                self.find(
                    None,
                    format!("before act {} of a moderator, act {next} is missing", sealed.number),
                );
            }
            next = sealed.number.saturating_add(1);
            self.sealed(&sealed)?;
            let act = sealed.act;
            let ModerationAct { id, account_id, act: name, created_at, .. } = &act;
            if made_at(id).is_none_or(|made| made.abs_diff(*created_at) > SKEW.unsigned_abs()) {
                self.find(None, format!("the act {id} of a moderator has another time than its id"));
            }
            let Some(kind) = Act::from_name(name) else {
                self.find(None, format!("the act {id} of a moderator is {name:?}, which is none"));
                continue;
            };
            if (kind == Act::GameEnded) != act.game_id.is_some() {
                self.find(None, format!("the act {id} of a moderator is about the wrong thing"));
            }
            let Some(account_id) = account_id else {
                self.changes(&act, kind, &[]);
                continue;
            };
            let good = || StandingRow::good(account_id);
            let standing = expected.entry(account_id.clone()).or_insert_with(good);
            let before = standing.clone();
            match kind {
                Act::Muted => standing.muted_until = act.until_at,
                Act::Suspended => standing.suspended_until = act.until_at,
                Act::Banned => standing.banned_until = act.until_at,
                Act::Lifted => *standing = good(),
                _ => {}
            }
            let made = standing_changes(kind, &before, standing);
            self.changes(&act, kind, &made);
        }
        for standing in moderation::all_standings(conn)? {
            let account = standing.account_id.clone();
            let made = expected.remove(&account).unwrap_or_else(|| StandingRow::good(&account));
            if made != standing {
                self.find(None, format!("the standing of account {account} is not what moderators did"));
            }
        }
        self.standings_without_row(conn, expected)
    }

    /// Checks the keyed hash of an act.
    fn sealed(&mut self, sealed: &SealedAct) -> Result<(), GameFailure> {
        match self.keys.map(|keys| seal::check(sealed, keys)).transpose()? {
            Some(BindingCheck::Forged) => {
                self.find(None, format!("the act {} of a moderator is not bound by a node", sealed.act.id));
            }
            Some(BindingCheck::UnknownKey) => self.unknown_bindings += 1,
            Some(BindingCheck::Sound) | None => {}
        }
        Ok(())
    }

    /// Compares the stored changes of an act with those of its kind.
    fn changes(&mut self, act: &ModerationAct, kind: Act, made: &[ChangedValue]) {
        let stored = serde_json::from_str::<Vec<ChangedValue>>(&act.changes);
        if !stored.is_ok_and(|changes| is_consistent(kind, &changes, made)) {
            self.find(
                None,
                format!("the act {} of a moderator does not have the changes of {}", act.id, act.act),
            );
        }
    }

    fn standings_without_row(
        &mut self,
        conn: &mut Connection,
        expected: BTreeMap<AccountId, StandingRow>,
    ) -> Result<(), GameFailure> {
        let mut existing = ExistingAccounts::default();
        for (account, standing) in expected {
            if standing != StandingRow::good(&account) && existing.exist(conn, &account)? {
                self.find(None, format!("account {account} has no standing, and a moderator gave it one"));
            }
        }
        Ok(())
    }

    /// Compares the games that the operator ended with the acts that ended them. After the games.
    pub(super) fn early_ends(&mut self, conn: &mut Connection) -> Result<(), GameFailure> {
        let acts = moderation::all_acts(conn)?;
        let acts = acts.iter().map(|sealed| &sealed.act).filter(|act| act.act == Act::GameEnded.as_str());
        let acted: BTreeSet<GameId> = acts.filter_map(|act| act.game_id).collect();
        let ended: Vec<GameId> =
            self.over.iter().filter(|(_, over)| over.is_ended_early).map(|(game, _)| *game).collect();
        for game in ended.iter().filter(|game| !acted.contains(game)) {
            self.find(Some(game.0), "the operator ended the game, and no act of a moderator says so");
        }
        for game in acted {
            let is_ended = match self.over.get(&game) {
                Some(over) => over.is_ended_early,
                // It may have ended after its log was read.
                None => ended_meanwhile(conn, game, self.trust, &self.origins)?
                    .is_some_and(|over| over.is_ended_early),
            };
            if !is_ended {
                self.find(Some(game.0), "an act of a moderator ended the game, and its log does not say so");
            }
        }
        Ok(())
    }
}

/// Whether the changes of an act are those of its kind. `made` are those of the standing.
fn is_consistent(kind: Act, changes: &[ChangedValue], made: &[ChangedValue]) -> bool {
    let is_one = |field: &str, after: Option<&str>| match changes {
        [only] => only.field == field && after.is_none_or(|after| only.after.as_deref() == Some(after)),
        _ => false,
    };
    match kind {
        Act::Muted | Act::Suspended | Act::Banned | Act::Lifted => changes == made,
        Act::Renamed => is_one("display_name", None),
        Act::SessionsEnded => is_one("sessions", Some("0")),
        Act::AccessGiven => is_one("access_works_at", None),
        Act::SecondStepRemoved => is_one("second_step", None),
        Act::Deleted => is_one("account", None),
        Act::GameEnded => is_one("status", Some("abandoned")),
        Act::ReportUpheld => is_one("decision", Some("upheld")),
        Act::ReportDismissed => is_one("decision", Some("dismissed")),
        Act::Noted | Act::ExportSent => changes.is_empty(),
    }
}
