//! What auditors see of the public log: every start and every end, those of private games too, and what a verifier makes
//! of it.

use estimation_engine::event::Visibility;
use estimation_record::Opening;
use estimation_service::auth::tokens::Role;
use estimation_service::base::failure::Failure;
use estimation_service::games::ProvenEntry;
use estimation_service::public_log::failure::LogFailure;
use estimation_service::public_log::{LogSettings, OpenedEntry};
use estimation_store::GameId;
use estimation_tlog::Hash;

use super::watched::Site;
use super::{node, signed, whole};
use crate::audit::served::*;
use crate::prelude::*;

/// Gives all ends to the log, and signs it.
async fn log(app: &std::sync::Arc<App>) {
    sign_and_log(app).await;
    sign_starts(app).await;
}

/// Checks that each item opens the entry at its index.
async fn fit(app: &App, items: &[OpenedEntry]) {
    let (_, entries) = whole(app, signed(app).await.0.size).await;
    for OpenedEntry { index, game, entry, salt, .. } in items {
        let opening = Opening { entry: entry.clone(), salt: *salt };
        assert_eq!(opening.logged().expect("an entry"), entries[*index as usize]);
        assert!(entry.contains(&game.to_string()), "{entry}");
    }
}

/// A token with a role for the service of a site.
async fn token(site: &Site, name: &str, role: &str) -> String {
    let client = Client::anonymous(&site.url);
    let wish = json!({"username": name, "password": "plum-kettle-orbit", "display_name": name});
    client.send("/v1/accounts", &wish).await.accepted();
    site.app.roles.grant_to(name, role.parse().expect("a role")).await.expect("a grant");
    let session = client.send("/v1/sessions", &wish_without_name(&wish)).await.accepted();
    session["access_token"].as_str().expect("a token").to_owned()
}

fn wish_without_name(wish: &Value) -> Value {
    json!({"username": wish["username"], "password": wish["password"]})
}

fn audit(arguments: &[&str]) -> (Option<i32>, Value) {
    let output = run(&[&["audit", "--json"], arguments].concat());
    let report = serde_json::from_slice(&output.stdout);
    (output.status.code(), report.unwrap_or_else(|error| panic!("{error}: {output:?}")))
}

on_both! {
    /// `audit --url --all` opens every sealed entry for an auditor, and compares it with the history of the game.
    async fn an_auditor_verifies_private_games_too(database: TestDatabase) {
        let site = Site::start(&database).await;
        let (public, private) = (ended(&site.app, Visibility::Public).await, ended(&site.app, Visibility::Private).await);
        log(&site.app).await;
        let auditor = token(&site, "lina", "auditor").await;
        let player = token(&site, "omar", "player").await;
        let client = Client::anonymous(&site.url);
        client.get("/v1/audit/games").await.refused(401, "token-missing");
        client.with_token(&player).get("/v1/audit/games").await.refused(403, "role-required");
        let page = client.with_token(&auditor).get("/v1/audit/games?limit=1").await.accepted();
        assert_eq!(page["items"][0]["game"], json!(public));

        let url = ["--url", &site.url, "--all"];
        let counts = |report: &Value| [&report["games"], &report["log"]["games"], &report["log"]["sealed"]].map(|count| count.as_u64());
        let (status, report) = audit(&[&url[..], &["--token", &player]].concat());
        assert_eq!((status, counts(&report)), (Some(0), [Some(1), Some(1), Some(2)]), "{report:#}");
        let folder = tempfile::tempdir().expect("a folder");
        let saved = folder.path().join("saved");
        let saved_text = saved.to_str().expect("UTF-8");
        let (status, report) = audit(&[&url[..], &["--token", &auditor, "--save", saved_text]].concat());
        assert_eq!((status, counts(&report)), (Some(0), [Some(2), Some(2), Some(0)]), "{report:#}");
        let (status, report) = audit(&[saved_text]);
        assert_eq!((status, counts(&report)), (Some(0), [Some(2), Some(2), Some(0)]), "{report:#}");

        // The saved entries count without the network.
        let file = saved.join("opened.ndjson");
        let lines = fs::read_to_string(&file).expect("opened entries");
        let lines: Vec<&str> = lines.lines().collect();
        assert_eq!(lines.len(), 4);
        let without = |index: usize| [&lines[..index], &lines[index + 1..]].concat().join("\n");
        let details = |report: &Value| -> Vec<String> {
            let findings = report["findings"].as_array().expect("findings");
            findings.iter().map(|found| format!("{}", found["detail"])).collect()
        };
        for (text, expected) in [
            (without(3), "does not open entry 3 of the public log"),
            (lines.join("\n").replace(&private.to_string(), &public.to_string()), "is another one in the public log"),
            (lines[..3].join("\n") + "\n" + &lines[3].replace("\\\"events\\\":", "\\\"events\\\":1"), "is another one in the public log"),
        ] {
            fs::write(&file, text).expect("a change");
            let (status, report) = audit(&[saved_text]);
            let found = details(&report);
            assert!(status == Some(1) && found.iter().any(|detail| detail.contains(expected)), "{expected}: {report:#}");
        }
        fs::write(&file, lines.join("\n")).expect("as before");
        fs::remove_file(saved.join(format!("games/{private}.ndjson"))).expect("a history");
        let (status, report) = audit(&[saved_text]);
        assert!(status == Some(1) && details(&report).iter().any(|detail| detail.contains("its history is missing")), "{report:#}");

        // A service that hides a private game from the auditor.
        let hidden = "UPDATE log_games SET end_log = NULL, end_position = NULL WHERE end_salt IS NOT NULL";
        database.outsider().run(hidden).expect("a hidden end");
        let (status, report) = audit(&[&url[..], &["--token", &auditor]].concat());
        assert!(status == Some(1) && details(&report).iter().any(|detail| detail.contains("does not open entry")), "{report:#}");
        // A salt that does not open the entry.
        let zeros = match database.backend() { Backend::Sqlite => "zeroblob(32)", Backend::Postgres => "decode(repeat('00', 32), 'hex')" };
        database.outsider().run(&format!("UPDATE log_games SET start_salt = {zeros} WHERE start_salt IS NOT NULL")).expect("a salt");
        let (status, report) = audit(&[&url[..], &["--token", &auditor]].concat());
        assert!(status == Some(1) && details(&report).iter().any(|detail| detail.contains("is another one")), "{report:#}");
    }

    /// A step that a node did not do before it was killed is done later, once.
    #[ignore = "all: runs, kills and freezes programs for many seconds"]
    async fn a_kill_between_two_steps_loses_nothing(database: TestDatabase) {
        let mut ended_games = Vec::new();
        for steps in 0..4 {
            let app = node(&database, LogSettings::default()).await;
            ended_games.push(ended(&app, Visibility::Private).await);
            if steps > 0 {
                sign_starts(&app).await;
                app.endings.sign().await.expect("signed ends");
            }
            if steps > 1 {
                app.endings.log().await.expect("logged ends");
            }
            if steps > 2 {
                app.endings.count().await.expect("counted games");
            }
            // As a killed process: nothing is finished.
            drop(app);
        }
        let app = node(&database, LogSettings::default()).await;
        sign_starts(&app).await;
        for _ in 0..2 {
            app.endings.sign().await.expect("signed ends");
            app.endings.log().await.expect("logged ends");
            app.endings.count().await.expect("counted games");
        }
        app.records.begin_access_log().await.expect("a signed access log");
        while app.endings.pack(jiff::SignedDuration::ZERO).await.expect("packed logs") > 0 {}
        log(&app).await;
        let mut outsider = database.outsider();
        for table in ["ended_games", "counted_games", "packed_games", "games WHERE logged_at IS NOT NULL AND packed_at IS NOT NULL"] {
            assert_eq!(outsider.count(table), 4, "{table}");
        }
        let ends: Vec<GameId> =
            opened(&app, 100).await.iter().filter(|item| item.entry.contains("\"end\"")).map(|item| item.game).collect();
        assert_eq!((ends.len(), ends.iter().collect::<std::collections::HashSet<_>>().len()), (4, 4));
        assert_sound(&database);
    }
}

on_sqlite_first! {
    async fn auditors_see_every_start_and_every_end(database: TestDatabase) {
        let app = node(&database, LogSettings::default()).await;
        let public = ended(&app, Visibility::Public).await;
        let private = ended(&app, Visibility::Private).await;
        let (running, _) = table(&app, Visibility::Private).await;
        assert_eq!(opened(&app, 100).await, [], "no checkpoint has an entry");
        log(&app).await;
        let items = opened(&app, 100).await;
        fit(&app, &items).await;
        let games: Vec<GameId> = items.iter().map(|item| item.game).collect();
        assert_eq!(games[..3], [public, private, running]);
        assert_eq!(items.iter().map(|item| item.index).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert!(items.iter().all(|item| item.salt.is_none() == (item.game == public)), "{items:?}");
        assert_eq!(opened(&app, 2).await, items);
        // Nobody else sees them.
        for role in [Role::Player, Role::Admin] {
            let refused = app.public_log.opened_entries(&caller(6, role), None, 10).await;
            assert!(matches!(refused, Err(LogFailure::Common(Failure::RoleRequired { role: Role::Auditor }))), "{refused:?}");
        }
        assert_sound(&database);
    }

    /// A new log has the entries that come after it. Auditors see those of both.
    async fn auditors_see_the_entries_of_former_logs(database: TestDatabase) {
        let app = node(&database, LogSettings::default()).await;
        let before = ended(&app, Visibility::Private).await;
        log(&app).await;
        app.shutdown().await;
        let second = "cards.example/second";
        begin_log(&database, second).await;
        let app = node(&database, LogSettings { origin: second.to_owned(), ..LogSettings::default() }).await;
        let after = ended(&app, Visibility::Private).await;
        log(&app).await;
        let items = opened(&app, 1).await;
        let seen: Vec<(&str, u64, GameId)> =
            items.iter().map(|item| (item.origin.as_str(), item.index, item.game)).collect();
        let first = LogSettings::default().origin;
        assert_eq!(seen, [(&*first, 0, before), (&*first, 1, before), (second, 1, after), (second, 2, after)]);
        fit(&app, &items[2..]).await;
        // The numbers of the ends go on.
        assert_eq!(database.outsider().count(&format!("ended_games WHERE number = 2 AND game_id = '{after}'")), 1);
        assert_sound(&database);
        app.shutdown().await;
    }

    async fn a_lost_end_is_found(database: TestDatabase) {
        let app = node(&database, LogSettings::default()).await;
        let (game, players) = finished(&app, Visibility::Private).await;
        log(&app).await;
        let proof = app.games.proof(&players[1], game, ProvenEntry::End).await.expect("a proof");
        let proof: estimation_tlog::ProofFile = proof.parse().expect("a proof");
        let opening: Opening = serde_json::from_slice(proof.extra.as_ref().expect("an opening")).expect("an opening");
        let key = app.public_log.verifiers().await.expect("keys").expect("a log").log;
        let leaf = Hash::leaf(opening.logged().expect("an entry").as_bytes());
        assert_eq!(proof.verify(leaf, &key).expect("a good proof"), signed(&app).await.0);
        database.outsider().run("DELETE FROM log_games").expect("damage");
        let (well, report) = inspected(&database);
        assert!(!well && report.to_string().contains("the public log lacks the end of the game"), "{report:#}");
    }
}
