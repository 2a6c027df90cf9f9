//! The view of a game: the rules' view with names and times.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::bots::BotName;
use super::{Games, LoadedGame};
use crate::auth::caller::Caller;
use crate::base::failure::{Failure, milliseconds};
use crate::base::locale::Language;
use crate::base::names::Named;
use crate::base::prerendered::{LastPrerendered, Prerendered};
use crate::base::request;
use crate::public_log::PromiseView;
use crate::rulesets::RulesetSummary;
use estimation_engine::command::{Command, Position};
use estimation_engine::event::Visibility;
use estimation_engine::game::{GameStatus, Table};
use estimation_engine::hex::Hex;
use estimation_engine::player::{AccountId, BotLevel, Player, PlayerKind};
use estimation_engine::ruleset::Direction;
use estimation_engine::seat::{Place, Seat, SeatSet};
use estimation_engine::view::{FairnessView, RoundView, ScoresView, View, view, view_revealed};
use estimation_record::RecordTime;
use estimation_store::GameId;

/// A game as a viewer may see it, with everything needed to draw the table and to act.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GameView {
    /// The game's id.
    pub id: GameId,
    /// The game's version: the number of its last event.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub version: u64,
    /// The last event. Keep it: it proves that the log was not rewritten or cut.
    pub head: HeadView,
    /// The game's status.
    pub status: GameStatus,
    /// The rules, with the options of the table.
    #[schema(value_type = RulesetSummary)]
    pub ruleset: Arc<Prerendered<RulesetSummary>>,
    /// The direction of deal and play.
    pub direction: Direction,
    /// The host of the table.
    #[schema(value_type = PersonView)]
    pub host: Arc<Prerendered<PersonView>>,
    /// Who may find the game.
    pub visibility: Visibility,
    /// The number of seats.
    #[schema(minimum = 2, maximum = 5)]
    pub players: u8,
    /// Whether accounts without a seat may watch.
    pub spectators: bool,
    /// Whether the seated players may react (`POST /v1/games/{id}/reactions`).
    pub talk: bool,
    /// Seconds per turn; null for no clock.
    #[schema(minimum = 10, maximum = 604_800)]
    pub turn_seconds: Option<u32>,
    /// The invitation code, only for seated accounts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 8, max_length = 8, pattern = "^[0-9A-Z]{8}$")]
    pub join_code: Option<String>,
    /// When the table was opened.
    pub created_at: RecordTime,
    /// When the last event happened.
    pub updated_at: RecordTime,
    /// The seats in order of play; the places in the lobby until the seats are settled.
    #[schema(value_type = Vec<SeatView>, min_items = 2, max_items = 5)]
    pub seats: Arc<Prerendered<Vec<SeatView>>>,
    /// The caller's position; null for a caller without a seat.
    pub you: Option<Position>,
    /// The current round; null if there is none.
    pub round: Option<TimedRound>,
    /// Totals and points so far.
    #[schema(value_type = ScoresView)]
    pub scores: Arc<Prerendered<ScoresView>>,
    /// The data for checking the deals.
    #[schema(value_type = TimedFairness)]
    pub fairness: Arc<Prerendered<TimedFairness>>,
    /// The origin of the public log, which gets the start and the end of the game.
    #[schema(value_type = String, min_length = 1, max_length = 255)]
    pub log_origin: Arc<str>,
    /// The promise that the public log has the start of the game; absent before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<PromiseView>, nullable = false)]
    pub log: Option<Arc<Prerendered<PromiseView>>>,
    /// Exactly the commands that the caller may post now.
    #[schema(max_items = 100)]
    pub legal: Vec<Command>,
    /// The milliseconds from the answer to the deadline of the turn, or to the end of the opening of client seeds; absent
    /// without one. The `ETag` does not cover it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 9_007_199_254_740_991_u64)]
    pub remaining_ms: Option<u64>,
}

/// The current round, with the deadline of its turn.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RoundView)]
pub struct TimedRound {
    #[serde(flatten)]
    pub round: RoundView,
    /// When the turn times out; absent without a clock, and on a bot's turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub deadline: Option<RecordTime>,
}

/// The data for checking the deals, with the end of the opening of client seeds.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = Fairness)]
pub struct TimedFairness {
    #[serde(flatten)]
    pub fairness: FairnessView,
    /// Until when the players open the client seeds to which they committed; absent unless the start was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub opening_until: Option<RecordTime>,
}

/// The last event of a game.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Head)]
pub struct HeadView {
    /// Its number.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub seq: u64,
    /// Its hash.
    pub hash: Hex<32>,
}

impl HeadView {
    pub(super) fn of(loaded: &LoadedGame) -> HeadView {
        HeadView { seq: loaded.version, hash: Hex(loaded.hash) }
    }
}

/// A person.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = Person)]
pub struct PersonView {
    /// The account.
    pub id: AccountId,
    /// The display name; a pseudonym after the account was deleted.
    #[schema(value_type = String, min_length = 1, max_length = 40)]
    pub name: Arc<str>,
}

/// A seat; before the seats are settled, a place in the lobby.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct SeatView {
    /// The player; null for an empty seat.
    pub player: Option<PlayerView>,
    /// Whether a bot plays for an absent person.
    pub stand_in: bool,
    /// Whether the player is online.
    pub connected: bool,
}

/// The player in a seat.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = SeatedPlayer)]
pub struct PlayerView {
    /// The account; null for a bot.
    pub id: Option<AccountId>,
    /// The display name. Bots have names like people, in the language of the request; at one table each has another.
    #[schema(value_type = String, min_length = 1, max_length = 40)]
    pub name: Arc<str>,
    /// Whether the player is a person or a bot.
    pub kind: PlayerKind,
    /// The bot's level; absent for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub level: Option<BotLevel>,
    #[serde(skip)]
    bot: Option<BotName>,
}

impl PlayerView {
    /// A player as listed in a language.
    pub(super) fn of(
        player: &Player,
        names: &Named,
        (game, place): (GameId, Place),
        language: Language,
    ) -> PlayerView {
        match player {
            Player::Human { account } => PlayerView {
                id: Some(account.clone()),
                name: names.of(account),
                kind: PlayerKind::Human,
                level: None,
                bot: None,
            },
            Player::Bot { level } => {
                let bot = BotName::at(game, place);
                PlayerView {
                    id: None,
                    name: bot.in_language(language).into(),
                    kind: PlayerKind::Bot,
                    level: Some(*level),
                    bot: Some(bot),
                }
            }
        }
    }

    /// Gives a bot its name in a language.
    pub fn translate(&mut self, language: Language) {
        if let Some(bot) = self.bot {
            self.name = bot.in_language(language).into();
        }
    }
}

/// The parts of a game's view that are the same for all viewers and for most of the events.
#[derive(Debug, Default)]
pub(crate) struct CommonParts {
    host: LastPrerendered<PersonView>,
    seats: LastPrerendered<Vec<SeatView>>,
    pub(super) scores: LastPrerendered<ScoresView>,
    pub(super) fairness: LastPrerendered<TimedFairness>,
}

impl Games {
    pub async fn view(&self, caller: &Caller, id: GameId) -> Result<GameView, Failure> {
        let loaded = self.present(id).await?;
        self.admit(&loaded, &caller.account).await?;
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

    /// Which of the accounts are online, or called in the last seconds.
    pub(crate) async fn online_among(
        &self,
        accounts: impl IntoIterator<Item = &AccountId>,
    ) -> Result<Vec<AccountId>, Failure> {
        self.presence.online_among(accounts).await
    }

    /// The accounts at a table, and who of them is online.
    pub(super) async fn attendance(&self, loaded: &LoadedGame) -> Result<Attendance, Failure> {
        let table = &loaded.game.table;
        let there = self.presence.online_among(accounts_at(table)).await?;
        let mut attendance = Attendance::default();
        for (sitter, seat) in table.sitters().zip((0..).map(Seat::new)) {
            let Some(sitter) = sitter else { continue };
            let account = sitter.player.account();
            if account.is_some() && loaded.game.is_played_by_bot(table.position(seat)) {
                attendance.stand_ins = attendance.stand_ins.with(seat);
            }
            if account.is_none_or(|account| there.contains(account)) {
                attendance.connected = attendance.connected.with(seat);
            }
        }
        Ok(attendance)
    }

    /// The names of the host and of the accounts at a table.
    pub(super) async fn names_at(&self, loaded: &LoadedGame) -> Result<Named, Failure> {
        let table = &loaded.game.table;
        self.names.names_of(accounts_at(table).chain([&table.host])).await
    }

    /// The milliseconds from now to the end of a turn or an opening.
    pub(super) fn remaining_ms(&self, end: RecordTime) -> u64 {
        let left = end.timestamp().as_millisecond() - milliseconds(self.clock.now());
        u64::try_from(left).unwrap_or_default()
    }

    /// Adds names and times to the rules' view of a game.
    pub(super) async fn named(&self, loaded: &LoadedGame, seen: View) -> Result<GameView, Failure> {
        let table = &loaded.game.table;
        let names = self.names_at(loaded).await?;
        let attendance = self.attendance(loaded).await?;
        let View { status, you, round, scores, fairness, legal, rules: _ } = seen;
        let deadline = loaded.turn_clock.deadline(&loaded.game);
        let opening_until = loaded.turn_clock.opening_until(&loaded.game);
        let remaining_ms = deadline.or(opening_until).map(|end| self.remaining_ms(end));
        let parts = &loaded.common_parts;
        Ok(GameView {
            id: loaded.id,
            version: loaded.version,
            head: HeadView::of(loaded),
            log_origin: self.public_log.name(),
            status,
            ruleset: Arc::clone(&loaded.rules),
            direction: table.ruleset.direction,
            host: parts.host.write(host(table, &names)),
            visibility: table.visibility,
            players: table.ruleset.players,
            spectators: table.spectators,
            talk: loaded.talk,
            turn_seconds: table.turn_seconds,
            join_code: loaded.join_code.clone().filter(|_| you.is_some()),
            created_at: loaded.created_at,
            updated_at: loaded.turn_clock.last,
            seats: parts.seats.write(seats(loaded, &names, attendance, Language::English)),
            you,
            round: round.map(|round| TimedRound { round, deadline }),
            scores: parts.scores.write(scores),
            fairness: parts.fairness.write(TimedFairness { fairness, opening_until }),
            // A past state may be one of the lobby.
            log: loaded.promise.clone().filter(|_| status != GameStatus::Lobby),
            legal,
            remaining_ms,
        })
    }
}

/// Who is at a table at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attendance {
    /// The seats of persons for whom a bot plays.
    pub(super) stand_ins: SeatSet,
    /// The seats whose player is online. Bots always are.
    pub(super) connected: SeatSet,
}

pub(crate) fn accounts_at(table: &Table) -> impl Iterator<Item = &AccountId> {
    table.places.values().flatten().filter_map(|sitter| sitter.player.account())
}

pub(super) fn host(table: &Table, names: &Named) -> PersonView {
    PersonView { id: table.host.clone(), name: names.of(&table.host) }
}

/// The seats of a game, in order of play.
pub(super) fn seats(
    loaded: &LoadedGame,
    names: &Named,
    attendance: Attendance,
    language: Language,
) -> Vec<SeatView> {
    let seats = players(loaded, names, language).zip((0..).map(Seat::new));
    seats
        .map(|(player, seat)| SeatView {
            player,
            stand_in: attendance.stand_ins.contains(seat),
            connected: attendance.connected.contains(seat),
        })
        .collect()
}

/// The players of a game by seat, or by place before the seats are settled.
pub(super) fn players(
    loaded: &LoadedGame,
    names: &Named,
    language: Language,
) -> impl Iterator<Item = Option<PlayerView>> {
    let table = &loaded.game.table;
    (0..table.ruleset.players).map(move |number| {
        let place = table.place_of(table.position(Seat::new(number)))?;
        Some(PlayerView::of(&table.at(place)?.player, names, (loaded.id, place), language))
    })
}

impl Games {
    /// A game at a version, as the caller may see it now. `legal` is empty except at the head.
    pub async fn state_at(&self, caller: &Caller, id: GameId, version: u64) -> Result<GameView, Failure> {
        let present = self.present(id).await?;
        self.admit(&present, &caller.account).await?;
        if version == present.version {
            return self.view_of(&present, &caller.account).await;
        }
        if version == 0 || version > present.version {
            return Err(Failure::NotFound { what: "version" });
        }
        // Each replay takes a read connection; the limit leaves the others free.
        let turn = request::in_time(self.replays.acquire())
            .await?
            .map_err(|error| Failure::Defect(error.to_string()))?;
        let past = self.at_version(&present, &caller.account, version).await?;
        drop(turn);
        let position = past.position_of(&caller.account);
        let mut seen = match present.game.is_over() {
            true => view_revealed(&past.game, position),
            false => view(&past.game, position),
        };
        seen.legal.clear();
        // The turn of a past state is over.
        Ok(GameView { remaining_ms: None, ..self.named(&past, seen).await? })
    }
}
