//! Roles: granted by admins and by the command line, recorded, and effective at once.

use reqwest::Method;
use serde_json::{Value, json};

use super::service::Service;
use super::table::Player;
use crate::databases::on_both;
use crate::harness::client::{Client, Request};
use crate::patience::eventually;

fn grant(client: &Client, account: &str, role: &str) -> Request {
    client
        .request(Method::PUT, &format!("/v1/admin/accounts/{account}/role"))
        .raw(json!({"role": role}).to_string())
}

async fn refreshed(service: &Service, refresh_token: &str) -> (Client, Value) {
    let wish = json!({"refresh_token": refresh_token});
    let session = service.anonymous().send("/v1/sessions/refresh", &wish).await.accepted();
    (service.anonymous().with_token(session["access_token"].as_str().expect("a token")), session)
}

async fn admin(service: &Service) -> (Player, Client) {
    let noor = service.player("noor").await;
    let app = service.another_node();
    app.roles.grant_to("NOOR", "admin".parse().expect("a role")).await.expect("a grant");
    app.shutdown().await;
    let (client, _) = refreshed(service, &noor.refresh_token).await;
    (noor, client)
}

on_both! {
    async fn only_admins_grant_roles(database: TestDatabase) {
        let service = Service::start(database);
        let (noor, admin) = admin(&service).await;
        assert_eq!(admin.get("/v1/me").await.accepted()["role"], "admin");
        let omar = service.player("omar").await;
        let refused = grant(&omar.client, &omar.account, "admin").await.refused(403, "role-required");
        assert_eq!(refused["role"], "admin");
        grant(&admin, &uuid::Uuid::nil().to_string(), "auditor").await.refused(404, "not-found");
        grant(&admin, &omar.account, "owner").await.refused(422, "invalid-body");
        grant(&admin, "omar", "auditor").await.refused(400, "malformed-path");

        let granted = grant(&admin, &omar.account, "auditor").await.accepted();
        assert_eq!((&granted["role"], &granted["username"]), (&json!("auditor"), &json!("omar")));
        // The token with the old role is invalid; the session is not.
        omar.client.get("/v1/me").await.refused(401, "session-ended");
        let (omar, session) = refreshed(&service, &omar.refresh_token).await;
        assert_eq!(omar.get("/v1/me").await.accepted()["role"], "auditor");
        grant(&omar, &noor.account, "player").await.refused(403, "role-required");

        let roles = omar.get("/v1/me/export").await.accepted()["roles"].clone();
        assert_eq!(
            (&roles[0]["role"], &roles[0]["former_role"], &roles[0]["granted_by"]),
            (&json!("auditor"), &json!("player"), &json!(noor.account))
        );
        let roles = admin.get("/v1/me/export").await.accepted()["roles"].clone();
        assert_eq!((&roles[0]["role"], &roles[0]["granted_by"]), (&json!("admin"), &Value::Null));
        drop(session);
    }

    async fn a_grant_by_the_command_line_reaches_running_nodes(database: TestDatabase) {
        let service = Service::start(database);
        let omar = service.player("omar").await;
        omar.client.get("/v1/me").await.accepted();
        let app = service.another_node();
        app.roles.grant_to("omar", "auditor".parse().expect("a role")).await.expect("a grant");
        assert!(app.roles.grant_to("nobody", "auditor".parse().expect("a role")).await.is_err());
        app.shutdown().await;
        eventually("the session ends", async || omar.client.get("/v1/me").await.status == 401).await;
        omar.client.get("/v1/me").await.refused(401, "session-ended");
    }
}
