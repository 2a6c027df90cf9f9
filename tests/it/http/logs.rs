//! The log of an account's whole life at the most verbose level: it has every event and no secret.

use super::raw::Raw;
use crate::harness::node::{Circumstances, estimation};
use crate::prelude::*;

const SECRET: &str = "umbrella-lantern-walnut-sparrow-thimble";
const WRONG: &str = "not-the-password-at-all";
const OTHER: &str = "kettle-orbit-quince";

struct Program {
    node: Node,
    folder: TempDir,
}

impl Program {
    fn start(database: &str, level: &str, flags: &[&str]) -> Program {
        let folder = TempDir::new().expect("a temporary folder");
        let mut all = vec!["--metrics-listen", "127.0.0.1:0", "--log", level, "--database-url", database];
        all.extend(["--data-dir", folder.path().to_str().expect("a path")]);
        let log_state = folder.path().join("log-state");
        all.extend(["--log-state", log_state.to_str().expect("a path")]);
        all.extend(flags);
        let environment = vec![("ESTIMATION_KEYS_SECRET".to_owned(), SECRET.to_owned())];
        let circumstances = Circumstances { environment, ..Circumstances::default() };
        Program { node: Node::start_in(folder.path(), &all, &circumstances), folder }
    }

    fn log(mut self) -> String {
        self.node.kill();
        self.node.complaints()
    }
}

fn secrets(session: &Value, into: &mut Vec<String>) {
    for name in ["access_token", "refresh_token", "device_token"] {
        into.push(session[name].as_str().expect(name).to_owned());
    }
}

on_sqlite_first! {
    async fn the_log_has_every_event_and_no_secret(database: TestDatabase) {
        let program = Program::start(database.url_text(), "trace", &[]);
        let nobody = Client::anonymous(&program.node.url).judged();
        let mut hidden: Vec<String> = [PASSWORD, WRONG, OTHER, SECRET].map(str::to_owned).to_vec();

        let wish = json!({"username": "noor", "password": PASSWORD});
        let noor = nobody.send("/v1/accounts", &wish).await.accepted();
        secrets(&noor["session"], &mut hidden);
        nobody.send("/v1/sessions", &json!({"username": "noor", "password": WRONG})).await.refused(401, "wrong-credentials");
        nobody.send("/v1/sessions", &json!({"username": "noor", "password": [WRONG]})).await.refused(422, "invalid-body");
        nobody.post("/v1/sessions").raw(format!("{{\"password\": \"{WRONG}\"")).await.refused(400, "malformed-json");
        let session = nobody.send("/v1/sessions", &wish).await.accepted();
        secrets(&session, &mut hidden);
        let client = nobody.with_token(session["access_token"].as_str().expect("a token"));
        let spoiled = format!("{}x", session["access_token"].as_str().expect("a token"));
        nobody.with_token(&spoiled).get("/v1/me").await.refused(401, "token-invalid");
        hidden.push(spoiled);

        let granted = estimation(&["account", "grant", "noor", "auditor", "--database-url", database.url_text()])
            .arg("--data-dir")
            .arg(program.folder.path())
            .env("ESTIMATION_KEYS_SECRET", SECRET)
            .output()
            .expect("the program");
        assert!(granted.status.success(), "{}", String::from_utf8_lossy(&granted.stderr));
        assert!(String::from_utf8_lossy(&granted.stderr).contains("role_granted"));
        eventually("the session ends", async || client.get("/v1/me").await.status == 401).await;
        client.get("/v1/me").await.refused(401, "session-ended");

        let first = json!({"refresh_token": session["refresh_token"]});
        let second = nobody.send("/v1/sessions/refresh", &first).await.accepted();
        secrets(&second, &mut hidden);
        let third = json!({"refresh_token": second["refresh_token"]});
        let third = nobody.send("/v1/sessions/refresh", &third).await.accepted();
        secrets(&third, &mut hidden);
        nobody.send("/v1/sessions/refresh", &first).await.refused(401, "refresh-token-reused");

        let session = nobody.send("/v1/sessions", &wish).await.accepted();
        secrets(&session, &mut hidden);
        let client = nobody.with_token(session["access_token"].as_str().expect("a token"));
        let change = json!({"current_password": PASSWORD, "new_password": OTHER});
        client.request(Method::PUT, "/v1/me/password").raw(change.to_string()).await.accepted();
        let game = client.send("/v1/games", &json!({"ruleset": "nineteen"})).await.accepted();
        client.get(&format!("/v1/games/{}", game["id"].as_str().expect("an id"))).await.accepted();
        client.delete("/v1/me").raw(json!({"password": WRONG}).to_string()).await.refused(403, "wrong-password");
        client.delete("/v1/me").raw(json!({"password": OTHER}).to_string()).await.accepted();

        let log = program.log();
        for event in [
            "account_created", "login_failed", "login", "refresh_reused", "password_changed", "confirmation_failed",
            "account_erased",
        ] {
            assert!(log.contains(&format!("event=\"{event}\"")), "{event} is not in the log");
        }
        assert!(log.contains("estimation::security"));
        for secret in &hidden {
            assert!(!log.contains(secret), "the log holds {secret}:\n{}", line_with(&log, secret));
        }
        assert!(!log.contains("$argon2id$"), "the log holds a hash:\n{}", line_with(&log, "$argon2id$"));
    }

    /// The log of unreadable requests, when standard error is not a terminal.
    async fn unreadable_requests_are_not_errors_and_files_have_no_colours(database: TestDatabase) {
        let program = Program::start(database.url_text(), "estimation=debug,info", &[]);
        let host = program.node.url.trim_start_matches("http://");
        let json = "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
        for said in [
            "hello\r\n\r\n".to_owned(),
            format!("GET / HTTP/1.1\r\nHost: x\r\n{}\r\n", "X-Much: y\r\n".repeat(200)),
            format!("GET / HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "y".repeat(200_000)),
            format!("{json}Transfer-Encoding: chunked\r\n\r\nZZ\r\n"),
            format!("{json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
            format!("{json}Content-Length: x\r\n\r\n"),
        ] {
            let mut raw = Raw::at(host);
            raw.say_what_is_heard(&said);
            let heard = raw.end();
            assert!(heard.is_empty() || heard.starts_with("HTTP/1.1 4"), "{heard}");
        }
        let log = program.log();
        assert!(log.contains("malformed request") && !log.contains('\u{1b}'), "{log}");
        assert!(!log.contains("ERROR") && !log.contains("WARN"), "{log}");
    }
}

on_sqlite_first! {
    async fn refused_authorisations_are_in_the_security_log(database: TestDatabase) {
        let flags = ["--log-format", "json", "--rate-unauthenticated", "5/1h"];
        let program = Program::start(database.url_text(), "info", &flags);
        let nobody = Client::anonymous(&program.node.url).judged();
        let mut players = Vec::new();
        for name in ["noor", "omar"] {
            let made = nobody.send("/v1/accounts", &json!({"username": name, "password": PASSWORD})).await.accepted();
            let token = made["session"]["access_token"].as_str().expect("a token");
            players.push((nobody.with_token(token), made["account"]["id"].clone(), made["session"]["session_id"].clone()));
        }
        let [(noor, _, noors_session), (omar, account, session)] = &players[..] else { panic!("two players") };
        let wish = json!({"ruleset": "nineteen", "visibility": "private"});
        let hidden = noor.send("/v1/games", &wish).await.accepted()["id"].as_str().expect("an id").to_owned();
        omar.get("/v1/audit/accesses").await.refused(403, "role-required");
        omar.get(&format!("/v1/games/{hidden}")).await.refused(404, "not-found");
        omar.send(&format!("/v1/games/{hidden}/seats"), &json!({})).await.refused(404, "not-found");
        omar.delete(&format!("/v1/sessions/{}", noors_session.as_str().expect("an id"))).await.refused(404, "not-found");
        // A game that does not exist belongs to no account.
        omar.get(&format!("/v1/games/{}", uuid::Uuid::nil())).await.refused(404, "not-found");
        let forger = nobody.with_token("garbage");
        for _ in 0..5 {
            forger.get("/v1/me").await.refused(401, "token-invalid");
        }
        for _ in 0..20 {
            forger.get("/v1/me").await.refused(429, "too-many-requests");
        }

        let log = program.log();
        let events: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok())
            .filter(|line: &Value| line["target"] == "estimation::security").collect();
        let of = |event: &str| events.iter().filter(|line| line["event"] == event).collect::<Vec<_>>();
        let refused = of("authorization_refused");
        let told: Vec<_> = refused.iter().map(|line| (&line["code"], &line["operation"])).collect();
        let expected = json!([
            ["role-required", "listAuditorAccesses"], ["not-found", "getGame"], ["not-found", "joinGame"], ["not-found", "endSession"],
        ]);
        assert_eq!(json!(told), expected);
        for line in refused {
            assert_eq!((&line["account"], &line["session"], &line["level"]), (account, session, &json!("WARN")));
            assert_eq!(line["address"], "127.0.0.1");
            assert!(line["span"]["request_id"].is_string(), "{line}");
        }
        // A flood writes no more lines than the limit allows requests.
        let refused = of("authentication_refused");
        assert_eq!(refused.len(), 5);
        assert!(refused.iter().all(|line| line["code"] == "token-invalid" && line["account"] == "unknown"));
        assert_eq!(of("throttled").len(), 1);
        assert!(!log.contains("garbage"), "the log holds a token");
    }
}

fn line_with<'a>(log: &'a str, text: &str) -> &'a str {
    log.lines().find(|line| line.contains(text)).unwrap_or_default()
}
