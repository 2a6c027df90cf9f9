//! A service audited from outside, by its own program: histories over HTTP and `estimation audit`.

use std::process::Output;

use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_record::verify::{Audit, Trust, read};
use estimation_test_support::made;
use reqwest::{Client, StatusCode};

use crate::prelude::*;
use crate::readme::Server;

async fn post(client: &Client, url: &str, token: &str, body: Value) -> Value {
    let answer = client.post(url).bearer_auth(token).json(&body).send().await.expect("an answer");
    assert!(answer.status().is_success(), "{url}: {}", answer.status());
    answer.json().await.expect("JSON")
}

async fn get(client: &Client, url: &str, token: &str, accept: &str) -> (StatusCode, String, String) {
    let request = client.get(url).bearer_auth(token).header("accept", accept);
    let answer = request.send().await.expect("an answer");
    let kind = answer.headers()["content-type"].to_str().expect("text").to_owned();
    (answer.status(), kind, answer.text().await.expect("text"))
}

fn audit(arguments: &[&str]) -> (Output, String) {
    let output = run(&[&["audit"], arguments].concat());
    let printed = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    (output, printed)
}

#[tokio::test]
async fn a_service_is_verified_from_outside() {
    let server = Server::start();
    let url = &server.url;
    let client = crate::web::client().build().expect("a client");
    let person = json!({"username": "noor", "password": "a long and unheard-of word"});
    let account = post(&client, &format!("{url}/v1/accounts"), "", person).await;
    let token = account["session"]["access_token"].as_str().or(account["access_token"].as_str());
    let token = token.unwrap_or_else(|| panic!("{account}")).to_owned();
    let table = json!({"ruleset": "squares"});
    let game = post(&client, &format!("{url}/v1/games"), &token, table).await;
    let game = game["id"].as_str().expect("an id").to_owned();
    let history = format!("{url}/v1/games/{game}/history");
    let (status, kind, text) = get(&client, &history, &token, "*/*").await;
    assert_eq!((status, kind.as_str()), (StatusCode::CONFLICT, "application/problem+json"), "{text}");
    post(&client, &format!("{url}/v1/games/{game}/cancel"), &token, json!({})).await;

    let proof = format!("{url}/v1/games/{game}/proof");
    eventually("the public log has the game", async || {
        get(&client, &proof, &token, "*/*").await.0 == StatusCode::OK
    })
    .await;
    let (status, _, text) = get(&client, &format!("{url}/v1/audit/games"), &token, "*/*").await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{text}");

    let (_, _, jwks) = get(&client, &format!("{url}/.well-known/jwks.json"), &token, "*/*").await;
    let mut trust = Trust::default();
    trust.add_jwks(&jwks).expect("a record key");
    for (accept, expected) in
        [("application/json", "application/json"), ("application/x-ndjson", "application/x-ndjson")]
    {
        let (status, kind, text) = get(&client, &history, &token, accept).await;
        assert_eq!((status, kind.as_str()), (StatusCode::OK, expected), "{text}");
        let mut audit = Audit::new(&trust);
        read(text.as_bytes(), &mut audit);
        let report = audit.finish();
        assert!(report.is_well() && report.events == 2, "{report:?}");
    }
    let (status, _, text) =
        get(&client, &format!("{url}/v1/games/{game}/state?version=1"), &token, "*/*").await;
    let then: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((status, &then["status"]), (StatusCode::OK, &json!("lobby")));
    let (status, _, text) = get(&client, &format!("{url}/v1/audit/accesses"), &token, "*/*").await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{text}");

    let (output, printed) = audit(&["--url", url, "--all", "--token", &token]);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("1 game with 2 events") && printed.ends_with("all is well\n"), "{printed}");

    // Without a token, public games are verified. The keys are the service's own.
    let folder = tempfile::tempdir().expect("a folder");
    let inside = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (saved, page, json) = (inside("saved"), inside("report.html"), inside("report.json"));
    let (output, printed) =
        audit(&["--url", url, "--all", "--save", &saved, "--report", &page, "--report", &json]);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        printed.contains("1 game with 2 events") && printed.contains("the service's own key"),
        "{printed}"
    );
    let report: Value = serde_json::from_str(&fs::read_to_string(&json).expect("a report")).expect("JSON");
    assert_eq!(
        (&report["outcome"], &report["games"], &report["skipped"]),
        (&json!("sound"), &json!(1), &json!(0))
    );
    assert_eq!(report["keys"][0]["pinned"], json!(false));
    assert!(report["log"]["root"].is_string() && report["began"].is_string(), "{report:#}");
    let page = fs::read_to_string(&page).expect("a page");
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains("all is well") && !page.contains("<script"),
        "{page}"
    );

    // What was saved is verified again, with the saved keys or with pinned ones.
    let (output, printed) = audit(&[&saved]);
    assert!(output.status.success() && printed.contains("as the service published it"), "{printed}");
    let jwks = format!("{saved}/jwks.json");
    let (output, printed) = audit(&["--jwks", &jwks, &saved]);
    assert!(output.status.success() && !printed.contains("own key"), "{printed}");
    // The saved log counts without the network: a damaged one is not checked, and a game without a history is missing.
    let bundle = format!("{saved}/log/tile/entries/000.p/1");
    let entries = fs::read(&bundle).expect("the entries");
    let changed = String::from_utf8_lossy(&entries).replace("\"events\":2", "\"events\":3");
    fs::write(&bundle, changed).expect("a change");
    let (output, printed) = audit(&[&saved]);
    assert!(output.status.code() == Some(3) && printed.contains("000.p/1 is damaged"), "{printed}");
    fs::write(&bundle, entries).expect("the entries");
    fs::rename(format!("{saved}/games/{game}.ndjson"), inside("away")).expect("a file");
    let (output, printed) = audit(&[&saved]);
    assert!(
        output.status.code() == Some(1)
            && printed.contains("the game is in the public log, and its history is missing"),
        "{printed}"
    );

    fs::rename(inside("away"), format!("{saved}/games/{game}.ndjson")).expect("a file");
    fs::rename(format!("{saved}/log"), inside("log")).expect("a folder");
    let (output, printed) = audit(&[&saved]);
    assert!(output.status.code() == Some(3) && printed.contains("the service has no log"), "{printed}");

    // An expired token is refreshed; without a way to refresh it, the audit fails.
    let refresh = account["session"]["refresh_token"].as_str().expect("a refresh token");
    let stale = ["--url", url, "--all", "--token", "not.taken.anymore"];
    let (output, _) = audit(&stale);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("401"), "{output:?}");
    let (output, printed) = audit(&[&stale[..], &["--refresh-token", refresh]].concat());
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("1 game with 2 events") && printed.ends_with("all is well\n"), "{printed}");
}

#[test]
fn files_are_verified_and_every_finding_names_game_event_and_rule() {
    let folder = tempfile::tempdir().expect("a folder");
    let key = made::key_hex();
    let made = made::play(Ruleset::preset(RulesetId::Plain), 12);
    let file = folder.path().join("game.ndjson");
    fs::write(&file, made.lines()).expect("a file");
    let file = file.to_str().expect("UTF-8");
    let (output, printed) = audit(&["--key", &key, file]);
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains("1 game with "), "{printed}");
    let (output, printed) = audit(&[file]);
    assert!(output.status.code() == Some(3) && printed.contains("no record key was given"), "{printed}");
    assert!(printed.ends_with(": not checked completely\n"), "{printed}");

    let mut forged = made.clone();
    let dealt = forged.find("round_dealt", 0).expect("a deal");
    forged.edit(dealt, |body| body["event"]["hands"].as_array_mut().expect("hands").swap(0, 1));
    forged.rehash();
    fs::write(file, forged.lines()).expect("a file");
    let (output, printed) = audit(&["--key", &key, file]);
    assert_eq!(output.status.code(), Some(1));
    let expected = format!("game {}, event {}: deal: ", made.header.game, dealt + 1);
    assert!(printed.contains(&expected), "{printed}");
    let (output, printed) = audit(&["--json", "--key", &key, file]);
    let report: Value = serde_json::from_str(&printed).expect("JSON");
    assert!(!output.status.success());
    assert_eq!(report["findings"][0]["rule"], "deal");
    assert_eq!(report["findings"][0]["seq"], dealt + 1);
}

#[test]
fn the_exit_status_says_whether_something_is_wrong_or_was_not_checked() {
    let status = |arguments: &[&str]| audit(arguments).0.status.code();
    assert_eq!(status(&[]), Some(2));
    assert_eq!(status(&["--no-such-flag"]), Some(2));
    assert_eq!(status(&["--unsigned", "--report", "report.pdf", "-"]), Some(2));
    assert_eq!(status(&["--unsigned", "/there/is/no/such/file"]), Some(3));
    assert_eq!(status(&["--url", "http://127.0.0.1:1", "--all"]), Some(3));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("game.ndjson");
    let made = made::play(Ruleset::preset(RulesetId::Plain), 5);
    let half: Vec<String> = made.lines().lines().take(40).map(str::to_owned).collect();
    fs::write(&file, half.join("\n")).expect("a file");
    assert_eq!(status(&["--unsigned", file.to_str().expect("UTF-8")]), Some(3), "it is cut off");
}

/// Several threads verify the histories of an input. The report is the same as that of one thread.
#[test]
fn the_report_does_not_depend_on_the_number_of_threads() {
    let mut input = String::new();
    for number in 1..=12 {
        let mut made = made::play(Ruleset::preset(RulesetId::Nineteen), number);
        if number % 3 == 0 {
            let at = made.find("card_played", 20).expect("a card");
            made.edit(at, |body| body["at"] = json!("2020-01-01T00:00:00.000Z"));
        }
        let lines = made.lines();
        let lines: Vec<&str> = lines.lines().collect();
        // Some histories lack their end, some their beginning.
        let part = match number % 5 {
            3 => &lines[..lines.len() - 3],
            4 => &lines[1..],
            _ => &lines[..],
        };
        input += &part.join("\n");
        input += "\n";
    }
    // Two histories of one game.
    input += &made::play(Ruleset::preset(RulesetId::Nineteen), 2).lines();
    input += "{\"header\": 7}\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("games.ndjson");
    fs::write(&file, &input).expect("a file");
    let key = made::key_hex();
    let (_, printed) = audit(&["--key", &key, "--json", file.to_str().expect("UTF-8")]);
    let found: Value = serde_json::from_str(&printed).expect("JSON");
    let trust = made::trust();
    let mut single = Audit::new(&trust);
    read(input.as_bytes(), &mut single);
    let expected = serde_json::to_value(single.finish()).expect("JSON");
    assert!(expected["wrong"].as_u64() > Some(5), "{expected:#}");
    for member in ["games", "events", "deals", "wrong"] {
        assert_eq!(found[member], expected[member], "{member}");
    }
    let details = |report: &Value| -> Vec<(Value, Value)> {
        let findings = report["findings"].as_array().expect("findings");
        findings.iter().map(|found| (found["game"].clone(), found["detail"].clone())).collect()
    };
    assert_eq!(details(&found), details(&expected));
}
