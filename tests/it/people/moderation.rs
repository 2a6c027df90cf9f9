//! Reports with their evidence, decisions and acts by the command line, suspensions, appeals and bans.

use super::{Scene, befriend, for_two, friends, put, table_of};
use crate::prelude::*;

async fn report(player: &Player, other: &Player, game: Option<&str>) -> Value {
    let report = json!({"player": other.account, "game": game, "about": "conduct", "text": "Insults."});
    player.client.send("/v1/reports", &report).await.accepted()
}

async fn standing(player: &Player) -> Value {
    player.client.get("/v1/me/standing").await.accepted()
}

/// The day after tomorrow.
fn soon() -> String {
    (jiff::Timestamp::now() + jiff::SignedDuration::from_hours(48)).strftime("%Y-%m-%d").to_string()
}

on_both! {
    async fn a_report_has_the_evidence_that_its_reporter_could_see(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        let lina = scene.player("lina", 1).await;
        let table = table_of(&[&noor, &omar, &lina], &json!({"ruleset": "nineteen", "players": 3})).await;
        let say = async |player: &Player, reaction: &str| {
            player.client.send(&table.path("reactions"), &json!({"reaction": reaction})).await.accepted()
        };
        say(&omar, "laugh").await;
        put(&noor, &format!("/v1/me/mutes/{}", lina.account)).await.accepted();
        say(&lina, "wow").await;
        // Reactions of another node are written within a second.
        let written = async || {
            let count = scene.site.outsider().count("reactions");
            Some(count).filter(|count| *count == 2)
        };
        found("both are written", written).await;
        let made = report(&noor, &omar, Some(&table.id)).await;
        assert_eq!((&made["state"], &made["answer"]), (&json!("open"), &Value::Null));
        let again = json!({"player": omar.account, "game": table.id, "about": "player_name", "text": ""});
        noor.client.send("/v1/reports", &again).await.refused(409, "reported-already");
        report(&noor, &omar, None).await;
        // A name that is changed afterwards is in the evidence.
        omar.client.request(Method::PATCH, "/v1/me").json(&json!({"display_name": "innocent"})).await.accepted();
        let (well, list) = scene.command(&["reports", "list"]);
        assert!(well && list.contains("2 reports") && list.contains("\"Insults.\""), "{list}");
        let id = made["id"].as_str().expect("an id");
        let (well, shown) = scene.command(&["reports", "show", id]);
        assert!(well, "{shown}");
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!((&shown["evidence"]["name"], &shown["report"]["subject"]["name"]), (&json!("omar"), &json!("innocent")));
        let game = &shown["evidence"];
        let said: Vec<&str> = game["reactions"].as_array().expect("reactions").iter().filter_map(|said| said["reaction"].as_str()).collect();
        assert_eq!(said, ["laugh"], "noor muted lina before");
        assert_eq!(game["players"].as_array().map(Vec::len), Some(3));
        assert_eq!(game["rounds"], "[]");
        // Decided once, told to the reporter, and to nobody else.
        let decide = ["reports", "decide", id, "upheld", "--reason", "We spoke to the player."];
        let (well, said) = scene.command(&decide);
        assert!(well, "{said}");
        let (well, said) = scene.command(&decide);
        assert!(!well && said.contains("A moderator has decided the report before."), "{said}");
        let own = noor.client.get("/v1/me/reports").await.accepted();
        let decided = own["items"].as_array().expect("reports").iter().find(|one| one["id"] == id).expect("the report");
        assert_eq!((&decided["state"], &decided["answer"]), (&json!("upheld"), &json!("We spoke to the player.")));
        assert_eq!(omar.client.get("/v1/me/reports").await.accepted()["items"], json!([]));
        assert_eq!(scene.site.outsider().count("notifications WHERE kind = 'report_decided'"), 1);
    }
}

on_sqlite_first! {
    async fn who_was_not_there_cannot_report(scene: Scene) {
        let (noor, omar, lina) = (scene.player("noor", 0).await, scene.player("omar", 1).await, scene.player("lina", 0).await);
        let table = table_of(&[&omar], &json!({"ruleset": "plain", "visibility": "private"})).await;
        let send = async |body: Value| noor.client.send("/v1/reports", &body).await;
        let body = |player: &str, game: Value, about: &str| json!({"player": player, "game": game, "about": about, "text": ""});
        send(body(&omar.account, json!(table.id), "conduct")).await.refused(404, "not-found");
        let open = table_of(&[&omar], &for_two()).await;
        send(body(&lina.account, json!(open.id), "conduct")).await.refused(404, "not-found");
        send(body(&noor.account, Value::Null, "conduct")).await.refused(422, "invalid-field");
        send(body(&omar.account, Value::Null, "appeal")).await.refused(422, "invalid-field");
        noor.client.send("/v1/appeals", &json!({"text": "why"})).await.refused(409, "nothing-to-appeal");
        assert_eq!(scene.site.outsider().count("reports"), 0);
    }

    async fn a_suspended_player_leaves_the_seats_and_keeps_the_rights(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        let running = table_of(&[&noor, &omar], &for_two()).await;
        running.start().await.accepted();
        let waiting = table_of(&[&noor, &omar], &json!({"ruleset": "plain"})).await;
        let until = soon();
        let (well, said) = scene.command(&["account", "suspend", &omar.account, "--until", &until, "--reason", "Insults."]);
        assert!(well, "{said}");
        // A9: a bot plays on in the running game; in the lobby the seat is free.
        let left = async || {
            let (game, lobby) = (noor.client.get(&running.game()).await.accepted(), noor.client.get(&waiting.game()).await.accepted());
            game["seats"][1]["stand_in"] == true && lobby["seats"][1]["player"].is_null()
        };
        eventually("the seats are free", left).await;
        let knows = async || put(&omar, &friends(&noor)).await.status == 403;
        eventually("omar's node knows of it", knows).await;
        for (path, body) in [
            ("/v1/games".to_owned(), for_two()),
            (waiting.path("seats"), json!({})),
            ("/v1/matchmaking".to_owned(), json!({"ruleset": "plain"})),
            ("/v1/reports".to_owned(), json!({"player": noor.account, "game": null, "about": "player_name", "text": ""})),
        ] {
            let problem = omar.client.send(&path, &body).await.refused(403, "suspended");
            assert_eq!(problem["until"], format!("{until}T00:00:00.000Z"), "{path}");
        }
        put(&omar, &friends(&noor)).await.refused(403, "suspended");
        // What stays: reading, export, a new sign-in, an appeal.
        let told = standing(&omar).await;
        assert_eq!((&told["may_play"], &told["acts"][0]["reason"]), (&json!(false), &json!("Insults.")));
        omar.client.get("/v1/me/export").await.accepted();
        omar.client.get(&running.game()).await;
        let appeal = json!({"text": "It was my brother."});
        let made = omar.client.send("/v1/appeals", &appeal).await.accepted();
        omar.client.send("/v1/appeals", &appeal).await.refused(409, "appeal-pending");
        let id = made["id"].as_str().expect("an id");
        let (well, said) = scene.command(&["reports", "decide", id, "upheld", "--reason", "Be careful."]);
        assert!(well, "{said}");
        let (well, said) = scene.command(&["account", "lift", &omar.account, "--reason", "Your appeal.", "--report", id]);
        assert!(well, "{said}");
        eventually("omar plays again", async || omar.client.send("/v1/games", &for_two()).await.is_success()).await;
        let told = standing(&omar).await;
        let acts: Vec<&str> = told["acts"].as_array().expect("acts").iter().filter_map(|act| act["act"].as_str()).collect();
        assert_eq!(acts, ["lifted", "report_upheld", "suspended"]);
        let farewell = json!({"password": "plum-kettle-orbit"});
        omar.client.request(Method::DELETE, "/v1/me").json(&farewell).await.accepted();
        assert_eq!(scene.site.outsider().count("moderation_acts"), 3);
    }

    async fn mutes_and_new_names(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        befriend(&noor, &omar).await;
        let table = table_of(&[&noor, &omar], &for_two()).await;
        let (well, said) = scene.command(&["account", "mute", &omar.account, "--until", &soon(), "--reason", "Too loud."]);
        assert!(well, "{said}");
        let say = async || omar.client.send(&table.path("reactions"), &json!({"reaction": "hello"})).await;
        eventually("omar is muted", async || say().await.status == 403).await;
        say().await.refused(403, "muted");
        omar.client.send(&table.path("invitations"), &json!({"player": noor.account})).await.refused(403, "muted");
        // A muted player plays.
        table.start().await.accepted();
        let (well, said) = scene.command(&["account", "rename", &omar.account, "--reason", "Such a name."]);
        assert!(well, "{said}");
        let renamed = async || {
            let view = noor.client.get(&table.game()).await.accepted();
            view["seats"][1]["player"]["name"].as_str().is_some_and(|name| name.starts_with("Player "))
        };
        eventually("omar has a neutral name", renamed).await;
        for wrong in [
            vec!["account", "mute", "nobody", "--until", "2999-01-01", "--reason", "x"],
            vec!["account", "mute", &omar.account, "--until", "2020-01-01", "--reason", "x"],
            vec!["account", "mute", &omar.account, "--until", "2999-01-01", "--reason", " "],
        ] {
            let (well, said) = scene.command(&wrong);
            assert!(!well, "{said}");
        }
    }

    async fn words_that_no_name_has(database: TestDatabase) {
        let folder = tempfile::TempDir::new().expect("a folder");
        let file = folder.path().join("words.txt");
        std::fs::write(&file, "# words\n*turnip\n").expect("a file");
        let scene = Scene::with(database, &["--forbidden-words", file.to_str().expect("a path")]);
        let noor = scene.player("noor", 0).await;
        let rename = async |name: &str| noor.client.request(Method::PATCH, "/v1/me").json(&json!({"display_name": name})).await;
        let problem = rename("Big T u r n i p").await.refused(422, "name-forbidden");
        assert_eq!(problem["errors"][0]["code"], "forbidden");
        rename("Hitler").await.accepted();
        let nobody = crate::harness::client::Client::anonymous(&scene.nodes[0].url);
        nobody.send("/v1/accounts/guest", &json!({"display_name": "turnip"})).await.refused(422, "name-forbidden");
        let (well, said) = scene.command(&["account", "rename", &noor.account, "--name", "Noor", "--reason", "Such a name."]);
        assert!(well, "{said}");
    }
}
