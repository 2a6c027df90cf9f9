//! The queue of reports and appeals, as moderators see and decide them.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::enact::ChangedValue;
use super::evidence::Evidence;
use super::reports::{LISTED, ReportAbout, game_of, refuse_controls};
use super::{Moderation, tell};
use crate::auth::authority::Required;
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::base::field_error::FieldCode;
use crate::games::view::PersonView;
use crate::notifications::NoticeKind;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::moderation::{self, Act, ActToRecord, ModerationAct};
pub use estimation_store::reports::Decision;
use estimation_store::reports::{self, ReportRow};
use estimation_store::{Connection, GameId, Id};

/// The longest reason of a moderator, in characters.
const LONGEST_REASON: usize = 1_000;

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

/// A report with what its author could see, for the command line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredReport {
    /// The report.
    #[serde(flatten)]
    pub report: QueuedReport,
    /// What its author could see.
    pub evidence: Evidence,
}

impl Moderation {
    /// The reports that wait for a decision, oldest first, or the newest of all; at most 100.
    pub async fn reports(&self, all: bool) -> Result<Vec<QueuedReport>, Failure> {
        let read = move |conn: &mut Connection| match all {
            true => reports::newest(conn, LISTED),
            false => reports::open(conn, LISTED),
        };
        let rows = self.database.read(read).await?;
        self.queued(rows).await
    }

    /// A report with what its author could see.
    ///
    /// # Errors
    /// [`Failure::NotFound`].
    pub async fn stored_report(&self, id: Uuid) -> Result<StoredReport, Failure> {
        let row = self.database.read(move |conn| reports::find(conn, Id(id))).await?;
        let row = row.ok_or(Failure::NotFound { what: "report" })?;
        let evidence =
            serde_json::from_str(&row.evidence).map_err(|error| Failure::Defect(error.to_string()))?;
        let report = self.queued(vec![row]).await?.pop();
        let report = report.ok_or_else(|| Failure::Defect("a report has no view".to_owned()))?;
        Ok(StoredReport { report, evidence })
    }

    /// Reports with the names of people.
    pub(crate) async fn queued(&self, rows: Vec<ReportRow>) -> Result<Vec<QueuedReport>, Failure> {
        let people: Vec<AccountId> = rows
            .iter()
            .flat_map(|row| row.reporter_id.iter().chain([&row.subject_id]).chain(&row.taken_by))
            .cloned()
            .collect();
        let names = self.names.names_of(&people).await?;
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

    /// Decides a report, and tells its author. `by` is the moderator; none for the command line.
    ///
    /// # Errors
    /// [`Failure::NotFound`], [`Failure::ReportDecided`].
    pub async fn decide(
        &self,
        id: Uuid,
        decision: Decision,
        answer: &str,
        by: Option<&Caller>,
    ) -> Result<(), Failure> {
        checked_answer(answer)?;
        let time = self.clock.now();
        let (now, notice, act_id) = (RecordTime::from(time), Id(self.draw_id()), Id(self.draw_id()));
        let (moderator, answer, seal) = (by.map(|by| by.account.clone()), answer.to_owned(), self.seal());
        let by = by.map(|by| by.authority(Required::Acting, time));
        let write = move |conn: &mut Connection| {
            let row = reports::find(conn, Id(id))?.ok_or(Failure::NotFound { what: "report" })?;
            if !reports::decide(conn, row.id, decision, &answer, now.milliseconds())? {
                return Err(Failure::ReportDecided);
            }
            let changes = [ChangedValue::new("decision", None::<String>, Some(decision.as_str()))];
            let act = ModerationAct {
                id: act_id,
                account_id: Some(row.subject_id),
                game_id: None,
                act: match decision {
                    Decision::Upheld => Act::ReportUpheld,
                    Decision::Dismissed => Act::ReportDismissed,
                },
                until_at: None,
                reason: answer.clone(),
                appeal: None,
                changes: ChangedValue::stored(&changes)?,
                report_id: Some(row.id),
                acted_by: moderator.clone(),
                untold: None,
                created_at: now,
            };
            moderation::record(conn, &ActToRecord { act, seal: Arc::clone(&seal) })?;
            if let Some(reporter) = &row.reporter_id {
                tell(conn, NoticeKind::ReportDecided, reporter, notice, now)?;
            }
            Ok(())
        };
        self.database.write(by, write).await
    }
}

/// Refuses a reason that says nothing, or too much.
pub(super) fn checked_answer(reason: &str) -> Result<(), Failure> {
    let code = match if reason.trim().is_empty() { 0 } else { reason.chars().count() } {
        0 => FieldCode::TooShort,
        1..=LONGEST_REASON => return refuse_controls("reason", reason),
        _ => FieldCode::TooLong,
    };
    Err(Failure::field("reason", code, format!("must have 1 to {LONGEST_REASON} characters")))
}
