//! Reports about players, and appeals.

use diesel::prelude::*;

use super::columns::text_enums;
use super::connection::insert_if_absent;
use super::schema::reports;
use super::{AccountId, Connection, Id, RecordTime, Result};

estimation_engine::choices! {
    /// What a report is about.
    pub enum ReportAbout {
        /// The player's name.
        PlayerName = "player_name",
        /// How the player behaves.
        Conduct = "conduct",
        /// How the player plays: as two hands of one person, or to help another player.
        Play = "play",
        /// What a moderator did to the reporter.
        Appeal = "appeal",
    }
}

estimation_engine::choices! {
    /// The decision about a report or an appeal.
    pub enum Decision {
        /// The moderator agrees.
        Upheld = "upheld",
        /// The moderator does not agree.
        Dismissed = "dismissed",
    }
}

text_enums!(ReportAbout, Decision);

/// A report, or an appeal.
#[derive(Clone, Debug, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = reports)]
pub struct ReportRow {
    /// UUIDv7.
    pub id: Id,
    /// `None` once the reporter's account was deleted.
    pub reporter_id: Option<AccountId>,
    pub subject_id: AccountId,
    /// The game's id; empty for no game.
    pub game_id: String,
    pub about: ReportAbout,
    /// What the reporter wrote.
    pub words: String,
    /// What the reporter could see: JSON.
    pub evidence: String,
    /// Milliseconds since 1970 in UTC.
    pub created_at: RecordTime,
    /// `None` while it is open.
    pub decision: Option<Decision>,
    /// What the reporter is told.
    pub reason: Option<String>,
    pub decided_at: Option<RecordTime>,
    /// The moderator who looks into it.
    pub taken_by: Option<AccountId>,
    pub taken_at: Option<RecordTime>,
}

/// Inserts a report. Returns false if the reporter has one about this player and game, or an open appeal.
pub fn insert(conn: &mut Connection, row: &ReportRow) -> Result<bool> {
    Ok(insert_if_absent!(conn, reports::table, row) == 1)
}

pub fn find(conn: &mut Connection, id: Id) -> Result<Option<ReportRow>> {
    Ok(reports::table.find(id).select(ReportRow::as_select()).first(conn).optional()?)
}

/// The reports that wait for a decision, oldest first, at most `limit`.
pub fn open(conn: &mut Connection, limit: i64) -> Result<Vec<ReportRow>> {
    let query = ReportRow::query().filter(reports::decision.is_null()).order(reports::id).limit(limit);
    Ok(query.load(conn)?)
}

/// The newest reports, decided ones included, newest first, at most `limit`.
pub fn newest(conn: &mut Connection, limit: i64) -> Result<Vec<ReportRow>> {
    let query = ReportRow::query().order(reports::id.desc()).limit(limit);
    Ok(query.load(conn)?)
}

/// The reports about an account, newest first, at most `limit`.
pub fn of_subject(conn: &mut Connection, account: &AccountId, limit: i64) -> Result<Vec<ReportRow>> {
    let query =
        ReportRow::query().filter(reports::subject_id.eq(account)).order(reports::id.desc()).limit(limit);
    Ok(query.load(conn)?)
}

/// Records who looks into an open report. Returns false if it was decided before.
pub fn take(conn: &mut Connection, id: Id, by: Option<&AccountId>, at: RecordTime) -> Result<bool> {
    let open = reports::table.find(id).filter(reports::decision.is_null());
    let taken = diesel::update(open).set((reports::taken_by.eq(by), reports::taken_at.eq(at)));
    Ok(taken.execute(conn)? == 1)
}

/// The number of open reports, that of the open appeals among them, and the time of the oldest.
pub fn count_open(conn: &mut Connection) -> Result<(i64, i64, Option<RecordTime>)> {
    let open = || reports::table.filter(reports::decision.is_null());
    let appeals = open().filter(reports::about.eq(ReportAbout::Appeal)).count().get_result(conn)?;
    let oldest = open().select(diesel::dsl::min(reports::created_at)).first(conn)?;
    Ok((open().count().get_result(conn)?, appeals, oldest))
}

/// The reports of an account, newest first, at most `limit`.
pub fn of_reporter(conn: &mut Connection, account: &AccountId, limit: i64) -> Result<Vec<ReportRow>> {
    let query =
        ReportRow::query().filter(reports::reporter_id.eq(account)).order(reports::id.desc()).limit(limit);
    Ok(query.load(conn)?)
}

/// Decides an open report. Returns false if it was decided before.
pub fn decide(
    conn: &mut Connection,
    id: Id,
    decision: Decision,
    reason: &str,
    at: RecordTime,
) -> Result<bool> {
    let open = reports::table.find(id).filter(reports::decision.is_null());
    let decided = diesel::update(open).set((
        reports::decision.eq(decision),
        reports::reason.eq(reason),
        reports::decided_at.eq(at),
    ));
    Ok(decided.execute(conn)? == 1)
}

/// Deletes reports that were decided before a time, and returns their number.
pub fn sweep(conn: &mut Connection, before: i64) -> Result<usize> {
    Ok(diesel::delete(reports::table.filter(reports::decided_at.lt(before))).execute(conn)?)
}
