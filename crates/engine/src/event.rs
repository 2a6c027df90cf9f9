//! Events: the facts of a game, which form its record.
//!
//! Kinds and fields are only ever added. Every command has one leading event that contains it; the rules
//! derive the events after it. Some kinds lead or are derived, as the state says: an avoid in fast rounds, the last choice
//! of a seat, the end of a stand-in when its player acts, and the end of a game that all players left.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use super::card::{Card, Trump};
use super::card_set::CardSet;
use super::client_seed::ClientSeed;
use super::command::{Command, Position};
use super::hex::{Hex, Salt};
use super::player::{AccountId, BotLevel, Player};
use super::ruleset::{RoundKind, Ruleset};
use super::score::{Call, Lines};
use super::seat::{BySeat, Place, Seat, SeatSet};

/// The events of one command, in order.
pub type Events = ArrayVec<Event, 16>;

crate::choices! {
    /// Who may find a game.
    pub enum Visibility {
        /// Listed in the lobby, open to all accounts.
        Public = "public",
        /// Only for accounts with the invitation code.
        Private = "private",
    }
}

crate::choices! {
    /// Why a game ended before its last round.
    pub enum AbandonReason {
        /// The host cancelled it before the start, or the last player left.
        Cancelled = "cancelled",
        /// All human players have forfeited.
        Forfeited = "forfeited",
        /// Nothing happened for too long.
        Expired = "expired",
        /// Three openings of client seeds failed.
        OpeningsFailed = "openings_failed",
        /// The operator of the server ended it.
        Ended = "ended",
    }
}

crate::choices! {
    /// The kind of an event. More kinds are added over time.
    pub enum EventKind {
        /// A table was opened; its host has place 0.
        GameCreated = "game_created",
        /// A player joined.
        PlayerJoined = "player_joined",
        /// A player left or was removed before the start.
        PlayerLeft = "player_left",
        /// The host seated a bot at an empty place, or changed the level of a bot.
        BotSeated = "bot_seated",
        /// The host handed the table over.
        HostChanged = "host_changed",
        /// A player committed to a client seed, or goes without one.
        SeedCommitted = "seed_committed",
        /// The start was requested, and the players open the seeds to which they committed.
        OpeningBegan = "opening_began",
        /// A player opened a seed.
        SeedOpened = "seed_opened",
        /// A seed stayed closed or a player left, so all commitments are void and the game does not start.
        OpeningFailed = "opening_failed",
        /// The game started; places, players and seeds are frozen.
        GameStarted = "game_started",
        /// Cards were drawn for the choice of seats (`plain`).
        SeatsDrawn = "seats_drawn",
        /// A player chose a seat, or the last player was given the last one (`plain`).
        SeatChosen = "seat_chosen",
        /// A player cut the pack (`plain`).
        DeckCut = "deck_cut",
        /// The cards were dealt.
        RoundDealt = "round_dealt",
        /// A player keeps a hand that lacks a suit.
        AvoidDeclared = "avoid_declared",
        /// A player whose hand lacks a suit asked for a new deal.
        RedealCalled = "redeal_called",
        /// A player declared a blind dash (`kabooot`).
        BlindDashed = "blind_dashed",
        /// A player declined a dash before the auction.
        AuctionEntered = "auction_entered",
        /// A player bid.
        BidMade = "bid_made",
        /// A player passed.
        Passed = "passed",
        /// A player made a dash call.
        DashCalled = "dash_called",
        /// The auction is over with a winning bid.
        AuctionWon = "auction_won",
        /// No player bid; the cards are dealt again.
        AuctionVoid = "auction_void",
        /// No player bid; the round is not played (`squares`).
        RoundFolded = "round_folded",
        /// A player estimated.
        EstimateMade = "estimate_made",
        /// An estimate changed trump (`squares` R14).
        TrumpChanged = "trump_changed",
        /// All calls are made, and play begins.
        PlayBegan = "play_began",
        /// A player played a card.
        CardPlayed = "card_played",
        /// A trick is complete.
        TrickTaken = "trick_taken",
        /// The last card broke the duty to follow suit, and the deal is void (`nineteen` R10).
        Revoked = "revoked",
        /// A player's turn timed out; the clock acted for them.
        TurnTimedOut = "turn_timed_out",
        /// A bot begins to stand in for an absent player.
        StandInBegan = "stand_in_began",
        /// An absent player returned.
        StandInEnded = "stand_in_ended",
        /// A player left for good during play; a bot plays on.
        PlayerForfeited = "player_forfeited",
        /// The only person of the game took a hint for the first time; the game counts in no statistics.
        HintTaken = "hint_taken",
        /// A round is over and scored.
        RoundScored = "round_scored",
        /// The last round is scored.
        GameFinished = "game_finished",
        /// The game ended before its last round.
        GameAbandoned = "game_abandoned",
    }
}

/// An event of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A table was opened; its host has place 0.
    GameCreated(Box<GameCreated>),
    /// A player joined.
    PlayerJoined {
        /// The place taken.
        place: Place,
        /// The player's account.
        account: AccountId,
    },
    /// A player left or was removed before the start.
    PlayerLeft {
        /// The place left.
        place: Place,
        /// The player's account; none for a bot.
        account: Option<AccountId>,
    },
    /// The host seated a bot at an empty place, or changed the level of a bot.
    BotSeated {
        /// The place.
        place: Place,
        /// The bot's level.
        level: BotLevel,
    },
    /// The host handed the table over.
    HostChanged {
        /// The place of the new host.
        place: Place,
        /// The new host.
        account: AccountId,
    },
    /// A player committed to a client seed, or goes without one.
    SeedCommitted {
        /// The player's place.
        place: Place,
        /// SHA-256 of the seed's text; none for a player who goes without a seed.
        commitment: Option<Hex<32>>,
    },
    /// The host requested the start, and the players open the seeds to which they committed.
    OpeningBegan {},
    /// A player opened the seed to which they committed.
    SeedOpened {
        /// The player's place.
        place: Place,
        /// The seed.
        client_seed: ClientSeed,
    },
    /// A seed stayed closed or a player left, so all commitments are void and the game does not start.
    OpeningFailed(Box<OpeningFailed>),
    /// The game started, by the host or with the last seed that was opened; places, players and seeds are frozen.
    GameStarted(Box<GameStarted>),
    /// Cards were drawn for the choice of seats (`plain`).
    SeatsDrawn {
        /// The card of each place.
        cards: BySeat<Card>,
    },
    /// A player chose a seat, or the last player was given the last one (`plain`).
    SeatChosen {
        /// The player's place.
        place: Place,
        /// The seat.
        seat: Seat,
    },
    /// A player cut the pack (`plain`).
    DeckCut {
        /// The player's seat.
        seat: Seat,
        /// The number of cards put under the rest, 1‥51.
        position: u8,
    },
    /// The cards were dealt.
    RoundDealt(Box<RoundDealt>),
    /// A player keeps a hand that lacks a suit.
    AvoidDeclared {
        /// The player's seat.
        seat: Seat,
    },
    /// A player whose hand lacks a suit asked for a new deal.
    RedealCalled {
        /// The player's seat.
        seat: Seat,
    },
    /// A player declared a blind dash (`kabooot`).
    BlindDashed {
        /// The player's seat.
        seat: Seat,
    },
    /// A player declined a dash before the auction.
    AuctionEntered {
        /// The player's seat.
        seat: Seat,
    },
    /// A player bid.
    BidMade {
        /// The player's seat.
        seat: Seat,
        /// The tricks promised.
        tricks: u8,
        /// The trump named.
        trump: Trump,
    },
    /// A player passed.
    Passed {
        /// The player's seat.
        seat: Seat,
    },
    /// A player made a dash call.
    DashCalled {
        /// The player's seat.
        seat: Seat,
    },
    /// The auction is over with a winning bid.
    AuctionWon {
        /// The bidder.
        seat: Seat,
        /// The bid.
        tricks: u8,
        /// The trump.
        trump: Trump,
    },
    /// No player bid; the cards are dealt again.
    AuctionVoid {},
    /// No player bid; the round is not played (`squares`).
    RoundFolded {},
    /// A player estimated.
    EstimateMade {
        /// The player's seat.
        seat: Seat,
        /// The estimate.
        tricks: u8,
        /// A trump named with the estimate (`squares` R14).
        trump: Option<Trump>,
    },
    /// An estimate changed trump (`squares` R14).
    TrumpChanged {
        /// The player's seat.
        seat: Seat,
        /// The new trump.
        trump: Trump,
    },
    /// All calls are made, and play begins.
    PlayBegan {
        /// The leader of the first trick.
        leader: Seat,
    },
    /// A player played a card.
    CardPlayed {
        /// The player's seat.
        seat: Seat,
        /// The card.
        card: Card,
    },
    /// A trick is complete.
    TrickTaken {
        /// The player who took it.
        seat: Seat,
    },
    /// The last card broke the duty to follow suit, and the deal is void (`nineteen` R10).
    Revoked {
        /// The player's seat.
        seat: Seat,
        /// The card.
        card: Card,
        /// The penalty, twice the hand size.
        points: i32,
    },
    /// A player's turn timed out; the clock acted for them.
    TurnTimedOut {
        /// The player's seat; before the seats are settled, the place.
        seat: Seat,
    },
    /// A bot begins to stand in for an absent player.
    StandInBegan {
        /// The player's seat; before the seats are settled, the place.
        seat: Seat,
    },
    /// An absent player returned.
    StandInEnded {
        /// The player's seat; before the seats are settled, the place.
        seat: Seat,
    },
    /// A player left for good during play; a bot plays on.
    PlayerForfeited {
        /// The player's seat; before the seats are settled, the place.
        seat: Seat,
    },
    /// The only person of the game took a hint for the first time; the game counts in no statistics.
    HintTaken {
        /// The player's seat; before the seats are settled, the place.
        seat: Seat,
    },
    /// A round is over and scored.
    RoundScored(Box<RoundScored>),
    /// The last round is scored.
    GameFinished(Box<GameFinished>),
    /// The game ended before its last round.
    GameAbandoned {
        /// The reason.
        reason: AbandonReason,
        /// The revealed server seed.
        server_seed: Hex<32>,
    },
}

/// See [`Event::GameCreated`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = TableSetup))]
pub struct GameCreated {
    /// All rules of the game.
    pub ruleset: Ruleset,
    /// The account that opened the table.
    pub host: AccountId,
    /// Who may find the table.
    pub visibility: Visibility,
    /// Whether accounts without a seat may watch.
    pub spectators: bool,
    /// Seconds per turn; none for no clock.
    #[cfg_attr(feature = "schema", schema(minimum = 10, maximum = 604_800))]
    pub turn_seconds: Option<u32>,
    /// The seconds in which players open the client seeds to which they committed.
    #[cfg_attr(feature = "schema", schema(minimum = 15, maximum = 604_800))]
    pub opening_seconds: u32,
    /// The algorithm that derives deals from the seeds.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 64))]
    pub algorithm: String,
    /// SHA-256 of the server seed.
    pub commitment: Hex<32>,
}

/// See [`Event::OpeningFailed`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningFailed {
    /// The places whose seed stayed closed when the time was over, or the place of a player who left when a seed was open.
    pub missing: Vec<Place>,
    /// SHA-256 of the next server seed.
    pub commitment: Hex<32>,
}

/// See [`Event::GameStarted`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameStarted {
    /// The player at each place.
    pub players: BySeat<Player>,
    /// The client seeds that the players opened, by place.
    pub client_seeds: BySeat<Option<ClientSeed>>,
}

/// See [`Event::RoundDealt`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundDealt {
    /// The round, from 1.
    pub round: u8,
    /// The deal of the round, from 1.
    pub attempt: u32,
    /// The kind of the round.
    pub kind: RoundKind,
    /// The number of cards in each hand.
    pub hand_size: u8,
    /// The dealer.
    pub dealer: Seat,
    /// The seat that speaks first.
    pub first_speaker: Seat,
    /// The multiplier carried over from void rounds.
    pub carry: u32,
    /// Trump, if it is already known.
    pub trump: Option<Trump>,
    /// The card turned up (`nineteen`).
    pub indicator: Option<Card>,
    /// The hands, by seat. Hidden from all other players until the game is over.
    pub hands: BySeat<CardSet>,
    /// Hidden until the game is over.
    pub salt: Salt,
}

/// See [`Event::RoundScored`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundScored {
    /// The round, from 1.
    pub round: u8,
    /// The call of each seat; none in a folded round.
    pub calls: BySeat<Option<Call>>,
    /// The tricks each seat took.
    pub tricks: BySeat<u8>,
    /// The bidder; none in a round without one.
    pub bidder: Option<Seat>,
    /// The players who estimated the bidder's call.
    pub withs: SeatSet,
    /// The player who estimated last, if the ruleset names a Risk.
    pub risk: Option<Seat>,
    /// The multiplier of the round.
    pub multiplier: u32,
    /// The carry into the next round.
    pub next_carry: u32,
    /// The points of the round, by seat.
    pub points: BySeat<i32>,
    /// The totals after it, by seat.
    pub totals: BySeat<i32>,
    /// The lines of each seat's points.
    pub lines: BySeat<Lines>,
}

/// See [`Event::GameFinished`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = GameResult))]
pub struct GameFinished {
    /// The seats, in order of play, with their totals and ranks.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Standing>, min_items = 2, max_items = 5))]
    pub standings: BySeat<Standing>,
    /// The revealed server seed.
    pub server_seed: Hex<32>,
}

/// The final result of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Standing {
    /// The player's seat.
    pub seat: Seat,
    /// The final total.
    pub total: i32,
    /// The rank, from 1; equal totals share it (C6).
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 5))]
    pub rank: u8,
}

impl Event {
    /// The kind of the event.
    pub const fn kind(&self) -> EventKind {
        match self {
            Event::GameCreated(_) => EventKind::GameCreated,
            Event::PlayerJoined { .. } => EventKind::PlayerJoined,
            Event::PlayerLeft { .. } => EventKind::PlayerLeft,
            Event::BotSeated { .. } => EventKind::BotSeated,
            Event::HostChanged { .. } => EventKind::HostChanged,
            Event::SeedCommitted { .. } => EventKind::SeedCommitted,
            Event::OpeningBegan {} => EventKind::OpeningBegan,
            Event::SeedOpened { .. } => EventKind::SeedOpened,
            Event::OpeningFailed(_) => EventKind::OpeningFailed,
            Event::GameStarted(_) => EventKind::GameStarted,
            Event::SeatsDrawn { .. } => EventKind::SeatsDrawn,
            Event::SeatChosen { .. } => EventKind::SeatChosen,
            Event::DeckCut { .. } => EventKind::DeckCut,
            Event::RoundDealt(_) => EventKind::RoundDealt,
            Event::AvoidDeclared { .. } => EventKind::AvoidDeclared,
            Event::RedealCalled { .. } => EventKind::RedealCalled,
            Event::BlindDashed { .. } => EventKind::BlindDashed,
            Event::AuctionEntered { .. } => EventKind::AuctionEntered,
            Event::BidMade { .. } => EventKind::BidMade,
            Event::Passed { .. } => EventKind::Passed,
            Event::DashCalled { .. } => EventKind::DashCalled,
            Event::AuctionWon { .. } => EventKind::AuctionWon,
            Event::AuctionVoid { .. } => EventKind::AuctionVoid,
            Event::RoundFolded { .. } => EventKind::RoundFolded,
            Event::EstimateMade { .. } => EventKind::EstimateMade,
            Event::TrumpChanged { .. } => EventKind::TrumpChanged,
            Event::PlayBegan { .. } => EventKind::PlayBegan,
            Event::CardPlayed { .. } => EventKind::CardPlayed,
            Event::TrickTaken { .. } => EventKind::TrickTaken,
            Event::Revoked { .. } => EventKind::Revoked,
            Event::TurnTimedOut { .. } => EventKind::TurnTimedOut,
            Event::StandInBegan { .. } => EventKind::StandInBegan,
            Event::StandInEnded { .. } => EventKind::StandInEnded,
            Event::PlayerForfeited { .. } => EventKind::PlayerForfeited,
            Event::HintTaken { .. } => EventKind::HintTaken,
            Event::RoundScored(_) => EventKind::RoundScored,
            Event::GameFinished(_) => EventKind::GameFinished,
            Event::GameAbandoned { .. } => EventKind::GameAbandoned,
        }
    }

    /// The event that records a command of play; none when the position does not fit the command.
    ///
    /// [`Event::command`] is the inverse.
    pub fn from_command(position: Position, command: &Command) -> Option<Event> {
        let seat = match (position, *command) {
            (Position::Place(place), Command::ChooseSeat { seat }) => {
                return Some(Event::SeatChosen { place, seat });
            }
            (_, Command::Resume {}) => return Some(Event::StandInEnded { seat: position.number() }),
            (Position::Place(_), _) => return None,
            (Position::Seat(seat), _) => seat,
        };
        Some(match *command {
            Command::ChooseSeat { .. } | Command::Resume {} => return None,
            Command::Cut { position } => Event::DeckCut { seat, position },
            Command::Redeal {} => Event::RedealCalled { seat },
            Command::Avoid {} => Event::AvoidDeclared { seat },
            Command::EnterAuction {} => Event::AuctionEntered { seat },
            Command::BlindDash {} => Event::BlindDashed { seat },
            Command::Bid { tricks, trump } => Event::BidMade { seat, tricks, trump },
            Command::Pass {} => Event::Passed { seat },
            Command::DashCall {} => Event::DashCalled { seat },
            Command::Estimate { tricks, trump } => Event::EstimateMade { seat, tricks, trump },
            Command::Play { card } => Event::CardPlayed { seat, card },
        })
    }

    /// The command of play that the event records; none for derived events and events of the lobby.
    pub fn command(&self) -> Option<Command> {
        Some(match *self {
            Event::SeatChosen { seat, .. } => Command::ChooseSeat { seat },
            Event::DeckCut { position, .. } => Command::Cut { position },
            Event::RedealCalled { .. } => Command::Redeal {},
            Event::AvoidDeclared { .. } => Command::Avoid {},
            Event::AuctionEntered { .. } => Command::EnterAuction {},
            Event::BlindDashed { .. } => Command::BlindDash {},
            Event::BidMade { tricks, trump, .. } => Command::Bid { tricks, trump },
            Event::Passed { .. } => Command::Pass {},
            Event::DashCalled { .. } => Command::DashCall {},
            Event::EstimateMade { tricks, trump, .. } => Command::Estimate { tricks, trump },
            Event::CardPlayed { card, .. } => Command::Play { card },
            Event::StandInEnded { .. } => Command::Resume {},
            _ => return None,
        })
    }

    /// Whether every seat, place and list of the event fits a table of `players`.
    pub fn fits_table(&self, players: u8) -> bool {
        let at = |seat: &Seat| seat.index() < usize::from(players);
        let at_place = |place: &Place| place.index() < usize::from(players);
        match self {
            Event::GameCreated(created) => created.ruleset.players == players,
            Event::PlayerJoined { place, .. }
            | Event::PlayerLeft { place, .. }
            | Event::BotSeated { place, .. }
            | Event::HostChanged { place, .. }
            | Event::SeedCommitted { place, .. }
            | Event::SeedOpened { place, .. } => at_place(place),
            Event::OpeningFailed(failed) => failed.missing.iter().all(at_place),
            Event::GameStarted(started) => {
                started.players.players() == players && started.client_seeds.players() == players
            }
            Event::SeatsDrawn { cards } => cards.players() == players,
            Event::SeatChosen { place, seat } => at_place(place) && at(seat),
            Event::RoundDealt(dealt) => {
                dealt.hands.players() == players && at(&dealt.dealer) && at(&dealt.first_speaker)
            }
            Event::DeckCut { seat, .. }
            | Event::AvoidDeclared { seat }
            | Event::RedealCalled { seat }
            | Event::BlindDashed { seat }
            | Event::AuctionEntered { seat }
            | Event::BidMade { seat, .. }
            | Event::Passed { seat }
            | Event::DashCalled { seat }
            | Event::AuctionWon { seat, .. }
            | Event::EstimateMade { seat, .. }
            | Event::TrumpChanged { seat, .. }
            | Event::PlayBegan { leader: seat }
            | Event::CardPlayed { seat, .. }
            | Event::TrickTaken { seat }
            | Event::TurnTimedOut { seat }
            | Event::StandInBegan { seat }
            | Event::StandInEnded { seat }
            | Event::PlayerForfeited { seat }
            | Event::HintTaken { seat }
            | Event::Revoked { seat, .. } => at(seat),
            Event::RoundScored(scored) => {
                let RoundScored { calls, tricks, points, totals, lines, .. } = &**scored;
                let sizes =
                    [calls.players(), tricks.players(), points.players(), totals.players(), lines.players()];
                let named = scored.withs.iter().chain(scored.bidder).chain(scored.risk);
                sizes.iter().all(|size| *size == players) && named.into_iter().all(|seat| at(&seat))
            }
            Event::GameFinished(finished) => {
                finished.standings.players() == players
                    && finished.standings.values().all(|own| at(&own.seat))
            }
            Event::OpeningBegan {}
            | Event::AuctionVoid {}
            | Event::RoundFolded {}
            | Event::GameAbandoned { .. } => true,
        }
    }
}
