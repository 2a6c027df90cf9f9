//! Matchmaking and players who commit to a seed and do not open it: they are barred for a while, and nobody waits at
//! another table because of them.

use estimation_service::base::failure::Failure;

use super::client_seeds::{commit, commitment, open, seed, until};
use super::matchmaking::{QUEUE, all_seated_once, crowd, sought, wish};
use crate::prelude::*;

const FAILURE: &str = "the table of ratings is gone";

fn seeks(ruleset: &str, players: u8, letter: &str) -> Value {
    json!({"ruleset": ruleset, "players": players, "seed_commitment": commitment(&seed(letter))})
}

async fn joins(player: &Player, wish: &Value) -> String {
    let waiting = player.client.send(QUEUE, wish).await.accepted();
    waiting["game"].as_str().expect("a game").to_owned()
}

/// The second player misses an opening at a new table of the first one.
async fn misses(service: &Service, host: &Player, player: &Player) {
    let table =
        Table::of(vec![host.clone(), player.clone()], &json!({"ruleset": "nineteen", "players": 2})).await;
    commit(&table, 1, &seed("a")).await.accepted();
    table.start().await.accepted();
    service.wait(16);
    until(&table, "the opening fails", |view| view["fairness"]["opening_until"].is_null()).await;
    host.client.delete(&table.path("seats/1")).await.accepted();
    host.client.post(&table.path("cancel")).await.accepted();
}

/// Until when the player may not join the queue.
async fn barred_until(player: &Player) -> Timestamp {
    let answer = player.client.send(QUEUE, &json!({"ruleset": "plain"})).await;
    let problem = answer.refused(429, "openings-missed");
    problem["until"].as_str().expect("a time").parse().expect("a time")
}

fn wake_at(outsider: &mut Outsider, table: &Table, at: Timestamp) -> bool {
    outsider.count(&format!("games WHERE id = '{}' AND wake_at = {}", table.id, at.as_millisecond())) == 1
}

on_both! {
    /// While the node fails, no player is blamed for a seed that stays closed: the time for opening begins again.
    async fn an_opening_waits_while_the_node_fails(service: Service) {
        let table = service.table("nineteen").players(2).full().await;
        commit(&table, 1, &seed("a")).await.accepted();
        table.start().await.accepted();
        let until = table.view().await["fairness"]["opening_until"].clone();
        assert_eq!(until, (service.now() + SignedDuration::from_secs(15)).strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string());
        service.wait(10);
        service.database().outsider().run("ALTER TABLE ratings RENAME TO kept_ratings").expect(FAILURE);
        let answer = table.players[0].client.unjudged("/v1/leaderboards/nineteen").send().await.expect("an answer");
        assert!(answer.status().is_server_error(), "{}", answer.status());
        service.database().outsider().run("ALTER TABLE kept_ratings RENAME TO ratings").expect(FAILURE);
        let failed = service.now();
        service.wait(10);
        let mut outsider = service.database().outsider();
        let waits = failed + SignedDuration::from_secs(15);
        eventually("the node waits longer", async || wake_at(&mut outsider, &table, waits)).await;
        assert_eq!(open(&table, 1, &seed("a")).await.accepted()["status"], "playing");
        let path = format!("/v1/players/{}", table.players[1].account);
        assert_eq!(table.players[0].client.get(&path).await.accepted()["broken_off"]["openings_missed"], 0);
    }
}

on_sqlite_first! {
    async fn missed_openings_bar_from_the_queue(service: Service) {
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        misses(&service, &noor, &omar).await;
        joins(&omar, &json!({"ruleset": "plain"})).await;
        omar.client.delete(QUEUE).await.accepted();

        misses(&service, &noor, &omar).await;
        let until = barred_until(&omar).await;
        assert_eq!(until, service.now() + SignedDuration::from_mins(2));
        let answer = omar.client.send(QUEUE, &json!({"ruleset": "plain"})).await;
        assert_eq!(answer.header("retry-after"), Some("120"));
        assert_eq!(sought(&omar).await["status"], "idle");
        // Every node knows it, also after a restart. Other players are not concerned, and other tables are open.
        let failure = service.another_node().matchmaking.seek_table(&omar.caller(), wish("plain"), None).await;
        assert!(matches!(failure, Err(Failure::OpeningsMissed { retry_after: 120, .. })), "{failure:?}");
        let service = service.restart();
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        service.wait(119);
        assert_eq!(barred_until(&omar).await, until);
        joins(&noor, &json!({"ruleset": "plain"})).await;
        service.wait(1);
        joins(&omar, &json!({"ruleset": "plain"})).await;
        omar.client.delete(QUEUE).await.accepted();

        for minutes in [4, 8, 16, 32, 60, 60] {
            misses(&service, &noor, &omar).await;
            assert_eq!(barred_until(&omar).await, service.now() + SignedDuration::from_mins(minutes));
        }
    }

    /// A failed opening makes room at one table while a player waits for the same at another one.
    async fn players_at_two_tables_for_the_same_game_come_together(service: Service) {
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        let lina = service.player("lina").await;
        let first = joins(&noor, &seeks("nineteen", 2, "a")).await;
        assert_eq!(joins(&omar, &seeks("nineteen", 2, "b")).await, first);
        let second = joins(&lina, &seeks("nineteen", 2, "c")).await;
        assert_ne!(first, second, "the first table is full");
        let table = Table { id: first.clone(), players: vec![noor.clone(), omar.clone()] };
        open(&table, 0, &seed("a")).await.accepted();
        service.wait(16);
        let moved = found("the players come together", async || {
            Some(sought(&lina).await).filter(|waiting| waiting["game"] == first.as_str())
        });
        assert_eq!(moved.await["status"], "seated");
        assert_eq!(sought(&omar).await["status"], "idle");
        // Leaving the former table is a step of its own.
        eventually("the former table is empty", async || {
            lina.client.get(&format!("/v1/games/{second}")).await.accepted()["status"] == "abandoned"
        })
        .await;
        // The commitment came along.
        let table = Table { players: vec![noor, lina], ..table };
        commit(&table, 0, &seed("d")).await.accepted();
        until(&table, "the opening begins", |view| view["fairness"]["opening_until"].is_string()).await;
        open(&table, 0, &seed("d")).await.accepted();
        assert_eq!(open(&table, 1, &seed("c")).await.accepted()["status"], "playing");
        let statistics = format!("/v1/players/{}/statistics", table.players[1].account);
        let broken_off = table.players[0].client.get(&statistics).await.accepted()["broken_off"].clone();
        assert_eq!(broken_off, json!({"tables_cancelled": 0, "openings_missed": 0, "games_left": 0}));
    }

    /// A table takes as many players of another one as it has room. Those who wait longest go first.
    async fn a_table_takes_as_many_players_as_it_has_room(service: Service) {
        let mut players = Vec::new();
        for name in ["noor", "omar", "lina", "ziad", "sami"] {
            players.push(service.player(name).await);
        }
        let plain = json!({"ruleset": "nineteen", "players": 3});
        let first = joins(&players[0], &seeks("nineteen", 3, "a")).await;
        for player in &players[1..3] {
            assert_eq!(joins(player, &plain).await, first);
        }
        let second = joins(&players[3], &plain).await;
        service.wait(1);
        assert_eq!(joins(&players[4], &plain).await, second);
        players[1].client.delete(QUEUE).await.accepted();
        found("a player is moved", async || {
            Some(sought(&players[3]).await).filter(|waiting| waiting["game"] == first.as_str())
        })
        .await;
        // Leaving the former table is a step of its own.
        let stays = found("the moved player has left", async || {
            Some(sought(&players[4]).await).filter(|waiting| waiting["taken"] == 1)
        })
        .await;
        assert_eq!((&stays["game"], &stays["status"]), (&json!(second), &json!("waiting")));
        // A node that stops between the two steps of a move leaves a seat, which the job frees.
        let unfinished = format!("UPDATE matchmaking SET left_game_id = game_id, game_id = '{first}' WHERE account_id = '{}'", players[4].account);
        service.database().outsider().run(&unfinished).expect("half a move");
        eventually("the seat is free", async || {
            players[4].client.get(&format!("/v1/games/{second}")).await.accepted()["status"] == "abandoned"
        })
        .await;
        let rows = service.database().outsider().count("matchmaking WHERE left_game_id IS NOT NULL");
        assert_eq!(rows, 0);
    }

    /// A player who accepts bots fills a table of players who do not. When a seat is free again, bots could never come there.
    async fn who_accepts_bots_goes_where_bots_can_come(service: Service) {
        let players = crowd(&service, 3).await;
        let first = joins(&players[0], &seeks("nineteen", 3, "a")).await;
        assert_eq!(joins(&players[1], &seeks("nineteen", 3, "b")).await, first);
        let accepts = json!({
            "ruleset": "nineteen", "players": 3, "seed_commitment": commitment(&seed("c")), "fill_with_bots_after": 600,
        });
        assert_ne!(joins(&players[2], &accepts).await, first);
        let table = Table { id: first.clone(), players };
        let [stays, misses, accepts] = &table.players[..] else { unreachable!("three players") };
        until(&table, "the opening begins", |view| view["fairness"]["opening_until"].is_string()).await;
        assert_eq!(sought(accepts).await["game"], first.as_str());
        for (player, letter) in [(0, "a"), (2, "c")] {
            open(&table, player, &seed(letter)).await.accepted();
        }
        service.wait(16);
        eventually("the seat is free", async || sought(misses).await["status"] == "idle").await;
        assert_eq!(sought(accepts).await["deadline"], Value::Null, "not while the commitment is void");
        commit(&table, 2, &seed("d")).await.accepted();
        let separate = found("the player has another table", async || {
            Some(sought(accepts).await).filter(|waiting| waiting["deadline"].is_string())
        })
        .await;
        assert_ne!(separate["game"], first.as_str());
        eventually("the former seat is free", async || sought(stays).await["taken"] == 1).await;
        assert_eq!(sought(stays).await["game"], first.as_str());
        service.wait(600);
        let seated = found("bots come", async || {
            Some(sought(accepts).await).filter(|waiting| waiting["status"] == "seated")
        });
        assert_eq!(seated.await["game"], separate["game"]);
    }

    /// Who leaves the queue while a move is unfinished has no seat at either table, and can wait again at once.
    async fn who_is_being_moved_can_leave(service: Service) {
        let players = crowd(&service, 2).await;
        let wish = json!({"ruleset": "nineteen", "players": 3});
        let first = joins(&players[0], &wish).await;
        let second = joins(&players[1], &json!({"ruleset": "plain"})).await;
        // A node stopped between the two steps of a move from the second table to the first one.
        let half = format!(
            "UPDATE matchmaking SET left_game_id = game_id, game_id = '{first}' WHERE account_id = '{}'", players[1].account
        );
        service.database().outsider().run(&half).expect("half a move");
        players[1].client.delete(QUEUE).await.accepted();
        assert_eq!(sought(&players[1]).await["status"], "idle");
        let left = players[1].client.get(&format!("/v1/games/{second}")).await.accepted();
        assert_eq!(left["status"], "abandoned", "nobody is left there");
        assert_eq!(joins(&players[1], &wish).await, first);
    }

    /// Nodes that move the same players at the same time give each of them one seat.
    async fn nodes_move_each_player_once(service: Service) {
        let players = crowd(&service, 8).await;
        let games = ["plain", "squares", "kabooot", "double-risk"].map(|ruleset| ["mini", "micro"].map(|length| (ruleset, length)));
        for (player, (ruleset, length)) in players.iter().zip(games.concat()) {
            joins(player, &json!({"ruleset": ruleset, "options": {"length": length}})).await;
        }
        let nodes = [0; 3].map(|_| service.another_node());
        let mut outsider = service.database().outsider();
        // From now on all of them wait for the same.
        outsider.run("UPDATE matchmaking SET terms = 'the same'").expect("one match key");
        eventually("both tables begin", async || {
            // Nodes are in each other's way.
            join_all(nodes.iter().map(|node| node.matchmaking.advance_matchmade_tables())).await;
            outsider.count("games WHERE status = 'playing'") == 2
        })
        .await;
        eventually("no move is unfinished", async || outsider.count("matchmaking WHERE left_game_id IS NOT NULL") == 0).await;
        all_seated_once(&mut outsider, &players);
    }

    /// One account commits again and again, never opens, and sits down wherever there is room. Two others meet all the
    /// same.
    async fn nobody_keeps_two_players_apart(service: Service) {
        let (noor, lina) = (service.player("noor").await, service.player("lina").await);
        let spoiler = service.player("omar").await;
        let began = service.now();
        let mut drawn = (0..=u8::MAX).map(|number| format!("{number:02x}"));
        let mut next = || drawn.next().expect("enough rounds");
        let mut seeds = [next(), next()];
        joins(&noor, &seeks("nineteen", 2, &seeds[0])).await;
        joins(&spoiler, &seeks("nineteen", 2, &next())).await;
        joins(&lina, &seeks("nineteen", 2, &seeds[1])).await;
        loop {
            if sought(&spoiler).await["status"] == "idle" {
                let answer = spoiler.client.send(QUEUE, &seeks("nineteen", 2, &next())).await;
                assert!(answer.is_success() || answer.json()["code"] == "openings-missed", "{answer}");
            }
            let mut games = Vec::new();
            for (index, player) in [&noor, &lina].into_iter().enumerate() {
                let game = sought(player).await["game"].as_str().expect("a seat").to_owned();
                let table = Table { id: game.clone(), players: vec![player.clone()] };
                let view = table.view().await;
                let own = view["you"]["place"].clone();
                let commitments = view["fairness"]["seed_commitments"].as_array().cloned().unwrap_or_default();
                let status = commitments.iter().find(|one| one["place"] == own).map(|one| one["status"].clone());
                if status == Some(json!("void")) {
                    seeds[index] = next();
                    commit(&table, 0, &seed(&seeds[index])).await.accepted();
                } else if status == Some(json!("committed")) && view["fairness"]["opening_until"].is_string() {
                    open(&table, 0, &seed(&seeds[index])).await.accepted();
                }
                games.push((game, view["status"].clone()));
            }
            if games[0] == games[1] && games[0].1 == "playing" {
                break;
            }
            assert!(service.now().duration_since(began) < SignedDuration::from_mins(10), "{games:?}");
            service.wait(1);
            // What is due by now is done by the node's jobs.
            let due = service.now().as_millisecond() - 1_000;
            eventually("the timers have run", async || {
                service.database().outsider().count(&format!("games WHERE status = 'lobby' AND wake_at < {due}")) == 0
            })
            .await;
            service.app().matchmaking.advance_matchmade_tables().await.expect("the job");
        }
        let took = service.now().duration_since(began);
        assert!(took < SignedDuration::from_secs(45), "{took:#}");
    }
}
