//! Rounds that show the lines of a formula. Each round is played many times in memory, and the trial with the most
//! lines that the game has not shown yet is recorded.

use std::collections::BTreeSet;

use estimation_engine::card::{Card, Suit, Trump};
use estimation_engine::command::{Actor, Command, Position};
use estimation_engine::decide::decide;
use estimation_engine::event::{Event, RoundScored};
use estimation_engine::evolve::evolve;
use estimation_engine::game::{Game, Stage};
use estimation_engine::legal::legal_commands;
use estimation_engine::round::{CardPlay, Phase};
use estimation_engine::seat::Seat;
use estimation_engine::trick::Play;

use crate::play::SeededChance;
use crate::random::Random;

/// What the rounds of a game have shown so far.
#[derive(Default)]
pub(super) struct Shown(BTreeSet<String>);

/// How high the players of a trial call.
#[derive(Clone, Copy)]
enum Style {
    Low,
    High,
    Grand,
}

impl Shown {
    /// The commands of the best trial of the present round; none if no trial reached a score.
    pub(super) fn rehearsed(
        &mut self,
        game: &Game,
        random: &mut Random,
        trials: usize,
    ) -> Option<Vec<Command>> {
        let trials = (0..trials).filter_map(|_| trial(game, random));
        let trials = trials.map(|(commands, scored)| (commands, facts(&scored)));
        let new = |facts: &BTreeSet<String>| facts.difference(&self.0).count();
        let (commands, facts) = trials.max_by_key(|(_, facts)| new(facts))?;
        self.0.extend(facts);
        Some(commands)
    }
}

/// Plays the rest of a round. Returns none if the round is dealt again.
fn trial(game: &Game, random: &mut Random) -> Option<(Vec<Command>, Box<RoundScored>)> {
    let (mut game, mut chance) = (game.clone(), SeededChance(0));
    let style = match random.below(10) {
        0 | 1 => Style::Grand,
        2..=4 => Style::High,
        _ => Style::Low,
    };
    let mut commands = Vec::new();
    while let Some(position) = game.to_act() {
        let command = sensible(random, &game, position, style);
        commands.push(command);
        for event in decide(&game, Actor::at(position), &command, &mut chance).expect("a legal command") {
            evolve(&mut game, &event);
            match event {
                Event::RoundScored(scored) => return Some((commands, scored)),
                Event::RoundDealt(_) => return None,
                _ => {}
            }
        }
    }
    None
}

/// What a round shows: each line with the kind of the call and whether it was made, and the roles and factors.
fn facts(scored: &RoundScored) -> BTreeSet<String> {
    let scored = serde_json::to_value(scored).expect("JSON");
    let calls = scored["calls"].as_array().expect("calls");
    let total: u64 = calls.iter().filter_map(|call| call["tricks"].as_u64()).sum();
    let mut facts = BTreeSet::from([
        format!("multiplier {}", scored["multiplier"]),
        format!("carry {} after multiplier {}", scored["next_carry"], scored["multiplier"]),
        format!("{} Withs", scored["withs"].as_array().expect("withs").len()),
    ]);
    for (seat, call) in calls.iter().enumerate() {
        let made = call["tricks"] == scored["tricks"][seat];
        for line in scored["lines"][seat].as_array().expect("lines") {
            let (reason, kind) = (&line["reason"], &call["kind"]);
            facts.insert(format!("{reason} {kind} {made}"));
            facts.insert(format!("{reason} {made} {}", total > 13));
            facts.insert(format!("{reason} {made} {}", call["tricks"].as_u64() >= Some(8)));
        }
    }
    facts
}

fn sensible(random: &mut Random, game: &Game, position: Position, style: Style) -> Command {
    let mut commands = legal_commands(game, position);
    commands.retain(|command| !matches!(command, Command::Resume {} | Command::Redeal {}));
    let (Stage::Round(round), Position::Seat(seat)) = (&game.stage, position) else {
        return *random.pick(&commands);
    };
    if let Phase::Play(play) = &round.phase {
        return Command::Play { card: card(random, play, seat, &commands) };
    }
    let dash = |command: &&Command| matches!(command, Command::DashCall {} | Command::BlindDash {});
    if let Some(dash) = commands.iter().find(dash).filter(|_| random.once_in(4)) {
        return *dash;
    }
    let held = |trump: Trump| {
        Suit::ALL
            .into_iter()
            .find(|&suit| Trump::from(suit) == trump)
            .map_or(3, |suit| round.hands[seat].iter().filter(|card| card.suit() == Some(suit)).count())
    };
    let bids = commands.iter().filter(|command| match (command, style) {
        (Command::Bid { tricks, .. }, Style::Low) => *tricks < 8,
        (Command::Bid { tricks, .. }, Style::High) => (8..11).contains(tricks),
        (Command::Bid { tricks, .. }, Style::Grand) => *tricks == 13,
        _ => false,
    });
    let bids: Vec<Command> = bids.copied().collect();
    let best = bids.iter().copied().max_by_key(|command| match command {
        Command::Bid { tricks, trump } => (held(*trump), u8::MAX - tricks),
        _ => (0, 0),
    });
    let bid = best.map(|best| if random.once_in(3) { *random.pick(&bids) } else { best });
    let without = |command: &&Command| matches!(command, Command::Pass {} | Command::EnterAuction {});
    let without = commands.iter().copied().find(|command| without(&command));
    match (bid, without) {
        (Some(bid), Some(_)) if random.once_in(2) => bid,
        (Some(bid), None) => bid,
        (_, Some(without)) => without,
        _ => estimate(random, &commands, style),
    }
}

/// A low estimate mostly, sometimes one as high as possible or of eight and more.
fn estimate(random: &mut Random, commands: &[Command], style: Style) -> Command {
    let highest = match (style, random.below(6)) {
        (Style::Low, 0) | (_, 5) => 13,
        (Style::Low, _) => 4,
        (Style::High | Style::Grand, _) => 1,
    };
    let low = commands.iter().filter(|command| match command {
        Command::Estimate { tricks, .. } => *tricks <= highest,
        _ => true,
    });
    let low: Vec<Command> = low.copied().collect();
    match low.last() {
        Some(last) if highest == 13 && random.once_in(2) => *last,
        Some(_) => *random.pick(&low),
        None => commands[0],
    }
}

/// The highest card for a player who needs tricks, the highest card that does not win for others. Sometimes any card, but
/// not against a call of 13: this is made only if all others help.
fn card(random: &mut Random, play: &CardPlay, seat: Seat, commands: &[Command]) -> Card {
    let cards = commands.iter().filter_map(|command| match command {
        Command::Play { card } => Some(*card),
        _ => None,
    });
    let mut cards: Vec<Card> = cards.collect();
    let grand = play.calls.values().any(|call| call.tricks == 13);
    if !grand && random.once_in(9) {
        return *random.pick(&cards);
    }
    cards.sort_by_key(|card| (card.strength(), card.suit().map(Trump::from) == Some(play.trump)));
    let wins = |card: &Card| {
        let mut trick = play.trick.clone();
        trick.plays.push(Play { seat, card: *card });
        trick.winner(play.trump) == Some(seat)
    };
    let (lowest, highest) = (cards[0], cards[cards.len() - 1]);
    let leads = play.trick.plays.is_empty();
    let call = play.calls[seat].tricks;
    if play.taken[seat] < call && (!grand || call == 13) {
        let winning = cards.iter().rev().find(|card| wins(card));
        return if leads { highest } else { winning.copied().unwrap_or(lowest) };
    }
    let losing = cards.iter().rev().find(|card| !wins(card));
    if leads { lowest } else { losing.copied().unwrap_or(highest) }
}
