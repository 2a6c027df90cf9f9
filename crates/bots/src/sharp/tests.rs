//! Tests that sampled worlds fit the view, and that playouts play like `steady`.

use super::super::certain::sure_tricks;
use super::super::dice::Dice;
use super::super::lanes::{Lanes, NO_LANE, bits, playable};
use super::super::sight::Sight;
use super::super::steady;
use super::table::{ANY, Table};
use super::worlds::Worlds;
use super::{calls, cards};
use estimation_engine::card_set::CardSet;
use estimation_engine::chance::{Chance, Shuffles};
use estimation_engine::command::{Actor, Command, Position};
use estimation_engine::decide::decide;
use estimation_engine::event::{GameCreated, Visibility};
use estimation_engine::evolve::evolve;
use estimation_engine::game::{Game, Stage};
use estimation_engine::hex::Hex;
use estimation_engine::legal::legal_commands;
use estimation_engine::player::AccountId;
use estimation_engine::round::{Phase, Round};
use estimation_engine::ruleset::options::OptionValue;
use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_engine::seat::MAX_PLAYERS;
use estimation_engine::table::{TableCommand, decide_table};
use estimation_engine::view::view;

/// Shuffles with dice.
fn shuffler(mut dice: Dice) -> impl Chance {
    Shuffles(move |_, pack| {
        for i in (1..pack.len()).rev() {
            pack.swap(i, dice.below(i as u32 + 1) as usize);
        }
    })
}

/// Plays some rounds of a ruleset at random, and calls `look` for each position in which a seat must act.
fn each_position(rules: &Ruleset, seed: u64, mut look: impl FnMut(&Game, &Round)) {
    let account = |place: u8| AccountId::new(format!("place-{place}"));
    let mut chance = shuffler(Dice::numbered(seed));
    let mut dice = Dice::numbered(seed + 1);
    let mut game = Game::open(&GameCreated {
        ruleset: rules.clone(),
        host: account(0),
        visibility: Visibility::Private,
        spectators: false,
        turn_seconds: None,
        opening_seconds: 15,
        algorithm: "test".to_owned(),
        commitment: Hex([0; 32]),
    });
    let join = || TableCommand::Join { place: None, commitment: None };
    let joins = (1..rules.players).map(|place| (place, join()));
    for (place, command) in joins.chain([(0, TableCommand::Start)]) {
        let decided = decide_table(&game, &account(place), &command, &mut chance).unwrap();
        decided.events.iter().for_each(|event| evolve(&mut game, event));
    }
    for _ in 0..400 {
        let Some(position) = game.to_act() else { return };
        if let (Stage::Round(round), Position::Seat(_)) = (&game.stage, position) {
            look(&game, round);
        }
        let mut legal = legal_commands(&game, position);
        if legal.len() > 1 {
            legal.retain(|command| *command != Command::Redeal {});
        }
        let command = legal[dice.below(legal.len() as u32) as usize];
        let events = decide(&game, Actor::at(position), &command, &mut chance).unwrap();
        events.iter().for_each(|event| evolve(&mut game, event));
    }
}

/// The presets, `nineteen` for each number of players, and with jokers.
fn variants() -> Vec<Ruleset> {
    let jokers = |count| [("jokers".to_owned(), OptionValue::Number(count))].into();
    let nineteen = (2..=5).flat_map(|players| {
        (0..=2).map(move |count| Ruleset::agreed(RulesetId::Nineteen, Some(players), &jokers(count)).unwrap())
    });
    RulesetId::ALL.into_iter().map(Ruleset::preset).chain(nineteen).collect()
}

#[test]
fn sampled_worlds_fit_what_was_seen() {
    let (mut shown, mut avoided) = (0, 0);
    for (seed, rules) in variants().iter().enumerate() {
        let mut dice = Dice::numbered(9);
        each_position(rules, seed as u64, |game, round| {
            let view = view(game, game.to_act());
            let sight = Sight::of(&view).unwrap();
            let hands = Worlds::of(&sight).sample(&mut dice);
            let mut all = CardSet::EMPTY;
            for (seat, &hand) in hands.iter() {
                assert!(!all.meets(hand), "a card is in two hands");
                all = all | hand;
                assert_eq!(hand.len(), round.hands[seat].len());
                if seat == sight.seat {
                    assert_eq!(hand, sight.hand);
                    continue;
                }
                assert_eq!(hand & sight.unseen, hand, "a card that was seen");
                assert!(!hand.meets(sight.seen[seat].lacks), "a suit that was not followed");
                shown += usize::from(sight.seen[seat].lacks != CardSet::EMPTY);
                if round.avoided.contains(seat) {
                    let dealt = hand | sight.seen[seat].played;
                    assert!(dealt.lacks_a_suit(), "a hand that avoids lacks a suit");
                    avoided += 1;
                }
            }
        });
    }
    assert!(shown > 1_000 && avoided > 20, "{shown} hands had shown something, {avoided} had avoided");
}

#[test]
fn playouts_see_only_what_their_players_see() {
    let mut compared = 0;
    for (seed, rules) in variants().iter().enumerate() {
        each_position(rules, 50 + seed as u64, |game, round| {
            if !matches!(round.phase, Phase::Play(_)) {
                return;
            }
            let view = view(game, game.to_act());
            let sight = Sight::of(&view).unwrap();
            let spot = steady::spot(&sight).unwrap();
            let table = cards::dealt(&cards::start(&sight, &spot).unwrap(), &sight, &round.hands);
            assert_eq!(table.spot(), spot);
            compared += 1;
        });
    }
    assert!(compared > 2_000, "{compared}");
}

#[test]
fn every_call_worth_trying_can_be_imagined_to_its_end() {
    let (mut imagined, mut worth) = (0, std::collections::BTreeSet::new());
    for (seed, rules) in variants().iter().enumerate() {
        each_position(rules, 20 + seed as u64, |game, round| {
            if matches!(round.phase, Phase::Play(_)) {
                return;
            }
            let view = view(game, game.to_act());
            let sight = Sight::of(&view).unwrap();
            let simulation = calls::Simulation::of(&sight).unwrap();
            for call in calls::options(&view, &sight) {
                if call == (Command::Redeal {}) {
                    continue;
                }
                let end = simulation.play(simulation.dealt(round.hands.clone()), call);
                let end = end.unwrap_or_else(|| panic!("{call:?} leads nowhere: {view:?}"));
                worth.insert(end.to_bits());
                imagined += 1;
            }
        });
    }
    assert!(imagined > 1_000 && worth.len() > 50, "{imagined} calls, {} ends", worth.len());
}

#[test]
fn a_playout_plays_like_steady() {
    // From any card on, a playout in the true world plays like the engine with four `steady` bots.
    for id in RulesetId::ALL {
        let rules = Ruleset::preset(id);
        let mut checked = 0;
        each_position(&rules, 80, |game, round| {
            if checked >= 12 || !matches!(round.phase, Phase::Play(_)) {
                return;
            }
            checked += 1;
            let view_now = view(game, game.to_act());
            let sight = Sight::of(&view_now).unwrap();
            let spot = steady::spot(&sight).unwrap();
            let mut table = cards::dealt(&cards::start(&sight, &spot).unwrap(), &sight, &round.hands);
            table.finish(&sight.odds);
            let mut played = game.clone();
            let rounds = played.sheet.rounds.len();
            while let (Some(position), true) = (played.to_act(), played.sheet.rounds.len() == rounds) {
                let command = steady::choose(&view(&played, Some(position))).unwrap();
                let events =
                    decide(&played, Actor::at(position), &command, &mut shuffler(Dice::numbered(1))).unwrap();
                events.iter().for_each(|event| evolve(&mut played, event));
            }
            let estimation_engine::score::Course::Played { tricks, .. } = &played.sheet.rounds[rounds].course
            else {
                panic!("a round that was being played")
            };
            for (seat, &tricks) in tricks.iter() {
                assert_eq!(table.taken[seat.index()], tricks, "{id}, seat {seat}");
            }
        });
        assert_eq!(checked, 12);
    }
}

const PLAYERS: u8 = 3;

/// A table with all cards known: hands of four from a pack of sixteen, four of which are undealt.
fn small_deal(dice: &mut Dice, trump: u8) -> Table {
    let mut pack: Vec<u8> = (0..16).map(|card| 16 * (card / 4) + 9 + card % 4).collect();
    for i in (1..pack.len()).rev() {
        pack.swap(i, dice.below(i as u32 + 1) as usize);
    }
    let mut table = Table {
        players: PLAYERS,
        trump,
        hands: [0; MAX_PLAYERS],
        left: pack.iter().fold(0, |all, bit| all | 1 << bit),
        may: [ANY; MAX_PLAYERS],
        need: [0; MAX_PLAYERS],
        taken: [0; MAX_PLAYERS],
        turn: dice.below(PLAYERS.into()) as u8,
        trick_size: 0,
        trick: 0,
        led: NO_LANE,
        best: 0,
        winner: 0,
    };
    for (index, &bit) in pack.iter().take(4 * usize::from(PLAYERS)).enumerate() {
        table.hands[index % usize::from(PLAYERS)] |= 1 << bit;
    }
    table
}

/// The numbers of further tricks that player 0 takes in some play of the rest, as bits.
fn ends(table: &Table) -> u8 {
    let hand = table.hands[usize::from(table.turn)];
    if hand == 0 {
        return 1 << table.taken[0];
    }
    let play = |bit| {
        let mut next = *table;
        next.play(bit);
        ends(&next)
    };
    bits(playable(hand, table.led)).fold(0, |all, bit| all | play(bit))
}

/// The tricks that player 0 takes if it plays for them and all others against it.
fn least(table: &Table) -> u8 {
    let hand = table.hands[usize::from(table.turn)];
    if hand == 0 {
        return table.taken[0];
    }
    let ends = bits(playable(hand, table.led)).map(|bit| {
        let mut next = *table;
        next.play(bit);
        least(&next)
    });
    if table.turn == 0 { ends.max() } else { ends.min() }.unwrap()
}

#[test]
fn sure_tricks_are_taken_against_any_play() {
    let mut dice = Dice::numbered(4);
    let mut sure_ones = 0;
    for deal in 0..300_u32 {
        let table = small_deal(&mut dice, (deal % 5) as u8);
        let hand: Lanes = table.hands[0];
        let sure = sure_tricks(hand, table.left & !hand, table.trump, table.turn == 0);
        assert!(sure <= least(&table), "{sure} tricks: {table:?}");
        sure_ones += u32::from(sure > 0);
    }
    assert!(sure_ones > 80, "{sure_ones}");
}

#[test]
fn a_card_that_is_not_sound_misses_the_call_in_any_play() {
    let mut dice = Dice::numbered(5);
    let mut excluded = 0;
    for deal in 0..400_u32 {
        let mut table = small_deal(&mut dice, (deal % 5) as u8);
        let before = dice.below(10);
        for played in 0.. {
            let hand = table.hands[usize::from(table.turn)];
            if hand == 0 || (played >= before && table.turn == 0) {
                break;
            }
            let choices: Vec<u8> = bits(playable(hand, table.led)).collect();
            table.play(choices[dice.below(choices.len() as u32) as usize]);
        }
        let left = table.hands[0].count_ones() as i8;
        for need in 0..=left {
            table.need[0] = need;
            let spot = table.spot();
            let sound = spot.sound();
            assert_ne!(sound, 0);
            let leads_all = table.trick == 0 && need == left;
            for bit in bits(playable(spot.hand, spot.led) & !sound).filter(|_| !leads_all) {
                let mut next = table;
                next.play(bit);
                let made = 1_u8 << (table.taken[0] + need as u8);
                assert_eq!(ends(&next) & made, 0, "{bit} can still make {need}: {table:?}");
                excluded += 1;
            }
        }
    }
    assert!(excluded > 100, "{excluded}");
}
