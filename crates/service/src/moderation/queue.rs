//! The queue of reports and appeals, as moderators see and decide them.

use std::sync::Arc;

use garde::Validate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::acts::{Act, ChangedValue};
use super::evidence::ReportEvidence;
use super::reports::{LISTED, ReportAbout, game_of};
use super::{Moderation, check_text, tell};
use crate::auth::permission::{ActingModerator, Moderator};
use crate::base::failure::Failure;
use crate::games::view::PersonView;
use crate::notifications::NoticeKind;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::moderation::{self, ActToRecord, ModerationAct};
pub use estimation_store::reports::Decision;
use estimation_store::reports::{self, ReportRow};
use estimation_store::{Connection, GameId, Id, accounts};

/// The longest reason of a decision, in characters.
const LONGEST_DECISION: usize = 1_000;

/// How many of an account's newest acts are searched for the measure that an appeal is against.
const ACTS: i64 = 100;

/// A report or an appeal, as moderators see it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct QueuedReport {
    /// The report's id.
    pub id: Uuid,
    /// What it is about.
    pub about: ReportAbout,
    /// The author; null if the account was deleted.
    pub reporter: Option<PersonView>,
    /// The reported player.
    pub subject: PersonView,
    /// The game; null for none.
    pub game: Option<GameId>,
    /// What the author wrote.
    #[schema(min_length = 0, max_length = 500)]
    pub text: String,
    /// When it was written.
    pub created_at: RecordTime,
    /// The moderator who looks into it; null for nobody.
    pub taken_by: Option<PersonView>,
    /// Since when.
    pub taken_at: Option<RecordTime>,
    /// The decision; null until then.
    pub decision: Option<Decision>,
    /// What the author is told; null until then.
    #[schema(min_length = 1, max_length = 1000)]
    pub reason: Option<String>,
    /// When it was decided; null until then.
    pub decided_at: Option<RecordTime>,
}

/// Reports and appeals.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ReportQueue {
    /// Open ones, oldest first; or the newest of all.
    #[schema(max_items = 100)]
    pub items: Vec<QueuedReport>,
}

/// A report with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct InspectedReport {
    /// The report.
    pub report: QueuedReport,
    /// What its author could see.
    pub evidence: ReportEvidence,
}

/// A request to decide a report.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct DecisionRequest {
    /// The decision.
    pub decision: Decision,
    /// What the author, and the reported player, are told.
    #[schema(min_length = 1, max_length = 1000, example = "We spoke to the player.")]
    #[garde(length(chars, min = 1, max = LONGEST_DECISION))]
    pub reason: String,
}

impl Moderation {
    /// The reports that wait for a decision, oldest first, or the newest of all; without those about the moderator, and for
    /// moderators without those about accounts with a role.
    pub async fn reports(&self, by: &Moderator, all: bool) -> Result<ReportQueue, Failure> {
        let by = by.clone();
        let read = move |conn: &mut Connection| {
            let mut rows = if all { reports::newest(conn, LISTED)? } else { reports::open(conn, LISTED)? };
            let subjects: Vec<AccountId> = rows.iter().map(|row| row.subject_id.clone()).collect();
            let with_roles = accounts::roles_of(conn, &subjects)?;
            rows.retain(|row| !by.is_barred_from(&row.subject_id, with_roles.contains(&row.subject_id)));
            Ok(rows)
        };
        let rows = self.database.read(read).await?;
        Ok(ReportQueue { items: self.queued(rows).await? })
    }

    /// A report with its evidence.
    ///
    /// # Errors
    /// [`Failure::NotFound`]; [`Failure::AccountProtected`] for a report about the moderator, or about an account with a role.
    pub async fn inspect_report(&self, by: &Moderator, id: Uuid) -> Result<InspectedReport, Failure> {
        let by = by.clone();
        let row = self.database.read(move |conn| Ok(report_of(conn, &by, id))).await??;
        let evidence = serde_json::from_str(&row.evidence);
        Ok(InspectedReport {
            evidence: evidence.map_err(|error| Failure::Defect(error.to_string()))?,
            report: self.one(row).await?,
        })
    }

    /// Assigns a report to the moderator, in place of another one.
    ///
    /// # Errors
    /// As [`inspect_report`](Moderation::inspect_report); [`Failure::ReportDecided`].
    pub async fn take_report(&self, by: &ActingModerator, id: Uuid) -> Result<QueuedReport, Failure> {
        let (authority, by, now) =
            (by.authority(self.clock.now()), by.clone(), RecordTime::from(self.clock.now()));
        let take = move |conn: &mut Connection| {
            let row = report_of(conn, &by, id)?;
            match reports::take(conn, row.id, by.account(), now)? {
                true => Ok(ReportRow { taken_by: by.account().cloned(), taken_at: Some(now), ..row }),
                false => Err(Failure::ReportDecided),
            }
        };
        let row = self.database.write(authority, take).await?;
        self.one(row).await
    }

    /// Decides a report, and tells its author. Does nothing to the account.
    ///
    /// # Errors
    /// As [`take_report`](Moderation::take_report); [`Failure::AccountProtected`] also for a report by the moderator, and for
    /// an appeal against a measure of the moderator.
    pub async fn decide_report(
        &self,
        by: &ActingModerator,
        id: Uuid,
        request: &DecisionRequest,
    ) -> Result<QueuedReport, Failure> {
        check_text("/reason", Some(&request.reason), LONGEST_DECISION)?;
        let DecisionRequest { decision, reason } = request.clone();
        let act = match decision {
            Decision::Upheld => Act::ReportUpheld,
            Decision::Dismissed => Act::ReportDismissed,
        };
        let (act, notice, seal) = (self.new_act(by, act, &reason), Id(self.draw_id()), self.seal());
        let (authority, by, now) =
            (by.authority(self.clock.now()), by.clone(), RecordTime::from(self.clock.now()));
        let decide = move |conn: &mut Connection| {
            let row = report_of(conn, &by, id)?;
            if row.reporter_id.as_ref().is_some_and(|author| by.is(author)) || is_against(conn, &row, &by)? {
                return Err(Failure::AccountProtected);
            }
            if !reports::decide(conn, row.id, decision, &reason, now)? {
                return Err(Failure::ReportDecided);
            }
            let changes = [ChangedValue::new("decision", None::<String>, Some(decision.as_str()))];
            let act = ModerationAct {
                account_id: Some(row.subject_id.clone()),
                changes: ChangedValue::stored(&changes)?,
                report_id: Some(row.id),
                ..act.clone()
            };
            moderation::record(conn, &ActToRecord { act, seal: Arc::clone(&seal) })?;
            if let Some(reporter) = &row.reporter_id {
                tell(conn, NoticeKind::ReportDecided, reporter, notice, now)?;
            }
            let reason = Some(reason.clone());
            Ok(ReportRow { decision: Some(decision), reason, decided_at: Some(now), ..row })
        };
        let row = self.database.write(authority, decide).await?;
        self.one(row).await
    }

    /// Reports with the names of people.
    pub(super) async fn queued(&self, rows: Vec<ReportRow>) -> Result<Vec<QueuedReport>, Failure> {
        let people =
            rows.iter().flat_map(|row| row.reporter_id.iter().chain([&row.subject_id]).chain(&row.taken_by));
        let names = self.names.names_of(people).await?;
        let person = |id: AccountId| PersonView { name: names.of(&id), id };
        rows.into_iter()
            .map(|row| {
                Ok(QueuedReport {
                    id: row.id.0,
                    about: row.about,
                    game: game_of(&row)?,
                    reporter: row.reporter_id.map(person),
                    subject: person(row.subject_id),
                    text: row.words,
                    created_at: row.created_at,
                    taken_by: row.taken_by.map(person),
                    taken_at: row.taken_at,
                    decision: row.decision,
                    reason: row.reason,
                    decided_at: row.decided_at,
                })
            })
            .collect()
    }

    async fn one(&self, row: ReportRow) -> Result<QueuedReport, Failure> {
        let report = self.queued(vec![row]).await?.pop();
        report.ok_or_else(|| Failure::Defect("a report has no view".to_owned()))
    }
}

/// A report that the moderator may see.
fn report_of(conn: &mut Connection, by: &Moderator, id: Uuid) -> Result<ReportRow, Failure> {
    let row = reports::find(conn, Id(id))?.ok_or(Failure::NotFound { what: "report" })?;
    let has_role = !accounts::roles_of(conn, std::slice::from_ref(&row.subject_id))?.is_empty();
    if by.is_barred_from(&row.subject_id, has_role) {
        return Err(Failure::AccountProtected);
    }
    Ok(row)
}

/// Whether a report is an appeal against a measure of the moderator.
fn is_against(conn: &mut Connection, row: &ReportRow, by: &Moderator) -> Result<bool, Failure> {
    if row.about != ReportAbout::Appeal {
        return Ok(false);
    }
    let acts = moderation::acts_of(conn, &row.subject_id, ACTS)?;
    let last = acts.iter().find(|act| matches!(act.act, Act::Muted | Act::Suspended | Act::Banned));
    Ok(last.and_then(|act| act.acted_by.as_ref()).is_some_and(|author| by.is(author)))
}
