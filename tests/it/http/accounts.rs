//! Accounts and sign-in: invalid names and passwords, and what a wrong guess reveals.

use crate::prelude::*;

on_both! {
    async fn a_weak_password_is_refused(service: Service) {
        let nobody = service.anonymous();
        let long = "x".repeat(129);
        for (password, code) in [
            ("", "password-too-short"), ("1234567", "password-too-short"), ("éééééé", "password-too-short"),
            (long.as_str(), "password-too-long"), ("password123", "password-common"),
            ("PassWord123", "password-common"), ("amina.nour", "password-is-username"),
            ("AMINA.nour!", "password-is-username"),
        ] {
            let wish = json!({"username": "amina.nour", "password": password});
            let problem = nobody.send("/v1/accounts", &wish).await.refused(422, code);
            assert_eq!(problem["field"], "/password");
            assert!(password.is_empty() || !problem.to_string().contains(password), "a problem repeats a password");
        }
        nobody.send("/v1/accounts", &json!({"username": "amina.nour", "password": PASSWORD})).await.accepted();
    }

    async fn a_name_is_taken_whatever_its_case(service: Service) {
        let nobody = service.anonymous();
        nobody.send("/v1/accounts", &json!({"username": "Noor", "password": PASSWORD})).await.accepted();
        for username in ["Noor", "noor", "NOOR", "nOOr"] {
            let wish = json!({"username": username, "password": PASSWORD});
            nobody.send("/v1/accounts", &wish).await.refused(409, "username-taken");
            let session = nobody.send("/v1/sessions", &wish).await;
            assert_eq!(session.status, 201);
            let token = session.accepted()["access_token"].as_str().expect("a token").to_owned();
            let me = nobody.with_token(&token).get("/v1/me").await.accepted();
            assert_eq!(me["username"], "Noor");
        }
    }

    async fn a_failed_sign_in_does_not_reveal_the_cause(service: Service) {
        let nobody = service.anonymous();
        service.player("noor").await;
        let mut told: Vec<Value> = Vec::new();
        for (username, password) in [
            ("noor", "another-password"), ("nobody", PASSWORD), ("nobody", "another-password"), ("noor", "short"),
            ("", PASSWORD), ("noor", ""), ("no such name", PASSWORD), ("noor", "PLUM-KETTLE-ORBIT"),
        ] {
            let answer = nobody.send("/v1/sessions", &json!({"username": username, "password": password})).await;
            told.push(answer.refused(401, "wrong-credentials"));
        }
        told.dedup();
        assert_eq!(told.len(), 1, "{told:?}");
        let wish = json!({"username": "noor", "password": PASSWORD, "device": "x".repeat(81)});
        assert_eq!(nobody.send("/v1/sessions", &wish).await.refused(422, "invalid-field")["field"], "/device");
    }
}

on_sqlite_first! {
    async fn an_account_is_made_and_signed_in(service: Service) {
        let nobody = service.anonymous();
        let account = json!({"username": "Noor.A-1_x", "password": PASSWORD, "display_name": "Noor é"});
        let registered = nobody.send("/v1/accounts", &account).await;
        assert_eq!(registered.status, 201);
        let registered = registered.accepted();
        let me = nobody.with_token(registered["session"]["access_token"].as_str().expect("a token"));
        let shown = me.get("/v1/me").await.accepted();
        assert_eq!(shown, registered["account"]);
        assert_eq!((&shown["username"], &shown["display_name"]), (&json!("Noor.A-1_x"), &json!("Noor é")));
        assert_eq!((&shown["role"], &shown["kind"]), (&json!("player"), &json!("full")));
        assert_eq!(registered["session"]["expires_in"], 900);
        assert_eq!(registered["session"]["refresh_expires_in"], 30 * 24 * 60 * 60);
    }

    async fn an_invalid_name_is_refused(service: Service) {
        let nobody = service.anonymous();
        let long = "x".repeat(33);
        let wish = |username: &str| json!({"username": username, "password": PASSWORD});
        for username in ["", "ab", long.as_str()] {
            let problem = nobody.send("/v1/accounts", &wish(username)).await.refused(422, "invalid-field");
            assert_eq!(problem["field"], "/username", "{username:?}");
        }
        for (username, character) in [
            ("no or", "U+0020"), ("noor!", "U+0021"), ("نور", "U+0646"), ("noor\n", "U+000A"), ("a/b", "U+002F"),
            ("noör", "U+00F6"),
        ] {
            let problem = nobody.send("/v1/accounts", &wish(username)).await.refused(422, "character-not-allowed");
            assert_eq!((&problem["field"], &problem["character"]), (&json!("/username"), &json!(character)));
        }
        let long = "x".repeat(41);
        for name in ["", " ", "\u{a0}\u{2003}", long.as_str()] {
            let wish = json!({"username": "noor", "password": PASSWORD, "display_name": name});
            let problem = nobody.send("/v1/accounts", &wish).await.refused(422, "invalid-field");
            assert_eq!(problem["field"], "/display_name", "{name:?}");
        }
        let decomposed = "e\u{301}".repeat(20);
        let wish = json!({"username": "noor", "password": PASSWORD, "display_name": decomposed});
        let answer = nobody.send("/v1/accounts", &wish).await.accepted();
        assert_eq!(answer["account"]["display_name"], "é".repeat(20));
    }

    async fn the_keys_are_published_without_their_secrets(service: Service) {
        let answer = service.anonymous().get("/.well-known/jwks.json").await;
        let keys = answer.accepted();
        assert_eq!(keys["keys"].as_array().map(Vec::len), Some(2));
        let stolen = service.stolen_keys();
        for secret in [&stolen["token_keys"][0]["seed"], &stolen["record_keys"][0]["seed"], &stolen["refresh_key"]] {
            assert!(!answer.body.contains(secret.as_str().expect("a secret")));
        }
        assert_eq!(stolen["token_keys"][0]["kid"], keys["keys"][0]["kid"]);
    }
}
