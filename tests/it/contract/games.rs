//! Random games of every ruleset: every event, view, command and score sheet.

use estimation_engine::client_seed::ClientSeed;
use estimation_engine::command::{Command, Position};
use estimation_engine::event::{AbandonReason, Event, GameStarted, OpeningFailed};
use estimation_engine::game::Game;
use estimation_engine::hex::Hex;
use estimation_engine::legal::legal_commands;
use estimation_engine::player::{BotLevel, Player};
use estimation_engine::redact::{Viewer, VisibleHand, redact};
use estimation_engine::ruleset::{Revokes, Ruleset, RulesetId};
use estimation_engine::seat::{BySeat, Place};
use estimation_engine::sheet::sheet;
use estimation_engine::view::view;
use estimation_service::games::published_event::PublishedActor;
use estimation_test_support::{Table, account, random_variant};

use super::{GAME, HOST, NOON, Validators, components, published};
use crate::prelude::*;

#[test]
#[ignore = "all: plays whole games; the default plays shorter ones"]
fn every_event_view_and_sheet_of_random_games_matches_its_schema() {
    let mut seen = Seen::default();
    let mut random = Random(77);
    let revoking = Ruleset { revokes: Revokes::Penalise, ..Ruleset::preset(RulesetId::Nineteen) };
    let presets = RulesetId::ALL.into_iter().map(Ruleset::preset).chain([revoking]);
    let variants: Vec<Ruleset> = (0..20).map(|_| random_variant(&mut random)).collect();
    for (seed, rules) in presets.chain(variants).enumerate() {
        let mut table = Table::start(rules, seed as u64);
        while !table.game.is_over() {
            seen.look(&table.game);
            let mut steps = random.below(40);
            table.play_until(&mut random.clone(), |_| {
                steps = steps.saturating_sub(1);
                steps == 0
            });
            revoke(&mut table);
            random.number();
        }
        seen.look(&table.game);
        seen.lobbies(&table);
        seen.record(&table);
    }
    for event in rare_events() {
        seen.schemas.holds("Event", &published(redact(&event, Viewer::Stranger, true)));
        seen.kinds.insert(kind(&event));
    }
    assert_eq!(seen.kinds, names("EventKind"), "every kind of event");
    assert_eq!(seen.phases, names("PhaseKind"));
    assert!(seen.schemas.held > 10_000, "{}", seen.schemas.held);
}

fn names(schema: &str) -> BTreeSet<String> {
    components()[schema]["enum"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

#[derive(Default)]
struct Seen {
    schemas: Validators,
    kinds: BTreeSet<String>,
    phases: BTreeSet<String>,
}

impl Seen {
    fn look(&mut self, game: &Game) {
        let players = game.rules().players;
        let chairs = (0..players).map(|player| game.position_of(&account(player))).chain([None]);
        for chair in chairs {
            let body = game_view(game, chair);
            self.schemas.holds("GameView", &body);
            let legal = body["legal"].as_array().unwrap();
            assert_eq!(legal.is_empty(), chair.is_none() || chair != game.to_act());
            self.phases.extend(body["round"]["phase"].as_str().map(str::to_owned));
        }
        let seen = view(game, None);
        self.schemas.holds("ScoreSheet", &json!({
            "game": GAME, "version": 7, "status": seen.status, "totals": seen.scores.totals, "rounds": sheet(game),
            "penalties": seen.scores.penalties, "ranks": seen.scores.ranks,
        }));
    }

    fn lobbies(&mut self, table: &Table) {
        let events: Vec<Event> = table.record.iter().map(|(_, event)| event.clone()).collect();
        for joined in 1..=usize::from(table.game.rules().players) {
            self.look(&Game::replay(&events[..joined]).unwrap());
        }
    }

    /// Checks every event for each viewer, during the game and after it.
    fn record(&mut self, table: &Table) {
        for (index, (actor, event)) in table.record.iter().enumerate() {
            for (viewer, over) in viewers(&table.game) {
                self.schemas.holds("EventEnvelope", &published(json!({
                    "seq": index + 1, "at": NOON, "actor": PublishedActor::from(*actor), "hash": "ab".repeat(32),
                    "event": redact(event, viewer, over),
                })));
            }
            self.kinds.insert(kind(event));
        }
    }
}

/// Plays a revoke where the table accepts one and a player who has not revoked yet can.
fn revoke(table: &mut Table) {
    let Some(chair @ Position::Seat(seat)) = table.game.to_act() else { return };
    let legal = legal_commands(&table.game, chair);
    let round = view(&table.game, Some(chair)).round;
    let fouls = table.game.sheet.fouls.len();
    if table.game.rules().revokes != Revokes::Penalise
        || fouls > 2
        || !matches!(legal[0], Command::Play { .. })
    {
        return;
    }
    if let Some(VisibleHand::Cards(hand)) = round.map(|round| round.hands[seat])
        && let Some(card) = hand.iter().find(|&card| !legal.contains(&Command::Play { card }))
    {
        table.post(chair, Command::Play { card });
    }
}

fn viewers(game: &Game) -> impl Iterator<Item = (Viewer, bool)> + use<> {
    let seats: Vec<Viewer> = game.sheet.totals.iter().map(|(seat, _)| Viewer::Seat(seat)).collect();
    seats
        .into_iter()
        .map(|viewer| (viewer, false))
        .chain([(Viewer::Stranger, false), (Viewer::Stranger, true)])
}

fn kind(event: &Event) -> String {
    serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned()
}

/// The engine's view inside the fields that the rules do not know.
fn game_view(game: &Game, chair: Option<Position>) -> Value {
    let rules = game.rules();
    let seats: Vec<Value> = (0..rules.players)
        .map(|seat| match seat {
            0 => json!({"player": {"id": HOST, "name": "Umm", "kind": "human"}, "stand_in": false, "connected": true}),
            1 => json!({"player": {"id": null, "name": "Bot", "kind": "bot", "level": "easy"}, "stand_in": false, "connected": true}),
            _ => json!({"player": null, "stand_in": false, "connected": false}),
        })
        .collect();
    let mut body = published(view(game, chair));
    let fields = json!({
        "id": GAME, "version": 57, "head": {"seq": 57, "hash": "0f".repeat(32)},
        "ruleset": {
            "id": rules.id, "version": rules.version, "title": "Title", "options": rules.options(),
        },
        "direction": rules.direction, "host": {"id": HOST, "name": "Umm"}, "visibility": "public",
        "players": rules.players, "log_origin": "cards.example/log",
        "spectators": true, "talk": true, "turn_seconds": null, "created_at": NOON, "updated_at": NOON, "seats": seats,
    });
    let body_fields = body.as_object_mut().unwrap();
    body_fields.extend(fields.as_object().unwrap().clone());
    if chair.is_some() {
        body_fields.insert("join_code".to_owned(), json!("K7M2P9QX"));
        body_fields.insert("turn_seconds".to_owned(), json!(60));
    }
    body
}

/// Events that random play of four people without seeds does not produce.
fn rare_events() -> Vec<Event> {
    let seed = ClientSeed::new("0a".repeat(20)).unwrap();
    let place = Place::new(3);
    let seat = place.as_seat();
    let players = BySeat::from_fn(4, |seat| match seat.index() {
        0 => Player::Human { account: account(0) },
        1 => Player::Bot { level: BotLevel::Easy },
        2 => Player::Bot { level: BotLevel::Steady },
        _ => Player::Bot { level: BotLevel::Sharp },
    });
    let client_seeds = BySeat::from_fn(4, |seat| (seat.index() == 0).then(|| seed.clone()));
    vec![
        Event::PlayerJoined { place, account: account(3) },
        Event::SeedCommitted { place, commitment: Some(seed.commitment()) },
        Event::SeedCommitted { place, commitment: None },
        Event::OpeningBegan {},
        Event::SeedOpened { place, client_seed: seed },
        Event::OpeningFailed(Box::new(OpeningFailed { missing: vec![place], commitment: Hex([4; 32]) })),
        Event::PlayerLeft { place, account: Some(account(3)) },
        Event::PlayerLeft { place, account: None },
        Event::BotSeated { place, level: BotLevel::Steady },
        Event::TurnTimedOut { seat },
        Event::StandInBegan { seat },
        Event::StandInEnded { seat },
        Event::PlayerForfeited { seat },
        Event::HintTaken { seat },
        Event::HostChanged { place, account: account(3) },
        Event::GameStarted(Box::new(GameStarted { players, client_seeds })),
        Event::GameAbandoned { reason: AbandonReason::Cancelled, server_seed: Hex([3; 32]) },
    ]
}
