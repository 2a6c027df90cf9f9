//! Your own account: changing, exporting and deleting it.

use crate::prelude::*;

const OTHER: &str = "kettle-orbit-quince";

fn put(client: &Client, path: &str, body: &Value) -> Request {
    client.request(Method::PUT, path).raw(body.to_string())
}

fn farewell(client: &Client, password: &str) -> Request {
    client.delete("/v1/me").raw(json!({"password": password}).to_string())
}

async fn sign_in(service: &Service, password: &str) -> Client {
    service.anonymous().signed_in("noor", password).await
}

on_sqlite_first! {
    async fn a_display_name_is_changed(service: Service) {
        let noor = service.player("noor").await.client;
        let table = service.table("nineteen").open().await;
        let patch = |body: Value| noor.request(Method::PATCH, "/v1/me").raw(body.to_string());
        let changed = patch(json!({"display_name": "Noor the Second"})).await.accepted();
        assert_eq!((&changed["display_name"], &changed["username"]), (&json!("Noor the Second"), &json!("noor")));
        assert_eq!(noor.get("/v1/me").await.accepted(), changed);
        let game = noor.get(&format!("/v1/games/{}", table.id)).await;
        assert!(game.body.contains("Noor the Second"), "{game}");
        assert_eq!(patch(json!({})).await.accepted(), changed);
        patch(json!({"display_name": " "})).await.refused(422, "invalid-field");
        patch(json!({"username": "sami"})).await.refused(422, "invalid-body");
    }

    async fn a_new_password_signs_all_other_devices_out(service: Service) {
        let noor = service.player("noor").await.client;
        let phone = sign_in(&service, PASSWORD).await;
        let change = |current: &str, new: &str| {
            put(&phone, "/v1/me/password", &json!({"current_password": current, "new_password": new}))
        };
        change(OTHER, OTHER).await.refused(403, "wrong-password");
        change("short", OTHER).await.refused(422, "invalid-field");
        change(PASSWORD, "password123").await.refused(422, "password-common");
        noor.get("/v1/me").await.accepted();
        assert_eq!(change(PASSWORD, OTHER).await.status, 204);
        noor.get("/v1/me").await.refused(401, "session-ended");
        phone.get("/v1/me").await.accepted();
        let wish = json!({"username": "noor", "password": PASSWORD});
        service.anonymous().send("/v1/sessions", &wish).await.refused(401, "wrong-credentials");
        sign_in(&service, OTHER).await.get("/v1/me").await.accepted();
    }

    async fn an_export_has_all_stored_data(service: Service) {
        let noor = service.player("noor").await;
        let table = service.table("nineteen").full().await;
        noor.client.post(&table.path("start")).header("idempotency-key", "start-1").await.accepted();
        let answer = noor.client.get("/v1/me/export").await;
        let export = answer.accepted();
        assert_eq!(export["account"], noor.client.get("/v1/me").await.accepted());
        assert_eq!(export["games"], json!([{"game": table.id, "place": 0}]));
        assert_eq!(export["sessions"][0]["refresh_tokens"].as_array().map(Vec::len), Some(1));
        assert_eq!((&export["requests"][0]["method"], &export["roles"]), (&json!("POST"), &json!([])));
        assert!(!answer.body.contains("argon2") && !answer.body.contains(&noor.refresh_token), "{answer}");
    }

    async fn deleting_an_account_keeps_its_games(service: Service) {
        let noor = service.player("noor").await;
        let running = service.table("nineteen").started().await;
        let omar = service.player("omar").await.client;
        let lobby = service.table("nineteen").open().await;
        omar.send(&lobby.path("seats"), &json!({})).await.accepted();

        noor.client.delete("/v1/me").raw("{}").await.refused(422, "invalid-field");
        farewell(&noor.client, OTHER).await.refused(403, "wrong-password");
        assert_eq!(farewell(&noor.client, PASSWORD).await.status, 204);
        noor.client.get("/v1/me").await.refused(401, "session-ended");
        let wish = json!({"refresh_token": noor.refresh_token});
        service.anonymous().send("/v1/sessions/refresh", &wish).await.refused(401, "refresh-token-invalid");
        let wish = json!({"username": "noor", "password": PASSWORD});
        service.anonymous().send("/v1/sessions", &wish).await.refused(401, "wrong-credentials");

        let lobby = omar.get(&format!("/v1/games/{}", lobby.id)).await.accepted();
        assert_eq!(lobby["seats"][0]["player"], Value::Null);
        assert_ne!(lobby["host"].as_str(), Some(noor.account.as_str()));
        let game = omar.get(&format!("/v1/games/{}", running.id)).await.accepted();
        let name = game["seats"][0]["player"]["name"].as_str().expect("a name").to_owned();
        assert_eq!(name, format!("(deleted {})", &noor.account[30..]));
        assert_eq!(game["status"], "playing");
        assert!(!service.holds_account("noor"), "personal data is still there");

        service.anonymous().send("/v1/accounts", &json!({"username": "noor", "password": OTHER})).await.accepted();
    }
}
