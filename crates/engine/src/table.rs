//! The table before and around the play: opening it, sitting down, standing up, starting, giving up.

use super::chance::{Chance, ClientSeed};
use super::command::{Actor, Position};
use super::decide::complete;
use super::event::{AbandonReason, Event, Events, GameCreated, GameStarted};
use super::game::{Game, Stage, Status};
use super::player::{AccountId, BotLevel, Player};
use super::rejection::Rejection;
use super::seat::{BySeat, LobbySlot, Seat};

/// What somebody wants of a table in the lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableCommand {
    /// Sit down at a place, or at the first free one; or, sitting already, replace one's client seed.
    Join {
        /// The place asked for.
        place: Option<u8>,
        /// One's part in the shuffles.
        client_seed: Option<ClientSeed>,
    },
    /// Have a place emptied: one's own, or for the host anybody's. During play, forfeit one's own seat.
    Leave {
        /// The place; during play, the seat.
        place: u8,
    },
    /// Put a bot at an empty place, or exchange the bot that is there (the host).
    SeatBot {
        /// The place.
        place: u8,
        /// How well it shall play.
        level: BotLevel,
    },
    /// Pass the table on to another person at it (the host).
    HandOver {
        /// Their place.
        place: u8,
    },
    /// Start the game (the host).
    Start,
    /// Call the game off (the host).
    Cancel,
}

/// What a table command came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// Who acted, for the record.
    pub actor: Actor,
    /// The leading event and what follows from it.
    pub events: Events,
}

/// Opens a table: the first event of a game.
pub fn open(created: GameCreated) -> Decided {
    let mut events = Events::new();
    events.push(Event::GameCreated(Box::new(created)));
    Decided { actor: Actor::at(Position::Place(LobbySlot::new(0))), events }
}

/// Decides a command about the table. All of them end with the lobby, but for leaving.
pub fn decide_table(
    game: &Game,
    account: &AccountId,
    command: &TableCommand,
    chance: &mut dyn Chance,
) -> Result<Decided, Rejection> {
    if let (Status::Playing, TableCommand::Leave { place }) = (game.status(), command) {
        return forfeit(game, account, *place, chance);
    }
    if game.stage != Stage::Lobby {
        return Err(Rejection::NotInLobby { status: game.status() });
    }
    let own = place_of(game, account);
    let (actor, leading) = match command {
        TableCommand::Join { place, client_seed } => {
            let place = match (own, client_seed, place) {
                (Some(own), Some(_), None) => own,
                (Some(own), _, _) => return Err(Rejection::AlreadySeated { place: own }),
                (None, _, wanted) => free_place(game, *wanted)?,
            };
            let client_seed = client_seed.clone();
            (place, Event::PlayerJoined { place, account: account.clone(), client_seed })
        }
        TableCommand::Leave { place } => {
            let own = own.ok_or(Rejection::NotSeated)?;
            let place = numbered(game, *place)?;
            if place != own && game.table.host != *account {
                return Err(Rejection::NotHost);
            }
            return leave(game, own, place, chance);
        }
        TableCommand::SeatBot { place, level } => {
            let own = host(game, account, own)?;
            let place = numbered(game, *place)?;
            if game.table.at(place).is_some_and(|sitter| sitter.player.account().is_some()) {
                return Err(Rejection::SeatTaken { seat: place.index() as u8 });
            }
            (own, Event::BotSeated { place, level: *level })
        }
        TableCommand::HandOver { place } => {
            let own = host(game, account, own)?;
            let place = numbered(game, *place)?;
            let heir = game.table.at(place).and_then(|sitter| sitter.player.account());
            let account = heir.ok_or(Rejection::NoPersonThere { place })?.clone();
            (own, Event::HostChanged { place, account })
        }
        TableCommand::Start => {
            let own = host(game, account, own)?;
            (own, Event::GameStarted(Box::new(started(game)?)))
        }
        TableCommand::Cancel => {
            let own = host(game, account, own)?;
            (own, cancelled(chance))
        }
    };
    let actor = Actor::at(Position::Place(actor));
    Ok(Decided { actor, events: complete(game, actor, leading, chance) })
}

/// Gives up a seat during play, for good. The last to do so ends the game.
fn forfeit(
    game: &Game,
    account: &AccountId,
    number: u8,
    chance: &mut dyn Chance,
) -> Result<Decided, Rejection> {
    let chair = game.chair_of(account).ok_or(Rejection::NotSeated)?;
    if chair.number() != numbered(game, number)?.as_seat() {
        return Err(Rejection::NotInLobby { status: game.status() });
    }
    let actor = Actor::at(chair);
    let events = complete(game, actor, Event::PlayerForfeited { seat: chair.number() }, chance);
    Ok(Decided { actor, events })
}

/// Ends a game in which nothing has happened for too long, which is for the service to say.
///
/// # Errors
/// [`Rejection::NotPlaying`] if it is over already.
pub fn expire(game: &Game, chance: &mut dyn Chance) -> Result<Decided, Rejection> {
    if game.is_over() {
        return Err(Rejection::NotPlaying { status: game.status() });
    }
    let mut events = Events::new();
    events.push(Event::GameAbandoned { reason: AbandonReason::Expired, server_seed: chance.reveal() });
    Ok(Decided { actor: Actor::Server, events })
}

/// Empties a place. A host who leaves hands the table to the next person; the last to leave cancels it.
fn leave(
    game: &Game,
    actor: LobbySlot,
    place: LobbySlot,
    chance: &mut dyn Chance,
) -> Result<Decided, Rejection> {
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
                events.push(cancelled(chance));
                return Ok(Decided { actor: Actor::at(Position::Place(actor)), events });
            }
            Some((heir, heir_account)) => {
                events.push(Event::PlayerLeft { place, account });
                events.push(Event::HostChanged { place: heir, account: heir_account });
            }
        }
    } else {
        events.push(Event::PlayerLeft { place, account });
    }
    Ok(Decided { actor: Actor::at(Position::Place(actor)), events })
}

fn cancelled(chance: &mut dyn Chance) -> Event {
    Event::GameAbandoned { reason: AbandonReason::Cancelled, server_seed: chance.reveal() }
}

fn place_of(game: &Game, account: &AccountId) -> Option<LobbySlot> {
    match game.chair_of(account)? {
        Position::Place(place) => Some(place),
        Position::Seat(_) => None,
    }
}

fn host(game: &Game, account: &AccountId, own: Option<LobbySlot>) -> Result<LobbySlot, Rejection> {
    let own = own.ok_or(Rejection::NotSeated)?;
    if game.table.host == *account { Ok(own) } else { Err(Rejection::NotHost) }
}

fn numbered(game: &Game, place: u8) -> Result<LobbySlot, Rejection> {
    let players = game.rules().players;
    if place < players {
        Ok(LobbySlot::new(place))
    } else {
        Err(Rejection::NoSuchSeat { seat: place, players })
    }
}

fn free_place(game: &Game, wanted: Option<u8>) -> Result<LobbySlot, Rejection> {
    let players = game.rules().players;
    let mut free =
        (0..players).map(LobbySlot::new).filter(|&place| game.table.at(place).is_none()).peekable();
    if free.peek().is_none() {
        return Err(Rejection::GameFull { players });
    }
    match wanted {
        None => free.next().ok_or(Rejection::GameFull { players }),
        Some(wanted) => {
            let place = numbered(game, wanted)?;
            free.find(|&free| free == place).ok_or(Rejection::SeatTaken { seat: wanted })
        }
    }
}

/// Freezes players and client seeds; every place must be taken.
fn started(game: &Game) -> Result<GameStarted, Rejection> {
    let empty: Vec<LobbySlot> = (0..game.rules().players)
        .map(LobbySlot::new)
        .filter(|&place| game.table.at(place).is_none())
        .collect();
    if !empty.is_empty() {
        return Err(Rejection::EmptySeats { places: empty });
    }
    let sitter = |seat: Seat| game.table.at(seat.as_place());
    let players = game.rules().players;
    let seated: Vec<Player> =
        game.table.places.values().flatten().map(|sitter| sitter.player.clone()).collect();
    Ok(GameStarted {
        players: BySeat::from_fn(players, |seat| seated[seat.index()].clone()),
        client_seeds: BySeat::from_fn(players, |seat| {
            sitter(seat).and_then(|sitter| sitter.client_seed.clone())
        }),
    })
}
