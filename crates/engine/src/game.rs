//! The state of a game: exactly what its events determine.
//!
//! The state can always be rebuilt from the events. It never contains the server seed before the end.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::card::Card;
use super::client_seed::PlayerSeed;
use super::command::{Actor, By, Position};
use super::event::{AbandonReason, GameCreated, Standing, Visibility};
use super::hex::Hex;
use super::player::{AccountId, Player};
use super::round::DealNumber;
use super::round::{Deal, Phase, Round};
use super::ruleset::{Ruleset, Seating};
use super::score::{RoundResult, RoundScore, score};
use super::seat::{BySeat, Place, Seat};
use super::stand_in::Attendance;

/// A game, from the open table to the final standings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    /// Players and settings.
    pub table: Arc<Table>,
    /// The score sheet.
    pub sheet: Arc<Sheet>,
    /// The absent players.
    pub attendance: Attendance,
    /// Whether a hint was taken.
    pub hinted: bool,
    /// The current stage.
    pub stage: Stage,
}

/// The table: settings and players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The rules of this game.
    pub ruleset: Ruleset,
    /// The host's account.
    pub host: AccountId,
    /// Who may find the table.
    pub visibility: Visibility,
    /// Whether accounts without a seat may watch.
    pub spectators: bool,
    /// Seconds per turn; none for no clock.
    pub turn_seconds: Option<u32>,
    /// The seconds for opening client seeds.
    pub opening_seconds: u32,
    /// How many openings of client seeds failed.
    pub openings: u32,
    /// The commitments to client seeds that the table had before its last failed opening. Nobody may use them again.
    pub former_commitments: Vec<Hex<32>>,
    /// The commitments since then. Both lists are empty once the game has started.
    pub commitments: Vec<Hex<32>>,
    /// The algorithm that derives deals from the seeds.
    pub algorithm: String,
    /// SHA-256 of the server seed.
    pub commitment: Hex<32>,
    /// The player at each place.
    pub places: BySeat<Option<Sitter>>,
    /// The place of each seat's player, once the seats are settled.
    pub seats: Option<BySeat<Place>>,
}

/// A player at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sitter {
    /// The player.
    pub player: Player,
    /// The player's contribution to the shuffles.
    pub seed: PlayerSeed,
}

/// The scores so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sheet {
    /// The finished rounds.
    pub rounds: Vec<RoundResult>,
    /// The points of each finished round, by seat.
    pub points: Vec<BySeat<i32>>,
    /// The revokes that were penalised (`nineteen` R10).
    pub fouls: Vec<Foul>,
    /// The totals, by seat.
    pub totals: BySeat<i32>,
    /// The seat that last won an auction or was treated as bidder (option `starter_rotation`).
    pub last_bidder: Option<Seat>,
}

/// A revoke and its penalty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foul {
    /// The deal in which it happened.
    pub deal: DealNumber,
    /// The player's seat.
    pub seat: Seat,
    /// The card that broke the rule.
    pub card: Card,
    /// The penalty, added to the total at once.
    pub points: i32,
}

/// The stage of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a round is what almost every game is in")]
pub enum Stage {
    /// Players join the table.
    Lobby,
    /// Players open the client seeds to which they committed.
    Opening {
        /// Whether a seed is open.
        opened: bool,
    },
    /// The cards for the choice of seats must be drawn.
    Drawing,
    /// Players choose seats.
    Choosing(SeatChoice),
    /// A deal follows, or a player must cut first.
    Dealing {
        /// The deal.
        deal: Deal,
        /// Where the pack was cut.
        cut: Option<u8>,
    },
    /// A round is under way.
    Round(Round),
    /// The last round is scored, and the end follows.
    Finishing,
    /// The game is over.
    Over(Ending),
}

/// The choice of seats (`plain`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatChoice {
    /// The card of each place.
    pub cards: BySeat<Card>,
    /// The place whose player has each seat so far.
    pub taken: BySeat<Option<Place>>,
}

impl SeatChoice {
    /// The places in order of choice: from the highest card down, equal ranks by suit.
    pub fn order(&self) -> impl Iterator<Item = Place> {
        let mut places: Vec<(Seat, &Card)> = self.cards.iter().collect();
        places.sort_by_key(|(_, card)| std::cmp::Reverse((card.rank(), card.suit())));
        places.into_iter().map(|(place, _)| place.as_place())
    }

    /// The place whose player chooses next.
    pub fn place(&self) -> Option<Place> {
        self.order().nth(self.taken.values().flatten().count())
    }

    /// The free seats.
    pub fn free(&self) -> impl Iterator<Item = Seat> {
        self.taken.iter().filter(|(_, place)| place.is_none()).map(|(seat, _)| seat)
    }
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// All rounds were played.
    Finished {
        /// Totals and ranks, by seat.
        standings: BySeat<Standing>,
        /// The revealed server seed.
        server_seed: Hex<32>,
    },
    /// It ended early.
    Abandoned {
        /// The reason.
        reason: AbandonReason,
        /// The revealed server seed.
        server_seed: Hex<32>,
    },
}

crate::choices! {
    /// A game's status, as lists show it.
    pub enum GameStatus {
        /// Waiting for players.
        Lobby = "lobby",
        /// Being played.
        Playing = "playing",
        /// Played to the end.
        Finished = "finished",
        /// Ended early.
        Abandoned = "abandoned",
    }
}

crate::choices! {
    /// What a game in play waits for.
    pub enum PhaseKind {
        /// Players choose their seats.
        ChoosingSeats = "choosing_seats",
        /// A player cuts the pack.
        Cutting = "cutting",
        /// A player whose hand lacks a suit chooses redeal or avoid.
        VoidCheck = "void_check",
        /// Players may declare a dash before the auction.
        BlindDash = "blind_dash",
        /// Players bid for trump.
        Auction = "auction",
        /// Players estimate.
        Estimates = "estimates",
        /// Players play cards.
        Play = "play",
    }
}

impl Game {
    /// The state after the first event.
    pub fn open(created: &GameCreated) -> Game {
        let players = created.ruleset.players;
        let mut places = BySeat::splat(players, None);
        places[Seat::new(0)] = Some(Sitter {
            player: Player::Human { account: created.host.clone() },
            seed: PlayerSeed::Nothing,
        });
        Game {
            table: Arc::new(Table {
                ruleset: created.ruleset.clone(),
                host: created.host.clone(),
                visibility: created.visibility,
                spectators: created.spectators,
                turn_seconds: created.turn_seconds,
                opening_seconds: created.opening_seconds,
                openings: 0,
                former_commitments: Vec::new(),
                commitments: Vec::new(),
                algorithm: created.algorithm.clone(),
                commitment: created.commitment,
                places,
                seats: None,
            }),
            sheet: Arc::new(Sheet {
                rounds: Vec::new(),
                points: Vec::new(),
                fouls: Vec::new(),
                totals: BySeat::splat(players, 0),
                last_bidder: None,
            }),
            attendance: Attendance::default(),
            hinted: false,
            stage: Stage::Lobby,
        }
    }

    /// The rules of this game.
    pub fn rules(&self) -> &Ruleset {
        &self.table.ruleset
    }

    /// The status, as lists show it.
    pub fn status(&self) -> GameStatus {
        match &self.stage {
            Stage::Lobby | Stage::Opening { .. } => GameStatus::Lobby,
            Stage::Over(Ending::Finished { .. }) => GameStatus::Finished,
            Stage::Over(Ending::Abandoned { .. }) => GameStatus::Abandoned,
            _ => GameStatus::Playing,
        }
    }

    /// Whether the game is over. Then nothing is hidden any more.
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over(_))
    }

    /// Whether an account has a place, even if it has left for good.
    pub fn sat_in(&self, account: &AccountId) -> bool {
        self.table.place_held_by(account).is_some()
    }

    /// An account's position; none if it has no place or has left for good.
    pub fn position_of(&self, account: &AccountId) -> Option<Position> {
        let place = self.table.place_held_by(account)?;
        if self.attendance.has_forfeited(place) {
            return None;
        }
        Some(match &self.table.seats {
            None => Position::Place(place),
            Some(seats) => Position::Seat(seats.iter().find(|&(_, &holder)| holder == place)?.0),
        })
    }

    /// The position that must act before anything else can happen; none in the lobby and after the end.
    pub fn to_act(&self) -> Option<Position> {
        match &self.stage {
            Stage::Choosing(choice) => choice.place().map(Position::Place),
            Stage::Dealing { deal, .. } => Some(Position::Seat(deal.dealer.after(1, self.rules().players))),
            Stage::Round(round) => match &round.phase {
                Phase::VoidCheck { seat } | Phase::BlindDash { seat, .. } => Some(*seat),
                Phase::Auction(auction) => auction.seat,
                Phase::Estimates(estimates) => estimates.seat(),
                Phase::Play(play) => {
                    Some(play.trick.leader.after(play.trick.plays.len() as u8, self.rules().players))
                }
                Phase::Folded { .. } => None,
            }
            .map(Position::Seat),
            _ => None,
        }
    }

    /// Whether the game waits for a position: for its turn, or for its client seed.
    pub fn waits_for(&self, position: Position) -> bool {
        match position {
            Position::Place(place) if self.is_opening() => self.closed_seeds().contains(&place),
            _ => self.to_act() == Some(position),
        }
    }

    /// The phase of a game in play; none in the lobby and after the last round.
    pub fn phase(&self) -> Option<PhaseKind> {
        Some(match &self.stage {
            Stage::Drawing | Stage::Choosing(_) => PhaseKind::ChoosingSeats,
            Stage::Dealing { .. } => PhaseKind::Cutting,
            Stage::Round(round) => match round.phase {
                Phase::VoidCheck { .. } => PhaseKind::VoidCheck,
                Phase::BlindDash { .. } => PhaseKind::BlindDash,
                Phase::Auction(_) => PhaseKind::Auction,
                Phase::Estimates(_) => PhaseKind::Estimates,
                Phase::Play(_) | Phase::Folded { .. } => PhaseKind::Play,
            },
            Stage::Lobby | Stage::Opening { .. } | Stage::Finishing | Stage::Over(_) => return None,
        })
    }

    /// Whether the player of a position may resume: a bot stands in for them, and the game is not over.
    pub fn may_resume(&self, position: Position) -> bool {
        let is_stood_in = |place| self.attendance.is_stood_in(place);
        !self.is_over() && self.table.place_of(position).is_some_and(is_stood_in)
    }

    /// Whether a bot plays at a position, on its own account or for a player.
    pub fn is_played_by_bot(&self, position: Position) -> bool {
        self.table.place_of(position).is_some_and(|place| self.is_bot_at(place))
    }

    fn is_bot_at(&self, place: Place) -> bool {
        let bot = self.table.at(place).is_some_and(|sitter| matches!(sitter.player, Player::Bot { .. }));
        bot || self.attendance.is_stood_in(place) || self.attendance.has_forfeited(place)
    }

    /// Whether an actor may act. A player may act until they forfeit, a bot where a bot plays, the clock for
    /// a human player under a turn clock, and the server only as itself.
    pub fn may_act(&self, actor: Actor) -> bool {
        match actor.position().and_then(|position| self.table.place_of(position)) {
            Some(place) => self.may_act_at(place, actor.by()),
            None => actor == Actor::Server,
        }
    }

    /// Whether the player of a place may act, or a bot or the clock instead.
    pub(super) fn may_act_at(&self, place: Place, by: Option<By>) -> bool {
        match by {
            None => {
                let person = self.table.at(place).is_some_and(|sitter| sitter.player.account().is_some());
                person && !self.attendance.has_forfeited(place)
            }
            Some(By::Bot) => self.is_bot_at(place),
            Some(By::Clock) => self.table.turn_seconds.is_some() && !self.is_bot_at(place),
        }
    }

    /// The places without a player.
    pub(super) fn empty_places(&self) -> Vec<Place> {
        let places = (0..self.rules().players).map(Place::new);
        places.filter(|&place| self.table.at(place).is_none()).collect()
    }

    /// Whether all human players have left a game in play.
    pub(super) fn is_deserted(&self) -> bool {
        let left = |place: Place, player: &Player| match player {
            Player::Human { .. } => self.attendance.has_forfeited(place),
            Player::Bot { .. } => true,
        };
        self.attendance.any_forfeited()
            && self.status() == GameStatus::Playing
            && self.table.places.iter().all(|(seat, sitter)| {
                sitter.as_ref().is_none_or(|sitter| left(seat.as_place(), &sitter.player))
            })
    }

    /// The finished rounds with their scores, in order: the score sheet.
    pub fn scores(&self) -> impl Iterator<Item = (&RoundResult, RoundScore)> {
        self.sheet.rounds.iter().map(|result| (result, score(self.rules(), result)))
    }
}

impl Table {
    /// The seats of a table where places become seats directly.
    pub(crate) fn seats_as_placed(&self) -> BySeat<Place> {
        BySeat::from_fn(self.ruleset.players, |seat| seat.as_place())
    }

    /// Whether players draw for seats.
    pub(crate) fn draws_seats(&self) -> bool {
        self.ruleset.seating == Seating::Draw
    }

    /// The place that an account took, even if it has left for good.
    pub fn place_held_by(&self, account: &AccountId) -> Option<Place> {
        let holds = |sitter: &Sitter| sitter.player.account() == Some(account);
        let (seat, _) = self.places.iter().find(|(_, sitter)| sitter.as_ref().is_some_and(holds))?;
        Some(seat.as_place())
    }

    /// The place of a position; none if the table has no such position.
    pub fn place_of(&self, position: Position) -> Option<Place> {
        match position {
            Position::Place(place) => self.places.get(place.as_seat()).map(|_| place),
            Position::Seat(seat) => self.seats.as_ref()?.get(seat).copied(),
        }
    }

    /// The position with a number, as views list them: a seat once the seats are settled, a place before.
    pub fn position(&self, number: Seat) -> Position {
        match self.seats {
            Some(_) => Position::Seat(number),
            None => Position::Place(number.as_place()),
        }
    }

    /// The player at a place.
    pub fn at(&self, place: Place) -> Option<&Sitter> {
        self.places.get(place.as_seat())?.as_ref()
    }

    /// The players as clients list them: by seat once the seats are settled, by place before.
    pub fn sitters(&self) -> impl Iterator<Item = Option<&Sitter>> {
        (0..self.ruleset.players).map(|index| {
            let place = match &self.seats {
                Some(seats) => seats[Seat::new(index)],
                None => Place::new(index),
            };
            self.at(place)
        })
    }
}
