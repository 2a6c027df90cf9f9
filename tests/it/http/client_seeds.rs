//! Client seeds: commitments, the opening before the start, and what nobody learns before all are fixed.

use estimation_engine::client_seed::ClientSeed;
use estimation_record::fairness::ServerSeed;
use estimation_record::verify::{Audit, SeedCounts, Trust, read};
use estimation_test_support::second::{Findings, audited_again};

use crate::prelude::*;

pub fn seed(letter: &str) -> String {
    letter.repeat(32)
}

pub fn commitment(seed: &str) -> String {
    ClientSeed::new(seed).expect("a client seed").commitment().to_string()
}

pub fn commit(table: &Table, player: usize, seed: &str) -> Request {
    let body = json!({"commitment": commitment(seed)});
    table.players[player].client.send(&table.path("seed-commitment"), &body)
}

fn go_without(table: &Table, player: usize) -> Request {
    table.players[player].client.send(&table.path("seed-commitment"), &json!({"commitment": null}))
}

pub fn open(table: &Table, player: usize, seed: &str) -> Request {
    table.players[player].client.send(&table.path("seed"), &json!({"client_seed": seed}))
}

fn kinds(log: &[Value]) -> Vec<&str> {
    log.iter().filter_map(|event| event["event"]["type"].as_str()).collect()
}

pub async fn until(table: &Table, what: &str, said: impl Fn(&Value) -> bool) -> Value {
    found(what, async || Some(table.view().await).filter(&said)).await
}

/// Ends the game, and verifies its history with both verifiers.
pub async fn verified(service: &Service, table: &Table) -> SeedCounts {
    for (place, player) in table.players.iter().enumerate() {
        player.client.delete(&table.path(&format!("seats/{place}"))).await.accepted();
    }
    let keys = service.anonymous().get("/.well-known/jwks.json").await.body;
    let mut trust = Trust::default();
    trust.add_jwks(&keys).expect("keys");
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(&file, keys).expect("keys");
    let history = found("the end is signed", async || {
        let history = table.players[0].client.get(&table.path("history")).await.body;
        Some(history).filter(|history| !history.contains("\"signature\":null"))
    });
    let history = history.await;
    let mut audit = Audit::new(&trust);
    read(history.as_bytes(), &mut audit);
    let report = audit.finish();
    assert!(report.is_well(), "{report:?}");
    let path = file.path().to_str().expect("UTF-8");
    assert_eq!(audited_again([history], &["--jwks", path]), [Findings::new()]);
    report.client_seeds
}

/// Everything that a player can read about the game.
async fn all_that_is_seen(table: &Table, player: &Player) -> String {
    let mut seen = String::new();
    for path in [table.game(), table.path("events"), "/v1/games".to_owned(), table.path("scores")] {
        seen += &player.client.get(&path).await.body;
    }
    seen
}

/// The names of request bodies with a member of this name.
fn requests_with(member: &str) -> Vec<String> {
    let document = estimation::http::openapi().expect("the document");
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    let has = |(name, schema): (&String, &Value)| {
        (name.ends_with("Request") && schema["properties"][member].is_object()).then(|| name.clone())
    };
    schemas.iter().filter_map(has).collect()
}

/// The server learns the seeds of players in openings alone, when it has committed to its own.
#[test]
fn one_request_takes_a_client_seed() {
    assert_eq!(requests_with("client_seed"), ["OpenSeedRequest"]);
}

on_both! {
    /// A seed that stays closed, a player who leaves after a seed was opened, and one who leaves before.
    async fn the_third_failed_opening_ends_the_table(service: Service) {
        let table = service.table("nineteen").players(2).full().await;
        let begin = async |letters: [&str; 2]| {
            for (player, letter) in letters.iter().enumerate() {
                commit(&table, player, &seed(letter)).await.accepted();
            }
            table.start().await.accepted();
        };
        begin(["a", "b"]).await;
        service.wait(16);
        until(&table, "the opening fails", |view| view["fairness"]["opening_until"].is_null()).await;
        begin(["c", "d"]).await;
        open(&table, 0, &seed("c")).await.accepted();
        table.players[1].client.delete(&table.path("seats/1")).await.accepted();
        let log = table.seat(0).log().await;
        assert_eq!(log.last().expect("an event")["event"]["missing"], json!([1]), "leaving counts as missed");
        table.seat(1).sit_down(&json!({})).await.accepted();
        begin(["e", "f"]).await;
        table.players[1].client.delete(&table.path("seats/1")).await.accepted();
        let log = table.seat(0).log().await;
        assert!(kinds(&log).ends_with(&["player_left", "opening_failed", "game_abandoned"]), "{:?}", kinds(&log));
        assert_eq!(log[log.len() - 2]["event"]["missing"], json!([]));
        let view = table.view().await;
        assert_eq!(view["status"], "abandoned");
        assert_eq!(log.last().expect("an event")["event"]["reason"], "openings_failed");
    }
}

on_sqlite_first! {
    /// The last player to choose a seed would know every public one, and could try seeds until the deal is convenient. A
    /// commitment shows nothing until no seed can be chosen any more.
    async fn nobody_chooses_a_seed_by_another_players_seed(service: Service) {
        let (noor, omar) = (seed("a"), seed("b"));
        let table = service.table("nineteen").players(3).with("seed_commitment", commitment(&noor)).full().await;
        commit(&table, 1, &omar).await.accepted();
        let seen = all_that_is_seen(&table, &table.players[2]).await;
        for own in [&noor, &omar] {
            assert!(!seen.contains(own) && seen.contains(&commitment(own)));
        }

        let view = table.start().await.accepted();
        assert_eq!((&view["status"], &view["fairness"]["seed_commitments"][0]["status"]), (&json!("lobby"), &json!("committed")));
        assert!(view["fairness"]["opening_until"].is_string());
        let auditor = service.with_role("salma", "auditor").await;
        let history = auditor.get(&table.path("history")).await.body;
        assert!(history.contains("seed_committed") && !history.contains(&noor), "{history}");
        let last = table.refuses(commit(&table, 2, &seed("c")), 409, "seeds-opening").await;
        assert_eq!(last["places"], json!([0, 1]));

        let view = open(&table, 1, &omar).await.accepted();
        assert_eq!(view["fairness"]["client_seeds"], json!([{"place": 1, "client_seed": omar}]));
        table.refuses(commit(&table, 2, &seed("c")), 409, "seeds-opening").await;
        let view = open(&table, 0, &noor).await.accepted();
        assert_eq!(view["status"], "playing");
        let known = json!([{"place": 0, "client_seed": noor}, {"place": 1, "client_seed": omar}]);
        assert_eq!(view["fairness"]["client_seeds"], known);
        assert_eq!(verified(&service, &table).await, SeedCounts { committed: 2, without: 1 });
    }

    async fn a_game_does_not_start_while_a_seed_is_closed(service: Service) {
        let table = service.table("nineteen").players(2).full().await;
        let before = table.view().await["fairness"]["commitment"].clone();
        commit(&table, 0, &seed("a")).await.accepted();
        commit(&table, 1, &seed("b")).await.accepted();
        table.start().await.accepted();
        open(&table, 0, &seed("a")).await.accepted();
        service.wait(14);
        assert_eq!(table.view().await["fairness"]["opening_until"].as_str().map(str::len), Some(24));
        service.wait(2);
        let view = until(&table, "the opening fails", |view| view["fairness"]["opening_until"].is_null()).await;
        assert_eq!(view["status"], "lobby");
        assert_eq!(view["fairness"]["client_seeds"], json!([]));
        let void = json!([
            {"place": 0, "status": "void", "commitment": null},
            {"place": 1, "status": "missing", "commitment": null},
        ]);
        assert_eq!(view["fairness"]["seed_commitments"], void);
        assert_ne!(view["fairness"]["commitment"], before, "the server commits to another seed");
        let log = table.seat(0).log().await;
        let failed = log.iter().find(|event| event["event"]["type"] == "opening_failed").expect("an event");
        assert_eq!((&failed["event"]["missing"], &failed["actor"]), (&json!([1]), &json!({"kind": "server"})));
        assert!(!kinds(&log).contains(&"game_started"));

        let refused = table.refuses(table.players[0].client.post(&table.path("start")), 409, "seeds-void").await;
        assert_eq!(refused["places"], json!([0, 1]));
        commit(&table, 0, &seed("c")).await.accepted();
        go_without(&table, 1).await.accepted();
        table.start().await.accepted();
        assert_eq!(open(&table, 0, &seed("c")).await.accepted()["status"], "playing");
        assert_eq!(verified(&service, &table).await, SeedCounts { committed: 1, without: 1 });
    }

    async fn only_the_seed_of_the_commitment_opens_it(service: Service) {
        let table = service.table("nineteen").players(3).full().await;
        let stranger = service.player("stranger").await;
        table.refuses(open(&table, 0, &seed("a")), 409, "no-seed-to-open").await;
        commit(&table, 0, &seed("a")).await.accepted();
        commit(&table, 1, &seed("b")).await.accepted();
        table.refuses(open(&table, 0, &seed("a")), 409, "no-seed-to-open").await;
        table.start().await.accepted();
        let wrong = table.refuses(open(&table, 0, &seed("b")), 422, "seed-does-not-match").await;
        assert_eq!(wrong["commitment"], commitment(&seed("a")));
        table.refuses(open(&table, 2, &seed("a")), 409, "no-seed-to-open").await;
        let foreign = stranger.client.send(&table.path("seed"), &json!({"client_seed": seed("a")}));
        table.refuses(foreign, 403, "not-seated").await;
        for body in [json!({"client_seed": null}), json!({"client_seed": "A".repeat(32)}), json!({})] {
            let faulty = table.players[0].client.send(&table.path("seed"), &body);
            table.refuses(faulty, 422, "invalid-body").await;
        }
        for body in [json!({"commitment": "a".repeat(63)}), json!({"commitment": 1}), json!({})] {
            let faulty = table.players[0].client.send(&table.path("seed-commitment"), &body);
            table.refuses(faulty, 422, "invalid-body").await;
        }
        open(&table, 0, &seed("a")).await.accepted();
        table.refuses(open(&table, 0, &seed("a")), 409, "no-seed-to-open").await;
        // Nothing but the opening, leaving and cancelling is possible now.
        let host = &table.players[0].client;
        table.refuses(host.post(&table.path("start")), 409, "seeds-opening").await;
        table.refuses(host.delete(&table.path("seats/1")), 409, "seeds-opening").await;
        open(&table, 1, &seed("b")).await.accepted();
    }

    async fn a_player_who_leaves_ends_the_opening(service: Service) {
        let mut table = service.table("nineteen").players(2).full().await;
        commit(&table, 0, &seed("a")).await.accepted();
        commit(&table, 1, &seed("b")).await.accepted();
        table.start().await.accepted();
        open(&table, 1, &seed("b")).await.accepted();
        table.players[0].client.delete(&table.path("seats/0")).await.accepted();
        let log = table.seat(1).log().await;
        assert!(kinds(&log).ends_with(&["player_left", "host_changed", "opening_failed"]), "{:?}", kinds(&log));
        table.players.swap(0, 1);
        let view = table.view().await;
        let void = json!([{"place": 1, "status": "void", "commitment": null}]);
        assert_eq!(view["fairness"]["seed_commitments"], void);
        let lina = service.player("lina").await;
        let join = json!({"seed_commitment": commitment(&seed("d"))});
        lina.client.send(&table.path("seats"), &join).await.accepted();
        commit(&table, 0, &seed("c")).await.accepted();
        let mut table = Table { players: vec![lina, table.players[0].clone()], ..table };
        table.players[1].client.post(&table.path("start")).await.accepted();
        open(&table, 0, &seed("d")).await.accepted();
        assert_eq!(open(&table, 1, &seed("c")).await.accepted()["status"], "playing");
        assert_eq!(verified(&service, &table).await, SeedCounts { committed: 2, without: 0 });
        table.players.clear();
    }

    /// A seed that a player sends before the opening would be public before the last one is chosen.
    async fn only_the_opening_takes_a_seed(service: Service) {
        let table = service.table("nineteen").players(2).with("visibility", "private").open().await;
        let code = table.view().await["join_code"].as_str().expect("a code").to_owned();
        let omar = service.player("omar").await;
        for path in ["/v1/games", &table.path("seats"), &format!("/v1/join/{code}"), "/v1/matchmaking"] {
            let mut body = json!({"client_seed": seed("a")});
            if path == "/v1/games" || path == "/v1/matchmaking" {
                body["ruleset"] = json!("plain");
            }
            let refused = omar.client.send(path, &body).await.refused(422, "invalid-body");
            assert_eq!(refused["errors"][0]["field"], "/client_seed", "{path}");
        }
    }

    /// Matchmaking frees the seat of a player whose seed stays closed, and of one who does not commit again.
    async fn matchmaking_frees_the_seat_of_a_player_who_does_not_open(service: Service) {
        let wish = |letter: &str| {
            json!({"ruleset": "nineteen", "players": 2, "seed_commitment": commitment(&seed(letter))})
        };
        let (noor, omar, lina) =
            (service.player("noor").await, service.player("omar").await, service.player("lina").await);
        let first = noor.client.send("/v1/matchmaking", &wish("a")).await.accepted();
        let id = first["game"].as_str().expect("a game").to_owned();
        let second = omar.client.send("/v1/matchmaking", &wish("b")).await.accepted();
        assert_eq!(second["game"], id.as_str());
        let table = Table { id, players: vec![noor.clone(), omar.clone()] };
        assert!(table.view().await["fairness"]["opening_until"].is_string());
        open(&table, 1, &seed("b")).await.accepted();
        service.wait(16);
        let freed = |view: &Value| view["seats"][0]["player"].is_null();
        let view = found("the seat is free", async || {
            Some(table.seat(1).view().await.accepted()).filter(freed)
        });
        assert_eq!(view.await["host"]["name"], "omar");
        commit(&table, 1, &seed("c")).await.accepted();
        let third = lina.client.send("/v1/matchmaking", &wish("d")).await.accepted();
        assert_eq!(third["game"], table.id.as_str());
        let table = Table { players: vec![lina, omar], ..table };
        open(&table, 0, &seed("d")).await.accepted();
        assert_eq!(open(&table, 1, &seed("c")).await.accepted()["status"], "playing");
        assert_eq!(verified(&service, &table).await, SeedCounts { committed: 2, without: 0 });
    }

    /// The server keeps one secret for a game. What it reveals at the end is the seed of the last commitment alone.
    async fn the_first_server_seed_stays_secret_after_a_failed_opening(service: Service) {
        let table = service.table("nineteen").players(2).full().await;
        let first = table.view().await["fairness"]["commitment"].clone();
        commit(&table, 0, &seed("a")).await.accepted();
        table.start().await.accepted();
        service.wait(16);
        until(&table, "the opening fails", |view| view["fairness"]["opening_until"].is_null()).await;
        go_without(&table, 0).await.accepted();
        table.start().await.accepted();
        verified(&service, &table).await;
        let view = table.view().await;
        let revealed = view["fairness"]["server_seed"].as_str().expect("a seed");
        let mut bytes = [0; 32];
        hex::decode_to_slice(revealed, &mut bytes).expect("32 bytes");
        let revealed = json!(ServerSeed::from_bytes(bytes).commitment());
        assert_eq!((revealed == view["fairness"]["commitment"], revealed == first), (true, false));
    }

    /// In the record of every kind of table the server's commitment is there before the first of a player, and all are
    /// there before the first seed.
    async fn the_server_commits_before_it_knows_any_client_seed(service: Service) {
        let (one, other) = (seed("a"), seed("b"));
        let table = service.table("nineteen").players(2).with("seed_commitment", commitment(&one)).full().await;
        commit(&table, 1, &other).await.accepted();
        let log = table.seat(0).log().await;
        assert_eq!(kinds(&log), ["game_created", "seed_committed", "player_joined", "seed_committed"]);
        let first = &log[0]["event"]["table"]["commitment"];
        assert!(first.is_string(), "{}", log[0]);
        table.start().await.accepted();
        open(&table, 0, &one).await.accepted();
        service.wait(16);
        until(&table, "the opening fails", |view| view["fairness"]["opening_until"].is_null()).await;
        let log = table.seat(0).log().await;
        let failed = &log.last().expect("an event")["event"];
        assert_eq!((&failed["type"], failed["commitment"] == *first), (&json!("opening_failed"), false));
        commit(&table, 0, &seed("c")).await.accepted();
        go_without(&table, 1).await.accepted();
        table.start().await.accepted();
        open(&table, 0, &seed("c")).await.accepted();
        assert_eq!(verified(&service, &table).await, SeedCounts { committed: 1, without: 1 });

        // The rematch and matchmaking open tables with a commitment of their host too.
        let again = |player: usize, seed: &str| {
            let body = json!({"seed_commitment": commitment(seed)});
            table.players[player].client.send(&table.path("rematch"), &body)
        };
        let id = again(1, &seed("d")).await.accepted()["id"].as_str().expect("an id").to_owned();
        table.refuses(again(0, &seed("d")), 409, "seed-commitment-known").await;
        again(0, &seed("e")).await.accepted();
        let rematch = Table { id, players: vec![table.players[1].clone(), table.players[0].clone()] };
        let log = rematch.seat(0).log().await;
        assert_eq!(kinds(&log), ["game_created", "seed_committed", "player_joined", "seed_committed"]);
        rematch.start().await.accepted();
        open(&rematch, 0, &seed("d")).await.accepted();
        assert_eq!(open(&rematch, 1, &seed("e")).await.accepted()["status"], "playing");
        let wish = json!({"ruleset": "plain", "seed_commitment": commitment(&seed("f"))});
        let waiting = table.players[0].client.send("/v1/matchmaking", &wish).await.accepted();
        let id = waiting["game"].as_str().expect("a game").to_owned();
        let made = Table { id, players: table.players.clone() };
        assert_eq!(kinds(&made.seat(0).log().await), ["game_created", "seed_committed"]);
    }

    /// A copied commitment could be opened with the copied seed.
    async fn a_known_commitment_is_refused(service: Service) {
        let table = service.table("nineteen").players(2).open().await;
        let omar = service.player("omar").await;
        commit(&table, 0, &seed("a")).await.accepted();
        commit(&table, 0, &seed("a")).await.accepted();
        let copied = json!({"seed_commitment": commitment(&seed("a"))});
        table.refuses(table.seen_by(&omar).sit_down(&copied), 409, "seed-commitment-known").await;
        table.seen_by(&omar).sit_down(&json!({})).await.accepted();
        let mut table = table;
        table.players.push(omar);
        table.refuses(commit(&table, 1, &seed("a")), 409, "seed-commitment-known").await;
        // A replaced commitment is free until an opening fails; then all that the table had are known.
        commit(&table, 0, &seed("b")).await.accepted();
        commit(&table, 1, &seed("a")).await.accepted();
        table.start().await.accepted();
        open(&table, 0, &seed("b")).await.accepted();
        service.wait(16);
        until(&table, "the opening fails", |view| view["fairness"]["opening_until"].is_null()).await;
        for (player, own) in [(0, "a"), (0, "b"), (1, "a"), (1, "b")] {
            table.refuses(commit(&table, player, &seed(own)), 409, "seed-commitment-known").await;
        }
        commit(&table, 0, &seed("c")).await.accepted();
        go_without(&table, 1).await.accepted();
        table.start().await.accepted();
        open(&table, 0, &seed("c")).await.accepted();
        assert_eq!(verified(&service, &table).await, SeedCounts { committed: 1, without: 1 });
    }

    async fn a_table_has_its_own_time_for_opening(service: Service) {
        let host = service.player("noor").await.client;
        for (turn, least, most) in [(Some(10), 15, 15), (Some(60), 15, 60), (None, 15, 86_400)] {
            for (seconds, fits) in [(least - 1, false), (least, true), (most, true), (most + 1, false)] {
                let wish = json!({"ruleset": "nineteen", "turn_seconds": turn, "opening_seconds": seconds});
                let answer = host.send("/v1/games", &wish).await;
                match fits {
                    true => assert_eq!(answer.accepted()["fairness"]["opening_seconds"], seconds),
                    false => assert_eq!(answer.refused(422, "invalid-field")["errors"][0]["field"], "/opening_seconds"),
                }
            }
        }
        let table = service.table("nineteen").players(2).with("opening_seconds", 600).full().await;
        commit(&table, 0, &seed("a")).await.accepted();
        table.start().await.accepted();
        service.wait(590);
        let table = Table { players: service.sign_in_again(2).await, ..table };
        assert!(table.view().await["fairness"]["opening_until"].is_string());
        service.wait(11);
        until(&table, "the opening fails", |view| view["fairness"]["opening_until"].is_null()).await;
        table.players[0].client.post(&table.path("cancel")).await.accepted();
        let again = table.players[0].client.send(&table.path("rematch"), &json!({})).await.accepted();
        assert_eq!(again["fairness"]["opening_seconds"], 600);
    }

    async fn the_host_may_cancel_during_an_opening(service: Service) {
        let table = service.table("nineteen").players(2).full().await;
        commit(&table, 0, &seed("a")).await.accepted();
        table.start().await.accepted();
        table.refuses(table.players[1].client.post(&table.path("cancel")), 403, "not-host").await;
        assert_eq!(table.players[0].client.post(&table.path("cancel")).await.accepted()["status"], "abandoned");
    }

    /// An app that sleeps would let the opening fail.
    async fn matchmaking_waits_until_everybody_was_seen(database: TestDatabase) {
        let mut outsider = database.outsider();
        let service = Service::start(database);
        let wish = |letter: &str| {
            json!({"ruleset": "nineteen", "players": 2, "seed_commitment": commitment(&seed(letter))})
        };
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        let first = noor.client.send("/v1/matchmaking", &wish("a")).await.accepted();
        // The account's last stream closes.
        let stream = service.app().streams.stream_account(&noor.caller()).await.expect("a stream");
        drop(stream);
        // The node tells the others once a second, and asks what it has told them.
        found("nobody is there", async || (!outsider.holds("presence", &["account_id"], &noor.account)).then_some(())).await;
        let id = first["game"].as_str().expect("a game").to_owned();
        let table = Table { id, players: vec![noor, omar] };
        table.players[1].client.send("/v1/matchmaking", &wish("b")).await.accepted();
        let seen = table.seat(1).view().await.accepted();
        assert_eq!((&seen["seats"][0]["connected"], seen["fairness"]["opening_until"].is_null()), (&json!(false), true));
        // A device without the seed replaces the commitment before the opening begins.
        commit(&table, 0, &seed("c")).await.accepted();
        until(&table, "the opening begins", |view| view["fairness"]["opening_until"].is_string()).await;
        open(&table, 0, &seed("c")).await.accepted();
        assert_eq!(open(&table, 1, &seed("b")).await.accepted()["status"], "playing");
    }

    async fn matchmaking_frees_the_seat_of_a_player_who_does_not_come_back(service: Service) {
        let wish = |letter: &str| {
            json!({"ruleset": "nineteen", "players": 2, "seed_commitment": commitment(&seed(letter))})
        };
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        let first = noor.client.send("/v1/matchmaking", &wish("a")).await.accepted();
        drop(service.app().streams.stream_account(&noor.caller()).await.expect("a stream"));
        omar.client.send("/v1/matchmaking", &wish("b")).await.accepted();
        let path = format!("/v1/games/{}", first["game"].as_str().expect("a game"));
        let seats = async || omar.client.get(&path).await.accepted()["seats"].clone();
        service.wait(58);
        assert!(!seats().await[0]["player"].is_null());
        service.wait(3);
        found("the seat is free", async || Some(seats().await).filter(|seats| seats[0]["player"].is_null())).await;
    }
}
