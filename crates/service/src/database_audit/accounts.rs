//! Roles of accounts, compared with their grants; standings of accounts, and games that were ended early, compared with
//! what moderators did.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::DatabaseAudit;
use super::comparison::{Key, ROLES, STANDINGS};
use super::game::ended_meanwhile;
use crate::auth::tokens::Role;
use crate::base::failure::Failure;
use crate::moderation::{Act, ChangedValue, check_seal, standing_changes};
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::moderation::{self, ModerationAct, SealedAct, StandingRow};
use estimation_store::role_grants::{self, RoleGrant};
use estimation_store::{Connection, GameId, Id, accounts};
use jiff::SignedDuration;

/// How far the time of a row may be from that in its id, and from that of another node's row.
const SKEW: SignedDuration = SignedDuration::from_mins(1);

impl DatabaseAudit<'_> {
    /// Compares `accounts.role` with the grants, in one snapshot of the database.
    pub(super) fn roles(&mut self, conn: &mut Connection) -> Result<(), Failure> {
        let held = accounts::with_other_role(conn, Role::Player.as_str())?;
        let grants = role_grants::all(conn)?;
        self.grants(&grants);
        let mut of_accounts: BTreeMap<&AccountId, Vec<&RoleGrant>> = BTreeMap::new();
        for grant in &grants {
            of_accounts.entry(&grant.account_id).or_default().push(grant);
        }
        let (mut expected, mut unclear) = (BTreeMap::new(), BTreeSet::new());
        for (account, grants) in of_accounts {
            match granted(&grants) {
                Some(role) => drop(expected.insert((account.clone(), Vec::new()), role.as_str().to_owned())),
                None => drop(unclear.insert(account)),
            }
        }
        for account in &unclear {
            self.find(None, format!("the role grants of account {account} do not follow from each other"));
        }
        let held = held.into_iter().filter(|(account, _)| !unclear.contains(account));
        for fault in
            ROLES.faults(conn, expected, held.map(|(account, role)| ((account, Vec::new()), role)))?
        {
            self.find(None, fault);
        }
        Ok(())
    }

    /// Each grant has the time of its id, and is by another account that was admin.
    fn grants(&mut self, grants: &[RoleGrant]) {
        let mut admins: HashMap<&AccountId, RecordTime> = HashMap::new();
        for grant in grants.iter().filter(|grant| grant.role == Role::Admin) {
            let since = admins.entry(&grant.account_id).or_insert(grant.created_at);
            *since = grant.created_at.min(*since);
        }
        for RoleGrant { id, account_id, granted_by, created_at, .. } in grants {
            self.time_of_id(format_args!("the role grant {id}"), *id, *created_at);
            let is_admins = |by: &AccountId| {
                by != account_id && admins.get(by).is_some_and(|since| *since <= created_at.plus(SKEW))
            };
            if !granted_by.as_ref().is_none_or(is_admins) {
                self.find(None, format!("the role grant {id} is by an account that was no admin"));
            }
        }
    }

    /// Compares `standings` with `moderation_acts`, in one snapshot of the database.
    pub(super) fn standings(&mut self, conn: &mut Connection) -> Result<(), Failure> {
        let mut expected: BTreeMap<Key, StandingRow> = BTreeMap::new();
        let mut next = 1;
        for sealed in moderation::all_acts(conn)? {
            let SealedAct { act, number, .. } = &sealed;
            if *number != next {
                self.find(None, format!("before act {number} of a moderator, act {next} is missing"));
            }
            next = number.saturating_add(1);
            let what = format!("the act {} of a moderator", act.id);
            let binding = self.keys.map(|keys| check_seal(&sealed, keys)).transpose()?;
            self.bound(None, binding, &what);
            self.time_of_id(format_args!("{what}"), act.id, act.created_at);
            let kind = act.act;
            if (kind == Act::GameEnded) != act.game_id.is_some() {
                self.find(None, format!("{what} is about the wrong thing"));
            }
            let made = act.account_id.as_ref().map(|account| {
                let standing = expected
                    .entry((account.clone(), Vec::new()))
                    .or_insert_with(|| StandingRow::good(account));
                changed(standing, kind, act)
            });
            let stored = serde_json::from_str::<Vec<ChangedValue>>(&act.changes);
            if !stored.is_ok_and(|changes| is_consistent(kind, &changes, &made.unwrap_or_default())) {
                self.find(None, format!("{what} does not have the changes of {}", kind.as_str()));
            }
        }
        let stored = moderation::all_standings(conn)?;
        let stored = stored.into_iter().map(|row| ((row.account_id.clone(), Vec::new()), row));
        for fault in STANDINGS.faults(conn, expected, stored)? {
            self.find(None, fault);
        }
        Ok(())
    }

    /// Compares the games that the operator ended with the acts that ended them. After the games.
    pub(super) fn early_ends(&mut self, conn: &mut Connection) -> Result<(), Failure> {
        let acts = moderation::all_acts(conn)?;
        let acts = acts.iter().map(|sealed| &sealed.act).filter(|act| act.act == Act::GameEnded);
        let acted: BTreeSet<GameId> = acts.filter_map(|act| act.game_id).collect();
        let ended = self.over.iter().filter(|(_, over)| over.is_ended_early);
        let mut ended: BTreeSet<GameId> = ended.map(|(game, _)| *game).collect();
        // A game may have ended after its log was read.
        for game in acted.iter().filter(|game| !self.over.contains_key(game)) {
            let over = ended_meanwhile(conn, *game, self.trust, &self.origins)?;
            ended.extend(over.filter(|over| over.is_ended_early).map(|_| *game));
        }
        for game in ended.difference(&acted) {
            self.find(Some(game.0), "the operator ended the game, and no act of a moderator says so");
        }
        for game in acted.difference(&ended) {
            self.find(Some(game.0), "an act of a moderator ended the game, and its log does not say so");
        }
        Ok(())
    }

    /// Compares the time of a row with that in its id, a UUIDv7.
    fn time_of_id(&mut self, what: std::fmt::Arguments<'_>, id: Id, created_at: RecordTime) {
        let is_near = |made: RecordTime| made <= created_at.plus(SKEW) && created_at <= made.plus(SKEW);
        if !made_at(id).is_some_and(is_near) {
            self.find(None, format!("{what} has another time than its id"));
        }
    }
}

/// The role that an account has by its grants. They may be in any order, as the clocks of nodes differ: each takes a role
/// that another one gave, or the first one, and one is left.
fn granted(grants: &[&RoleGrant]) -> Option<Role> {
    let mut left: BTreeMap<Role, i64> = BTreeMap::from([(Role::Player, 1)]);
    for grant in grants {
        *left.entry(grant.role).or_default() += 1;
        *left.entry(grant.former_role).or_default() -= 1;
    }
    left.retain(|_, count| *count != 0);
    match left.into_iter().collect::<Vec<_>>()[..] {
        [(role, 1)] => Some(role),
        _ => None,
    }
}

/// The time in a UUIDv7.
fn made_at(id: Id) -> Option<RecordTime> {
    let (seconds, nanoseconds) = id.0.get_timestamp()?.to_unix();
    RecordTime::from_milliseconds(i64::try_from(seconds * 1000 + u64::from(nanoseconds / 1_000_000)).ok()?)
        .ok()
}

/// Changes a standing as an act does. Returns the changes.
fn changed(standing: &mut StandingRow, kind: Act, act: &ModerationAct) -> Vec<ChangedValue> {
    let before = standing.clone();
    match kind {
        Act::Muted => standing.muted_until = act.until_at,
        Act::Suspended => standing.suspended_until = act.until_at,
        Act::Banned => standing.banned_until = act.until_at,
        Act::Lifted => *standing = StandingRow::good(&before.account_id),
        _ => {}
    }
    standing_changes(kind, &before, standing)
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
