//! Roles of accounts, compared with the record of their grants, and the other rows of accounts with each other.

use std::collections::{BTreeMap, HashMap, HashSet};

use uuid::Uuid;

use super::existing_accounts::ExistingAccounts;
use super::{DatabaseAudit, MOST};
use crate::auth::tokens::Role;
use crate::games::failure::GameFailure;
use estimation_engine::player::AccountId;
use estimation_store::role_grants::{self, RoleGrant};
use estimation_store::{Connection, accounts, contradictions, migrations};

/// How far the time of a grant may be from that in its id, in milliseconds, and from that of another node's grant.
pub(super) const SKEW: i64 = 60_000;

impl DatabaseAudit<'_> {
    /// Compares `accounts.role` with the grants, in one snapshot of the database.
    pub(super) fn roles(&mut self, conn: &mut Connection) -> Result<(), GameFailure> {
        let (player, admin) = (Role::Player.as_str(), Role::Admin.as_str());
        let mut held: HashMap<AccountId, String> =
            accounts::with_other_role(conn, player)?.into_iter().collect();
        let grants = role_grants::all(conn)?;
        let mut admins: HashMap<&AccountId, i64> = HashMap::new();
        for grant in grants.iter().filter(|grant| grant.role == admin) {
            let since = admins.entry(&grant.account_id).or_insert(grant.created_at);
            *since = grant.created_at.min(*since);
        }
        let mut of_accounts: BTreeMap<&str, Vec<&RoleGrant>> = BTreeMap::new();
        for grant in &grants {
            let RoleGrant { id, account_id, granted_by, created_at, .. } = grant;
            of_accounts.entry(account_id.as_str()).or_default().push(grant);
            if made_at(id).is_none_or(|made| made.abs_diff(*created_at) > SKEW.unsigned_abs()) {
                self.find(None, format!("the role grant {id} has another time than its id"));
            }
            let is_admins = |by: &AccountId| {
                by != account_id && admins.get(by).is_some_and(|since| *since <= created_at + SKEW)
            };
            if !granted_by.as_ref().is_none_or(is_admins) {
                self.find(None, format!("the role grant {id} is by an account that was no admin"));
            }
        }
        let mut existing = ExistingAccounts::default();
        for (id, grants) in of_accounts {
            let account = AccountId::new(id);
            let role = match held.remove(&account) {
                Some(role) => Some(role),
                None => existing.exist(conn, &account)?.then(|| player.to_owned()),
            };
            match (granted(&grants, player), role) {
                (None, _) => {
                    self.find(None, format!("the role grants of account {id} do not follow from each other"));
                }
                (Some(granted), Some(role)) if role != granted => {
                    let detail = format!("account {id} has the role {role:?}, and was granted {granted:?}");
                    self.find(None, detail);
                }
                _ => {}
            }
        }
        let ungranted: HashSet<String> =
            held.into_iter().map(|(id, role)| format!("account {id} has the role {role:?}")).collect();
        for detail in ungranted {
            self.find(None, format!("{detail}, and no grant of it"));
        }
        Ok(())
    }

    /// Rows that contradict each other: of accounts, matchmaking, answered requests, passed-over games, and migrations.
    pub(super) fn contradictions(&mut self, conn: &mut Connection) -> Result<(), GameFailure> {
        for detail in migrations::record_faults(conn)? {
            self.find(None, detail);
        }
        for wrong in contradictions::contradictions(conn, MOST)? {
            let game = wrong.game.and_then(|game| game.parse().ok());
            self.find(game, format!("{}: {}", wrong.detail, wrong.subject));
        }
        Ok(())
    }
}

/// The role that an account has by its grants. They may be in any order, as the clocks of nodes differ: each takes a role
/// that another one gave, or the first one, and one is left.
fn granted<'g>(grants: &[&'g RoleGrant], first: &'g str) -> Option<&'g str> {
    let mut left: BTreeMap<&str, i64> = BTreeMap::from([(first, 1)]);
    for grant in grants {
        *left.entry(&grant.role).or_default() += 1;
        *left.entry(&grant.former_role).or_default() -= 1;
    }
    left.retain(|_, count| *count != 0);
    match left.into_iter().collect::<Vec<_>>()[..] {
        [(role, 1)] => Some(role),
        _ => None,
    }
}

/// The time in a UUIDv7, in milliseconds since 1970.
pub(super) fn made_at(id: &str) -> Option<i64> {
    let (seconds, nanoseconds) = id.parse::<Uuid>().ok()?.get_timestamp()?.to_unix();
    i64::try_from(seconds * 1000 + u64::from(nanoseconds / 1_000_000)).ok()
}
