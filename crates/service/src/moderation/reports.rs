//! Reports and appeals, as players make them and see them.

use std::sync::Arc;

use garde::Validate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::evidence::ReportEvidence;
use super::{Moderation, refuse_controls};
use crate::auth::authority::{CallerAuthority, RequiredAuthority};
use crate::auth::caller::Caller;
use crate::auth::throttle::LimitKind;
use crate::base::failure::Failure;
use crate::base::field_error::FieldCode;
use crate::games::LoadedGame;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::Connection;
pub use estimation_store::reports::ReportAbout;
use estimation_store::reports::{self, Decision, ReportRow};
use estimation_store::{GameId, Id, moderation, reactions};

/// The longest text of a report or an appeal, in characters.
pub const LONGEST_TEXT: usize = 500;

/// The most reports in a list.
pub(super) const LISTED: i64 = 100;

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

/// A report about a player.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
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
    #[garde(length(chars, max = LONGEST_TEXT))]
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

/// The game of a stored report.
pub(super) fn game_of(row: &ReportRow) -> Result<Option<GameId>, Failure> {
    let game = (!row.game_id.is_empty()).then(|| row.game_id.parse());
    game.transpose().map_err(|_| Failure::Defect(format!("{:?} is in no report", row.game_id)))
}

impl Report {
    pub(crate) fn of(row: ReportRow) -> Result<Report, Failure> {
        let state = match row.decision {
            None => ReportState::Open,
            Some(Decision::Upheld) => ReportState::Upheld,
            Some(Decision::Dismissed) => ReportState::Dismissed,
        };
        Ok(Report {
            id: row.id.0,
            game: game_of(&row)?,
            about: row.about,
            player: row.subject_id,
            text: row.words,
            created_at: row.created_at,
            state,
            answer: row.reason,
            decided_at: row.decided_at,
        })
    }
}

impl Moderation {
    /// Reports a player, with what the caller can see now.
    ///
    /// # Errors
    /// Not found for a player or a game that is not there, or not for the caller; [`Failure::ReportedAlready`].
    pub async fn report(&self, caller: &Caller, new: ReportRequest) -> Result<Report, Failure> {
        caller.restrictions.require_playing(self.clock.now())?;
        refuse_controls("/text", &new.text)?;
        if new.about == ReportAbout::Appeal {
            return Err(Failure::field("/about", FieldCode::NotAChoice, "must not be `appeal`"));
        }
        let player = AccountId::new(new.player);
        if player == caller.account {
            return Err(Failure::field("/player", FieldCode::Contradiction, "must be another player"));
        }
        self.count_report(caller).await?;
        let loaded = match new.game {
            Some(game) => Some(self.seen_together(caller, &player, game).await?),
            None => None,
        };
        if !self.exists(&player).await? {
            return Err(Failure::NotFound { what: "player" });
        }
        let evidence = self.evidence(caller, &player, loaded.as_deref()).await?;
        let row = self.row(caller, player, new.game, new.about, new.text, &evidence)?;
        let by = caller.authority(RequiredAuthority::Playing, self.clock.now());
        match self.insert(by, row.clone()).await? {
            true => Ok(Report::of(row)?),
            false => Err(Failure::ReportedAlready),
        }
    }

    /// A game that the caller may see or took part in, and in which the subject took part.
    async fn seen_together(
        &self,
        caller: &Caller,
        subject: &AccountId,
        game: GameId,
    ) -> Result<Arc<LoadedGame>, Failure> {
        let loaded = self.games.present(game).await?;
        if !self.was_at(&loaded, &caller.account).await? {
            self.games.admit(&loaded, &caller.account).await?;
        }
        match self.was_at(&loaded, subject).await? {
            true => Ok(loaded),
            false => Err(Failure::NotFound { what: "player" }),
        }
    }

    /// Whether an account has or had a seat, or said something at the table before it left the lobby.
    async fn was_at(&self, loaded: &LoadedGame, account: &AccountId) -> Result<bool, Failure> {
        if loaded.game.sat_in(account) {
            return Ok(true);
        }
        // Reactions of the last moments may wait to be written.
        self.reactions.write().await?;
        let (game, account) = (loaded.id, account.clone());
        Ok(self.database.read(move |conn| reactions::has_reacted(conn, game, &account)).await?)
    }

    /// Appeals against the measures that are in effect.
    ///
    /// # Errors
    /// [`Failure::NothingToAppeal`], [`Failure::AppealPending`].
    pub async fn appeal(&self, caller: &Caller, text: String) -> Result<Report, Failure> {
        refuse_controls("/text", &text)?;
        if text.trim().is_empty() {
            return Err(Failure::field("/text", FieldCode::TooShort, "must say why"));
        }
        self.count_report(caller).await?;
        let (account, now) = (caller.account.clone(), self.now());
        let standing = self.database.read(move |conn| moderation::standing(conn, &account)).await?;
        let ends = [standing.muted_until, standing.suspended_until, standing.banned_until];
        if ends.into_iter().flatten().all(|end| end <= now) {
            return Err(Failure::NothingToAppeal);
        }
        let evidence = self.evidence(caller, &caller.account, None).await?;
        let row = self.row(caller, caller.account.clone(), None, ReportAbout::Appeal, text, &evidence)?;
        let by = caller.authority(RequiredAuthority::SignedIn, self.clock.now());
        match self.insert(by, row.clone()).await? {
            true => Ok(Report::of(row)?),
            false => Err(Failure::AppealPending),
        }
    }

    /// Stores a report, unless there is one already.
    async fn insert(&self, by: CallerAuthority, row: ReportRow) -> Result<bool, Failure> {
        let insert = move |conn: &mut Connection| Ok::<_, Failure>(reports::insert(conn, &row)?);
        let is_new = self.database.write(by, insert).await?;
        self.metrics.report(if is_new { "made" } else { "repeated" });
        Ok(is_new)
    }

    async fn count_report(&self, caller: &Caller) -> Result<(), Failure> {
        let attempt = self.throttle.meter().attempt(LimitKind::Reports, caller.account.as_str().as_bytes());
        self.throttle.count(attempt.into_iter().collect()).await
    }

    fn row(
        &self,
        caller: &Caller,
        subject_id: AccountId,
        game: Option<GameId>,
        about: ReportAbout,
        words: String,
        evidence: &ReportEvidence,
    ) -> Result<ReportRow, Failure> {
        let evidence = serde_json::to_string(evidence).map_err(|error| Failure::Defect(error.to_string()))?;
        Ok(ReportRow {
            id: Id(self.draw_id()),
            reporter_id: Some(caller.account.clone()),
            subject_id,
            game_id: game.map(|game| game.to_string()).unwrap_or_default(),
            about,
            words,
            evidence,
            created_at: self.clock.now().into(),
            decision: None,
            reason: None,
            decided_at: None,
            taken_by: None,
            taken_at: None,
        })
    }

    /// The newest reports and appeals of the caller.
    pub async fn own_reports(&self, caller: &Caller) -> Result<ReportList, Failure> {
        let account = caller.account.clone();
        let rows = self.database.read(move |conn| reports::of_reporter(conn, &account, LISTED)).await?;
        Ok(ReportList { items: rows.into_iter().map(Report::of).collect::<Result<_, _>>()? })
    }
}
