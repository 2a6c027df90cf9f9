//! Sessions: the list of signed-in devices, and what ends with a session.

use estimation_service::auth::login::Login;
use estimation_service::auth::sessions::SessionSettings;
use estimation_service::base::failure::Failure;
use tokio::time::timeout;

use crate::prelude::*;

async fn sign_in(service: &Service, name: &str, device: &str) -> (Client, Value) {
    let wish = json!({"username": name, "password": PASSWORD, "device": device});
    let session = service.anonymous().send("/v1/sessions", &wish).await.accepted();
    (service.anonymous().with_token(session["access_token"].as_str().expect("a token")), session)
}

fn path(session: &Value) -> String {
    format!("/v1/sessions/{}", session["session_id"].as_str().expect("an id"))
}

async fn refuses_to_refresh(service: &Service, session: &Value) {
    let wish = json!({"refresh_token": session["refresh_token"]});
    service.anonymous().send("/v1/sessions/refresh", &wish).await.refused(401, "refresh-token-invalid");
}

on_both! {
    async fn streams_and_polls_end_with_their_session(service: Service) {
        let table = service.table("nineteen").open().await;
        let noor = service.player("noor").await.client;
        let (phone, session) = sign_in(&service, "noor", "phone").await;
        let version = phone.get(&format!("/v1/games/{}", table.id)).await.accepted()["version"].clone();
        let poll = phone.get(&format!("{}?after={version}&wait=55", table.path("events")));
        let poll = tokio::spawn(async move { poll.await });
        let streams = [table.path("stream"), "/v1/me/stream".to_owned()].map(|path| {
            let stream = phone.unjudged(&path).send();
            tokio::spawn(async move { stream.await?.text().await })
        });
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(!poll.is_finished() && streams.iter().all(|stream| !stream.is_finished()));
        noor.delete(&path(&session)).await.accepted();
        poll.await.expect("the poll ends").refused(401, "session-ended");
        for stream in streams {
            let heard = timeout(PATIENCE, stream).await.expect("the stream ends").expect("no panic");
            let heard = heard.expect("as it should");
            assert!(!heard.contains("reconnect"), "{heard}");
        }
        phone.get("/v1/me/stream").await.refused(401, "session-ended");
    }

    /// Every node checks once a second.
    async fn a_sign_out_reaches_another_node(service: Service) {
        let noor = service.player("noor").await.client;
        let (_, session) = sign_in(&service, "noor", "phone").await;
        let token = session["access_token"].as_str().expect("a token");
        let other = service.another_node();
        let background = other.start_background();
        let caller = other.sessions.authenticate(token).await.expect("a caller");
        let mut stream = other.streams.stream_account(&caller).await.expect("a stream");
        noor.delete(&path(&session)).await.accepted();
        eventually("the other node notices", async || other.sessions.authenticate(token).await.is_err()).await;
        assert!(matches!(other.sessions.authenticate(token).await, Err(Failure::SessionEnded)));
        let news = timeout(PATIENCE, stream.next()).await.expect("an end in time").expect("an end");
        assert_eq!(news, estimation_service::watch::AccountNews::SessionEnded);
        drop(background);
        other.shutdown().await;
    }

    async fn the_session_limit_holds_across_nodes(database: TestDatabase) {
        let sessions = SessionSettings { per_account: 3, ..SessionSettings::default() };
        let service = Service::told(database, Setup { sessions, ..Setup::default() });
        service.player("noor").await;
        let nodes = [service.another_node(), service.another_node()];
        let logins = (0..12).map(|number| {
            let login = Login { username: "noor", password: PASSWORD, device: None, device_token: None, address: None };
            nodes[number % 2].sessions.log_in(login)
        });
        let opened = futures_util::future::join_all(logins).await;
        let mut living = 0;
        for session in opened {
            let token = session.expect("a session").access_token;
            let fresh = service.another_node();
            living += usize::from(fresh.sessions.authenticate(&token).await.is_ok());
            fresh.shutdown().await;
        }
        assert_eq!(living, 3);
        for node in nodes {
            node.shutdown().await;
        }
    }
}

on_sqlite_first! {
    async fn a_device_is_signed_out(service: Service) {
        let noor = service.player("noor").await.client;
        service.wait(1);
        let (phone, session) = sign_in(&service, "noor", "phone").await;
        let items = noor.get("/v1/sessions").await.accepted()["items"].clone();
        let told = |index: usize, member: &str| items[index][member].clone();
        assert_eq!(items.as_array().map(Vec::len), Some(2));
        assert_eq!((told(0, "device"), told(0, "current")), (json!("phone"), json!(false)));
        assert_eq!((told(1, "device"), told(1, "current")), (Value::Null, json!(true)));
        assert_eq!(told(0, "id"), session["session_id"]);

        let omar = service.player("omar").await.client;
        omar.delete(&path(&session)).await.refused(404, "not-found");
        phone.get("/v1/me").await.accepted();
        assert_eq!(noor.delete(&path(&session)).await.status, 204);
        phone.get("/v1/me").await.refused(401, "session-ended");
        refuses_to_refresh(&service, &session).await;
        noor.delete(&path(&session)).await.refused(404, "not-found");
        noor.get("/v1/me").await.accepted();
        assert_eq!(noor.get("/v1/sessions").await.accepted()["items"].as_array().map(Vec::len), Some(1));
    }

    async fn all_devices_are_signed_out(service: Service) {
        let noor = service.player("noor").await.client;
        let (phone, session) = sign_in(&service, "noor", "phone").await;
        let omar = service.player("omar").await.client;
        assert_eq!(phone.delete("/v1/sessions").await.status, 204);
        noor.get("/v1/me").await.refused(401, "session-ended");
        phone.get("/v1/me").await.refused(401, "session-ended");
        refuses_to_refresh(&service, &session).await;
        omar.get("/v1/me").await.accepted();
        sign_in(&service, "noor", "phone").await.0.get("/v1/me").await.accepted();
    }

    async fn the_least_recently_used_session_is_evicted(service: Service) {
        let noor = service.player("noor").await;
        let mut sessions = Vec::new();
        for device in 0..49 {
            service.wait(1);
            sessions.push(sign_in(&service, "noor", &format!("device {device}")).await);
        }
        // The first session is used, so it is not the least recently used one.
        service.wait(1);
        let wish = json!({"refresh_token": noor.refresh_token});
        service.anonymous().send("/v1/sessions/refresh", &wish).await.accepted();
        let listed = async || noor.client.get("/v1/sessions").await.accepted()["items"].as_array().map(Vec::len);
        assert_eq!(listed().await, Some(50));
        for device in 49..52 {
            service.wait(1);
            sessions.push(sign_in(&service, "noor", &format!("device {device}")).await);
            assert_eq!(listed().await, Some(50));
        }
        for (client, session) in &sessions[..3] {
            client.get("/v1/me").await.refused(401, "session-ended");
            refuses_to_refresh(&service, session).await;
        }
        for (client, _) in &sessions[3..] {
            client.get("/v1/me").await.accepted();
        }
    }

    async fn a_session_ends_half_a_year_after_it_began(database: TestDatabase) {
        const DAY: i64 = 24 * 60 * 60;
        let service = Service::start(database);
        let mut token = service.player("noor").await.refresh_token;
        let refresh = async |token: &str| service.anonymous().send("/v1/sessions/refresh", &json!({"refresh_token": token})).await;
        for _ in 0..6 {
            service.wait(29 * DAY);
            let session = refresh(&token).await.accepted();
            token = session["refresh_token"].as_str().expect("a token").to_owned();
        }
        // After 174 days, the rest of the session is shorter than the usual life of a refresh token.
        service.wait(6 * DAY - 60);
        let session = refresh(&token).await.accepted();
        let left = |name: &str| session[name].as_u64().unwrap_or_else(|| panic!("{name}"));
        assert_eq!((left("expires_in"), left("refresh_expires_in"), left("session_expires_in")), (60, 60, 60));
        let client = service.anonymous().with_token(session["access_token"].as_str().expect("a token"));
        client.get("/v1/me").await.accepted();
        let streaming = client.unjudged("/v1/me/stream").send().await.expect("a stream");
        service.wait(60);
        client.get("/v1/me").await.refused(401, "token-expired");
        refuses_to_refresh(&service, &session).await;
        timeout(PATIENCE, streaming.text()).await.expect("the stream ends").expect("as it should");
        // Signing in starts another half year.
        let (_, session) = sign_in(&service, "noor", "phone").await;
        assert_eq!(session["session_expires_in"], 180 * DAY);
        let listed = service.anonymous().with_token(session["access_token"].as_str().expect("a token"));
        let listed = listed.get("/v1/sessions").await.accepted();
        assert_eq!(listed["items"].as_array().map(Vec::len), Some(1));
    }

    async fn an_unused_session_expires_after_a_month(service: Service) {
        service.player("noor").await;
        let (_, session) = sign_in(&service, "noor", "phone").await;
        service.wait(30 * 24 * 60 * 60);
        refuses_to_refresh(&service, &session).await;
    }
}
