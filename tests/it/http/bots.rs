//! Bots at tables: their names, and tables that one request opens, fills and starts.

use estimation_record::verify::SeedCounts;

use super::client_seeds::{commitment, seed, verified};
use crate::nodes::frames::Frames;
use crate::prelude::*;

const LEVELS: [&str; 3] = ["easy", "steady", "sharp"];

/// The names of the bots by level, from the seats of a view.
fn names(seats: &Value) -> [String; 3] {
    let seats = seats.as_array().expect("seats");
    LEVELS.map(|level| {
        let player = |seat: &Value| seat.get("player").unwrap_or(seat).clone();
        let bot = seats.iter().map(player).find(|player| player["level"] == level).expect("a bot");
        assert_eq!((&bot["kind"], &bot["id"]), (&json!("bot"), &Value::Null));
        bot["name"].as_str().expect("a name").to_owned()
    })
}

/// The names of the bots in views, streams and lists, which are the same.
async fn names_everywhere(table: &Table, language: &str) -> [String; 3] {
    let client = &table.players[0].client;
    let get = async |path: &str| client.get(path).header("accept-language", language).await.accepted();
    let found = names(&get(&table.game()).await["seats"]);
    assert_eq!(names(&get("/v1/games?mine=true").await["items"][0]["own"]["seats"]), found);
    let stream = client.unjudged(&table.stream()).header("accept-language", language);
    let mut frames = Frames::requested(stream, None).await.expect("an answer").expect("a stream");
    let turn = found_turn(&mut frames).await;
    assert_eq!(names(&turn["seats"]), found);
    found
}

/// The first turn with seats.
async fn found_turn(frames: &mut Frames) -> Value {
    loop {
        frames.next().await.expect("no break").expect("no end");
        if frames.turn["seats"].is_array() {
            return frames.turn.clone();
        }
    }
}

fn versus_bots(ruleset: &str, more: Value) -> Value {
    let mut wish = json!({"ruleset": ruleset, "visibility": "private", "bots": {"level": "steady"}});
    wish.as_object_mut().expect("members").extend(more.as_object().expect("members").clone());
    wish
}

async fn kinds(player: &Player, game: &str) -> Vec<String> {
    let page = player.client.get(&format!("/v1/games/{game}/events")).await.accepted();
    let items = page["items"].as_array().expect("events").iter();
    items.map(|event| event["event"]["type"].as_str().expect("a type").to_owned()).collect()
}

async fn games_of(player: &Player) -> usize {
    player.client.get("/v1/games?mine=true").await.accepted()["items"].as_array().expect("games").len()
}

on_sqlite_first! {
    /// They follow from the game and the place, also after the draw for seats, a restart, and on another node.
    async fn bots_keep_their_names(service: Service) {
        let table = service.table("plain").with("visibility", "private").open().await;
        for (place, level) in (1..).zip(LEVELS) {
            let path = table.path(&format!("seats/{place}/bot"));
            let wish = json!({"level": level}).to_string();
            table.players[0].client.request(Method::PUT, &path).raw(wish).await.accepted();
        }
        let english = names_everywhere(&table, "en").await;
        let arabic = names_everywhere(&table, "ar").await;
        let all: BTreeSet<_> = english.iter().chain(&arabic).collect();
        assert_eq!(all.len(), 6, "{english:?} {arabic:?}");
        assert!(arabic.iter().all(|name| name.chars().any(|sign| ('\u{600}'..='\u{6ff}').contains(&sign))));

        table.start().await.accepted();
        let drawn = found("the seats are drawn", async || {
            let view = table.view().await;
            if let Some(choice) = view["legal"].as_array().expect("commands").first() {
                table.seat(0).command(choice).await;
            }
            Some(view).filter(|view| view["you"]["seat"].is_number())
        });
        drawn.await;
        assert_eq!(names_everywhere(&table, "en").await, english);
        assert_eq!(names_everywhere(&table, "ar").await, arabic);

        let service = service.restart();
        let table = table.at(service.anonymous().base());
        assert_eq!(names_everywhere(&table, "en").await, english);
    }

    async fn one_request_opens_fills_and_starts_a_table(service: Service) {
        let noor = service.player("noor").await;
        let wish = versus_bots("squares", json!({}));
        let request = || noor.client.send("/v1/games", &wish).header("idempotency-key", "one");
        let view = request().await.accepted();
        assert_eq!((&view["status"], &view["host"]["name"]), (&json!("playing"), &json!("noor")));
        assert_eq!(view["seats"].as_array().expect("seats").iter().filter(|seat| seat["player"]["level"] == "steady").count(), 3);
        assert!(view["log"]["signature"].is_object(), "the public log promises the start");
        let id = view["id"].as_str().expect("an id");
        let expected = ["game_created", "bot_seated", "bot_seated", "bot_seated", "game_started", "round_dealt"];
        assert_eq!(kinds(&noor, id).await[..6], expected);

        let again = request().await;
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        let again = again.accepted();
        assert_eq!((&again["id"], &again["head"]), (&view["id"], &view["head"]));
        assert_eq!(games_of(&noor).await, 1);

        let table = Table { id: id.to_owned(), players: vec![noor.clone()] };
        assert_eq!(verified(&service, &table).await, SeedCounts { committed: 0, without: 1 });
    }

    async fn the_opening_of_the_hosts_seed_begins_with_the_table(service: Service) {
        let noor = service.player("noor").await;
        let own = seed("a");
        let wish = versus_bots("nineteen", json!({"players": 3, "seed_commitment": commitment(&own)}));
        let view = noor.client.send("/v1/games", &wish).await.accepted();
        assert_eq!(view["status"], "lobby");
        assert!(view["fairness"]["opening_until"].is_string());
        let id = view["id"].as_str().expect("an id");
        let expected = ["game_created", "seed_committed", "bot_seated", "bot_seated", "opening_began"];
        assert_eq!(kinds(&noor, id).await, expected);
        let path = format!("/v1/games/{id}/seed");
        let started = noor.client.send(&path, &json!({"client_seed": own})).await.accepted();
        assert_eq!(started["status"], "playing");
    }

    async fn a_table_with_bots_that_is_refused_leaves_nothing(service: Service) {
        let noor = service.player("noor").await;
        for more in [json!({"bots": {"level": "strong"}}), json!({"bots": {}}), json!({"bots": {"level": "easy", "name": "Zoe"}})] {
            let answer = noor.client.send("/v1/games", &versus_bots("squares", more)).await;
            assert_eq!(answer.status, 422, "{answer}");
        }
        assert_eq!(games_of(&noor).await, 0);
    }

    /// A table that waits for its host's seed counts as a table in the lobby; a started game does not.
    async fn a_started_game_is_no_table_in_the_lobby(database: TestDatabase) {
        let service = Service::told(database, Setup { tables_per_host: Some(1), ..Setup::default() });
        let noor = service.player("noor").await;
        let open = async |more: Value| noor.client.send("/v1/games", &versus_bots("plain", more)).await;
        open(json!({"seed_commitment": commitment(&seed("b"))})).await.accepted();
        open(json!({"seed_commitment": commitment(&seed("c"))})).await.refused(409, "too-many-tables");
        for _ in 0..2 {
            open(json!({})).await.accepted();
        }
    }

    async fn an_invitation_shows_the_table(service: Service) {
        let table = service.table("nineteen").players(3).with("visibility", "private").with("turn_seconds", 30).open().await;
        let level = json!({"level": "easy"}).to_string();
        table.players[0].client.request(Method::PUT, &table.path("seats/2/bot")).raw(level).await.accepted();
        let view = table.view().await;
        let code = view["join_code"].as_str().expect("a code").to_owned();
        let nobody = service.anonymous();
        let look = async |code: &str| nobody.get(&format!("/v1/join/{code}")).await;

        let answer = look(&code.to_lowercase()).await;
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let seen = answer.accepted();
        for member in ["ruleset", "host", "turn_seconds", "seats"] {
            assert_eq!(seen[member], view[member], "{member}");
        }
        assert_eq!(seen["seats"][1]["player"], Value::Null);
        assert_eq!(seen.as_object().expect("members").len(), 4);

        let wrong = if code.starts_with('A') { "BBBBBBBB" } else { "AAAAAAAA" };
        let omar = service.player("omar").await;
        let both = async |code: &str, status: u16, problem: &str| {
            let join = omar.client.send(&format!("/v1/join/{code}"), &json!({})).await.refused(status, problem);
            let seen = look(code).await.refused(status, problem);
            for member in ["what", "game_status", "title", "detail"] {
                assert_eq!(seen[member], join[member], "{member}");
            }
        };
        for code in [wrong, "AAAA", "AAAAAAA0", "AAAAAAAAA"] {
            both(code, 404, "not-found").await;
        }
        omar.client.send(&format!("/v1/join/{code}"), &json!({})).await.accepted();
        let seen = look(&code).await.accepted();
        assert_eq!(seen["seats"][1]["player"]["name"], "omar");
        table.start().await.accepted();
        let lina = service.player("lina").await;
        let join = lina.client.send(&format!("/v1/join/{code}"), &json!({})).await.refused(409, "game-not-in-lobby");
        assert_eq!(look(&code).await.refused(409, "game-not-in-lobby")["game_status"], join["game_status"]);
    }
}
