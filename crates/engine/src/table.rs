//! Table commands: open, join, leave, seat bots, hand over, start, cancel.

use super::chance::Chance;
use super::client_seed::ClientSeed;
use super::command::{Actor, Position};
use super::consequence::started;
use super::decide::{complete, derive};
use super::event::{AbandonReason, Event, Events, GameCreated, OpeningFailed};
use super::game::{Game, GameStatus, Stage};
use super::hex::Hex;
use super::player::{AccountId, BotLevel};
use super::rejection::Rejection;
use super::seat::Place;
use super::seed;

/// A command about the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableCommand {
    /// Join at a place, or at the first free one.
    Join {
        /// The requested place.
        place: Option<u8>,
        /// A commitment to a client seed.
        commitment: Option<Hex<32>>,
    },
    /// Commit to a client seed, in place of any former one; `None` to go without a seed.
    CommitSeed {
        /// SHA-256 of the seed's text.
        commitment: Option<Hex<32>>,
    },
    /// Open the seed to which the player committed.
    OpenSeed {
        /// The seed.
        client_seed: ClientSeed,
    },
    /// Empty a place: the player's own, or for the host any place. During play, forfeit the player's own
    /// seat.
    Leave {
        /// The place; during play, the seat.
        place: u8,
    },
    /// Seat a bot at an empty place, or replace the bot there (the host).
    SeatBot {
        /// The place.
        place: u8,
        /// The bot's level.
        level: BotLevel,
    },
    /// Hand the table over to another human player (the host).
    HandOver {
        /// The new host's place.
        place: u8,
    },
    /// Start the game, or the opening of the client seeds to which players committed (the host).
    Start,
    /// Cancel the game (the host).
    Cancel,
}

/// The result of a table command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The actor, for the record.
    pub actor: Actor,
    /// The leading events and all derived events.
    pub events: Events,
    /// How many leading events there are; the derived events after them are the server's.
    pub leading: usize,
}

/// Opens a table with the first event of a game.
pub fn open(created: GameCreated) -> Decided {
    Decided::led(
        Actor::at(Position::Place(Place::new(0))),
        Events::from_iter([Event::GameCreated(Box::new(created))]),
    )
}

impl Decided {
    /// One leading event, and the derived events after it.
    pub fn led(actor: Actor, events: Events) -> Decided {
        Decided { actor, events, leading: 1 }
    }
}

/// Decides a command about the table. Except for leaving, all are only valid in the lobby.
pub fn decide_table(
    game: &Game,
    account: &AccountId,
    command: &TableCommand,
    chance: &mut dyn Chance,
) -> Result<Decided, Rejection> {
    if let (GameStatus::Playing, TableCommand::Leave { place }) = (game.status(), command) {
        return forfeit(game, account, *place, chance);
    }
    let own = place_of(game, account);
    match (&game.stage, command) {
        (Stage::Lobby, _) | (Stage::Opening { .. }, TableCommand::OpenSeed { .. } | TableCommand::Cancel) => {
        }
        // Leaving ends an opening early.
        (Stage::Opening { .. }, TableCommand::Leave { place })
            if own.is_some_and(|own| own.index() == usize::from(*place)) => {}
        (Stage::Opening { .. }, _) => return Err(Rejection::SeedsOpening { places: game.closed_seeds() }),
        (_, TableCommand::Leave { .. }) => return Err(Rejection::NotPlaying { status: game.status() }),
        _ => return Err(Rejection::NotInLobby { status: game.status() }),
    }
    let (actor, leading) = match command {
        TableCommand::Join { place, commitment } => {
            if let Some(own) = own {
                return Err(Rejection::AlreadySeated { place: own });
            }
            let place = free_place(game, *place)?;
            seed::check_new(game, place, *commitment)?;
            let joined = Event::PlayerJoined { place, account: account.clone() };
            if commitment.is_some() {
                let committed = Event::SeedCommitted { place, commitment: *commitment };
                let events = Events::from_iter([joined, committed]);
                return Ok(Decided { actor: Actor::at(Position::Place(place)), events, leading: 2 });
            }
            (place, joined)
        }
        TableCommand::CommitSeed { commitment } => {
            let own = own.ok_or(Rejection::NotSeated)?;
            seed::check_new(game, own, *commitment)?;
            (own, Event::SeedCommitted { place: own, commitment: *commitment })
        }
        TableCommand::OpenSeed { client_seed } => {
            let own = own.ok_or(Rejection::NotSeated)?;
            (own, seed::open(game, own, client_seed)?)
        }
        TableCommand::Leave { place } => {
            let own = own.ok_or(Rejection::NotSeated)?;
            let place = place_number(game, *place)?;
            if place != own && game.table.host != *account {
                return Err(Rejection::NotHost);
            }
            return leave(game, own, place, chance);
        }
        TableCommand::SeatBot { place, level } => {
            let own = host(game, account, own)?;
            let place = place_number(game, *place)?;
            if game.table.at(place).is_some_and(|sitter| sitter.player.account().is_some()) {
                return Err(Rejection::SeatTaken { seat: place.index() as u8 });
            }
            (own, Event::BotSeated { place, level: *level })
        }
        TableCommand::HandOver { place } => {
            let own = host(game, account, own)?;
            let place = place_number(game, *place)?;
            let heir = game.table.at(place).and_then(|sitter| sitter.player.account());
            let account = heir.ok_or(Rejection::NoPersonThere { place })?.clone();
            (own, Event::HostChanged { place, account })
        }
        TableCommand::Start => {
            let own = host(game, account, own)?;
            (own, start(game, chance)?)
        }
        TableCommand::Cancel => {
            let own = host(game, account, own)?;
            (own, cancelled(game, chance))
        }
    };
    let actor = Actor::at(Position::Place(actor));
    Ok(Decided::led(actor, complete(game, actor, leading, chance)))
}

/// Forfeits a seat during play, for good. When the last player forfeits, the game ends.
fn forfeit(
    game: &Game,
    account: &AccountId,
    number: u8,
    chance: &mut dyn Chance,
) -> Result<Decided, Rejection> {
    let position = game.position_of(account).ok_or(Rejection::NotSeated)?;
    if position.number() != place_number(game, number)?.as_seat() {
        return Err(Rejection::NotInLobby { status: game.status() });
    }
    let actor = Actor::at(position);
    let events = complete(game, actor, Event::PlayerForfeited { seat: position.number() }, chance);
    Ok(Decided::led(actor, events))
}

/// Ends a game in which nothing has happened for too long. The service decides when.
///
/// # Errors
/// [`Rejection::NotPlaying`] if it is already over.
pub fn expire(game: &Game, chance: &mut dyn Chance) -> Result<Decided, Rejection> {
    give_up(game, AbandonReason::Expired, chance)
}

/// Ends a game that is stuck, or that should not go on. The operator decides when.
///
/// # Errors
/// [`Rejection::NotPlaying`] if it is already over.
pub fn end(game: &Game, chance: &mut dyn Chance) -> Result<Decided, Rejection> {
    give_up(game, AbandonReason::Ended, chance)
}

fn give_up(game: &Game, reason: AbandonReason, chance: &mut dyn Chance) -> Result<Decided, Rejection> {
    if game.is_over() {
        return Err(Rejection::NotPlaying { status: game.status() });
    }
    let mut events = Events::new();
    events.push(Event::GameAbandoned { reason, server_seed: chance.reveal(game.table.openings) });
    Ok(Decided::led(Actor::Server, events))
}

/// Ends the opening of client seeds whose time is over. The service decides when.
///
/// # Errors
/// [`Rejection::NoSeedToOpen`] if no seed is closed.
pub fn fail_opening(game: &Game, chance: &mut dyn Chance) -> Result<Decided, Rejection> {
    let missing = game.closed_seeds();
    if !game.is_opening() || missing.is_empty() {
        return Err(Rejection::NoSeedToOpen);
    }
    let commitment = chance.recommit(game.table.openings + 1);
    let failed = Event::OpeningFailed(Box::new(OpeningFailed { missing, commitment }));
    let mut events = Events::from_iter([failed]);
    derive(game, &mut events, chance);
    Ok(Decided::led(Actor::Server, events))
}

/// Empties a place. A host who leaves hands the table to the next player. When the last player leaves, the
/// game is cancelled.
fn leave(game: &Game, actor: Place, place: Place, chance: &mut dyn Chance) -> Result<Decided, Rejection> {
    let sitter = game.table.at(place).ok_or(Rejection::NotSeated)?;
    let account = sitter.player.account().cloned();
    let mut events = Events::new();
    if account.as_ref() == Some(&game.table.host) {
        let heir = game.table.places.iter().find_map(|(seat, sitter)| {
            let heir = sitter.as_ref()?.player.account()?;
            (seat.as_place() != place).then(|| (seat.as_place(), heir.clone()))
        });
        match heir {
            None => {
                events.push(cancelled(game, chance));
                return Ok(Decided::led(Actor::at(Position::Place(actor)), events));
            }
            Some((heir, heir_account)) => {
                events.push(Event::PlayerLeft { place, account });
                events.push(Event::HostChanged { place: heir, account: heir_account });
            }
        }
    } else {
        events.push(Event::PlayerLeft { place, account });
    }
    derive(game, &mut events, chance);
    Ok(Decided::led(Actor::at(Position::Place(actor)), events))
}

fn cancelled(game: &Game, chance: &mut dyn Chance) -> Event {
    let server_seed = chance.reveal(game.table.openings);
    Event::GameAbandoned { reason: AbandonReason::Cancelled, server_seed }
}

fn place_of(game: &Game, account: &AccountId) -> Option<Place> {
    match game.position_of(account)? {
        Position::Place(place) => Some(place),
        Position::Seat(_) => None,
    }
}

fn host(game: &Game, account: &AccountId, own: Option<Place>) -> Result<Place, Rejection> {
    let own = own.ok_or(Rejection::NotSeated)?;
    if game.table.host == *account { Ok(own) } else { Err(Rejection::NotHost) }
}

fn place_number(game: &Game, place: u8) -> Result<Place, Rejection> {
    let players = game.rules().players;
    if place < players { Ok(Place::new(place)) } else { Err(Rejection::NoSuchSeat { seat: place, players }) }
}

fn free_place(game: &Game, wanted: Option<u8>) -> Result<Place, Rejection> {
    let players = game.rules().players;
    let mut free = (0..players).map(Place::new).filter(|&place| game.table.at(place).is_none()).peekable();
    if free.peek().is_none() {
        return Err(Rejection::GameFull { players });
    }
    match wanted {
        None => free.next().ok_or(Rejection::GameFull { players }),
        Some(wanted) => {
            let place = place_number(game, wanted)?;
            free.find(|&free| free == place).ok_or(Rejection::SeatTaken { seat: wanted })
        }
    }
}

/// The event with which the host starts the game: the start, or the opening of client seeds before it.
fn start(game: &Game, chance: &mut dyn Chance) -> Result<Event, Rejection> {
    let empty = game.empty_places();
    if !empty.is_empty() {
        return Err(Rejection::EmptySeats { places: empty });
    }
    let void = game.void_seeds();
    if !void.is_empty() {
        return Err(Rejection::SeedsVoid { places: void });
    }
    if game.closed_seeds().is_empty() {
        Ok(Event::GameStarted(Box::new(started(game, chance))))
    } else {
        Ok(Event::OpeningBegan {})
    }
}
