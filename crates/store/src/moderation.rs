//! What moderators did to accounts, and what follows from it.

use std::cmp::Reverse;
use std::sync::Arc;

use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::columns::text_enums;
use super::connection::insert_if_absent;
use super::games::OPEN;
use super::schema::{banned_identities, game_players, games, moderation_acts, standings};
use super::{AccountId, Binding, Connection, GameId, Hash, Id, RecordTime, Result, StoreError, sessions};

/// Until when an account may not do something, in milliseconds since 1970 in UTC.
#[derive(Clone, Debug, PartialEq, Eq, HasQuery, Insertable, AsChangeset)]
#[diesel(table_name = standings)]
#[diesel(treat_none_as_null = true)]
pub struct StandingRow {
    pub account_id: AccountId,
    /// Until when it may not talk.
    pub muted_until: Option<i64>,
    /// Until when it may not play.
    pub suspended_until: Option<i64>,
    /// Until when it may not play, and its identities may not register again.
    pub banned_until: Option<i64>,
}

estimation_engine::choices! {
    /// What a moderator did. More are added over time.
    pub enum Act {
        /// The display name was replaced.
        Renamed = "renamed",
        /// The account may not talk for some time.
        Muted = "muted",
        /// The account may not play for some time.
        Suspended = "suspended",
        /// The account may not play, and its identities may not come back with another account.
        Banned = "banned",
        /// All measures ended.
        Lifted = "lifted",
        /// A report about the account was upheld.
        ReportUpheld = "report_upheld",
        /// A report about the account was dismissed, or an appeal.
        ReportDismissed = "report_dismissed",
        /// A note for moderators and admins. The account is never told.
        Noted = "noted",
        /// All sessions ended.
        SessionsEnded = "sessions_ended",
        /// An access link was issued. It works after 24 hours.
        AccessGiven = "access_given",
        /// The account's export was mailed to its address.
        ExportSent = "export_sent",
        /// The account has no second step any more.
        SecondStepRemoved = "second_step_removed",
        /// The account was deleted.
        Deleted = "deleted",
        /// A game was ended.
        GameEnded = "game_ended",
    }
}

text_enums!(Act);

/// An act of a moderator.
#[derive(Clone, Debug, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = moderation_acts)]
pub struct ModerationAct {
    pub id: Id,
    /// `None` for an act about a game.
    pub account_id: Option<AccountId>,
    /// `None` for an act about an account.
    pub game_id: Option<GameId>,
    pub act: Act,
    pub until_at: Option<i64>,
    pub reason: String,
    /// How to appeal.
    pub appeal: Option<String>,
    /// What it changed: JSON, a list of fields with their values before and after.
    pub changes: String,
    pub report_id: Option<Id>,
    /// `None` for an act by the command line.
    pub acted_by: Option<AccountId>,
    /// Why the person is not told; `None` if the person is.
    pub untold: Option<String>,
    pub created_at: RecordTime,
}

/// An act as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedAct {
    pub act: ModerationAct,
    /// From 1, without a gap.
    pub number: i64,
    /// Binds the number and the act. `None` if it is damaged.
    pub binding: Option<Binding>,
}

/// An act to record, and what binds it with its number.
#[derive(Clone)]
pub struct ActToRecord {
    pub act: ModerationAct,
    pub seal: Seal,
}

/// Binds an act and its number.
pub type Seal = Arc<dyn Fn(&ModerationAct, i64) -> Result<Binding, StoreError> + Send + Sync>;

/// PostgreSQL's lock number: ASCII "acts".
const LOCK: i64 = 0x6163_7473;

impl StandingRow {
    /// The standing of an account to which no moderator did anything.
    pub fn good(account: &AccountId) -> StandingRow {
        StandingRow {
            account_id: account.clone(),
            muted_until: None,
            suspended_until: None,
            banned_until: None,
        }
    }
}

/// The standing of an account; the good one without a row.
pub fn standing(conn: &mut Connection, account: &AccountId) -> Result<StandingRow> {
    let row = standings::table.find(account).select(StandingRow::as_select()).first(conn).optional()?;
    Ok(row.unwrap_or_else(|| StandingRow::good(account)))
}

/// The standings of all accounts that have a row.
pub fn all_standings(conn: &mut Connection) -> Result<Vec<StandingRow>> {
    Ok(StandingRow::query().order(standings::account_id).load(conn)?)
}

/// All acts, in the order of their numbers.
pub fn all_acts(conn: &mut Connection) -> Result<Vec<SealedAct>> {
    let columns = (ModerationAct::as_select(), moderation_acts::number, moderation_acts::binding);
    let query = moderation_acts::table.order(moderation_acts::number).select(columns);
    let rows: Vec<(ModerationAct, i64, Vec<u8>)> = query.load(conn)?;
    let read = |(act, number, binding): (_, _, Vec<u8>)| SealedAct {
        act,
        number,
        binding: Binding::read(&binding).ok(),
    };
    Ok(rows.into_iter().map(read).collect())
}

/// Replaces the standing of an account.
pub fn set_standing(conn: &mut Connection, row: &StandingRow) -> Result<()> {
    let changed = diesel::update(standings::table.find(&row.account_id)).set(row).execute(conn)?;
    if changed == 0 {
        diesel::insert_into(standings::table).values(row).execute(conn)?;
    }
    sessions::raise_authority(conn, &row.account_id)
}

/// Records an act under the next number. Acts take turns until the transaction ends.
pub fn record(conn: &mut Connection, ActToRecord { act, seal }: &ActToRecord) -> Result<()> {
    if let Connection::Postgres(conn) = conn {
        diesel::sql_query("SELECT pg_advisory_xact_lock($1)").bind::<BigInt, _>(LOCK).execute(conn)?;
    }
    let last: Option<i64> =
        moderation_acts::table.select(diesel::dsl::max(moderation_acts::number)).first(conn)?;
    // An intruder's number at the end of the range leaves none, and the unique index refuses the act.
    let number = last.unwrap_or(0).saturating_add(1);
    let binding = seal(act, number)?;
    let row = (act, moderation_acts::number.eq(number), moderation_acts::binding.eq(binding.as_bytes()));
    diesel::insert_into(moderation_acts::table).values(row).execute(conn)?;
    Ok(())
}

/// The acts of which an account is told, also those about its games, newest first, at most `limit`.
pub fn told_acts_of(conn: &mut Connection, account: &AccountId, limit: i64) -> Result<Vec<ModerationAct>> {
    let told = || {
        ModerationAct::query()
            .filter(moderation_acts::untold.is_null())
            .filter(moderation_acts::act.ne(Act::Noted))
            .order(moderation_acts::id.desc())
            .limit(limit)
    };
    let games =
        game_players::table.filter(game_players::account_id.eq(account)).select(game_players::game_id);
    let mut acts: Vec<ModerationAct> = told().filter(moderation_acts::account_id.eq(account)).load(conn)?;
    acts.extend(
        told().filter(moderation_acts::game_id.eq_any(games.nullable())).load::<ModerationAct>(conn)?,
    );
    acts.sort_unstable_by_key(|act| Reverse((act.created_at, act.id)));
    acts.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(acts)
}

/// The acts about a game, newest first, at most `limit`.
pub fn acts_about_game(conn: &mut Connection, game: GameId, limit: i64) -> Result<Vec<ModerationAct>> {
    let query = ModerationAct::query()
        .filter(moderation_acts::game_id.eq(game))
        .order(moderation_acts::id.desc())
        .limit(limit);
    Ok(query.load(conn)?)
}

/// All acts before one, newest first, at most `limit`; notes only if they are asked for.
pub fn acts_before(
    conn: &mut Connection,
    before: Option<Id>,
    with_notes: bool,
    limit: i64,
) -> Result<Vec<ModerationAct>> {
    let mut query = moderation_acts::table.into_boxed();
    if !with_notes {
        query = query.filter(moderation_acts::act.ne(Act::Noted));
    }
    if let Some(before) = before {
        query = query.filter(moderation_acts::id.lt(before));
    }
    Ok(query.order(moderation_acts::id.desc()).limit(limit).select(ModerationAct::as_select()).load(conn)?)
}

/// The acts about an account, newest first, at most `limit`.
pub fn acts_of(conn: &mut Connection, account: &AccountId, limit: i64) -> Result<Vec<ModerationAct>> {
    let query = ModerationAct::query()
        .filter(moderation_acts::account_id.eq(account))
        .order(moderation_acts::id.desc())
        .limit(limit);
    Ok(query.load(conn)?)
}

/// The places in games that are not over of accounts that may not play, at most `limit`.
pub fn seats_to_free(conn: &mut Connection, now: i64, limit: i64) -> Result<Vec<(GameId, AccountId)>> {
    let query = standings::table
        .inner_join(game_players::table.on(game_players::account_id.eq(standings::account_id.nullable())))
        .inner_join(games::table.on(games::id.eq(game_players::game_id)))
        .filter(standings::suspended_until.gt(now).or(standings::banned_until.gt(now)))
        .filter(games::status.eq_any(OPEN))
        .order((games::id, standings::account_id))
        .limit(limit)
        .select((games::id, standings::account_id));
    Ok(query.load(conn)?)
}

/// Remembers what identified a banned account that is deleted.
pub fn remember_banned(conn: &mut Connection, macs: &[Hash], until: i64) -> Result<()> {
    for mac in macs {
        let row = (banned_identities::mac.eq(&mac[..]), banned_identities::until_at.eq(until));
        insert_if_absent!(conn, banned_identities::table, row);
    }
    Ok(())
}

/// The latest end of a ban of one of these identities; none without a ban.
pub fn banned_until(conn: &mut Connection, macs: &[Hash], now: i64) -> Result<Option<i64>> {
    let macs: Vec<&[u8]> = macs.iter().map(|mac| &mac[..]).collect();
    let query = banned_identities::table
        .filter(banned_identities::mac.eq_any(macs))
        .filter(banned_identities::until_at.gt(now))
        .order(banned_identities::until_at.desc())
        .select(banned_identities::until_at);
    Ok(query.first(conn).optional()?)
}

/// Deletes what bans that have ended remembered, and returns the number of rows.
pub fn sweep(conn: &mut Connection, now: i64) -> Result<usize> {
    Ok(diesel::delete(banned_identities::table.filter(banned_identities::until_at.le(now))).execute(conn)?)
}
