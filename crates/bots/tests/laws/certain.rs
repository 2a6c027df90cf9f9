//! No level misses a call for certain where another choice avoids it.

use std::collections::BTreeMap;

use estimation_bots::{Budget, Dice, Level, choose, timeout_move};
use estimation_engine::card::{Card, Trump};
use estimation_engine::card_set::CardSet;
use estimation_engine::command::{Command, Position};
use estimation_engine::game::{Game, PhaseKind};
use estimation_engine::redact::VisibleHand;
use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_engine::seat::Seat;
use estimation_engine::trick::{Play, Trick};
use estimation_engine::view::{RoundView, View, view};
use estimation_test_support::{Random, Table, every_variant, lively};

/// The choices that a law allows; none if it does not apply or allows nothing.
type Law = fn(&Turn<'_>) -> Option<Vec<Command>>;

const LAWS: [(&str, Law); 4] = [
    ("last to play, call made: do not win", spare_the_last),
    ("last to play, every trick needed: win", take_the_last),
    ("to lead, every trick needed: lead a sure winner", lead_a_sure_winner),
    ("call the sure tricks", call_the_sure_tricks),
];

const CHOOSERS: [&str; 4] = ["easy", "steady", "sharp", "clock"];

/// The turn of a seat, from its view.
struct Turn<'a> {
    view: &'a View,
    round: &'a RoundView,
    seat: Seat,
    hand: CardSet,
}

impl<'a> Turn<'a> {
    fn of(view: &'a View) -> Option<Turn<'a>> {
        let (Some(Position::Seat(seat)), Some(round)) = (view.you, &view.round) else { return None };
        let VisibleHand::Cards(hand) = *round.hands.get(seat)? else { return None };
        Some(Turn { view, round, seat, hand })
    }

    fn trump(&self) -> Trump {
        self.round.trump.unwrap()
    }

    /// The trick, and the tricks that the seat still needs; none outside the play.
    fn play(&self) -> Option<(&Trick, i32)> {
        let trick = self.round.trick.as_ref().filter(|_| self.round.phase == PhaseKind::Play)?;
        let taken = self.round.remembered.as_ref().map_or(0, |remembered| remembered.taken[self.seat]);
        Some((trick, i32::from(self.round.calls[self.seat]?.tricks) - i32::from(taken)))
    }

    fn last(&self, trick: &Trick) -> bool {
        trick.plays.len() + 1 == usize::from(self.view.rules.players)
    }

    fn needs_all(&self, need: i32) -> bool {
        need == i32::from(self.hand.len())
    }

    fn legal(&self, fits: impl Fn(&Command) -> bool) -> Option<Vec<Command>> {
        let legal: Vec<Command> = self.view.legal.iter().filter(|call| fits(call)).copied().collect();
        (!legal.is_empty()).then_some(legal)
    }

    fn wins(&self, trick: &Trick, command: &Command) -> bool {
        let Command::Play { card } = *command else { return false };
        let mut trick = trick.clone();
        trick.plays.push(Play { seat: self.seat, card });
        trick.winner(self.trump()) == Some(self.seat)
    }

    /// The cards that a seat may hold by what is public.
    fn possible(&self, seat: Seat) -> CardSet {
        let remembered = self.round.remembered.as_ref().unwrap();
        let played = remembered.seen.values().fold(self.hand, |gone, seen| gone | seen.played);
        let gone = self.round.indicator.map_or(played, |card| played.with(card));
        self.view.rules.deck() & !gone & !remembered.seen[seat].lacks
    }

    /// Whether no card that another player may hold beats this lead.
    fn is_sure(&self, lead: Card) -> bool {
        let others = (0..self.view.rules.players).map(Seat::new).filter(|&seat| seat != self.seat);
        others.flat_map(|seat| self.possible(seat).iter().map(move |card| Play { seat, card })).all(
            |answer| {
                let mut trick = Trick::led_by(self.seat);
                trick.plays.push(Play { seat: self.seat, card: lead });
                trick.plays.push(answer);
                trick.winner(self.trump()) == Some(self.seat)
            },
        )
    }

    /// The trumps in hand above all other trumps of the deck; under no trump, a joker.
    fn top_trumps(&self, trump: Trump) -> u8 {
        let out = self.view.rules.deck() & !self.hand;
        let out = self.round.indicator.map_or(out, |card| out.without(card));
        let is_trump = |card: &Card| card.suit_under(trump) == trump.suit();
        let highest = out.iter().filter(is_trump).map(Card::strength).max();
        let mine = self.hand.iter().filter(is_trump);
        mine.filter(|card| highest.is_none_or(|highest| card.strength() > highest)).count() as u8
    }
}

fn spare_the_last(turn: &Turn<'_>) -> Option<Vec<Command>> {
    let (trick, need) = turn.play()?;
    if need != 0 || !turn.last(trick) {
        return None;
    }
    turn.legal(|card| !turn.wins(trick, card))
}

fn take_the_last(turn: &Turn<'_>) -> Option<Vec<Command>> {
    let (trick, need) = turn.play()?;
    if !turn.needs_all(need) || !turn.last(trick) {
        return None;
    }
    turn.legal(|card| turn.wins(trick, card))
}

fn lead_a_sure_winner(turn: &Turn<'_>) -> Option<Vec<Command>> {
    let (trick, need) = turn.play()?;
    if !turn.needs_all(need) || !trick.plays.is_empty() {
        return None;
    }
    turn.legal(|card| matches!(*card, Command::Play { card } if turn.is_sure(card)))
}

/// Estimates and bids are not below the top trumps, and a hand with one under every trump declares no zero.
fn call_the_sure_tricks(turn: &Turn<'_>) -> Option<Vec<Command>> {
    let named = |trump: &Trump| *trump != Trump::NoTrump || turn.view.rules.no_trump_bids;
    let sure = |call: &Command| match *call {
        Command::Estimate { tricks, trump } => tricks >= turn.top_trumps(trump.unwrap_or(turn.trump())),
        Command::Bid { tricks, trump } => tricks >= turn.top_trumps(trump),
        Command::DashCall {} | Command::BlindDash {} => {
            Trump::ALL.iter().filter(|trump| named(trump)).any(|&trump| turn.top_trumps(trump) == 0)
        }
        Command::Pass {} | Command::EnterAuction {} => true,
        _ => false,
    };
    turn.legal(sure)
}

fn choices(view: &View, seed: u64) -> [Option<Command>; 4] {
    let level = |level| choose(view, level, &mut Dice::numbered(seed), Budget::Playouts(24));
    [level(Level::Easy), level(Level::Steady), level(Level::Sharp), timeout_move(view)]
}

/// Calls `look` at every turn of a round, at tables where the calls are random and half of the cards are.
fn each_turn(rules: Ruleset, seed: u64, rounds: usize, mut look: impl FnMut(&Turn<'_>)) {
    let mut table = Table::start(rules, seed);
    let mut random = Random(seed);
    let over = |game: &Game| game.sheet.rounds.len() >= rounds;
    while let Some(chair) = table.game.to_act().filter(|_| !over(&table.game)) {
        let seen = view(&table.game, Some(chair));
        if let Some(turn) = Turn::of(&seen) {
            look(&turn);
        }
        let steady = choose(&seen, Level::Steady, &mut Dice::numbered(seed), Budget::Playouts(0)).unwrap();
        let next = if random.once_in(2) { steady } else { lively(&mut random, &seen.legal) };
        table.post(chair, next);
    }
}

#[test]
#[ignore = "all: needs many games to be certain"]
fn no_choice_misses_a_call_for_certain() {
    let mut broken: BTreeMap<(RulesetId, &str, &str), (u32, u32)> = BTreeMap::new();
    let variants = every_variant();
    let tables = variants.iter().chain(variants.iter().filter(|rules| rules.id == RulesetId::Nineteen));
    for (seed, rules) in tables.enumerate() {
        let rounds = if rules.id == RulesetId::Nineteen { 19 } else { 12 };
        each_turn(rules.clone(), seed as u64, rounds, |turn| {
            for (name, law) in LAWS {
                let Some(allowed) = law(turn) else { continue };
                // A turn on which every choice is allowed shows nothing.
                if allowed.len() == turn.view.legal.len() {
                    continue;
                }
                for (chooser, choice) in CHOOSERS.into_iter().zip(choices(turn.view, seed as u64)) {
                    let (met, wrong) = broken.entry((rules.id, name, chooser)).or_default();
                    *met += 1;
                    *wrong += u32::from(!allowed.contains(&choice.unwrap()));
                }
            }
        });
    }
    if true {
        let mut sums: BTreeMap<(&str, &str), (u32, u32)> = BTreeMap::new();
        for ((id, n, c), (m, w)) in &broken {
            let e = sums.entry((n, c)).or_default();
            e.0 += m;
            e.1 += w;
            println!("{id} {n} {c}: {w} of {m}");
        }
        println!("{sums:#?}");
    }
    let wrong: Vec<_> = broken.iter().filter(|(_, (_, wrong))| *wrong > 0).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (name, _) in LAWS {
        for id in RulesetId::ALL {
            let (met, _) = broken.get(&(id, name, "steady")).copied().unwrap_or_default();
            assert!(met >= 20, "{id}: only {met} turns for \"{name}\"");
        }
    }
}
