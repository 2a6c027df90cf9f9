//! The queue of reports.

use garde::Validate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Desk;
use crate::auth::authority::Required;
use crate::auth::caller::Caller;
use crate::auth::tokens::Role;
use crate::base::failure::Failure;
use crate::moderation::{Act, Decision, Evidence, QueuedReport, ReportAbout};
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::reports::{self, ReportRow};
use estimation_store::{Connection, Id, accounts, moderation};

/// Among so many acts the measure is looked for against which an appeal is.
const ACTS: i64 = 100;

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
    /// The reactions of the players, without those of players that the author had muted.
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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct DecisionRequest {
    /// The decision.
    pub decision: Decision,
    /// What the author, and the reported player, are told.
    #[schema(min_length = 1, max_length = 1000, example = "We spoke to the player.")]
    #[garde(length(chars, min = 1, max = 1000))]
    pub reason: String,
}

impl Desk {
    /// The reports that wait for a decision, oldest first, or the newest of all; without those about the caller, and for
    /// moderators without those about accounts with a role.
    pub async fn reports(&self, caller: &Caller, all: bool) -> Result<ReportQueue, Failure> {
        self.require_moderator(caller)?;
        let mut items = self.moderation.reports(all).await?;
        let subjects: Vec<AccountId> = items.iter().map(|report| report.subject.id.clone()).collect();
        let with_roles = self.database.read(move |conn| accounts::roles_of(conn, &subjects)).await?;
        let is_admin = caller.role == Role::Admin;
        items.retain(|report| {
            let subject = &report.subject.id;
            *subject != caller.account && (is_admin || !with_roles.contains(subject))
        });
        Ok(ReportQueue { items })
    }

    /// A report with its evidence.
    ///
    /// # Errors
    /// [`Failure::NotFound`]; [`Failure::AccountProtected`] for a report about the caller, or about an account with a role.
    pub async fn inspect_report(&self, caller: &Caller, id: Uuid) -> Result<InspectedReport, Failure> {
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

    /// Assigns a report to the caller, in place of another moderator.
    ///
    /// # Errors
    /// [`Failure::NotFound`], [`Failure::ReportDecided`].
    pub async fn take_report(&self, caller: &Caller, id: Uuid) -> Result<QueuedReport, Failure> {
        self.require_moderator_now(caller)?;
        self.report_of(caller, id).await?;
        let (by, now) = (caller.account.clone(), self.now());
        let take = move |conn: &mut Connection| match reports::take(conn, Id(id), &by, now)? {
            true => Ok(()),
            false => Err(Failure::ReportDecided),
        };
        self.database.write(caller.authority(Required::Acting, self.clock.now()), take).await?;
        let row = self.report_row(id).await?;
        self.one(row).await
    }

    /// Decides a report, and tells its author and the player.
    ///
    /// # Errors
    /// [`Failure::NotFound`], [`Failure::ReportDecided`]; [`Failure::AccountProtected`] for a report by the caller, about
    /// the caller or about an account with a role, and for an appeal against a measure of the caller.
    pub async fn decide_report(
        &self,
        caller: &Caller,
        id: Uuid,
        request: &DecisionRequest,
    ) -> Result<QueuedReport, Failure> {
        self.require_moderator_now(caller)?;
        let row = self.report_of(caller, id).await?;
        if row.reporter_id.as_ref() == Some(&caller.account) {
            return Err(Failure::AccountProtected);
        }
        let (subject, is_appeal) = (row.subject_id, row.about == ReportAbout::Appeal);
        let read = move |conn: &mut Connection| {
            if is_appeal { moderation::acts_of(conn, &subject, ACTS) } else { Ok(Vec::new()) }
        };
        let acts = self.database.read(read).await?;
        let last = acts.iter().find(|act| matches!(act.act, Act::Muted | Act::Suspended | Act::Banned));
        if last.is_some_and(|act| act.acted_by.as_ref() == Some(&caller.account)) {
            return Err(Failure::AccountProtected);
        }
        self.moderation.decide(id, request.decision, &request.reason, Some(caller)).await?;
        let row = self.report_row(id).await?;
        self.one(row).await
    }

    /// A report that the caller may see.
    async fn report_of(&self, caller: &Caller, id: Uuid) -> Result<ReportRow, Failure> {
        let row = self.report_row(id).await?;
        let subject = row.subject_id.clone();
        let has_role = self.database.read(move |conn| accounts::roles_of(conn, &[subject])).await?;
        if row.subject_id == caller.account || (!has_role.is_empty() && caller.role != Role::Admin) {
            return Err(Failure::AccountProtected);
        }
        Ok(row)
    }

    async fn report_row(&self, id: Uuid) -> Result<ReportRow, Failure> {
        let row = self.database.read(move |conn| reports::find(conn, Id(id))).await?;
        row.ok_or(Failure::NotFound { what: "report" })
    }

    async fn one(&self, row: ReportRow) -> Result<QueuedReport, Failure> {
        let report = self.moderation.queued(vec![row]).await?.pop();
        report.ok_or_else(|| Failure::Defect("a report has no view".to_owned()))
    }
}
