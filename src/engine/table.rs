//! The table before and around the play: opening it, sitting down, standing up, starting.

use super::chance::{Chance, ClientSeed};
use super::command::{Actor, Chair};
use super::decide::complete;
use super::event::{AbandonReason, Event, Events, GameCreated, GameStarted};
use super::game::{Game, Stage};
use super::player::{AccountId, Player};
use super::rejection::Rejection;
use super::seat::{BySeat, Place, Seat};

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
    /// Have a place emptied: one's own, or for the host anybody's.
    Leave {
        /// The place.
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
    Decided { actor: Actor::at(Chair::Place(Place::new(0))), events }
}

/// Decides a command about the table. All of them end with the lobby.
pub fn decide_table(
    game: &Game,
    account: &AccountId,
    command: &TableCommand,
    chance: &mut dyn Chance,
) -> Result<Decided, Rejection> {
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
        TableCommand::Start => {
            let own = host(game, account, own)?;
            (own, Event::GameStarted(Box::new(started(game)?)))
        }
        TableCommand::Cancel => {
            let own = host(game, account, own)?;
            (own, cancelled(chance))
        }
    };
    Ok(Decided { actor: Actor::at(Chair::Place(actor)), events: complete(game, leading, chance) })
}

/// Empties a place. A host who leaves hands the table to the next person; the last to leave cancels it.
fn leave(game: &Game, actor: Place, place: Place, chance: &mut dyn Chance) -> Result<Decided, Rejection> {
    let sitter = game.table.at(place).ok_or(Rejection::NotSeated)?;
    let account = sitter.player.account().ok_or(Rejection::NotSeated)?.clone();
    let mut events = Events::new();
    if account == game.table.host {
        let heir = game.table.places.iter().find_map(|(seat, sitter)| {
            let heir = sitter.as_ref()?.player.account()?;
            (seat.as_place() != place).then(|| (seat.as_place(), heir.clone()))
        });
        match heir {
            None => {
                events.push(cancelled(chance));
                return Ok(Decided { actor: Actor::at(Chair::Place(actor)), events });
            }
            Some((heir, heir_account)) => {
                events.push(Event::PlayerLeft { place, account });
                events.push(Event::HostChanged { place: heir, account: heir_account });
            }
        }
    } else {
        events.push(Event::PlayerLeft { place, account });
    }
    Ok(Decided { actor: Actor::at(Chair::Place(actor)), events })
}

fn cancelled(chance: &mut dyn Chance) -> Event {
    Event::GameAbandoned { reason: AbandonReason::Cancelled, server_seed: chance.reveal() }
}

fn place_of(game: &Game, account: &AccountId) -> Option<Place> {
    match game.chair_of(account)? {
        Chair::Place(place) => Some(place),
        Chair::Seat(_) => None,
    }
}

fn host(game: &Game, account: &AccountId, own: Option<Place>) -> Result<Place, Rejection> {
    let own = own.ok_or(Rejection::NotSeated)?;
    if game.table.host == *account { Ok(own) } else { Err(Rejection::NotHost) }
}

fn numbered(game: &Game, place: u8) -> Result<Place, Rejection> {
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
            let place = numbered(game, wanted)?;
            free.find(|&free| free == place).ok_or(Rejection::SeatTaken { seat: wanted })
        }
    }
}

/// Freezes players and client seeds; every place must be taken.
fn started(game: &Game) -> Result<GameStarted, Rejection> {
    let empty: Vec<Place> =
        (0..game.rules().players).map(Place::new).filter(|&place| game.table.at(place).is_none()).collect();
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
