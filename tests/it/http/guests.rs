//! Guests: playing without credentials, and adding credentials later.

use crate::prelude::*;

async fn guest(service: &Service) -> (Client, Value) {
    let made = service.anonymous().send("/v1/accounts/guest", &json!({})).await;
    assert_eq!(made.status, 201);
    let made = made.accepted();
    (service.anonymous().with_token(made["session"]["access_token"].as_str().expect("a token")), made)
}

fn put(client: &Client, path: &str, body: &Value) -> crate::harness::client::Request {
    client.request(Method::PUT, path).raw(body.to_string())
}

on_both! {
    async fn an_unused_guest_is_erased(service: Service) {
        let (_, made) = guest(&service).await;
        service.player("noor").await;
        let (_, visitor) = guest(&service).await;
        service.wait(20 * 24 * 60 * 60);
        let wish = json!({"refresh_token": visitor["session"]["refresh_token"]});
        service.anonymous().send("/v1/sessions/refresh", &wish).await.accepted();
        service.wait(75 * 24 * 60 * 60);
        let node = service.another_node();
        // The sweep is the first background task of a node.
        let background = node.start_background();
        let there = |account: &Value| {
            let id = account["account"]["id"].as_str().expect("an id").to_owned();
            service.holds_account(&id)
        };
        eventually("the guest is erased", async || !there(&made)).await;
        drop(background);
        assert!(there(&visitor), "a guest was erased who came back");
        service.anonymous().send("/v1/sessions", &json!({"username": "noor", "password": PASSWORD})).await.accepted();
        node.shutdown().await;
    }
}

on_sqlite_first! {
    async fn a_guest_keeps_its_games_after_registration(service: Service) {
        let (client, made) = guest(&service).await;
        let account = &made["account"];
        assert_eq!((&account["kind"], &account["username"]), (&json!("guest"), &Value::Null));
        assert!(account["display_name"].as_str().expect("a name").starts_with("Guest "));
        let game = client.send("/v1/games", &json!({"ruleset": "nineteen"})).await.accepted();

        let weak = json!({"username": "layla", "password": "password123"});
        put(&client, "/v1/me/credentials", &weak).await.refused(422, "password-common");
        service.player("noor").await;
        let taken = json!({"username": "NOOR", "password": PASSWORD});
        put(&client, "/v1/me/credentials", &taken).await.refused(409, "username-taken");
        let wish = json!({"username": "Layla", "password": PASSWORD});
        let full = put(&client, "/v1/me/credentials", &wish).await.accepted();
        assert_eq!((&full["kind"], &full["username"], &full["id"]), (&json!("full"), &json!("Layla"), &account["id"]));
        put(&client, "/v1/me/credentials", &wish).await.refused(409, "not-a-guest");

        let session = service.anonymous().send("/v1/sessions", &wish).await.accepted();
        let again = service.anonymous().with_token(session["access_token"].as_str().expect("a token"));
        let mine = again.get("/v1/games?mine=true").await.accepted();
        assert_eq!(mine["items"][0]["id"], game["id"]);
    }

    async fn a_guest_has_no_password(service: Service) {
        let (client, _) = guest(&service).await;
        let change = json!({"current_password": PASSWORD, "new_password": "kettle-orbit-quince"});
        put(&client, "/v1/me/password", &change).await.refused(409, "guest-account");
        let named = service.anonymous().send("/v1/accounts/guest", &json!({"display_name": "Layla"})).await.accepted();
        assert_eq!(named["account"]["display_name"], "Layla");
        let wish = json!({"display_name": "\u{7}"});
        service.anonymous().send("/v1/accounts/guest", &wish).await.refused(422, "character-not-allowed");
        assert_eq!(client.delete("/v1/me").raw("{}").await.status, 204);
        client.get("/v1/me").await.refused(401, "session-ended");
    }
}
