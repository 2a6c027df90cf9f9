//! The lobby: table settings, joining, starting, leaving and watching.

use estimation_engine::client_seed::ClientSeed;

use crate::harness::client::STALE;
use crate::prelude::*;

on_both! {
    async fn a_removed_player_does_not_come_back_to_a_private_table(service: Service) {
        let table = service.table("nineteen").players(3).with("visibility", "private").full().await;
        let [noor, omar, lina] = &table.players[..] else { panic!("three players") };
        let code = async || table.view().await["join_code"].as_str().expect("a code").to_owned();
        let leave = |player: &Player, seat: u8| player.client.delete(&table.path(&format!("seats/{seat}")));
        let join = |player: &Player, code: &str| player.client.send(&format!("/v1/join/{code}"), &json!({}));

        let first = code().await;
        leave(lina, 2).await.accepted();
        let level = json!({"level": "easy"}).to_string();
        noor.client.request(Method::PUT, &table.path("seats/2/bot")).raw(level).await.accepted();
        leave(noor, 2).await.accepted();
        assert_eq!(code().await, first, "nobody was removed");
        join(lina, &first).await.accepted();

        leave(noor, 1).await.accepted();
        let second = code().await;
        assert_ne!(second, first);
        assert_eq!(join(omar, &first).await.refused(404, "not-found")["what"], "invitation");
        let with_code = json!({"join_code": first});
        assert_eq!(table.seen_by(omar).sit_down(&with_code).await.refused(404, "not-found")["what"], "game");
        assert_eq!(table.seen_by(lina).view().await.accepted()["join_code"], second);
        join(omar, &second).await.accepted();

        // A rematch invites the players of the game, except a player who was removed from the rematch.
        noor.client.post(&table.path("cancel")).await.accepted();
        let rematch = noor.client.send(&table.path("rematch"), &json!({})).await.accepted()["id"].clone();
        let again = |player: &Player| player.client.send(&table.path("rematch"), &json!({}));
        assert_eq!(again(omar).await.accepted()["you"]["place"], 1);
        let seat = format!("/v1/games/{}/seats/1", rematch.as_str().expect("an id"));
        noor.client.delete(&seat).await.accepted();
        assert_eq!(again(omar).await.refused(404, "not-found")["what"], "game");
        again(lina).await.accepted();
    }
}

on_sqlite_first! {
    async fn an_invalid_table_is_not_opened(service: Service) {
        let noor = service.player("noor").await.client;
        let wish = |ruleset: &str, more: Value| {
            let mut wish = json!({"ruleset": ruleset});
            wish.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            noor.send("/v1/games", &wish)
        };
        let unknown = wish("whist", json!({})).await.refused(422, "unknown-ruleset");
        assert_eq!(unknown["rulesets"].as_array().map(Vec::len), Some(5));

        for (ruleset, option) in [("nineteen", "colour"), ("nineteen", "length"), ("plain", "jokers"), ("kabooot", "cut")] {
            let problem = wish(ruleset, json!({"options": {option: 1}})).await.refused(422, "unknown-option");
            assert_eq!((&problem["ruleset"], &problem["option"]), (&json!(ruleset), &json!(option)));
        }
        for (ruleset, option, value, allowed) in [
            ("nineteen", "jokers", json!(3), json!({"min": 0, "max": 2})),
            ("nineteen", "jokers", json!(-1), json!({"min": 0, "max": 2})),
            ("nineteen", "jokers", json!("2"), json!({"min": 0, "max": 2})),
            ("nineteen", "order", json!("1-9-1"), json!({"values": [{"string": "1-10-1"}, {"string": "10-1-10"}]})),
            ("nineteen", "concealed_tricks", json!("yes"), json!({"values": [{"boolean": false}, {"boolean": true}]})),
            ("squares", "minimum_bid", json!(8), json!({"min": 1, "max": 7})),
            ("squares", "minimum_bid", json!(0), json!({"min": 1, "max": 7})),
            ("plain", "dash_limit", json!(4), json!({"min": 2, "max": 3})),
            ("double-risk", "length", json!("long"), json!({"values": [{"string": "full"}, {"string": "mini"}, {"string": "micro"}]})),
        ] {
            let problem = wish(ruleset, json!({"options": {option: value}})).await.refused(422, "invalid-option");
            assert_eq!((&problem["option"], &problem["allowed"]), (&json!(option), &allowed), "{value}");
        }
        for value in [json!(null), json!([1]), json!({}), json!(1.5)] {
            let problem = wish("nineteen", json!({"options": {"jokers": value}})).await.refused(422, "invalid-option");
            assert_eq!(problem["option"], "jokers");
        }
        for (ruleset, players, min, max) in
            [("nineteen", 1, 2, 5), ("nineteen", 6, 2, 5), ("nineteen", 0, 2, 5), ("squares", 3, 4, 4), ("plain", 5, 4, 4)]
        {
            let problem = wish(ruleset, json!({"players": players})).await.refused(422, "players-out-of-range");
            assert_eq!((&problem["min"], &problem["max"]), (&json!(min), &json!(max)));
        }
        for seconds in [0, 9, 604_801] {
            let problem = wish("nineteen", json!({"turn_seconds": seconds})).await.refused(422, "invalid-field");
            assert_eq!(problem["field"], "/turn_seconds");
        }
        let none = noor.get("/v1/games?mine=true").await.accepted();
        assert_eq!(none["items"], json!([]));
        for seconds in [10, 604_800] {
            wish("nineteen", json!({"turn_seconds": seconds})).await.accepted();
        }
    }

    async fn a_seat_is_taken_once(service: Service) {
        let table = service.table("nineteen").players(3).open().await;
        let (omar, lina, ziad) =
            (service.player("omar").await, service.player("lina").await, service.player("ziad").await);
        let again = table.refuses(table.seat(0).sit_down(&json!({})), 409, "already-seated").await;
        assert_eq!(again["place"], 0);
        table.seen_by(&omar).sit_down(&json!({"seat": 2})).await.accepted();
        table.refuses(table.seen_by(&omar).sit_down(&json!({"seat": 1})), 409, "already-seated").await;
        let taken = table.refuses(table.seen_by(&lina).sit_down(&json!({"seat": 2})), 409, "seat-taken").await;
        assert_eq!(taken["seat"], 2);
        let beyond = table.refuses(table.seen_by(&lina).sit_down(&json!({"seat": 3})), 422, "no-such-seat").await;
        assert_eq!(beyond["players"], 3);
        let view = table.seen_by(&lina).sit_down(&json!({})).await.accepted();
        assert_eq!(view["you"], json!({"place": 1}));
        let full = table.refuses(table.seen_by(&ziad).sit_down(&json!({})), 409, "game-full").await;
        assert_eq!(full["players"], 3);
        table.refuses(table.seen_by(&ziad).sit_down(&json!({"seat": 1})), 409, "game-full").await;
    }

    async fn a_seed_may_be_replaced_until_the_start(service: Service) {
        let table = service.table("nineteen").players(2).full().await;
        let own = &table.seat(1).player.client;
        let commit = |commitment: &str| own.send(&table.path("seed-commitment"), &json!({"commitment": commitment}));
        let seed = ClientSeed::new("b".repeat(64)).expect("a client seed");
        for commitment in ["a".repeat(64), seed.commitment().to_string()] {
            let view = commit(&commitment).await.accepted();
            let committed = json!([{"place": 1, "status": "committed", "commitment": commitment}]);
            assert_eq!(view["fairness"]["seed_commitments"], committed);
        }
        table.start().await.accepted();
        own.send(&table.path("seed"), &json!({"client_seed": seed})).await.accepted();
        let log = table.seat(1).log().await;
        let start = log.iter().map(|entry| &entry["event"]["start"]).find(|start| start.is_object());
        assert_eq!(start.expect("a start")["client_seeds"], json!([{"place": 1, "client_seed": "b".repeat(64)}]));
        table.refuses(commit(&"c".repeat(64)), 409, "game-not-in-lobby").await;
    }

    async fn the_host_starts_a_full_table_once(service: Service) {
        let mut table = service.table("nineteen").players(4).open().await;
        let (omar, stranger) = (service.player("omar").await, service.player("stranger").await);
        table.seen_by(&omar).sit_down(&json!({"seat": 1})).await.accepted();
        let start = table.path("start");
        let empty = table.refuses(table.players[0].client.post(&start), 409, "empty-seats").await;
        assert_eq!(empty["places"], json!([2, 3]));
        table.refuses(omar.client.post(&start), 403, "not-host").await;
        table.refuses(stranger.client.post(&start), 403, "not-seated").await;
        let early = table.refuses(table.seat(0).estimate(0), 409, "game-not-playing").await;
        assert_eq!(early["game_status"], "lobby");
        for name in ["lina", "ziad"] {
            table.seen_by(&service.player(name).await).sit_down(&json!({})).await.accepted();
            table.players.push(service.player(name).await);
        }
        table.start().await.accepted();
        let again = table.refuses(table.players[0].client.post(&start), 409, "game-not-in-lobby").await;
        assert_eq!(again["game_status"], "playing");
        table.refuses(table.seen_by(&stranger).sit_down(&json!({})), 409, "game-not-in-lobby").await;
        table.refuses(table.players[0].client.post(&table.path("cancel")), 409, "game-not-in-lobby").await;
    }

    /// The account is gone and its seat is not free yet, as in the middle of a deletion.
    async fn a_game_does_not_start_with_a_deleted_account(service: Service) {
        let table = service.table("nineteen").players(3).full().await;
        let gone = format!("DELETE FROM accounts WHERE id = '{}'", table.players[2].account);
        service.database().outsider().run(&gone).expect("the account goes");
        assert_eq!(table.start().await.refused(409, "empty-seats")["places"], json!([2]));
        let seen = table.view().await;
        assert_eq!((&seen["status"], &seen["seats"][2]["player"]), (&json!("lobby"), &Value::Null));
    }

    async fn a_player_leaves_or_is_removed_by_the_host(service: Service) {
        let table = service.table("nineteen").players(3).full().await;
        let stranger = service.player("stranger").await;
        let leave = |player: usize, seat: usize| table.players[player].client.delete(&table.path(&format!("seats/{seat}")));
        table.refuses(leave(1, 2), 403, "not-host").await;
        table.refuses(leave(1, 0), 403, "not-host").await;
        table.refuses(leave(0, 7), 422, "no-such-seat").await;
        table.refuses(stranger.client.delete(&table.path("seats/1")), 403, "not-seated").await;
        let view = leave(0, 2).await.accepted();
        assert_eq!(view["seats"][2]["player"], Value::Null);
        // When the host leaves, another player becomes the host. When the last player leaves, the game is
        // cancelled.
        let view = leave(0, 0).await.accepted();
        assert_eq!((&view["host"]["name"], &view["you"]), (&json!("omar"), &Value::Null));
        let view = leave(1, 1).await.accepted();
        assert_eq!(view["status"], "abandoned");
    }

    async fn only_the_host_cancels_a_game(service: Service) {
        let table = service.table("squares").full().await;
        table.refuses(table.players[1].client.post(&table.path("cancel")), 403, "not-host").await;
        let view = table.players[0].client.post(&table.path("cancel")).await.accepted();
        assert_eq!(view["status"], "abandoned");
        assert!(view["fairness"]["server_seed"].is_string(), "the seed is revealed");
        let over = table.refuses(table.seat(1).bid(4, "clubs"), 409, "game-not-playing").await;
        assert_eq!(over["game_status"], "abandoned");
    }

    async fn a_private_table_is_hidden_from_strangers(service: Service) {
        let mut table = service.table("nineteen").players(2).with("visibility", "private").open().await;
        let (omar, stranger) = (service.player("omar").await, service.player("stranger").await);
        let code = table.view().await["join_code"].as_str().expect("a code").to_owned();
        let wrong = if code.starts_with('A') { "BBBBBBBB" } else { "AAAAAAAA" };
        let as_stranger = || {
            let client = &stranger.client;
            let seat = table.seen_by(&stranger);
            [
                seat.view(), seat.events(0, 10), seat.scores(), seat.estimate(0), seat.sit_down(&json!({})),
                seat.estimate(0).header("if-match", STALE), client.post(&table.path("start")),
                seat.sit_down(&json!({"join_code": wrong})), client.post(&table.path("cancel")),
                client.delete(&table.path("seats/0")),
            ]
        };
        for request in as_stranger() {
            let problem = table.refuses(request, 404, "not-found").await;
            assert_eq!(problem["what"], "game");
        }
        let problem = stranger.client.send(&format!("/v1/join/{wrong}"), &json!({})).await.refused(404, "not-found");
        assert_eq!(problem["what"], "invitation");
        let listed = stranger.client.get("/v1/games").await.accepted();
        assert_eq!(listed["items"], json!([]));

        let view = omar.client.send(&format!("/v1/join/{}", code.to_lowercase()), &json!({})).await.accepted();
        assert_eq!(view["join_code"], code);
        table.players.push(omar);
        table.start().await.accepted();
        for request in as_stranger_while_playing(&table, &stranger) {
            table.refuses(request, 404, "not-found").await;
        }
    }

    async fn a_stranger_without_access_sees_no_play(service: Service) {
        let table = service.table("nineteen").players(2).with("spectators", false).full().await;
        let stranger = service.player("stranger").await;
        let view = table.seen_by(&stranger).view().await.accepted();
        assert!(view.get("join_code").is_none() && view["you"].is_null());
        table.start().await.accepted();
        for request in as_stranger_while_playing(&table, &stranger) {
            table.refuses(request, 403, "spectators-barred").await;
        }
    }

    async fn a_stranger_at_a_public_table_watches_and_does_not_play(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let stranger = service.player("stranger").await;
        let seat = table.seen_by(&stranger);
        let view = seat.view().await.accepted();
        assert_eq!((&view["you"], &view["legal"], &view["round"]["hands"]), (&Value::Null, &json!([]), &json!([{"count": 1, "cards": null}, {"count": 1, "cards": null}])));
        table.refuses(seat.estimate(0), 403, "not-seated").await;
        table.refuses(seat.estimate(0).header("prefer", "return=minimal"), 403, "not-seated").await;
    }

    async fn your_own_games_have_what_a_home_screen_shows(service: Service) {
        let setup = service.table("nineteen").players(2).with("visibility", "private").with("turn_seconds", 60);
        let table = setup.started().await;
        let list = |player: usize| table.players[player].client.get("/v1/games?mine=true");
        let (waiting, acting) = (list(0).await.accepted(), list(1).await.accepted());
        let own = |page: &Value| page["items"][0]["own"].clone();
        assert_eq!(own(&waiting)["your_turn"], false);
        assert_eq!(own(&acting)["your_turn"], true);
        assert_eq!((&own(&waiting)["you"], &own(&acting)["you"]), (&json!({"seat": 0}), &json!({"seat": 1})));
        let view = table.seat(1).view().await.accepted();
        assert_eq!(own(&acting)["deadline"], view["round"]["deadline"]);
        assert_eq!(own(&acting)["join_code"], view["join_code"]);
        assert_eq!(own(&acting)["totals"], json!([0, 0]));
        for (seat, player) in table.players.iter().enumerate() {
            let shown = &own(&acting)["seats"][seat];
            assert_eq!((&shown["seat"], &shown["name"]), (&json!(seat), &json!(player.name)));
        }
        // The page has an entity tag, which changes with a command.
        let answer = list(1).await;
        let known = list(1).header("if-none-match", answer.etag()).await;
        assert_eq!((known.status, known.body.as_str()), (304, ""));
        table.any_move().await;
        let after = list(1).header("if-none-match", answer.etag()).await;
        assert_eq!(own(&after.accepted())["your_turn"], false);
        // A table with an empty place has only the taken ones.
        let open = service.table("nineteen").players(3).open().await;
        let listed = open.players[0].client.get("/v1/games?mine=true").await.accepted();
        let host = &open.players[0];
        let seats = json!([{"seat": 0, "id": host.account, "name": host.name, "kind": "human"}]);
        assert_eq!(own(&listed)["seats"], seats);
        // Other lists have none of it.
        let public = service.table("nineteen").players(2).open().await;
        let lobby = public.players[0].client.get("/v1/games").await.accepted();
        assert!(lobby["items"].as_array().expect("games").iter().all(|game| game.get("own").is_none()));
    }
}

fn as_stranger_while_playing(
    table: &super::table::Table,
    stranger: &super::table::Player,
) -> [crate::harness::client::Request; 5] {
    let seat = table.seen_by(stranger);
    [
        seat.view(),
        seat.events(0, 10),
        seat.scores(),
        seat.estimate(0),
        seat.estimate(0).header("if-match", STALE),
    ]
}
