//! The state of a game: everything its events have made, and nothing else.
//!
//! The state can always be made again from the events. It never holds the server seed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::attendance::Attendance;
use super::card::Card;
use super::chance::{ClientSeed, DealNumber, Hex};
use super::command::Position;
use super::event::{AbandonReason, Event, GameCreated, Standing, Visibility};
use super::evolve::evolve;
use super::player::{AccountId, Player};
use super::round::{Deal, Phase, Round};
use super::ruleset::{Ruleset, Seating};
use super::score::{RoundResult, RoundScore, score};
use super::seat::{BySeat, LobbySlot, Seat};

/// A game, from the open table to the final standings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    /// Who sits where, and what was agreed.
    pub table: Arc<Table>,
    /// What has been scored.
    pub sheet: Arc<Sheet>,
    /// Who is absent.
    #[serde(default)]
    pub attendance: Attendance,
    /// Where the game stands.
    pub stage: Stage,
}

/// The table: terms and players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The rules of this game.
    pub ruleset: Ruleset,
    /// Who runs the table.
    pub host: AccountId,
    /// Who may see it.
    pub visibility: Visibility,
    /// Whether people who do not sit there may watch.
    pub spectators: bool,
    /// Seconds a turn may take; none for no clock.
    pub turn_seconds: Option<u32>,
    /// How deals are made from the seeds.
    pub algorithm: String,
    /// SHA-256 of the server seed.
    pub commitment: Hex<32>,
    /// Who sits at each place.
    pub places: BySeat<Option<Sitter>>,
    /// Which place each seat belongs to, once the seats are settled.
    pub seats: Option<BySeat<LobbySlot>>,
}

/// Somebody at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sitter {
    /// Who it is.
    pub player: Player,
    /// Their part in the shuffles, if they set one.
    pub client_seed: Option<ClientSeed>,
}

/// What has been scored so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sheet {
    /// The finished rounds.
    pub rounds: Vec<RoundResult>,
    /// What each of them was worth, by seat.
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
    /// In which deal.
    pub deal: DealNumber,
    /// By whom.
    pub seat: Seat,
    /// With which card.
    pub card: Card,
    /// The penalty, added at once.
    pub points: i32,
}

/// Where a game stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a round is what almost every game is in")]
pub enum Stage {
    /// People sit down.
    Lobby,
    /// The cards for the choice of seats are due.
    Drawing,
    /// Seats are chosen.
    Choosing(SeatChoice),
    /// A deal is due, or waits for the cut.
    Dealing {
        /// Which.
        deal: Deal,
        /// Where the pack was cut.
        cut: Option<u8>,
    },
    /// A round is under way.
    Round(Round),
    /// The last round is scored, and the end is due.
    Finishing,
    /// The game is over.
    Over(Ending),
}

/// The choice of seats (`plain`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatChoice {
    /// The card of each place.
    pub cards: BySeat<Card>,
    /// Who has each seat so far.
    pub taken: BySeat<Option<LobbySlot>>,
}

impl SeatChoice {
    /// The places from the highest card down; equal ranks by suit.
    pub fn order(&self) -> impl Iterator<Item = LobbySlot> {
        let mut places: Vec<(Seat, &Card)> = self.cards.iter().collect();
        places.sort_by_key(|(_, card)| std::cmp::Reverse((card.rank(), card.suit())));
        places.into_iter().map(|(place, _)| place.as_place())
    }

    /// The place whose turn it is to choose.
    pub fn place(&self) -> Option<LobbySlot> {
        self.order().nth(self.taken.values().flatten().count())
    }

    /// The seats still free.
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
        /// The seats with totals and ranks.
        standings: BySeat<Standing>,
        /// The seed, revealed.
        server_seed: Hex<32>,
    },
    /// It ended early.
    Abandoned {
        /// Why.
        reason: AbandonReason,
        /// The seed, revealed.
        server_seed: Hex<32>,
    },
}

/// A game's status, as lists show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Waiting for players.
    Lobby,
    /// Being played.
    Playing,
    /// Played to the end.
    Finished,
    /// Ended early.
    Abandoned,
}

impl Status {
    /// The status as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Status::Lobby => "lobby",
            Status::Playing => "playing",
            Status::Finished => "finished",
            Status::Abandoned => "abandoned",
        }
    }
}

impl Game {
    /// The game that its first event opens.
    pub fn open(created: &GameCreated) -> Game {
        let players = created.ruleset.players;
        let mut places = BySeat::splat(players, None);
        places[Seat::new(0)] = Some(Sitter {
            player: Player::Human { account: created.host.clone() },
            client_seed: created.client_seed.clone(),
        });
        Game {
            table: Arc::new(Table {
                ruleset: created.ruleset.clone(),
                host: created.host.clone(),
                visibility: created.visibility,
                spectators: created.spectators,
                turn_seconds: created.turn_seconds,
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
            stage: Stage::Lobby,
        }
    }

    /// The state that a log makes; nothing if it does not begin with `game_created`.
    pub fn replay<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<Game> {
        let mut events = events.into_iter();
        let Some(Event::GameCreated(created)) = events.next() else { return None };
        let mut game = Game::open(created);
        events.for_each(|event| evolve(&mut game, event));
        Some(game)
    }

    /// The rules of this game.
    pub fn rules(&self) -> &Ruleset {
        &self.table.ruleset
    }

    /// The status, as lists show it.
    pub fn status(&self) -> Status {
        match &self.stage {
            Stage::Lobby => Status::Lobby,
            Stage::Over(Ending::Finished { .. }) => Status::Finished,
            Stage::Over(Ending::Abandoned { .. }) => Status::Abandoned,
            _ => Status::Playing,
        }
    }

    /// Whether the game is over, and nothing is hidden any more.
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over(_))
    }

    /// Whether an account has a place at the table, even if it has left it for good.
    pub fn sat_in(&self, account: &AccountId) -> bool {
        self.table.place_held_by(account).is_some()
    }

    /// Where an account sits, if it does. Who has left for good sits nowhere.
    pub fn chair_of(&self, account: &AccountId) -> Option<Position> {
        let place = self.table.place_held_by(account)?;
        if self.attendance.has_forfeited(place) {
            return None;
        }
        Some(match &self.table.seats {
            None => Position::Place(place),
            Some(seats) => Position::Seat(seats.iter().find(|&(_, &holder)| holder == place)?.0),
        })
    }

    /// Who must act before anything else can happen; nobody in the lobby and after the end.
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

    /// The finished rounds with their scores, in order: the score sheet.
    pub fn scores(&self) -> impl Iterator<Item = (&RoundResult, RoundScore)> {
        self.sheet.rounds.iter().map(|result| (result, score(self.rules(), result)))
    }
}

impl Table {
    /// The seats of a table where places become seats as they are.
    pub(crate) fn seats_as_placed(&self) -> BySeat<LobbySlot> {
        BySeat::from_fn(self.ruleset.players, |seat| seat.as_place())
    }

    /// Whether seats are drawn for.
    pub(crate) fn draws_seats(&self) -> bool {
        self.ruleset.seating == Seating::Draw
    }

    /// The place that an account took, even if it has left it for good since.
    pub fn place_held_by(&self, account: &AccountId) -> Option<LobbySlot> {
        let holds = |sitter: &Sitter| sitter.player.account() == Some(account);
        let (seat, _) = self.places.iter().find(|(_, sitter)| sitter.as_ref().is_some_and(holds))?;
        Some(seat.as_place())
    }

    /// Who sits at a place.
    pub fn at(&self, place: LobbySlot) -> Option<&Sitter> {
        self.places.get(place.as_seat())?.as_ref()
    }

    /// Who sits where, as clients list them: by seat once the seats are settled, by place before.
    pub fn sitters(&self) -> impl Iterator<Item = Option<&Sitter>> {
        (0..self.ruleset.players).map(|index| {
            let place = match &self.seats {
                Some(seats) => seats[Seat::new(index)],
                None => LobbySlot::new(index),
            };
            self.at(place)
        })
    }
}
