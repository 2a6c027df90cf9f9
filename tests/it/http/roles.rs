//! Roles: granted by admins and by the command line, recorded, and effective at once.

use estimation_service::auth::permission::{ActingAdmin, Permission};
use estimation_service::base::failure::Failure;

use crate::prelude::*;

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
    async fn the_last_admin_stays(service: Service) {
        let (noor, admin) = admin(&service).await;
        let app = service.another_node();
        let by_operator = app.roles.grant_to("noor", "player".parse().expect("a role")).await;
        assert!(matches!(by_operator, Err(Failure::LastAdmin)));
        let delete = |client: &Client| client.delete("/v1/me").raw(json!({"password": PASSWORD}).to_string());
        delete(&admin).await.refused(409, "last-admin");
        assert_eq!(admin.get("/v1/me").await.accepted()["role"], "admin");
        // With another admin both are possible.
        let omar = service.player("omar").await;
        grant(&admin, &omar.account, "admin").await.accepted();
        let (omar, _) = refreshed(&service, &omar.refresh_token).await;
        assert_eq!(delete(&admin).await.status, 204);
        delete(&omar).await.refused(409, "last-admin");
        grant(&omar, &noor.account, "admin").await.refused(404, "not-found");
        app.shutdown().await;
    }

    async fn the_last_admin_is_not_swept(service: Service) {
        let mut guests = Vec::new();
        for _ in 0..3 {
            let made = service.anonymous().send("/v1/accounts/guest", &json!({})).await.accepted();
            guests.push(made["account"]["id"].as_str().expect("an id").to_owned());
        }
        let promote = format!("UPDATE accounts SET role = 'admin' WHERE id = '{}'", guests[1]);
        service.database().outsider().run(&promote).expect("an admin");
        service.wait(91 * 24 * 60 * 60);
        let node = service.another_node();
        let background = node.start_background();
        let others = [&guests[0], &guests[2]];
        eventually("the others are erased", async || others.iter().all(|id| !service.holds_account(id))).await;
        drop(background);
        assert!(service.holds_account(&guests[1]));
        node.shutdown().await;
    }

    /// Two admins take the role from each other at once, on two nodes.
    async fn of_two_admins_one_stays(service: Service) {
        let (noor, first) = admin(&service).await;
        let omar = service.player("omar").await;
        let other = service.another_node();
        for round in 0..8 {
            let of = |name: &'static str| other.roles.grant_to(name, "admin".parse().expect("a role"));
            of("noor").await.expect("a grant");
            of("omar").await.expect("a grant");
            let mut callers = Vec::new();
            for name in ["noor", "omar"] {
                let login = json!({"username": name, "password": PASSWORD});
                let session = service.anonymous().send("/v1/sessions", &login).await.accepted();
                let token = session["access_token"].as_str().expect("a token").to_owned();
                let caller = other.sessions.authenticate(&token).await.expect("a caller");
                callers.push((caller.account.clone(), ActingAdmin::of(caller, other.now()).expect("an admin")));
            }
            let racers = [(0, service.app()), (1, other.clone())].map(|(n, node)| {
                let (by, target) = (callers[n].1.clone(), callers[1 - n].0.clone());
                tokio::spawn(async move { node.roles.grant(&by, target, "player".parse().expect("a role")).await })
            });
            let mut refused = 0;
            for racer in racers {
                match racer.await.expect("an outcome") {
                    Ok(_) => {}
                    // The tokens of the former role have ended.
                    Err(Failure::SessionEnded) => refused += 1,
                    Err(failure) => panic!("round {round}: {failure}"),
                }
            }
            assert_eq!(refused, 1, "round {round}");
            assert_eq!(service.database().outsider().count("accounts WHERE role = 'admin'"), 1);
        }
        other.shutdown().await;
        drop((noor, first, omar));
    }

    async fn a_grant_by_the_command_line_reaches_running_nodes(service: Service) {
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

on_sqlite_first! {
    async fn only_admins_grant_roles(service: Service) {
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

    async fn the_operator_creates_an_account_with_a_role(service: Service) {
        let app = service.another_node();
        let (account, password) = app.accounts.create("Boss", "admin".parse().expect("a role")).await.expect("an account");
        let again = app.accounts.create("BOSS", "player".parse().expect("a role")).await;
        assert!(matches!(again, Err(Failure::UsernameTaken)));
        assert!(app.accounts.create("no name", "player".parse().expect("a role")).await.is_err());
        app.shutdown().await;
        let boss = service.anonymous().signed_in("boss", &password).await;
        let me = boss.get("/v1/me").await.accepted();
        assert_eq!((&me["id"], &me["role"]), (&json!(account.id), &json!("admin")));
        let export = boss.get("/v1/me/export").await.accepted();
        assert_eq!((&export["roles"][0]["role"], &export["roles"][0]["granted_by"]), (&json!("admin"), &Value::Null));
        // It was not signed in before.
        assert_eq!(boss.get("/v1/sessions").await.accepted()["items"].as_array().map(Vec::len), Some(1));
        let omar = service.player("omar").await;
        grant(&boss, &omar.account, "auditor").await.accepted();
    }

    async fn nobody_changes_their_own_role(service: Service) {
        let (noor, admin) = admin(&service).await;
        // Also while there is another admin.
        let omar = service.player("omar").await;
        grant(&admin, &omar.account, "admin").await.accepted();
        for role in ["auditor", "player", "admin"] {
            grant(&admin, &noor.account, role).await.refused(403, "own-role");
            grant(&admin, &noor.account.to_uppercase(), role).await.refused(403, "own-role");
        }
        assert_eq!(admin.get("/v1/me").await.accepted()["role"], "admin");
        assert_eq!(admin.get("/v1/me/export").await.accepted()["roles"].as_array().map(Vec::len), Some(1));
    }

    async fn a_grant_needs_a_sign_in_of_the_last_five_minutes(service: Service) {
        let (noor, _) = admin(&service).await;
        let sign_in = async || {
            let login = json!({"username": "noor", "password": PASSWORD});
            service.anonymous().send("/v1/sessions", &login).await.accepted()
        };
        let bearer =
            |session: &Value| service.anonymous().with_token(session["access_token"].as_str().expect("a token"));
        let session = sign_in().await;
        let admin = bearer(&session);
        let omar = service.player("omar").await;
        service.wait(5 * 60);
        grant(&admin, &omar.account, "auditor").await.accepted();
        service.wait(1);
        let answer = grant(&admin, &omar.account, "player").await;
        let refused = answer.refused(401, "recent-sign-in-required");
        assert_eq!(refused["max_age"], 300);
        assert_eq!(
            answer.header("www-authenticate"),
            Some("Bearer realm=\"estimation\", error=\"insufficient_user_authentication\", max_age=\"300\"")
        );
        // A refresh is no sign-in, and the session goes on.
        let (client, session) = refreshed(&service, session["refresh_token"].as_str().expect("a token")).await;
        grant(&client, &omar.account, "player").await.refused(401, "recent-sign-in-required");
        client.get("/v1/me").await.accepted();
        drop(session);
        grant(&bearer(&sign_in().await), &omar.account, "player").await.accepted();
        // Who may not grant roles learns nothing about sign-ins.
        let (omar_now, _) = refreshed(&service, &omar.refresh_token).await;
        service.wait(301);
        grant(&omar_now, &noor.account, "player").await.refused(403, "role-required");
    }
}
