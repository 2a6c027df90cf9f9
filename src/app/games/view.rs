//! The view of a game: the rules' view with names and times.

use std::sync::Arc;

use serde::Serialize;

use super::{Games, LoadedGame};
use crate::app::failure::Failure;
use crate::app::rulesets::RulesetSummary;
use crate::auth::caller::Caller;
use crate::engine::chance::Hex;
use crate::engine::command::{Command, Position};
use crate::engine::event::Visibility;
use crate::engine::game::Status;
use crate::engine::player::{AccountId, BotLevel, Player};
use crate::engine::ruleset::Direction;
use crate::engine::seat::Seat;
use crate::engine::view::{FairnessView, RoundView, ScoresView, View, view};
use crate::store::GameId;
use estimation_record::RecordTime;

/// A game as a viewer may see it, with everything needed to draw the table and to act.
#[derive(Clone, Debug, Serialize)]
pub struct GameView {
    pub id: GameId,
    /// The number of the last event.
    pub version: u64,
    /// The head of the hash chain.
    pub head: HeadView,
    pub status: Status,
    pub ruleset: Arc<RulesetSummary>,
    pub direction: Direction,
    pub host: PersonView,
    pub visibility: Visibility,
    /// Whether accounts without a seat may watch.
    pub spectators: bool,
    pub turn_seconds: Option<u32>,
    /// The invitation code, only for seated accounts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub join_code: Option<String>,
    pub created_at: RecordTime,
    pub updated_at: RecordTime,
    /// By seat, or by lobby slot before seats are drawn.
    pub seats: Vec<SeatView>,
    pub you: Option<Position>,
    pub round: Option<TimedRound>,
    pub scores: ScoresView,
    pub fairness: FairnessView,
    /// The commands the caller may post now.
    pub legal: Vec<Command>,
}

/// The current round, with the deadline of its turn.
#[derive(Clone, Debug, Serialize)]
pub struct TimedRound {
    #[serde(flatten)]
    pub round: RoundView,
    /// The turn's deadline; `None` without a turn limit, and on a bot's turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<RecordTime>,
}

/// The head of the hash chain.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct HeadView {
    pub seq: u64,
    pub hash: Hex<32>,
}

#[derive(Clone, Debug, Serialize)]
pub struct PersonView {
    pub id: AccountId,
    pub name: Arc<str>,
}

#[derive(Clone, Debug, Serialize)]
pub struct SeatView {
    pub player: Option<PlayerView>,
    /// Whether a bot plays for an absent human.
    pub stand_in: bool,
    /// Whether the player is online.
    pub connected: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct PlayerView {
    /// The account of a person; `None` for a bot.
    pub id: Option<AccountId>,
    pub name: Arc<str>,
    /// `human` or `bot`.
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<BotLevel>,
}

impl Games {
    pub async fn view(&self, caller: &Caller, id: GameId) -> Result<GameView, Failure> {
        let loaded = self.present(id).await?;
        loaded.admit(&caller.account)?;
        self.view_of(&loaded, &caller.account).await
    }

    /// A loaded game as an account may see it.
    pub(super) async fn view_of(
        &self,
        loaded: &LoadedGame,
        account: &AccountId,
    ) -> Result<GameView, Failure> {
        let seen = view(&loaded.game, loaded.position_of(account));
        self.named(loaded, seen).await
    }

    /// Adds names and times to the rules' view of a game.
    pub(super) async fn named(&self, loaded: &LoadedGame, seen: View) -> Result<GameView, Failure> {
        let table = &loaded.game.table;
        let sitting = table.places.values().flatten().filter_map(|sitter| sitter.player.account());
        let names = self.names.names_of(sitting.chain([&table.host])).await?;
        let sitting = table.places.values().flatten().filter_map(|sitter| sitter.player.account());
        let there = self.presence.who_is_there(sitting).await?;
        let name = |account: &AccountId| names.of(account);
        let View { status, you, round, scores, fairness, legal, rules: _ } = seen;
        let seats = table.sitters().zip(0..).map(|(sitter, number)| {
            let person = sitter.is_some_and(|sitter| sitter.player.account().is_some());
            SeatView {
                player: sitter.map(|sitter| player_view(&sitter.player, name)),
                stand_in: person && loaded.game.is_played_by_bot(table.position(Seat::new(number))),
                connected: sitter.is_some_and(|sitter| {
                    sitter.player.account().is_none_or(|account| there.contains(account))
                }),
            }
        });
        let deadline = loaded.pace.deadline(&loaded.game);
        Ok(GameView {
            id: loaded.id,
            version: loaded.version,
            head: HeadView { seq: loaded.version, hash: Hex(loaded.hash) },
            status,
            ruleset: Arc::clone(&loaded.rules),
            direction: table.ruleset.direction,
            host: PersonView { id: table.host.clone(), name: name(&table.host) },
            visibility: table.visibility,
            spectators: table.spectators,
            turn_seconds: table.turn_seconds,
            join_code: loaded.join_code.clone().filter(|_| you.is_some()),
            created_at: loaded.created_at,
            updated_at: loaded.pace.last,
            seats: seats.collect(),
            you,
            round: round.map(|round| TimedRound { round, deadline }),
            scores,
            fairness,
            legal,
        })
    }
}

fn player_view(player: &Player, name: impl Fn(&AccountId) -> Arc<str>) -> PlayerView {
    match player {
        Player::Human { account } => {
            PlayerView { id: Some(account.clone()), name: name(account), kind: "human", level: None }
        }
        Player::Bot { level } => {
            let name = match level {
                BotLevel::Easy => "Easy bot",
                BotLevel::Steady => "Steady bot",
                BotLevel::Sharp => "Sharp bot",
            };
            PlayerView { id: None, name: name.into(), kind: "bot", level: Some(*level) }
        }
    }
}
