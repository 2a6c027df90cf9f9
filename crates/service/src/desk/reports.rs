//! The queue of reports.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Desk;
use crate::auth::caller::Caller;
use crate::auth::tokens::Role;
use crate::base::failure::{Failure, stored_id};
use crate::games::view::PersonView;
use crate::moderation::failure::ModerationFailure;
use crate::moderation::{Act, Decision, Evidence, ReportAbout};
use estimation_engine::choice::Choice;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::reports::{self, ReportRow};
use estimation_store::{Connection, GameId, accounts, moderation};

/// The most reports in a list.
const LISTED: i64 = 100;

/// Among so many acts the measure is looked for against which an appeal is.
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

/// A player of the game of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EvidencePlayer {
    /// The account.
    pub account: AccountId,
    /// The name at that time.
    #[schema(min_length = 1, max_length = 2560)]
    pub name: String,
}

/// What a player of the game of a report said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EvidenceReaction {
    /// The account.
    pub account: AccountId,
    /// The reaction.
    #[schema(min_length = 1, max_length = 32)]
    pub reaction: String,
    /// When.
    pub at: RecordTime,
}

/// What the author of a report could see when writing it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ReportEvidence {
    /// The reported player's name at that time.
    #[schema(min_length = 0, max_length = 2560)]
    pub name: String,
    /// The version of the game; null without one.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub version: Option<u64>,
    /// The players with their names.
    #[schema(max_items = 16)]
    pub players: Vec<EvidencePlayer>,
    /// What they said, without those whom the author had muted.
    #[schema(max_items = 200)]
    pub reactions: Vec<EvidenceReaction>,
    /// The finished rounds as JSON, as in the score sheet: an array.
    #[schema(min_length = 2, max_length = 1000000)]
    pub rounds: String,
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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionRequest {
    /// The decision.
    pub decision: Decision,
    /// What the author, and the reported player, are told.
    #[schema(min_length = 1, max_length = 1000, example = "We spoke to the player.")]
    pub reason: String,
}

impl Desk {
    /// The reports that wait for a decision, oldest first, or the newest of all; without those about the caller, and for
    /// moderators without those about accounts with a role.
    pub async fn reports(&self, caller: &Caller, all: bool) -> Result<ReportQueue, ModerationFailure> {
        self.require_moderator(caller)?;
        let read = move |conn: &mut Connection| match all {
            true => reports::newest(conn, LISTED),
            false => reports::open(conn, LISTED),
        };
        let own = (caller.account.clone(), caller.role == Role::Admin);
        let rows = self.database.read(move |conn| {
            let mut rows = read(conn)?;
            let subjects: Vec<AccountId> = rows.iter().map(|row| row.subject_id.clone()).collect();
            let roles = accounts::roles_of(conn, &subjects)?;
            rows.retain(|row| row.subject_id != own.0 && (own.1 || !roles.contains(&row.subject_id)));
            Ok(rows)
        });
        Ok(ReportQueue { items: self.queued(rows.await?).await? })
    }

    /// A report with its evidence.
    ///
    /// # Errors
    /// [`Failure::NotFound`]; [`ModerationFailure::Protected`] for a report about the caller, or about an account with a role.
    pub async fn inspect_report(
        &self,
        caller: &Caller,
        id: Uuid,
    ) -> Result<InspectedReport, ModerationFailure> {
        self.require_moderator(caller)?;
        let row = self.report_of(caller, id).await?;
        let evidence: Evidence =
            serde_json::from_str(&row.evidence).map_err(|error| Failure::Defect(error.to_string()))?;
        let game = evidence.game;
        let rounds = game.as_ref().map_or_else(|| Value::Array(Vec::new()), |game| game.rounds.clone());
        Ok(InspectedReport {
            evidence: ReportEvidence {
                name: evidence.name,
                version: game.as_ref().map(|game| game.version),
                players: game
                    .iter()
                    .flat_map(|game| &game.players)
                    .map(|player| EvidencePlayer {
                        account: AccountId::new(player.account.as_str()),
                        name: player.name.clone(),
                    })
                    .collect(),
                reactions: game
                    .iter()
                    .flat_map(|game| &game.reactions)
                    .map(|said| EvidenceReaction {
                        account: AccountId::new(said.account.as_str()),
                        reaction: said.reaction.clone(),
                        at: said.at,
                    })
                    .collect(),
                rounds: rounds.to_string(),
            },
            report: self.one(row).await?,
        })
    }

    /// Records that the caller looks into a report, in place of whoever did before.
    ///
    /// # Errors
    /// [`Failure::NotFound`], [`ModerationFailure::Decided`].
    pub async fn take_report(&self, caller: &Caller, id: Uuid) -> Result<QueuedReport, ModerationFailure> {
        self.require_moderator_now(caller)?;
        self.report_of(caller, id).await?;
        let (text, by, now) = (id.to_string(), caller.account.clone(), self.now());
        if !self.database.write(move |conn| reports::take(conn, &text, &by, now)).await? {
            return Err(ModerationFailure::Decided);
        }
        let row = self.report_row(id).await?;
        self.one(row).await
    }

    /// Decides a report, and tells its author and the player.
    ///
    /// # Errors
    /// [`Failure::NotFound`], [`ModerationFailure::Decided`]; [`ModerationFailure::Protected`] for a report by the caller, about
    /// the caller or about an account with a role, and for an appeal against a measure of the caller.
    pub async fn decide_report(
        &self,
        caller: &Caller,
        id: Uuid,
        request: &DecisionRequest,
    ) -> Result<QueuedReport, ModerationFailure> {
        self.require_moderator_now(caller)?;
        let row = self.report_of(caller, id).await?;
        if row.reporter_id.as_ref() == Some(&caller.account) {
            return Err(ModerationFailure::Protected);
        }
        let (subject, is_appeal) = (row.subject_id, row.about == ReportAbout::Appeal.as_str());
        let read = move |conn: &mut Connection| {
            if is_appeal { moderation::acts_of(conn, &subject, ACTS) } else { Ok(Vec::new()) }
        };
        let acts = self.database.read(read).await?;
        let measures = [Act::Muted, Act::Suspended, Act::Banned].map(|act| act.as_str());
        let last = acts.iter().find(|act| measures.contains(&act.act.as_str()));
        if last.is_some_and(|act| act.acted_by.as_ref() == Some(&caller.account)) {
            return Err(ModerationFailure::Protected);
        }
        self.moderation.decide(id, request.decision, &request.reason, Some(caller)).await?;
        let row = self.report_row(id).await?;
        self.one(row).await
    }

    /// A report that the caller may see.
    async fn report_of(&self, caller: &Caller, id: Uuid) -> Result<ReportRow, ModerationFailure> {
        let row = self.report_row(id).await?;
        let subject = row.subject_id.clone();
        let has_role = self.database.read(move |conn| accounts::roles_of(conn, &[subject])).await?;
        if row.subject_id == caller.account || (!has_role.is_empty() && caller.role != Role::Admin) {
            return Err(ModerationFailure::Protected);
        }
        Ok(row)
    }

    async fn report_row(&self, id: Uuid) -> Result<ReportRow, ModerationFailure> {
        let id = id.to_string();
        let row = self.database.read(move |conn| reports::find(conn, &id)).await?;
        Ok(row.ok_or(Failure::NotFound { what: "report" })?)
    }

    async fn one(&self, row: ReportRow) -> Result<QueuedReport, ModerationFailure> {
        let report = self.queued(vec![row]).await?.pop();
        Ok(report.ok_or_else(|| Failure::Defect("a report has no view".to_owned()))?)
    }

    /// Reports with the names of people.
    pub(super) async fn queued(&self, rows: Vec<ReportRow>) -> Result<Vec<QueuedReport>, Failure> {
        let people: Vec<AccountId> = rows
            .iter()
            .flat_map(|row| row.reporter_id.iter().chain([&row.subject_id]).chain(&row.taken_by))
            .cloned()
            .collect();
        let names = self.names.names_of(&people).await?;
        let person = |id: AccountId| PersonView { name: names.of(&id), id };
        let defect = |text: &str| Failure::Defect(format!("{text:?} is in no report"));
        let time = |at: Option<i64>| at.map(RecordTime::from_milliseconds).transpose();
        rows.into_iter()
            .map(|row| {
                let game = (!row.game_id.is_empty()).then(|| row.game_id.parse());
                let decision =
                    row.decision.as_deref().map(|text| Decision::from_name(text).ok_or_else(|| defect(text)));
                Ok(QueuedReport {
                    id: stored_id(&row.id)?,
                    about: ReportAbout::from_name(&row.about).ok_or_else(|| defect(&row.about))?,
                    reporter: row.reporter_id.map(person),
                    subject: person(row.subject_id),
                    game: game.transpose().map_err(|_| defect(&row.game_id))?,
                    text: row.words,
                    created_at: RecordTime::from_milliseconds(row.created_at)?,
                    taken_by: row.taken_by.map(person),
                    taken_at: time(row.taken_at)?,
                    decision: decision.transpose()?,
                    reason: row.reason,
                    decided_at: time(row.decided_at)?,
                })
            })
            .collect()
    }
}
