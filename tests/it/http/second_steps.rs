//! The second step of sign-ins: codes of an authenticator app, and codes on paper.

use estimation_service::auth::sessions::SessionSettings;
use estimation_service::auth::throttle::Limits;
use totp_rs::{Builder, Secret};

use super::raw::Raw;
use crate::prelude::*;

const STEP: &str = "/v1/me/second-step";
const PASS: &str = "/v1/sessions/current/second-step";

/// What an authenticator app shows.
pub fn shown(secret: &str, at: Timestamp) -> String {
    let secret = Secret::try_from_base32(secret).expect("a secret");
    let totp = Builder::new().with_secret(secret).build().expect("an app");
    totp.generate(at.as_second().try_into().expect("a time")).to_string()
}

fn confirm(client: &Client, code: &str) -> Request {
    client.request(Method::PUT, STEP).json(&json!({"code": code}))
}

fn pass(client: &Client, code: &str) -> Request {
    client.send(PASS, &json!({"code": code}))
}

/// Sets a second step up. Returns the app's secret and the codes on paper.
pub async fn set_up(service: &Service, client: &Client) -> (String, Vec<String>) {
    let started = client.post(STEP).await.accepted();
    let secret = started["secret"].as_str().expect("a secret").to_owned();
    let codes = confirm(client, &shown(&secret, service.now())).await.accepted();
    let codes = codes["codes"].as_array().expect("codes").iter();
    (secret, codes.map(|code| code.as_str().expect("a code").to_owned()).collect())
}

async fn signed_in(service: &Service, name: &str) -> Client {
    service.anonymous().signed_in(name, PASSWORD).await
}

on_both! {
    async fn a_session_does_nothing_before_its_second_step(service: Service) {
        let noor = service.player("noor").await.client;
        let off = json!({"set_up": false, "required": false, "confirmed_at": null, "passed_at": null, "codes_left": 0});
        assert_eq!(noor.get(STEP).await.accepted(), off);
        pass(&noor, "123456").await.refused(409, "no-second-step");
        confirm(&noor, "123456").await.refused(409, "no-second-step");
        noor.delete(STEP).await.refused(409, "no-second-step");
        let other = signed_in(&service, "noor").await;
        let started = noor.post(STEP).await.accepted();
        let secret = started["secret"].as_str().expect("a secret").to_owned();
        assert!(started["uri"].as_str().is_some_and(|uri| uri.starts_with("otpauth://totp/Estimation:noor?secret=")));
        confirm(&noor, "12345").await.refused(403, "wrong-second-step");
        // Nothing is in force yet.
        other.get("/v1/sessions").await.accepted();
        let code = shown(&secret, service.now());
        let codes = confirm(&noor, &code).await.accepted();
        assert_eq!(codes["codes"].as_array().map(Vec::len), Some(10));
        noor.post(STEP).await.refused(409, "second-step-set-up");
        let on = noor.get(STEP).await.accepted();
        assert_eq!((&on["set_up"], &on["codes_left"], on["passed_at"].is_string()), (&json!(true), &json!(10), true));
        noor.get("/v1/sessions").await.accepted();

        // Every other session waits, old and new.
        for session in [other, signed_in(&service, "noor").await] {
            for path in ["/v1/sessions", "/v1/me/export", "/v1/me/people", "/v1/games", "/v1/me/changes"] {
                let refused = session.get(path).await.refused(403, "second-step-required");
                assert_eq!((&refused["set_up"], &refused["max_age"]), (&json!(true), &Value::Null));
            }
            session.post("/v1/me/recovery-codes").await.refused(403, "second-step-required");
            session.delete(STEP).await.refused(403, "second-step-required");
            session.get("/v1/me").await.accepted();
            assert_eq!(session.get(STEP).await.accepted()["passed_at"], Value::Null);
            // The code that confirmed the app was used.
            pass(&session, &code).await.refused(403, "wrong-second-step");
            service.wait(30);
            let next = shown(&secret, service.now());
            pass(&session, &next).await.accepted();
            session.get("/v1/sessions").await.accepted();
            pass(&noor, &next).await.refused(403, "wrong-second-step");
        }
    }

    async fn paper_replaces_the_app_once_and_nothing_else_does(service: Service) {
        let noor = service.player("noor").await;
        let recovery = noor.client.post("/v1/me/recovery-codes").await.accepted();
        service.wait(1);
        let (_, codes) = set_up(&service, &noor.client).await;
        service.wait(1);
        // A recovery code signs in, and passes no second step.
        let wish = json!({"code": recovery["codes"][0]});
        let session = service.anonymous().send("/v1/sessions/recovery", &wish).await.accepted();
        let back = service.anonymous().with_token(session["access_token"].as_str().expect("a token"));
        back.get("/v1/sessions").await.refused(403, "second-step-required");
        pass(&back, recovery["codes"][1].as_str().expect("a code")).await.refused(403, "wrong-second-step");
        let passed = pass(&back, &codes[0].to_lowercase().replace('-', " ")).await.accepted();
        assert_eq!(passed["codes_left"], 9);
        // A refresh keeps it.
        let wish = json!({"refresh_token": session["refresh_token"]});
        let session = service.anonymous().send("/v1/sessions/refresh", &wish).await.accepted();
        let back = service.anonymous().with_token(session["access_token"].as_str().expect("a token"));
        let changes = back.get("/v1/me/changes").await.accepted();
        let kinds: Vec<&str> = changes["items"].as_array().expect("changes").iter().filter_map(|item| item["kind"].as_str()).collect();
        assert_eq!(kinds, ["recovered", "second_step_set", "recovery_codes_made"]);
        let again = signed_in(&service, "noor").await;
        pass(&again, &codes[0]).await.refused(403, "wrong-second-step");
        pass(&again, &codes[1]).await.accepted();
        let export = again.get("/v1/me/export").await.accepted();
        assert_eq!((&export["second_step_codes"], export["second_step_since"].is_string()), (&json!(8), true));
        assert!(codes.iter().all(|code| !export.to_string().contains(code.as_str())));

        assert_eq!(again.delete(STEP).await.status, 204);
        assert_eq!(again.get(STEP).await.accepted()["set_up"], false);
        signed_in(&service, "noor").await.get("/v1/sessions").await.accepted();
        // A new one is another secret, and old codes are worth nothing.
        let (_, new) = set_up(&service, &again).await;
        let fresh = signed_in(&service, "noor").await;
        pass(&fresh, &codes[2]).await.refused(403, "wrong-second-step");
        pass(&fresh, &new[0]).await.accepted();
    }

    async fn roles_need_a_second_step_of_the_last_minutes(database: TestDatabase) {
        let sessions = SessionSettings { second_step_for_roles: true, ..SessionSettings::default() };
        let service = Service::told(database, Setup { sessions, ..Setup::default() });
        let omar = service.player("omar").await;
        let mona = service.with_role("mona", "moderator").await;
        let refused = mona.get("/v1/admin/overview").await.refused(403, "second-step-required");
        assert_eq!(refused["set_up"], false);
        // What players do, it does.
        mona.get("/v1/games").await.accepted();
        assert_eq!(mona.get(STEP).await.accepted()["required"], true);
        let login = json!({"username": "mona", "password": PASSWORD});
        let session = service.anonymous().send("/v1/sessions", &login).await.accepted();
        let mona = service.anonymous().with_token(session["access_token"].as_str().expect("a token"));
        let (_, codes) = set_up(&service, &mona).await;
        mona.get("/v1/admin/overview").await.accepted();
        let acts = format!("/v1/admin/accounts/{}/acts", omar.account);
        let note = json!({"act": "noted", "reason": "A note."});
        mona.send(&acts, &note).await.accepted();
        service.wait(16 * 60);
        let wish = json!({"refresh_token": session["refresh_token"]});
        let session = service.anonymous().send("/v1/sessions/refresh", &wish).await.accepted();
        let mona = service.anonymous().with_token(session["access_token"].as_str().expect("a token"));
        mona.get("/v1/admin/overview").await.accepted();
        let refused = mona.send(&acts, &note).await.refused(403, "second-step-required");
        assert_eq!((&refused["set_up"], &refused["max_age"]), (&json!(true), &json!(900)));
        mona.delete(STEP).await.refused(403, "second-step-required");
        pass(&mona, &codes[0]).await.accepted();
        mona.send(&acts, &note).await.accepted();
    }

    /// A thief's session that is older than the second step does not remove it, whatever it was when its request began.
    async fn a_session_from_before_removes_nothing(service: Service) {
        let noor = service.player("noor").await;
        let thief = signed_in(&service, "noor").await;
        let token = thief.bearer().expect("a token").replace("Bearer ", "");
        let app = service.another_node();
        // As its request began.
        let before = app.sessions.authenticate(&token).await.expect("a session");
        let (_, codes) = set_up(&service, &noor.client).await;
        assert!(app.accounts.remove_second_step(&before).await.is_err());
        assert_eq!(noor.client.get(STEP).await.accepted()["set_up"], true);
        // Nor does a session that waits end others.
        let sessions = noor.client.get("/v1/sessions").await.accepted();
        for session in sessions["items"].as_array().expect("sessions") {
            let path = format!("/v1/sessions/{}", session["id"].as_str().expect("an id"));
            if session["current"] == true {
                thief.delete(&path).await.refused(403, "second-step-required");
            }
        }
        noor.client.get("/v1/sessions").await.accepted();
        // It may stop a link into the account.
        thief.get("/v1/me/access-link").await.accepted();
        assert_eq!(thief.delete("/v1/me/access-link").await.status, 204);
        // Another node knows at once that a session has passed it.
        eventually("the other node knows", async || app.sessions.authenticate(&token).await.is_err()).await;
        pass(&thief, &codes[0]).await.accepted();
        assert!(app.sessions.authenticate(&token).await.is_ok());
        app.shutdown().await;
    }
}

on_sqlite_first! {
    async fn guesses_are_limited(database: TestDatabase) {
        let setup = Setup { limits: Limits::default(), ..Setup::default() };
        let service = Service::told(database, setup);
        let noor = service.player("noor").await.client;
        let (_, codes) = set_up(&service, &noor).await;
        let session = signed_in(&service, "noor").await;
        for _ in 0..10 {
            pass(&session, "000000").await.refused(403, "wrong-second-step");
        }
        let refused = pass(&session, &codes[0]).await.refused(429, "too-many-attempts");
        assert_eq!(refused["policy"], "second-step");
        service.wait(120);
        pass(&session, &codes[0]).await.accepted();
    }

    /// A request whose body comes late does what its session may do then.
    async fn a_late_body_is_judged_when_it_arrives(service: Service) {
        let (omar, boss) = (service.player("omar").await, service.with_role("boss", "admin").await);
        let mona = service.with_role("mona", "moderator").await;
        let body = json!({"act": "deleted", "reason": "Late."}).to_string();
        let mut raw = Raw::to(&service);
        raw.say(&format!(
            "POST /v1/admin/accounts/{}/acts HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
            omar.account, mona.bearer().expect("a token"), body.len(), &body[..1],
        ));
        let own = service.player("mona").await.account;
        let role = format!("/v1/admin/accounts/{own}/role");
        boss.request(Method::PUT, &role).json(&json!({"role": "player"})).await.accepted();
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        raw.say(&body[1..]);
        let answer = raw.answer();
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
        omar.client.get("/v1/me").await.accepted();
    }
}
