//! Reports and appeals: made by players, decided by moderators.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Moderation;
use super::enact::{ChangedValue, is_still_there};
use super::evidence::Evidence;
use super::failure::ModerationFailure;
use super::tell;
use crate::auth::caller::Caller;
use crate::auth::failure::AuthFailure;
use crate::auth::throttle::Limited;
use crate::base::failure::{Failure, milliseconds, stored_id};
use crate::base::field_error::FieldCode;
use crate::games::LoadedGame;
use crate::games::failure::GameFailure;
use crate::games::view::PersonView;
use crate::notifications::NoticeKind;
use estimation_engine::choice::Choice;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::moderation::{self, ActToRecord, ModerationAct};
use estimation_store::reports::{self, ReportRow};
use estimation_store::{Connection, GameId, reactions};

/// The longest text of a report or an appeal, in characters.
pub const LONGEST_TEXT: usize = 500;

/// The longest reason of a moderator, in characters.
const LONGEST_REASON: usize = 1_000;

/// The most reports in a list.
const LISTED: i64 = 100;

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
    /// The state of a report.
    pub enum ReportState {
        /// It waits for a decision.
        Open = "open",
        /// A moderator agreed.
        Upheld = "upheld",
        /// A moderator did not agree.
        Dismissed = "dismissed",
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

/// A report about a player.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportRequest {
    /// The player whom you report.
    pub player: Uuid,
    /// The game in which it happened; null for none. You must be able to see it.
    #[serde(deserialize_with = "Option::deserialize")]
    pub game: Option<GameId>,
    /// What the report is about; not `appeal`.
    pub about: ReportAbout,
    /// What happened, in your words. A moderator reads it.
    #[schema(min_length = 0, max_length = 500)]
    pub text: String,
}

/// A report, or an appeal, as its author sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Report {
    /// The report's id.
    pub id: Uuid,
    /// The reported player.
    pub player: AccountId,
    /// The game; null for none.
    pub game: Option<GameId>,
    /// What the report is about.
    pub about: ReportAbout,
    /// What you wrote.
    #[schema(min_length = 0, max_length = 500)]
    pub text: String,
    /// When you reported.
    pub created_at: RecordTime,
    /// The state of the report.
    pub state: ReportState,
    /// What the moderator answers; null until then.
    #[schema(min_length = 1, max_length = 1000)]
    pub answer: Option<String>,
    /// When the report was decided; null until then.
    pub decided_at: Option<RecordTime>,
}

/// Reports of the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReportList {
    /// The reports and appeals, newest first.
    #[schema(max_items = 100)]
    pub items: Vec<Report>,
}

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

impl Report {
    pub(crate) fn of(row: ReportRow) -> Result<Report, Failure> {
        let defect = |what: &str| Failure::Defect(format!("{what:?} is in no report"));
        let state = match &row.decision {
            None => ReportState::Open,
            Some(text) => ReportState::from_name(text).ok_or_else(|| defect(text))?,
        };
        let game = (!row.game_id.is_empty()).then(|| row.game_id.parse());
        Ok(Report {
            id: stored_id(&row.id)?,
            player: row.subject_id,
            game: game.transpose().map_err(|_| defect(&row.game_id))?,
            about: ReportAbout::from_name(&row.about).ok_or_else(|| defect(&row.about))?,
            text: row.words,
            created_at: RecordTime::from_milliseconds(row.created_at)?,
            state,
            answer: row.reason,
            decided_at: row.decided_at.map(RecordTime::from_milliseconds).transpose()?,
        })
    }
}

impl Moderation {
    /// Reports a player, with what the caller can see now.
    ///
    /// # Errors
    /// Not found for a player or a game that is not there, or not for the caller; [`ModerationFailure::ReportedAlready`].
    pub async fn report(&self, caller: &Caller, new: ReportRequest) -> Result<Report, ModerationFailure> {
        caller.standing.require_playing(self.clock.now())?;
        checked_text(&new.text)?;
        if new.about == ReportAbout::Appeal {
            return Err(Failure::field("about", FieldCode::NotAChoice, "must not be `appeal`").into());
        }
        let player = AccountId::new(new.player);
        if player == caller.account {
            return Err(Failure::field("player", FieldCode::Contradiction, "must be another player").into());
        }
        self.count_report(caller).await?;
        let loaded = match new.game {
            Some(game) => Some(self.seen_together(caller, &player, game).await?),
            None => None,
        };
        if !self.exists(&player).await? {
            return Err(Failure::NotFound { what: "player" }.into());
        }
        let evidence = self.evidence(caller, &player, loaded.as_deref()).await?;
        let row = self.row(caller, player, new.game, new.about, new.text, &evidence)?;
        match self.insert(row.clone()).await? {
            true => Ok(Report::of(row)?),
            false => Err(ModerationFailure::ReportedAlready),
        }
    }

    /// A game that the caller may see or took part in, and in which the subject took part.
    async fn seen_together(
        &self,
        caller: &Caller,
        subject: &AccountId,
        game: GameId,
    ) -> Result<std::sync::Arc<LoadedGame>, GameFailure> {
        let loaded = self.games.present(game).await?;
        if !self.was_at(&loaded, &caller.account).await? {
            self.games.admit(&loaded, &caller.account).await?;
        }
        match self.was_at(&loaded, subject).await? {
            true => Ok(loaded),
            false => Err(Failure::NotFound { what: "player" }.into()),
        }
    }

    /// Whether an account has or had a seat, or said something at the table before it left the lobby.
    async fn was_at(&self, loaded: &LoadedGame, account: &AccountId) -> Result<bool, GameFailure> {
        if loaded.game.sat_in(account) {
            return Ok(true);
        }
        // Reactions of the last moments may wait to be written.
        self.talk.write().await?;
        let (game, account) = (loaded.id, account.clone());
        Ok(self.database.read(move |conn| reactions::has_reacted(conn, game, &account)).await?)
    }

    /// Appeals against the measures that are in effect.
    ///
    /// # Errors
    /// [`ModerationFailure::NothingToAppeal`], [`ModerationFailure::AppealedAlready`].
    pub async fn appeal(&self, caller: &Caller, text: String) -> Result<Report, ModerationFailure> {
        checked_text(&text)?;
        if text.trim().is_empty() {
            return Err(Failure::field("text", FieldCode::TooShort, "must say why").into());
        }
        self.count_report(caller).await?;
        let (account, now) = (caller.account.clone(), self.now());
        let standing = self.database.read(move |conn| moderation::standing(conn, &account)).await?;
        let ends = [standing.muted_until, standing.suspended_until, standing.banned_until];
        if ends.into_iter().flatten().all(|end| end <= now) {
            return Err(ModerationFailure::NothingToAppeal);
        }
        let evidence = self.evidence(caller, &caller.account, None).await?;
        let row = self.row(caller, caller.account.clone(), None, ReportAbout::Appeal, text, &evidence)?;
        match self.insert(row.clone()).await? {
            true => Ok(Report::of(row)?),
            false => Err(ModerationFailure::AppealedAlready),
        }
    }

    /// Stores a report, unless there is one already.
    async fn insert(&self, row: ReportRow) -> Result<bool, ModerationFailure> {
        let is_new = self.database.write(move |conn| reports::insert(conn, &row)).await?;
        self.metrics.report(if is_new { "made" } else { "repeated" });
        Ok(is_new)
    }

    async fn count_report(&self, caller: &Caller) -> Result<(), ModerationFailure> {
        let attempt = self.throttle.meter().attempt(Limited::Reports, caller.account.as_str().as_bytes());
        Ok(self.throttle.count(attempt.into_iter().collect()).await?)
    }

    fn row(
        &self,
        caller: &Caller,
        subject_id: AccountId,
        game: Option<GameId>,
        about: ReportAbout,
        words: String,
        evidence: &Evidence,
    ) -> Result<ReportRow, Failure> {
        let evidence = serde_json::to_string(evidence).map_err(|error| Failure::Defect(error.to_string()))?;
        Ok(ReportRow {
            id: self.draw_id().to_string(),
            reporter_id: Some(caller.account.clone()),
            subject_id,
            game_id: game.map(|game| game.to_string()).unwrap_or_default(),
            about: about.as_str().to_owned(),
            words,
            evidence,
            created_at: self.now(),
            decision: None,
            reason: None,
            decided_at: None,
            taken_by: None,
            taken_at: None,
        })
    }

    /// The newest reports and appeals of the caller.
    pub async fn own_reports(&self, caller: &Caller) -> Result<ReportList, ModerationFailure> {
        let account = caller.account.clone();
        let rows = self.database.read(move |conn| reports::of_reporter(conn, &account, LISTED)).await?;
        Ok(ReportList { items: rows.into_iter().map(Report::of).collect::<Result<_, _>>()? })
    }

    /// The reports that wait for a decision, oldest first, or the newest of all; at most 100.
    pub async fn reports(&self, all: bool) -> Result<Vec<QueuedReport>, ModerationFailure> {
        let read = move |conn: &mut Connection| match all {
            true => reports::newest(conn, LISTED),
            false => reports::open(conn, LISTED),
        };
        let rows = self.database.read(read).await?;
        Ok(self.queued(rows).await?)
    }

    /// A report with what its author could see.
    ///
    /// # Errors
    /// [`Failure::NotFound`].
    pub async fn stored_report(&self, id: Uuid) -> Result<StoredReport, ModerationFailure> {
        let id = id.to_string();
        let row = self.database.read(move |conn| reports::find(conn, &id)).await?;
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

    /// Decides a report, and tells its author. `by` is the moderator; none for the command line.
    ///
    /// # Errors
    /// [`Failure::NotFound`], [`ModerationFailure::Decided`].
    pub async fn decide(
        &self,
        id: Uuid,
        decision: Decision,
        answer: &str,
        by: Option<&Caller>,
    ) -> Result<(), ModerationFailure> {
        checked_answer(answer)?;
        let time = self.clock.now();
        let (now, notice, act_id) = (milliseconds(time), self.draw_id(), self.draw_id().to_string());
        let (by, answer, seal) = (by.cloned(), answer.to_owned(), self.seal());
        let write = move |conn: &mut Connection| {
            if let Some(moderator) = &by
                && !is_still_there(conn, moderator)?
            {
                return Ok(Err(AuthFailure::SessionEnded));
            }
            let Some(row) = reports::find(conn, &id.to_string())? else { return Ok(Ok(None)) };
            if !reports::decide(conn, &row.id, decision.as_str(), &answer, now)? {
                return Ok(Ok(Some(false)));
            }
            let changes = [ChangedValue::new("decision", None::<String>, Some(decision.as_str()))];
            let act = ModerationAct {
                id: act_id.clone(),
                account_id: Some(row.subject_id),
                game_id: None,
                act: format!("report_{}", decision.as_str()),
                until_at: None,
                reason: answer.clone(),
                appeal: None,
                changes: ChangedValue::stored(&changes)?,
                report_id: Some(row.id),
                acted_by: by.as_ref().map(|by| by.account.clone()),
                untold: None,
                created_at: now,
            };
            moderation::record(conn, &ActToRecord { act, seal: Arc::clone(&seal) })?;
            if let Some(reporter) = &row.reporter_id {
                tell(conn, NoticeKind::ReportDecided, reporter, notice, now)?;
            }
            Ok(Ok(Some(true)))
        };
        match self.database.write(write).await?? {
            Some(true) => Ok(()),
            Some(false) => Err(ModerationFailure::Decided),
            None => Err(Failure::NotFound { what: "report" }.into()),
        }
    }
}

fn checked_text(text: &str) -> Result<(), Failure> {
    if text.chars().count() > LONGEST_TEXT {
        let reason = format!("must have at most {LONGEST_TEXT} characters");
        return Err(Failure::field("text", FieldCode::TooLong, reason));
    }
    refuse_controls("text", text)?;
    Ok(())
}

/// Refuses characters that no text needs, and that can hide or forge what people read: controls but the end of a line, and marks
/// that turn the direction of a text around.
pub(crate) fn refuse_controls(field: &'static str, text: &str) -> Result<(), Failure> {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if text.chars().any(|c| (c.is_control() && c != '\n') || turns(c)) {
        return Err(Failure::field(field, FieldCode::WrongFormat, "must have no control characters"));
    }
    Ok(())
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
