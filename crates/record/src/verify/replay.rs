//! Replays a history: checks every leading event against the rules, and every other event against the derived
//! one.

use std::collections::{HashSet, VecDeque};

use super::body::Violation;
use super::dealt::{Dealt, RecordedDeal};
use super::finding::Rule;
use super::recorded::RecordedChance;
use super::{soundness, values};
use crate::RecordTime;
use crate::fairness::ALGORITHM;
use crate::turn_clock::{Deadline, TimedAction, TurnClock};
use estimation_engine::chance::Shuffles;
use estimation_engine::command::{Actor, By, Position};
use estimation_engine::consequence::{aftermath, consequence};
use estimation_engine::decide::lead;
use estimation_engine::event::{AbandonReason, Event, GameCreated};
use estimation_engine::evolve::evolve;
use estimation_engine::game::{Game, Stage};
use estimation_engine::hex::Salt;
use estimation_engine::hint::take_hint;
use estimation_engine::player::AccountId;
use estimation_engine::seat::Place;
use estimation_engine::table::{TableCommand, decide_table};

/// A game, replayed so far.
#[derive(Default)]
pub(super) struct Replay {
    game: Option<(Game, TurnClock)>,
    /// The remaining events that the last command's actor led to.
    due: VecDeque<Event>,
    salts: HashSet<Salt>,
    pub(super) deals: Vec<RecordedDeal>,
}

impl Replay {
    /// The current state; none before the first event.
    pub(super) fn game(&self) -> Option<&Game> {
        self.game.as_ref().map(|(game, _)| game)
    }

    /// When the service must act by itself; none if it need not.
    pub(super) fn deadline(&self) -> Option<Deadline> {
        self.game.as_ref().and_then(|(game, turn_clock)| turn_clock.due(game))
    }

    /// Whether no derived event is missing: a player must act, or the game is over.
    pub(super) fn is_settled(&self) -> bool {
        let Some((game, _)) = &self.game else { return false };
        // Whether an event follows does not depend on chance.
        self.due.is_empty() && consequence(game, &mut Shuffles(|_, _| {})).is_none()
    }

    /// Processes the next event. After an error the replay cannot continue.
    pub(super) fn take(
        &mut self,
        seq: u64,
        at: RecordTime,
        actor: Actor,
        event: &Event,
    ) -> Result<(), Violation> {
        if let Some(problem) = values::problem(event) {
            return Err((Rule::Form, problem));
        }
        let Some((game, turn_clock)) = &self.game else {
            self.game = Some((open_table(actor, event)?, TurnClock::opened(at)));
            return Ok(());
        };
        if !event.fits_table(game.rules().players) {
            return Err((Rule::Form, "a seat or a list is too large for the table".to_owned()));
        }
        let cut = match game.stage {
            Stage::Dealing { cut, .. } => cut,
            _ => None,
        };
        let mut chance = RecordedChance::new(game.rules(), event, cut);
        let follows = match self.due.pop_front() {
            Some(due) => Some(due),
            None => consequence(game, &mut chance),
        };
        match follows {
            Some(follows) => check_derived(actor, event, &follows)?,
            None => self.due = check_leading(game, turn_clock.due(game), at, actor, event)?,
        }
        self.keep_deal(seq, event)?;
        if let Some((game, turn_clock)) = &mut self.game {
            evolve(game, event);
            *turn_clock = turn_clock.after(event, at, game);
        }
        Ok(())
    }

    /// Keeps the deals, which can only be checked when the seed is known.
    fn keep_deal(&mut self, seq: u64, event: &Event) -> Result<(), Violation> {
        match (event, self.game().map(|game| &game.stage)) {
            (Event::SeatsDrawn { cards }, _) => {
                self.deals.push(RecordedDeal { seq, what: Dealt::Seats(cards.clone()) });
            }
            (Event::RoundDealt(dealt), Some(&Stage::Dealing { deal, cut })) => {
                if !self.salts.insert(dealt.salt) {
                    return Err((Rule::Salt, "the salt is that of an earlier deal".to_owned()));
                }
                let what = Dealt::Round { deal, cut, dealt: dealt.clone() };
                self.deals.push(RecordedDeal { seq, what });
            }
            _ => {}
        }
        Ok(())
    }
}

/// The table that the first event opens.
fn open_table(actor: Actor, event: &Event) -> Result<Game, Violation> {
    let Event::GameCreated(created) = event else {
        return Err((Rule::Command, "a game begins with game_created".to_owned()));
    };
    let GameCreated { ruleset, algorithm, .. } = &**created;
    if let Some(problem) = soundness::problem(ruleset) {
        return Err((Rule::Ruleset, problem));
    }
    if algorithm != ALGORITHM {
        return Err((Rule::Deal, format!("unknown dealing algorithm {algorithm:?}")));
    }
    if actor != Actor::at(Position::Place(Place::new(0))) {
        return Err((Rule::Actor, "a table is opened by the player in place 0".to_owned()));
    }
    Ok(Game::open(created))
}

/// Checks a derived event: its actor is the server, and its content is as derived.
fn check_derived(actor: Actor, event: &Event, follows: &Event) -> Result<(), Violation> {
    if event != follows {
        let rule = match (event, follows) {
            (Event::RoundScored(_), Event::RoundScored(_)) => Rule::Score,
            (Event::GameFinished(_), Event::GameFinished(_)) => Rule::Standings,
            (Event::RoundDealt(_), Event::RoundDealt(_))
            | (Event::SeatsDrawn { .. }, Event::SeatsDrawn { .. }) => Rule::Deal,
            _ => Rule::Derived,
        };
        return Err((rule, format!("the rules make {}", shortened(follows))));
    }
    if actor != Actor::Server {
        return Err((Rule::Actor, "the actor of a derived event must be the server".to_owned()));
    }
    Ok(())
}

/// Checks a leading event: its actor, and its content against the command. Returns the further events that
/// the command's actor leads to.
fn check_leading(
    game: &Game,
    due: Option<Deadline>,
    at: RecordTime,
    actor: Actor,
    event: &Event,
) -> Result<VecDeque<Event>, Violation> {
    let refused = |reason: &dyn std::fmt::Display| {
        (Rule::Command, format!("{} is refused: {reason}", shortened(event)))
    };
    let other = |made: &Event| (Rule::Actor, format!("this actor's command makes {}", shortened(made)));
    let in_time = |due: Option<Deadline>| due.is_some_and(|due| due.at <= at);
    let Some(position) = actor.position() else {
        // The operator may end a game at any time.
        if matches!(event, Event::GameAbandoned { reason: AbandonReason::Ended, .. }) && !game.is_over() {
            return Ok(VecDeque::new());
        }
        let expired = matches!(event, Event::GameAbandoned { reason: AbandonReason::Expired, .. });
        if let Event::OpeningFailed(failed) = event {
            return match due {
                _ if failed.missing != game.closed_seeds() || !game.is_opening() => {
                    Err((Rule::Derived, format!("{} does not follow here", shortened(event))))
                }
                Some(Deadline { duty: TimedAction::Opening, .. }) if in_time(due) => Ok(VecDeque::new()),
                _ => Err((Rule::Time, "the time for opening seeds was not over".to_owned())),
            };
        }
        return match due {
            Some(Deadline { duty: TimedAction::Expiry, .. }) if expired && in_time(due) => {
                Ok(VecDeque::new())
            }
            _ if expired => Err((Rule::Time, "the game was not given up yet".to_owned())),
            _ => Err((Rule::Derived, format!("{} does not follow here", shortened(event)))),
        };
    };
    if let Some(command) = event.command() {
        if !game.may_act(actor) {
            return Err((Rule::Actor, "this actor cannot act there".to_owned()));
        }
        if actor.by() == Some(By::Clock) && !in_time(due) {
            return Err((Rule::Time, "the turn had not run out".to_owned()));
        }
        let made = lead(game, actor, &command).map_err(|reason| refused(&reason))?;
        // Once the seats are settled, actors have seats.
        let is_chair = game.table.position(position.number()) == position;
        return match made == *event && is_chair {
            true => Ok(aftermath(game, actor, event).into_iter().collect()),
            false => Err(other(&made)),
        };
    }
    if actor.by().is_some() {
        return Err((Rule::Actor, "only a player can give commands about the table".to_owned()));
    }
    if matches!(event, Event::HintTaken { .. }) {
        if !game.may_act(actor) {
            return Err((Rule::Actor, "this actor cannot act there".to_owned()));
        }
        return match take_hint(game, position).map_err(|reason| refused(&reason))? {
            Some(made) if made == *event => Ok(VecDeque::new()),
            Some(made) => Err(other(&made)),
            None => Err(refused(&"there was a hint before")),
        };
    }
    let place = match (position, event) {
        (Position::Place(place), _) => Some(place),
        (Position::Seat(_), Event::PlayerForfeited { .. }) => game.table.place_of(position),
        (Position::Seat(_), _) => None,
    };
    let place =
        place.ok_or_else(|| (Rule::Actor, "a seat cannot give commands about the table".to_owned()))?;
    let mut chance = RecordedChance::new(game.rules(), event, None);
    let (account, commands) =
        table_commands(game, place, event).ok_or_else(|| refused(&"no command can do this"))?;
    let mut refusal = None;
    for command in commands {
        match decide_table(game, &account, &command, &mut chance) {
            Ok(decided) => match &decided.events[..] {
                [first, rest @ ..] if first == event && decided.actor == actor => {
                    // A host who leaves hands the table on. Everything else follows from the state.
                    let handed_on = matches!(first, Event::PlayerLeft { .. });
                    let host_changed =
                        |event: &&Event| handed_on && matches!(event, Event::HostChanged { .. });
                    return Ok(rest.iter().filter(host_changed).cloned().collect());
                }
                [first, ..] if first.kind() == event.kind() => refusal = Some(other(first)),
                _ => refusal = refusal.or(Some(refused(&"the command does something else"))),
            },
            Err(reason) => refusal = refusal.or(Some(refused(&reason))),
        }
    }
    Err(refusal.unwrap_or_else(|| refused(&"no command can do this")))
}

/// The table commands that an event may record, and the account they come from.
fn table_commands(game: &Game, actor: Place, event: &Event) -> Option<(AccountId, Vec<TableCommand>)> {
    let own = || game.table.at(actor)?.player.account().cloned();
    let number = |place: &Place| place.index() as u8;
    Some(match event {
        Event::PlayerJoined { place, account } => {
            (account.clone(), vec![TableCommand::Join { place: Some(number(place)), commitment: None }])
        }
        Event::PlayerLeft { place, .. } => (own()?, vec![TableCommand::Leave { place: number(place) }]),
        Event::BotSeated { place, level } => {
            (own()?, vec![TableCommand::SeatBot { place: number(place), level: *level }])
        }
        Event::HostChanged { place, .. } => (own()?, vec![TableCommand::HandOver { place: number(place) }]),
        Event::PlayerForfeited { seat } => (own()?, vec![TableCommand::Leave { place: seat.index() as u8 }]),
        Event::SeedCommitted { place, commitment } if *place == actor => {
            (own()?, vec![TableCommand::CommitSeed { commitment: *commitment }])
        }
        Event::SeedOpened { place, client_seed } if *place == actor => {
            (own()?, vec![TableCommand::OpenSeed { client_seed: client_seed.clone() }])
        }
        Event::OpeningBegan {} | Event::GameStarted(_) => (own()?, vec![TableCommand::Start]),
        Event::GameAbandoned { reason: AbandonReason::Cancelled, .. } => {
            (own()?, vec![TableCommand::Cancel, TableCommand::Leave { place: number(&actor) }])
        }
        _ => return None,
    })
}

/// An event for a message: its JSON, shortened.
fn shortened(event: &Event) -> String {
    const LONGEST: usize = 300;
    let text = serde_json::to_string(event).unwrap_or_default();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
