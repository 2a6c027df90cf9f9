//! The comparisons of a table with the rows that must be in it, because they follow from the logs or from acts and grants.
//! A comparison is by key, and has the words for each difference. The functions that call it derive the rows.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use crate::auth::tokens::Role;
use crate::base::failure::Failure;
use estimation_engine::player::AccountId;
use estimation_store::moderation::StandingRow;
use estimation_store::ratings::RatingRow;
use estimation_store::results::ResultRow;
use estimation_store::{Connection, accounts};

/// How the rows of a table are compared.
pub(super) struct Comparison<R> {
    /// The words for a row that is missing, for one that differs, and for one that does not follow from anything.
    words: [&'static str; 3],
    /// Whether no row says the same.
    is_default: fn(&Key, &R) -> bool,
    /// Whether a stored row, the second one, is the one that follows.
    agrees: fn(&R, &R) -> bool,
}

/// The key of a row: the account whose deletion deletes it, and what tells it from the account's other rows. The words have
/// `{account}`, `{0}`, `{1}` in place of them.
pub(super) type Key = (AccountId, Vec<String>);

/// `accounts.role`, from the grants.
pub(super) const ROLES: Comparison<String> = Comparison {
    is_default: |_, role| role == Role::Player.as_str(),
    ..Comparison::of([
        "account {account} has the role \"player\", and was granted {expected}",
        "account {account} has the role {stored}, and was granted {expected}",
        "account {account} has the role {stored}, and no grant of it",
    ])
};

/// `standings`, from the acts of moderators.
pub(super) const STANDINGS: Comparison<StandingRow> = Comparison {
    is_default: |(account, _), standing| *standing == StandingRow::good(account),
    ..Comparison::of([
        "account {account} has no standing, and a moderator gave it one",
        "the standing of account {account} is not what moderators did",
        "the standing of account {account} is not what moderators did",
    ])
};

/// `break_offs` of one game, from its log. The whole row is the key: kind, event and time.
pub(super) const BREAK_OFFS: Comparison<()> = Comparison::of([
    "account {account} lacks the break-off that the log records: {0} of event {1}",
    "",
    "account {account} has a break-off that the log does not record: {0} of event {1}",
]);

/// `results` of one game, from its log.
pub(super) const RESULTS: Comparison<ResultRow> = Comparison::of([
    "account {account} has no result",
    "the result of account {account} is not that of the log",
    "account {account} has a result, and did not play or was deleted",
]);

/// How far a stored rating may be from the computed one, in millionths of a point. The exponential functions of two
/// platforms may differ in their last bit, and each game rounds.
const TOLERANCE: u64 = 100;

/// `ratings`, from the outcomes of the games in the order in which they were counted; by ruleset.
pub(super) const RATINGS: Comparison<RatingRow> = Comparison {
    agrees: is_near,
    ..Comparison::of([
        "account {account} has no rating in {0}, and played rated games",
        "the rating of account {account} in {0} does not follow from the log",
        "account {account} has a rating in {0}, and no rated game",
    ])
};

impl<R: PartialEq> Comparison<R> {
    const fn of(words: [&'static str; 3]) -> Comparison<R> {
        Comparison { words, is_default: |_, _| false, agrees: |expected, stored| expected == stored }
    }
}

impl<R: Debug> Comparison<R> {
    /// The differences between the rows that follow and all rows of the table, in words.
    pub(super) fn faults(
        &self,
        conn: &mut Connection,
        mut expected: BTreeMap<Key, R>,
        stored: impl IntoIterator<Item = (Key, R)>,
    ) -> Result<Vec<String>, Failure> {
        let mut faults = self.of_stored(&mut expected, stored);
        faults.extend(self.of_missing(conn, expected, &mut ExistingAccounts::default())?);
        Ok(faults)
    }

    /// The differences between some rows of the table and those that follow, which are taken out of the expected ones.
    pub(super) fn of_stored(
        &self,
        expected: &mut BTreeMap<Key, R>,
        stored: impl IntoIterator<Item = (Key, R)>,
    ) -> Vec<String> {
        let [_, differs, unfounded] = self.words;
        let fault = |(key, row): (Key, R)| {
            let words = match expected.remove(&key) {
                Some(follows) if (self.agrees)(&follows, &row) => return None,
                Some(follows) => differs.replace("{expected}", &format!("{follows:?}")),
                None if (self.is_default)(&key, &row) => return None,
                None => unfounded.to_owned(),
            };
            Some(fill(&words.replace("{stored}", &format!("{row:?}")), &key))
        };
        stored.into_iter().filter_map(fault).collect()
    }

    /// The faults of the expected rows that are left after all rows of the table.
    pub(super) fn of_missing(
        &self,
        conn: &mut Connection,
        expected: BTreeMap<Key, R>,
        accounts: &mut ExistingAccounts,
    ) -> Result<Vec<String>, Failure> {
        let mut faults = Vec::new();
        for (key, row) in expected.into_iter().filter(|(key, row)| !(self.is_default)(key, row)) {
            if accounts.exist(conn, &key.0)? {
                faults.push(fill(&self.words[0].replace("{expected}", &format!("{row:?}")), &key));
            }
        }
        Ok(faults)
    }
}

fn fill(words: &str, (account, members): &Key) -> String {
    let words = words.replace("{account}", account.as_str());
    let fill =
        |words: String, (index, member): (usize, &String)| words.replace(&format!("{{{index}}}"), member);
    members.iter().enumerate().fold(words, fill)
}

/// The accounts that exist in one snapshot of the database. Deleted accounts have no results and no ratings.
#[derive(Default)]
pub(super) struct ExistingAccounts(HashMap<AccountId, bool>);

impl ExistingAccounts {
    pub(super) fn exist(&mut self, conn: &mut Connection, account: &AccountId) -> Result<bool, Failure> {
        if let Some(known) = self.0.get(account) {
            return Ok(*known);
        }
        let exists = accounts::find(conn, account)?.is_some();
        self.0.insert(account.clone(), exists);
        Ok(exists)
    }
}

/// Whether a stored rating is the computed one, and consistent.
fn is_near(computed: &RatingRow, stored: &RatingRow) -> bool {
    computed.games == stored.games
        && stored.ordinal == stored.mean - 3 * stored.deviation
        && computed.mean.abs_diff(stored.mean) <= TOLERANCE
        && computed.deviation.abs_diff(stored.deviation) <= TOLERANCE
}
