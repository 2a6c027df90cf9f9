//! Access tokens: forgeries are refused, all with the same answer.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer, SigningKey};
use estimation_service::base::failure::Failure;

use crate::prelude::*;

struct Workshop {
    header: Value,
    claims: Value,
    key: SigningKey,
}

impl Workshop {
    fn of(service: &Service, token: &str) -> Workshop {
        let part = |index: usize| {
            let part = token.split('.').nth(index).expect("a part");
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).expect("base64url")).expect("JSON")
        };
        let seed = service.stolen_keys()["token_keys"][0]["seed"].as_str().expect("a seed").to_owned();
        let seed = URL_SAFE_NO_PAD.decode(seed).expect("base64url").try_into().expect("32 bytes");
        Workshop { header: part(0), claims: part(1), key: SigningKey::from_bytes(&seed) }
    }

    /// Signs the token with other members in header and claims; null removes a member.
    fn signed(&self, header: &Value, claims: &Value, key: &SigningKey) -> String {
        let message = self.message(header, claims);
        let signature = key.sign(message.as_bytes());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes()))
    }

    fn message(&self, header: &Value, claims: &Value) -> String {
        let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        format!("{}.{}", encoded(&changed(&self.header, header)), encoded(&changed(&self.claims, claims)))
    }
}

fn changed(value: &Value, changes: &Value) -> Value {
    let mut value = value.clone();
    let members = value.as_object_mut().expect("an object");
    for (name, change) in changes.as_object().expect("an object") {
        match change {
            Value::Null => drop(members.remove(name)),
            change => drop(members.insert(name.clone(), change.clone())),
        }
    }
    value
}

async fn refused(service: &Service, token: &str, code: &str) {
    let answer = service.anonymous().with_token(token).get("/v1/me").await;
    answer.refused(401, code);
    let challenge = answer.header("www-authenticate").expect("a challenge");
    assert!(challenge.starts_with("Bearer ") && challenge.contains("error=\"invalid_token\""), "{challenge}");
    service
        .anonymous()
        .with_token(token)
        .send("/v1/games", &json!({"ruleset": "plain"}))
        .await
        .refused(401, code);
}

on_sqlite_first! {
    async fn a_missing_token_is_refused(service: Service) {
        let noor = service.player("noor").await;
        let table = service.table("nineteen").open().await;
        let nobody = service.anonymous();
        let requests = || [
            nobody.get("/v1/me"), nobody.get("/v1/games"), nobody.send("/v1/games", &json!({"ruleset": "plain"})),
            nobody.get(&format!("/v1/games/{}", table.id)), nobody.send(&table.path("seats"), &json!({})),
            nobody.post(&table.path("start")), nobody.post(&table.path("cancel")), nobody.delete(&table.path("seats/0")),
            nobody.send(&table.path("commands"), &json!({"type": "pass"})), nobody.get(&table.path("events")),
            nobody.get(&table.path("scores")), nobody.send("/v1/join/AAAAAAAA", &json!({})),
        ];
        for request in requests() {
            table.refuses(request, 401, "token-missing").await;
        }
        for header in [format!("Basic {}", noor.access_token), noor.access_token.clone(), "Bearer".to_owned()] {
            nobody.get("/v1/me").header("authorization", &header).await.refused(401, "token-missing");
        }
        for header in [format!("bearer {}", noor.access_token), format!("BEARER {}", noor.access_token)] {
            nobody.get("/v1/me").header("authorization", &header).await.accepted();
        }
    }

    async fn a_token_expires_after_fifteen_minutes(service: Service) {
        let noor = service.player("noor").await;
        service.wait(15 * 60 - 1);
        noor.client.get("/v1/me").await.accepted();
        service.wait(1);
        refused(&service, &noor.access_token, "token-expired").await;
        // The token remains expired after 100 days.
        service.wait(100 * 24 * 60 * 60);
        refused(&service, &noor.access_token, "token-expired").await;
    }

    async fn a_token_is_for_the_account_of_its_session(service: Service) {
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        let workshop = Workshop::of(&service, &noor.access_token);
        // Signed with the service's own key: Noor's session and another account.
        let claims = json!({"sub": omar.account, "jti": uuid::Uuid::from_u128(1)});
        let token = workshop.signed(&json!({}), &claims, &workshop.key);
        refused(&service, &token, "session-ended").await;
        noor.client.get("/v1/me").await.accepted();
        // The order in which a node sees the two tokens does not matter.
        let other = service.another_node();
        assert!(matches!(other.sessions.authenticate(&token).await, Err(Failure::SessionEnded)));
        assert_eq!(other.sessions.authenticate(&noor.access_token).await.expect("Noor").account.as_str(), noor.account);
        assert!(matches!(other.sessions.authenticate(&token).await, Err(Failure::SessionEnded)));
        other.shutdown().await;
    }

    async fn a_forged_token_is_refused(service: Service) {
        let noor = service.player("noor").await;
        let omar = service.player("omar").await;
        let token = noor.access_token.as_str();
        let workshop = Workshop::of(&service, token);
        let none = json!({});
        // An unchanged token of this forge is accepted.
        let genuine = workshop.signed(&none, &none, &workshop.key);
        service.anonymous().with_token(&genuine).get("/v1/me").await.accepted();

        let [header, claims, _] = token.splitn(3, '.').collect::<Vec<_>>()[..] else { panic!("{token}") };
        let others = omar.access_token.rsplit('.').next().expect("a signature");
        let now = service.now().as_second();
        let forged = |header: Value, claims: Value| workshop.signed(&header, &claims, &workshop.key);
        // One of each kind; `service::auth::tokens` refuses each kind in many forms.
        for forgery in [
            "a.b.c".to_owned(),
            workshop.message(&json!({"alg": "none"}), &none) + ".",
            forged(json!({"typ": "JWT"}), none.clone()),
            workshop.signed(&json!({"kid": "mine"}), &none, &SigningKey::from_bytes(&[7; 32])),
            format!("{header}.{claims}.{others}"),
            forged(none.clone(), json!({"iss": "somebody"})),
            forged(none.clone(), json!({"aud": "somebody"})),
            forged(none.clone(), json!({"nbf": now + 60})),
            noor.refresh_token.clone(),
            "x".repeat(10_000),
        ] {
            refused(&service, &forgery, "token-invalid").await;
        }
        refused(&service, &forged(none.clone(), json!({"exp": now})), "token-expired").await;
        // An access token is no refresh token.
        service.anonymous().send("/v1/sessions/refresh", &json!({"refresh_token": token})).await
            .refused(401, "refresh-token-invalid");
    }
}
