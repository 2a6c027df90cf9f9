//! Recovery codes: each signs in once, without the password.

use estimation_service::auth::throttle::Limits;

use crate::prelude::*;

fn texts(codes: &Value) -> Vec<String> {
    codes.as_array().expect("codes").iter().map(|code| code.as_str().expect("a text").to_owned()).collect()
}

async fn registered(nobody: &Client) -> (Client, Vec<String>) {
    let account = json!({"username": "noor", "password": PASSWORD});
    let answer = nobody.send("/v1/accounts", &account).await.accepted();
    let token = answer["session"]["access_token"].as_str().expect("a token");
    (nobody.with_token(token), texts(&answer["recovery_codes"]))
}

async fn recover(nobody: &Client, code: &str) -> Answer {
    nobody.send("/v1/sessions/recovery", &json!({"code": code})).await
}

fn client(nobody: &Client, session: &Answer) -> Client {
    nobody.with_token(session.accepted()["access_token"].as_str().expect("a token"))
}

on_both! {
    async fn a_code_signs_in_once_and_ends_the_other_sessions(service: Service) {
        let nobody = service.anonymous();
        let (noor, codes) = registered(&nobody).await;
        assert_eq!(codes.len(), 10);
        for code in &codes {
            assert!(!service.holds_account(code));
        }
        let recovered = recover(&nobody, &codes[3]).await;
        assert_eq!(recovered.status, 201);
        let again = client(&nobody, &recovered);
        assert_eq!(again.get("/v1/me").await.accepted()["username"], "noor");
        noor.get("/v1/me").await.refused(401, "session-ended");
        recover(&nobody, &codes[3]).await.refused(401, "recovery-code-invalid");
        // As people write it.
        let other = recover(&nobody, &codes[4].to_lowercase().replace('-', " ")).await;
        again.get("/v1/me").await.refused(401, "session-ended");
        let export = client(&nobody, &other).get("/v1/me/export").await.accepted();
        assert_eq!(export["recovery_codes"], 8);
        for wrong in ["7K3M-Q0ZD-9TXW-2HVB-C5PA-JR8E", "nonsense", "-"] {
            recover(&nobody, wrong).await.refused(401, "recovery-code-invalid");
        }
    }

    async fn a_code_can_set_a_password(service: Service) {
        let nobody = service.anonymous();
        let (_, codes) = registered(&nobody).await;
        let with = |code: &str, password: &str| {
            nobody.send("/v1/sessions/recovery", &json!({"code": code, "new_password": password}))
        };
        with(&codes[0], "password123").await.refused(422, "password-common");
        with(&codes[0], "kettle-orbit-quince").await.accepted();
        let sign_in = |password: &str| nobody.send("/v1/sessions", &json!({"username": "noor", "password": password}));
        sign_in(PASSWORD).await.refused(401, "wrong-credentials");
        sign_in("kettle-orbit-quince").await.accepted();
        // A refused password uses no code up, and a used code is not there for another password.
        with(&codes[0], "plum-orbit-quince").await.refused(401, "recovery-code-invalid");
    }

    async fn of_two_who_use_a_code_one_gets_in(service: Service) {
        let nobody = service.anonymous();
        let (_, codes) = registered(&nobody).await;
        for code in &codes[..5] {
            let [one, two, three] = [nobody.apart(), nobody.apart(), nobody.apart()];
            let answers = tokio::join!(recover(&one, code), recover(&two, code), recover(&three, code));
            let answers = [answers.0, answers.1, answers.2];
            let accepted = answers.iter().filter(|answer| answer.status == 201).count();
            assert_eq!(accepted, 1, "{answers:?}");
            answers.iter().filter(|answer| answer.status != 201).for_each(|answer| {
                answer.refused(401, "recovery-code-invalid");
            });
        }
    }
}

on_sqlite_first! {
    async fn new_codes_void_the_old_ones(service: Service) {
        let nobody = service.anonymous();
        let (noor, old) = registered(&nobody).await;
        let new = texts(&noor.post("/v1/me/recovery-codes").await.accepted()["codes"]);
        assert!(new.len() == 10 && new.iter().all(|code| !old.contains(code)));
        recover(&nobody, &old[0]).await.refused(401, "recovery-code-invalid");
        let noor = client(&nobody, &recover(&nobody, &new[0]).await);
        // They need a sign-in of the last five minutes.
        service.wait(6 * 60);
        let problem = noor.post("/v1/me/recovery-codes").await.refused(401, "recent-sign-in-required");
        assert_eq!(problem["max_age"], 300);
        recover(&nobody, &new[1]).await.accepted();
    }

    async fn a_guest_comes_back(service: Service) {
        let nobody = service.anonymous();
        let guest = nobody.send("/v1/accounts/guest", &json!({})).await.accepted();
        assert_eq!(guest["recovery_codes"], json!([]));
        let token = guest["session"]["access_token"].as_str().expect("a token");
        service.wait(10 * 60);
        let codes = texts(&nobody.with_token(token).post("/v1/me/recovery-codes").await.accepted()["codes"]);
        let wish = json!({"code": codes[0], "new_password": "kettle-orbit-quince"});
        let problem = nobody.send("/v1/sessions/recovery", &wish).await.refused(422, "invalid-field");
        assert_eq!(problem["field"], "/new_password");
        let back = client(&nobody, &recover(&nobody, &codes[0]).await);
        assert_eq!(back.get("/v1/me").await.accepted()["id"], guest["account"]["id"]);
    }

    async fn guesses_count_as_at_login(database: TestDatabase) {
        let limits = Limits { login_per_address: Some("3/3m".parse().expect("a rate")), ..Limits::NONE };
        let service = Service::told(database, Setup { limits, ..Setup::default() });
        let nobody = service.anonymous();
        let (_, codes) = registered(&nobody).await;
        // A right code is no guess.
        for code in &codes[..4] {
            recover(&nobody, code).await.accepted();
        }
        for _ in 0..3 {
            recover(&nobody, "7K3M-Q0ZD-9TXW-2HVB-C5PA-JR8E").await.refused(401, "recovery-code-invalid");
        }
        recover(&nobody, &codes[5]).await.refused(429, "too-many-attempts");
    }
}
