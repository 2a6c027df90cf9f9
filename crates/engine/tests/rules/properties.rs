//! Property tests on random reachable states of all rulesets with random options.

use estimation_engine::consequence::consequence;
use estimation_engine::decide::{check, decide};
use estimation_engine::event::RoundDealt;
use estimation_engine::legal::legal;
use estimation_engine::redact::{Viewer, redact};
use estimation_engine::ruleset::Revokes;
use estimation_engine::score::Course;
use estimation_test_support::unseen::redealt;
use estimation_test_support::{SeededChance, random_variant};
use proptest::prelude::*;

use crate::prelude::*;

/// A state reached by random play: a table with random options, and this many commands.
#[derive(Clone, Copy, Debug)]
struct Reached {
    options: u64,
    play: u64,
    commands: usize,
}

fn reached() -> impl Strategy<Value = Reached> {
    (any::<u64>(), any::<u64>(), prop_oneof![4 => 0..300_usize, 1 => 300..1500_usize])
        .prop_map(|(options, play, commands)| Reached { options, play, commands })
}

impl Reached {
    fn table(self) -> Table {
        let mut table = Table::start(random_variant(&mut Random(self.options)), self.play);
        let mut left = self.commands;
        table.play_until(&mut Random(self.play), |_| {
            left = left.saturating_sub(1);
            left == 0
        });
        table
    }
}

/// Every command, and some numbers that no command may have.
fn every_command() -> Vec<Command> {
    let mut commands = vec![
        Command::Redeal {},
        Command::Avoid {},
        Command::EnterAuction {},
        Command::BlindDash {},
        Command::Pass {},
        Command::DashCall {},
    ];
    commands.extend((0..5).map(|seat| Command::ChooseSeat { seat: Seat::new(seat) }));
    commands.extend((0..=255).map(|position| Command::Cut { position }));
    for tricks in (0..=15).chain([255]) {
        commands.push(Command::Estimate { tricks, trump: None });
        for trump in Trump::ALL {
            commands.push(Command::Bid { tricks, trump });
            commands.push(Command::Estimate { tricks, trump: Some(trump) });
        }
    }
    commands.extend(CardSet::FULL.iter().map(|card| Command::Play { card }));
    commands
}

fn every_chair() -> Vec<Position> {
    let seats = (0..5).map(|seat| Position::Seat(Seat::new(seat)));
    seats.chain((0..5).map(|place| Position::Place(Place::new(place)))).collect()
}

/// The one exception to "listed = accepted": a held card that breaks C2 (`nineteen` R10).
fn is_penalised(game: &Game, chair: Position, command: Command) -> bool {
    match (&game.stage, chair, command) {
        (Stage::Round(round), Position::Seat(seat), Command::Play { card }) => {
            game.rules().revokes == Revokes::Penalise
                && matches!(round.phase, Phase::Play(_))
                && game.to_act() == Some(chair)
                && round.hands[seat].contains(card)
        }
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn listed_is_accepted_and_accepted_is_listed(reached in reached()) {
        let table = reached.table();
        let commands = every_command();
        for chair in every_chair() {
            let set = legal(&table.game, chair);
            let listed = legal_commands(&table.game, chair);
            for (index, command) in listed.iter().enumerate() {
                prop_assert!(commands.contains(command), "{command:?} is no command");
                prop_assert!(!listed[..index].contains(command), "{command:?} is listed twice");
            }
            prop_assert_eq!(listed.is_empty(), table.game.to_act() != Some(chair));
            for &command in &commands {
                let decided = decide(&table.game, Actor::at(chair), &command, &mut SeededChance(reached.play));
                let is_listed = listed.contains(&command);
                prop_assert_eq!(set.contains(&command), is_listed, "{:?} by {:?}", command, chair);
                let checked = check(&table.game, chair, &command);
                prop_assert_eq!(checked.is_ok(), is_listed, "{:?} by {:?}: {:?}", command, chair, checked);
                let accepted = is_listed || is_penalised(&table.game, chair, command);
                prop_assert_eq!(decided.is_ok(), accepted, "{:?} by {:?}: {:?}", command, chair, decided);
                if let (Err(refused), Err(reason)) = (&decided, &checked) {
                    let is_seated = table.game.table.place_of(chair).is_some();
                    prop_assert!(!is_seated || refused == reason, "{:?} by {:?}", command, chair);
                }
                if let Ok(events) = decided {
                    let mut game = table.game.clone();
                    events.iter().for_each(|event| evolve(&mut game, event));
                    prop_assert!(game.to_act().is_some() || game.is_over(), "stuck after {:?}", command);
                }
            }
        }
    }

    #[test]
    fn the_events_of_a_command_are_those_that_follow_from_the_states(reached in reached()) {
        let table = reached.table();
        let Some(chair) = table.game.to_act() else { return Ok(()) };
        for command in every_command() {
            let decided = decide(&table.game, Actor::at(chair), &command, &mut SeededChance(reached.play));
            let Ok(events) = decided else { continue };
            let (mut after, mut chance) = (table.game.clone(), SeededChance(reached.play));
            let mut following = vec![events[0].clone()];
            evolve(&mut after, &events[0]);
            while let Some(event) = consequence(&after, &mut chance) {
                evolve(&mut after, &event);
                following.push(event);
            }
            prop_assert_eq!(events.iter().collect::<Vec<_>>(), following.iter().collect::<Vec<_>>(), "{:?}", command);
        }
    }

    #[test]
    fn replaying_the_events_gives_the_state(reached in reached()) {
        let table = reached.table();
        prop_assert_eq!(Game::replay(&table.events()), Some(table.game));
    }

    #[test]
    fn events_commands_and_state_survive_json(reached in reached()) {
        let table = reached.table();
        for (actor, event) in &table.record {
            let text = serde_json::to_string(event).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Event>(&text).unwrap(), event);
            let text = serde_json::to_string(actor).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Actor>(&text).unwrap(), actor);
        }
        let text = serde_json::to_string(&table.game).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Game>(&text).unwrap(), &table.game);
        if let Some(chair) = table.game.to_act() {
            for command in legal_commands(&table.game, chair) {
                let text = serde_json::to_string(&command).unwrap();
                prop_assert_eq!(serde_json::from_str::<Command>(&text).unwrap(), command);
            }
        }
    }

    #[test]
    fn cards_are_conserved(reached in reached()) {
        let table = reached.table();
        let rules = table.game.rules();
        let mut left: Option<(&RoundDealt, CardSet)> = None;
        for (_, event) in &table.record {
            match event {
                Event::RoundDealt(dealt) => {
                    let mut seen: CardSet = dealt.indicator.into_iter().collect();
                    for hand in dealt.hands.values() {
                        prop_assert!(!seen.meets(*hand), "a card was dealt twice");
                        prop_assert_eq!(hand.len(), rules.hand_size(dealt.round));
                        seen = seen | *hand;
                    }
                    prop_assert_eq!(seen & rules.deck(), seen, "a card that is not in play");
                    left = Some((dealt, dealt.hands.values().fold(CardSet::EMPTY, |all, &hand| all | hand)));
                }
                Event::CardPlayed { seat, card } => {
                    let (dealt, cards) = left.unwrap();
                    prop_assert!(cards.contains(*card), "{card} was played twice");
                    prop_assert!(dealt.hands[*seat].contains(*card));
                    left = Some((dealt, cards.without(*card)));
                }
                _ => {}
            }
        }
        if let Stage::Round(round) = &table.game.stage {
            let held = round.hands.values().fold(CardSet::EMPTY, |all, &hand| all | hand);
            let cards: u8 = round.hands.values().map(|hand| hand.len()).sum();
            prop_assert_eq!(held.len(), cards, "a card is held twice");
            prop_assert_eq!(Some(held), left.map(|(_, cards)| cards));
        }
    }

    #[test]
    fn tricks_add_up(reached in reached()) {
        let table = reached.table();
        let rules = table.game.rules();
        for result in &table.game.sheet.rounds {
            if let Course::Played { tricks, .. } = &result.course {
                prop_assert_eq!(tricks.values().sum::<u8>(), rules.hand_size(result.round));
            }
        }
        if let Stage::Round(round) = &table.game.stage && let Phase::Play(play) = &round.phase {
            let taken: u8 = play.taken.values().sum();
            let held: u8 = round.hands.values().map(|hand| hand.len()).sum();
            let on_the_table = play.trick.plays.len() as u8;
            prop_assert_eq!(taken * rules.players + on_the_table + held, round.hand_size * rules.players);
        }
    }

    #[test]
    fn a_scrambled_record_causes_no_panic(reached in reached(), scrambling in any::<u64>()) {
        let table = reached.table();
        let mut events = table.events();
        let mut random = Random(scrambling);
        for _ in 0..1 + random.below(20) {
            let (one, other) = (random.below(events.len()), random.below(events.len()));
            match random.below(3) {
                0 => events.swap(one, other),
                1 => events[one] = events[other].clone(),
                _ => events.truncate(1 + one.max(events.len() / 2)),
            }
        }
        let mut game = table.game.clone();
        for event in &events {
            evolve(&mut game, event);
            for chair in every_chair() {
                let command = legal(&game, chair).nth(0).unwrap_or(Command::Pass {});
                let _ = decide(&game, Actor::at(chair), &command, &mut SeededChance(0));
            }
            let _ = view(&game, game.to_act());
        }
    }

    #[test]
    fn views_hide_all_secret_cards(reached in reached()) {
        let table = reached.table();
        for viewer in viewers(&table.game) {
            let (seen, redealt) = before_and_after_a_redeal(&table, viewer, reached.play, shown_text);
            prop_assert_eq!(seen, redealt, "{:?}", viewer);
        }
    }
}

fn viewers(game: &Game) -> Vec<Viewer> {
    let seats = (0..game.rules().players).map(|seat| Viewer::Seat(Seat::new(seat)));
    seats.chain([Viewer::Stranger]).collect()
}

fn shown_text(game: &Game, record: &[Event], viewer: Viewer) -> String {
    let chair = match viewer {
        Viewer::Seat(seat) => Some(Position::Seat(seat)),
        Viewer::Stranger => None,
    };
    let view = view(game, chair);
    let mut shown = serde_json::to_string(&view).unwrap();
    // The fields for bots that clients do not get.
    shown += &format!("{:?} {:?}", view.rules, view.round.map(|round| round.remembered));
    for event in record {
        shown += &serde_json::to_string(&redact(event, viewer, game.is_over())).unwrap();
    }
    for command in every_command() {
        let Some(chair) = chair else { continue };
        if let Err(refused) = decide(game, Actor::at(chair), &command, &mut SeededChance(0)) {
            shown += &format!("{refused:?}");
        }
        shown += &format!("{:?}", check(game, chair, &command));
    }
    shown
}

/// What a viewer sees before and after all hidden cards are dealt again. After the end nothing is hidden, so
/// both are the same.
fn before_and_after_a_redeal(
    table: &Table,
    viewer: Viewer,
    seed: u64,
    show: impl Fn(&Game, &[Event], Viewer) -> String,
) -> (String, String) {
    let record = table.events();
    let shown = show(&table.game, &record, viewer);
    if table.game.is_over() {
        return (shown.clone(), shown);
    }
    let altered = redealt(&table.game, &record, viewer, &mut Random(seed));
    let game = Game::replay(&altered).expect("a first event");
    (shown, show(&game, &altered, viewer))
}

/// Whether the redeal notices the text that `leak` adds to a view, in an early round of some ruleset.
fn is_noticed(leak: impl Fn(&Game, &[Event], Viewer) -> String) -> bool {
    (0..40).any(|seed| {
        let table = Reached { options: seed, play: seed, commands: 30 }.table();
        viewers(&table.game).into_iter().any(|viewer| {
            let (seen, redealt) = before_and_after_a_redeal(&table, viewer, seed, &leak);
            seen != redealt
        })
    })
}

#[test]
fn the_redeal_would_notice_a_leak() {
    let round = |game: &Game| match &game.stage {
        Stage::Round(round) => Some(round.clone()),
        _ => None,
    };
    // The commands of the player to move.
    assert!(is_noticed(|game, _, _| {
        format!("{:?}", game.to_act().map(|chair| legal_commands(game, chair)))
    }));
    // The number of trumps, or spades, in a hand.
    assert!(is_noticed(|game, _, _| {
        let spades = CardSet::of_suit(estimation_engine::card::Suit::Spades);
        format!("{:?}", round(game).map(|round| (round.hands[Seat::new(1)] & spades).len()))
    }));
    assert!(is_noticed(|_, record, _| {
        record
            .iter()
            .map(|event| serde_json::to_string(event).unwrap())
            .filter(|text| text.contains("salt"))
            .collect()
    }));
    assert!(is_noticed(|game, _, _| {
        let highest: Option<Card> = round(game).and_then(|round| round.hands[Seat::new(0)].iter().last());
        format!("{highest:?}")
    }));
    // Public data is not noticed.
    assert!(!is_noticed(|game, _, _| {
        format!("{:?}", round(game).map(|round| round.hands.map(|_, hand| hand.len())))
    }));
}
