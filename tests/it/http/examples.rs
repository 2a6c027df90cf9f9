//! The examples of the spec: one scene uses every operation. Each answer must have the shape of the recorded
//! example. `ESTIMATION_TEST_RECORD=1` writes the spec with the answers as its examples.

use estimation::http::{Examples, openapi, openapi_text, openapi_with};
use estimation_engine::client_seed::ClientSeed;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_service::auth::permission::ActingModerator;
use estimation_service::moderation::{Act, ActRequest};

use super::operations::{Targets, operations};
use super::second_steps::shown;
use super::spec::spec;
use crate::documents::root;
use crate::identities::Scene;
use crate::mail;
use crate::prelude::*;

#[derive(Default)]
struct Album {
    examples: Examples,
    /// The operations that have answered with success.
    used: BTreeSet<String>,
}

impl Album {
    /// Keeps the first success of each operation and the first problem of each code.
    fn put(&mut self, operation: &str, answer: &Answer) -> Value {
        let body = said(answer);
        if answer.status >= 400 {
            let code = body["code"].as_str().expect("a code").to_owned();
            self.examples.problems.entry(code).or_insert_with(|| body.clone());
        } else if self.used.insert(operation.to_owned()) {
            let exchange = self.examples.operations.entry(operation.to_owned()).or_default();
            exchange.request = answer.sent.clone();
            exchange.response = Some((answer.status, body.clone())).filter(|_| !body.is_null());
        }
        body
    }
}

fn said(answer: &Answer) -> Value {
    match answer.header("content-type") {
        Some(media_type) if media_type.starts_with("text/") => answer.body.as_str().into(),
        _ => answer.json(),
    }
}

async fn overheard(client: &Client, path: &str) -> Answer {
    let mut response = client.unjudged(path).send().await.expect("a stream");
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let first = response.chunk().await.expect("a frame").expect("a frame");
    let text = String::from_utf8(first.to_vec()).expect("a text");
    // One frame is enough for an example.
    let body = text.split_inclusive("\n\n").next().unwrap_or_default().to_owned();
    Answer { method: reqwest::Method::GET, path: path.to_owned(), status, headers, body, sent: None }
}

async fn audited_games(client: &Client) -> Answer {
    let page =
        async || Some(client.get("/v1/audit/games").await).filter(|page| page.json()["items"][0].is_object());
    found("the public log has a game", page).await
}

async fn admin(service: &Service) -> Client {
    let app = service.another_node();
    app.roles.grant_to("noor", "admin".parse().expect("a role")).await.expect("a grant");
    app.shutdown().await;
    service.anonymous().signed_in("noor", "kettle-orbit-quince").await
}

/// The shape of a value: the fields with their shapes, and for a list the set of shapes.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "a flag".into(),
        Value::Number(_) => "a number".into(),
        Value::String(_) => "a text".into(),
        Value::Array(items) => {
            let kinds: BTreeSet<String> = items.iter().map(|item| shape(item).to_string()).collect();
            json!({"a list of": kinds})
        }
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), shape(field))).collect(),
    }
}

/// Uses every operation once, and makes the most common client mistakes.
async fn scene(service: &Service) -> Album {
    let mut album = Album::default();
    let nobody = service.anonymous();
    for (operation, path) in [
        ("getHealth", "/healthz"),
        ("getReadiness", "/readyz"),
        ("getJwks", "/.well-known/jwks.json"),
        ("getProblem", "/problems/must-follow-suit"),
        ("getRuleset", "/v1/rulesets/nineteen"),
    ] {
        album.put(operation, &nobody.get(path).await);
    }
    let mut rulesets = nobody.get("/v1/rulesets").await;
    let mut page = rulesets.json();
    page["items"].as_array_mut().expect("rulesets").truncate(1);
    rulesets.body = page.to_string();
    album.put("listRulesets", &rulesets);
    let round = json!({"round": 12, "first_speaker": 3, "calls": [
        {"seat": 0, "kind": "estimate", "tricks": 4}, {"seat": 1, "kind": "estimate", "tricks": 4},
        {"seat": 2, "kind": "estimate", "tricks": 2}, {"seat": 3, "kind": "bid", "tricks": 4}], "tricks": [3, 4, 2, 4]});
    album.put("scoreRound", &nobody.send("/v1/rulesets/double-risk/score", &round).await);
    let mut wrong = round.clone();
    wrong["tricks"] = json!([3, 4, 2, 3]);
    album.put("", &nobody.send("/v1/rulesets/double-risk/score", &wrong).await);

    let wish = json!({"username": "noor", "password": PASSWORD, "display_name": "Noor"});
    let registered = album.put("registerAccount", &with_codes(nobody.send("/v1/accounts", &wish).await));
    album.put("", &nobody.send("/v1/accounts", &wish).await);
    let wish = json!({"username": "noor", "password": PASSWORD, "device": "Noor's phone"});
    let session = album.put("createSession", &nobody.send("/v1/sessions", &wish).await);
    album.put(
        "",
        &nobody.send("/v1/sessions", &json!({"username": "noor", "password": "no-such-password"})).await,
    );
    let wish = json!({"refresh_token": session["refresh_token"]});
    let session = album.put("refreshSession", &nobody.send("/v1/sessions/refresh", &wish).await);
    let token = |session: &Value| session["access_token"].as_str().expect("a token").to_owned();
    let noor = nobody.with_token(&token(&session));
    let guest = album
        .put("registerGuest", &nobody.send("/v1/accounts/guest", &json!({"display_name": "Sami"})).await);
    let sami = nobody.with_token(&token(&guest["session"]));
    album.put("", &nobody.get("/v1/me").await);
    album.put("getMe", &noor.get("/v1/me").await);
    let mut codes = noor.post("/v1/me/recovery-codes").await;
    let code = codes.json()["codes"][0].clone();
    codes = with_codes(codes);
    album.put("createRecoveryCodes", &codes);
    let rename = json!({"display_name": "Noor"});
    album.put("updateMe", &noor.request(reqwest::Method::PATCH, "/v1/me").raw(rename.to_string()).await);
    let credentials = json!({"username": "sami", "password": PASSWORD}).to_string();
    album.put(
        "setCredentials",
        &sami.request(reqwest::Method::PUT, "/v1/me/credentials").raw(credentials).await,
    );
    album.put("listSessions", &noor.get("/v1/sessions").await);
    let first = registered["session"]["session_id"].as_str().expect("an id");
    album.put("endSession", &noor.delete(&format!("/v1/sessions/{first}")).await);

    notices(&mut album, &noor).await;
    games(&mut album, &noor, &sami).await;

    let player = format!("/v1/players/{}", registered["account"]["id"].as_str().expect("an id"));
    album.put("getPlayer", &noor.get(&player).await);
    album.put("getPlayerStatistics", &noor.get(&format!("{player}/statistics")).await);
    album.put("listPlayerGames", &noor.get(&format!("{player}/games")).await);
    album.put("getLeaderboard", &noor.get("/v1/leaderboards/nineteen").await);
    let wish = json!({"ruleset": "squares", "options": {"length": "mini"}, "fill_with_bots_after": 60});
    album.put("joinQueue", &sami.send("/v1/matchmaking", &wish).await);
    album.put("getQueueEntry", &sami.get("/v1/matchmaking").await);
    album.put("leaveQueue", &sami.delete("/v1/matchmaking").await);

    album.put("exportMe", &noor.get("/v1/me/export").await);
    let passwords = json!({"current_password": PASSWORD, "new_password": "kettle-orbit-quince"}).to_string();
    album.put("changePassword", &noor.request(reqwest::Method::PUT, "/v1/me/password").raw(passwords).await);
    let role = format!("/v1/admin/accounts/{}/role", guest["account"]["id"].as_str().expect("an id"));
    let grant = json!({"role": "auditor"}).to_string();
    album.put("", &noor.request(reqwest::Method::PUT, &role).raw(grant.clone()).await);
    let admin = admin(service).await;
    album.put("grantRole", &admin.request(reqwest::Method::PUT, &role).raw(grant).await);
    let wish = json!({"username": "sami", "password": PASSWORD});
    let auditor = nobody.with_token(&token(&nobody.send("/v1/sessions", &wish).await.accepted()));
    album.put("listAuditedGames", &audited_games(&auditor).await);
    let wish = json!({"ruleset": "squares", "visibility": "private"});
    let table = admin.send("/v1/games", &wish).await.accepted();
    let table = format!("/v1/games/{}", table["id"].as_str().expect("an id"));
    auditor.get(&format!("{table}/history")).await.accepted();
    album.put("listAuditorAccesses", &admin.get("/v1/audit/accesses").await);
    album.put("listAuditAccesses", &admin.get(&format!("{table}/audit-accesses")).await);
    album.put("endSessions", &admin.delete("/v1/sessions").await);
    identities(&mut album).await;
    addresses(&mut album).await;
    people(&mut album, service).await;
    second_step(&mut album, service).await;
    desk(&mut album, service).await;
    let wish = json!({"code": code, "device": "Noor's new phone"});
    let mut recovered = nobody.send("/v1/sessions/recovery", &wish).await;
    recovered.sent = Some(json!({"code": CODES[0], "device": "Noor's new phone"}));
    album.put("recoverSession", &recovered);
    let session =
        nobody.send("/v1/sessions", &json!({"username": "sami", "password": PASSWORD})).await.accepted();
    let farewell = json!({"password": PASSWORD}).to_string();
    let sami = nobody.with_token(&token(&session));
    album.put("deleteMe", &sami.request(reqwest::Method::DELETE, "/v1/me").raw(farewell).await);
    rest(&mut album, &nobody).await;
    album
}

/// Uses every operation that has no part in the scene, as the player in seat 0 of a game that has just started.
async fn rest(album: &mut Album, nobody: &Client) {
    let new: Vec<_> = operations().into_iter().filter(|one| !album.used.contains(&one.name)).collect();
    if new.is_empty() {
        return;
    }
    let table = Table::of_two(nobody).await;
    let player = &table.players[0];
    let sessions = player.client.get("/v1/sessions").await.accepted();
    let session = sessions["items"][0]["id"].as_str().expect("an id");
    let targets = Targets { game: &table.id, session, account: &player.account };
    for operation in new {
        let answer = operation.by(&player.client, &targets).await;
        assert!(answer.is_success(), "{} needs a part in the scene: {answer}", operation.name);
        album.put(&operation.name, &answer);
    }
}

async fn games(album: &mut Album, noor: &Client, sami: &Client) {
    let wish = json!({"ruleset": "nineteen", "players": 2, "options": {"order": "1-10-1"}});
    let opened = album.put("createGame", &noor.send("/v1/games", &wish).await);
    album.put("", &noor.send("/v1/games", &json!({"ruleset": "nineteen", "players": 6})).await);
    album.put("", &noor.send("/v1/games", &json!({"ruleset": "nineteen", "options": {"jokers": 3}})).await);
    let game = format!("/v1/games/{}", opened["id"].as_str().expect("an id"));
    let part = |part: &str| format!("{game}/{part}");
    album.put("listGames", &sami.get("/v1/games?ruleset=nineteen").await);
    album.put("joinGame", &sami.send(&part("seats"), &json!({})).await);
    album.put("", &sami.send(&part("seats"), &json!({})).await);
    album.put("leaveSeat", &sami.delete(&part("seats/1")).await);
    let closed = json!({"ruleset": "nineteen", "players": 2, "visibility": "private"});
    let closed = noor.send("/v1/games", &closed).await.accepted();
    let code = closed["join_code"].as_str().expect("a code");
    album.put("getInvitation", &sami.get(&format!("/v1/join/{code}")).await);
    album.put("joinByCode", &sami.send(&format!("/v1/join/{code}"), &json!({})).await);
    seeds(album, noor, sami).await;
    sami.send(&part("seats"), &json!({})).await.accepted();
    let seen = sami.get(&game).await.etag();
    album.put("", &sami.post(&part("start")).await);
    album.put("startGame", &noor.post(&part("start")).await);
    album.put("", &noor.send(&part("commands"), &json!({"type": "estimate", "tricks": 0})).await);
    let view = album.put("getGame", &sami.get(&game).await);
    let legal = &view["legal"][0];
    album.put("checkCommand", &sami.send(&part("commands/check"), legal).await);
    album.put("", &sami.post(&part("hint")).await);
    album.put("", &sami.send(&part("commands"), legal).header("if-match", seen).await);
    album.put("postCommand", &sami.send(&part("commands"), legal).await);
    album.put("listEvents", &sami.get(&part("events?after=3&limit=5")).await);
    album.put("getState", &sami.get(&part("state?version=4")).await);
    album.put("", &sami.get(&part("history")).await);
    album.put("", &sami.get("/v1/games/nonsense").await);
    album.put("", &sami.get("/v1/games/0198c0de-0000-7000-8000-000000000000").await);
    let players = [noor, sami];
    for _ in 0..3 {
        for player in players {
            let view = player.get(&game).await.accepted();
            if let Some(command) = view["legal"].as_array().and_then(|legal| legal.first()) {
                player.send(&part("commands"), command).await.accepted();
            }
        }
    }
    album.put("getScores", &sami.get(&part("scores")).await);
    album.put("streamGame", &overheard(sami, &part("stream")).await);
    album.put("streamMe", &overheard(sami, "/v1/me/stream").await);

    for (seat, player) in [noor, sami].into_iter().enumerate() {
        player.delete(&part(&format!("seats/{seat}"))).await.accepted();
    }
    let proof = async || Some(sami.get(&part("proof")).await).filter(|answer| answer.status == 200);
    album.put("getProof", &found("the log has the game", proof).await);
    album.put("getBundle", &sami.get(&part("bundle")).await);

    let other = noor.send("/v1/games", &json!({"ruleset": "double-risk"})).await.accepted();
    let other = format!("/v1/games/{}", other["id"].as_str().expect("an id"));
    let put = |path: String, body: Value| noor.request(reqwest::Method::PUT, &path).raw(body.to_string());
    album.put("seatBot", &put(format!("{other}/seats/1/bot"), json!({"level": "steady"})).await);
    let closed = closed["id"].as_str().expect("an id");
    album.put("changeHost", &put(format!("/v1/games/{closed}/host"), json!({"seat": 1})).await);
    album.put("cancelGame", &noor.post(&format!("{other}/cancel")).await);
    album.put("", &noor.post(&format!("{other}/cancel")).await);
    album.put("createRematch", &noor.send(&format!("{other}/rematch"), &json!({})).await);
    let alone = noor.send("/v1/games", &json!({"ruleset": "nineteen", "players": 2})).await.accepted();
    let alone = format!("/v1/games/{}", alone["id"].as_str().expect("an id"));
    put(format!("{alone}/seats/1/bot"), json!({"level": "steady"})).await.accepted();
    noor.post(&format!("{alone}/start")).await.accepted();
    let hint = async || Some(noor.post(&format!("{alone}/hint")).await).filter(Answer::is_success);
    album.put("takeHint", &found("a hint in noor's turn", hint).await);
    let history = async || {
        let answer = noor.get(&format!("{other}/history")).await;
        Some(answer).filter(|answer| answer.json()["end"]["signature"].is_object())
    };
    album.put("getHistory", &found("the end is signed", history).await);
}

/// The recovery codes in the examples. A service draws its own.
const CODES: [&str; 10] = [
    "7K3M-Q0ZD-9TXW-2HVB-C5PA-JR8E",
    "0W4N-8YDS-K6JQ-TB3X-91VC-MZ5R",
    "H2GE-V7PA-4CXK-90RM-SJ6D-QT8B",
    "ZN51-XK3W-B8QT-6DGH-0YVE-2JCP",
    "M9RV-0TSE-7HJB-Q4KZ-WX2C-5D8N",
    "3CYP-DJ6X-R0WG-1NTM-8KVB-HQ4Z",
    "QE8T-5BZN-2MVD-GX7R-3PKC-W0J9",
    "6DHK-WC1V-ZP4Y-J8EB-T5NQ-0RXM",
    "X0JB-9QME-5TKD-V3CZ-7GWH-N2PR",
    "T4VC-2NRH-M8XE-0PWZ-B6KD-9JQY",
];

/// The answer with the codes of the examples.
fn with_codes(mut answer: Answer) -> Answer {
    let mut body = answer.json();
    for name in ["codes", "recovery_codes"] {
        if body[name].is_array() {
            body[name] = json!(CODES);
        }
    }
    answer.body = body.to_string();
    answer
}

/// The key of pushes in the examples. A service draws its own.
const PUSH_KEY: &str =
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";

async fn notices(album: &mut Album, noor: &Client) {
    let with_key = |mut answer: Answer| {
        let key = answer.json()["push_key"].as_str().expect("a key").to_owned();
        answer.body = answer.body.replace(&key, PUSH_KEY);
        answer
    };
    let put = |path: &str, body: &Value| noor.request(reqwest::Method::PUT, path).raw(body.to_string());
    let hours = json!({"from": "22:30", "to": "07:00", "time_zone": "Africa/Cairo"});
    let choices = json!({"muted": ["game_started"], "quiet_hours": hours});
    album.put("setNotifications", &with_key(put("/v1/me/notifications", &choices).await));
    let keys = json!({
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    });
    let subscription =
        json!({"endpoint": "https://fcm.googleapis.com/fcm/send/c1KrmpTuRm0:APA91b", "keys": keys});
    album.put("subscribeToPush", &put("/v1/me/push-subscription", &subscription).await);
    album.put("getNotifications", &with_key(noor.get("/v1/me/notifications").await));
    album.put("unsubscribeFromPush", &noor.delete("/v1/me/push-subscription").await);
}

/// Players who sign in with an issuer, which is on this machine.
async fn identities(album: &mut Album) {
    let scene = Scene::from(TestDatabase::new(Backend::Sqlite));
    let shown = |mut answer: Answer, sent: Option<Value>| {
        answer.body = answer.body.replace(&scene.issuer.url(), "https://issuer.example.org");
        answer.body = answer.body.replace("\"fake\"", "\"example\"");
        if answer.sent.is_some() {
            answer.sent = sent;
        }
        answer
    };
    let sent = json!({
        "issuer": "example",
        "nonce": "AAAAAGlWYcDNXcKi0GaPLHyKU7FdY2J9rzDnVGH2xtAnNGdM3n2gKw",
        "id_token": "eyJhbGciOiJFUzI1NiIsImtpZCI6Im9uZSJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
    });
    let nobody = &scene.nobody;
    album.put("createNonce", &nobody.post("/v1/nonces").await);
    let asked = async || {
        Some(nobody.get("/v1/issuers").await).filter(|page| page.json()["items"][0]["web"].is_object())
    };
    album.put("listIssuers", &shown(found("the issuer has answered", asked).await, None));
    let evidence = scene.evidence("player-7").await;
    let wish = json!({"identity": evidence, "display_name": "Noor", "device": "Noor's phone"});
    let signed_in = nobody.send("/v1/sessions/oidc", &wish).await;
    let noor = scene.client(&signed_in);
    let wish = json!({"identity": sent, "display_name": "Noor", "device": "Noor's phone"});
    album.put("createOidcSession", &shown(with_codes(signed_in), Some(wish)));
    album.put("", &scene.present(&evidence).await);
    let second = scene.evidence("player-8").await;
    let linked = noor.send("/v1/me/identities", &json!({"identity": second})).await;
    album.put("linkIdentity", &shown(linked, Some(json!({"identity": sent}))));
    let listed = noor.get("/v1/me/identities").await;
    let id = listed.json()["items"][1]["id"].as_str().expect("an id").to_owned();
    album.put("listIdentities", &shown(listed, None));
    album.put("removeIdentity", &noor.delete(&format!("/v1/me/identities/{id}")).await);
    album.put("listAccountChanges", &noor.get("/v1/me/changes").await);
}

/// Two friends, what they say at a table, and what they report.
async fn people(album: &mut Album, service: &Service) {
    let nobody = service.anonymous();
    album.put("listReactions", &nobody.get("/v1/reactions").await);
    let wish = json!({"ruleset": "nineteen", "players": 2});
    let table = Table::open(&nobody, &wish, 1).await;
    let (lina, ziad) = (&table.players[0], &nobody.register("ziad").await);
    let id = |player: &Player| player.account.clone();
    let put = |client: &Client, path: String| client.request(reqwest::Method::PUT, &path);
    let settings = json!({"shows_presence": true, "found_by_name": true, "takes_requests": true});
    let chosen = put(&ziad.client, "/v1/me/people/settings".to_owned()).raw(settings.to_string()).await;
    album.put("setPeopleSettings", &chosen);
    let mut code = ziad.client.post("/v1/me/friend-code").await;
    code.body = json!({"friend_code": "7KQ2MX9RWBTA"}).to_string();
    album.put("createFriendCode", &code);
    album.put("removeFriendCode", &ziad.client.delete("/v1/me/friend-code").await);
    album.put("findPeople", &lina.client.get("/v1/people?name=ziad").await);
    let friend = |player: &Player| format!("/v1/me/friends/{}", id(player));
    album.put("befriendPlayer", &put(&lina.client, friend(ziad)).await);
    put(&ziad.client, friend(lina)).await.accepted();
    album.put("listPeople", &lina.client.get("/v1/me/people").await);
    let invited = lina.client.send(&table.path("invitations"), &json!({"player": id(ziad)})).await;
    let invitation = invited.json()["id"].as_str().expect("an id").to_owned();
    album.put("invitePlayer", &invited);
    album.put("listInvitations", &ziad.client.get("/v1/me/invitations").await);
    album.put("declineInvitation", &ziad.client.delete(&format!("/v1/me/invitations/{invitation}")).await);
    ziad.client.send(&table.path("seats"), &json!({})).await.accepted();
    album.put("react", &ziad.client.send(&table.path("reactions"), &json!({"reaction": "hello"})).await);
    album.put("", &ziad.client.send(&table.path("reactions"), &json!({"reaction": "hello"})).await);
    let report = json!({"player": id(ziad), "game": table.id, "about": "conduct", "text": "He said hello."});
    album.put("createReport", &lina.client.send("/v1/reports", &report).await);
    album.put("", &lina.client.send("/v1/reports", &report).await);
    album.put("listReports", &lina.client.get("/v1/me/reports").await);
    let relation = |kind: &str| format!("/v1/me/{kind}/{}", id(ziad));
    album.put("mutePlayer", &put(&lina.client, relation("mutes")).await);
    album.put("unmutePlayer", &lina.client.delete(&relation("mutes")).await);
    album.put("removeFriend", &lina.client.delete(&friend(ziad)).await);
    album.put("blockPlayer", &put(&lina.client, relation("blocks")).await);
    album.put("unblockPlayer", &lina.client.delete(&relation("blocks")).await);
    album.put("listRecentPlayers", &lina.client.get("/v1/me/recent-players").await);
    let account = AccountId::new(ziad.account.as_str());
    let week = Timestamp::now() + SignedDuration::from_hours(7 * 24);
    let app = service.another_node();
    let suspend = ActRequest {
        until: Some(RecordTime::of(week, None)),
        ..ActRequest::new(Act::Suspended, "Insults at three tables.")
    };
    app.moderation.act(&ActingModerator::operator(), &account, &suspend).await.expect("an act");
    app.shutdown().await;
    let suspended = async || {
        let answer = ziad.client.send("/v1/games", &wish).await;
        Some(answer).filter(|answer| answer.status == 403)
    };
    album.put("", &found("the node knows of the suspension", suspended).await);
    album.put("getStanding", &ziad.client.get("/v1/me/standing").await);
    let appeal = json!({"text": "It was my brother, and I have changed the password."});
    album.put("createAppeal", &ziad.client.send("/v1/appeals", &appeal).await);
}

/// A player with an email address, on a node that sends mail.
async fn addresses(album: &mut Album) {
    let scene = mail::Scene::from(TestDatabase::new(Backend::Sqlite));
    let noor = scene.nobody.register("noor").await.client;
    album.put("setEmail", &mail::set(&noor, "noor@example.org").await);
    let token = mail::token(&scene.server.mail("noor@example.org", 0).await, "verify");
    let mut verified = scene.nobody.send("/v1/email-verifications", &json!({"token": token})).await;
    verified.sent = Some(json!({"token": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}));
    album.put("verifyEmail", &verified);
    album.put("getEmail", &noor.get("/v1/me/email").await);
    let wish = json!({"address": "noor@example.org"});
    album.put("requestPasswordReset", &scene.nobody.send("/v1/password-resets", &wish).await);
    album.put("removeEmail", &noor.delete("/v1/me/email").await);
    let mona = scene.with_role("mona", "moderator").await;
    let lina = scene.nobody.register("lina").await;
    mail::set(&lina.client, "lina@example.org").await;
    let token = mail::token(&scene.server.mail("lina@example.org", 0).await, "verify");
    scene.nobody.send("/v1/email-verifications", &json!({"token": token})).await;
    let acts = format!("/v1/admin/accounts/{}/acts", lina.account);
    mona.send(&acts, &json!({"act": "export_sent", "reason": "A letter."})).await.accepted();
    let token = mail::token(&scene.server.mail("lina@example.org", 1).await, "export");
    let mut exported = scene.nobody.send("/v1/exports", &json!({"token": token})).await;
    exported.sent = Some(json!({"token": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}));
    album.put("exportByLink", &exported);
    mona.send(&acts, &json!({"act": "access_given", "reason": "A letter."})).await.accepted();
    let token = mail::token(&scene.server.mail("lina@example.org", 2).await, "stop");
    let mut stopped = scene.nobody.send("/v1/access-links/stop", &json!({"token": token})).await;
    stopped.sent = Some(json!({"token": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}));
    album.put("stopAccessByLink", &stopped);
}

/// The secret of an authenticator app in the examples. A service draws its own.
const SECRET: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

/// A player who sets a second step up, and passes it.
async fn second_step(album: &mut Album, service: &Service) {
    let yara = service.anonymous().register("yara").await.client;
    let put = |body: Value| yara.request(reqwest::Method::PUT, "/v1/me/second-step").json(&body);
    album.put("", &put(json!({"code": "287082"})).await);
    let mut started = yara.post("/v1/me/second-step").await;
    let secret = started.json()["secret"].as_str().expect("a secret").to_owned();
    started.body = started.body.replace(&secret, SECRET);
    album.put("startSecondStep", &started);
    let with_code = |mut answer: Answer, code: &str| {
        answer.sent = Some(json!({"code": code}));
        answer
    };
    album.put("", &with_code(put(json!({"code": "no code"})).await, "000000"));
    let confirmed = put(json!({"code": shown(&secret, service.now())})).await;
    let code = confirmed.json()["codes"][0].clone();
    album.put("confirmSecondStep", &with_code(with_codes(confirmed), "287082"));
    album.put("", &yara.post("/v1/me/second-step").await);
    album.put("getSecondStep", &yara.get("/v1/me/second-step").await);
    let me = yara.get("/v1/me").await.json();
    let other = service.anonymous().signed_in(me["username"].as_str().expect("a name"), PASSWORD).await;
    album.put("", &other.get("/v1/sessions").await);
    let passed = other.send("/v1/sessions/current/second-step", &json!({"code": code})).await;
    album.put("passSecondStep", &with_code(passed, CODES[0]));
    album.put("removeSecondStep", &other.delete("/v1/me/second-step").await);
}

/// A moderator and an admin at the desk.
async fn desk(album: &mut Album, service: &Service) {
    let nobody = service.anonymous();
    let (mona, boss) =
        (service.with_role("mona", "moderator").await, service.with_role("boss", "admin").await);
    let (lina, ziad) = (nobody.register("lina").await, nobody.register("ziad").await);
    let table = Table::open(&nobody, &json!({"ruleset": "nineteen", "players": 2}), 1).await;
    let report = json!({"player": ziad.account, "game": null, "about": "conduct", "text": "He cheats."});
    let report = lina.client.send("/v1/reports", &report).await.accepted();
    let report = format!("/v1/admin/reports/{}", report["id"].as_str().expect("an id"));
    let account = format!("/v1/admin/accounts/{}", ziad.account);
    album.put("getOverview", &mona.get("/v1/admin/overview").await);
    album.put("listReportQueue", &mona.get("/v1/admin/reports").await);
    album.put("takeReport", &mona.post(&format!("{report}/take")).await);
    album.put("inspectReport", &mona.get(&report).await);
    let found = mona.get(&format!("/v1/admin/accounts?q={}", ziad.account)).await;
    album.put("findAccounts", &found);
    let until = (service.now() + SignedDuration::from_hours(7 * 24)).strftime("%Y-%m-%dT%H:%M:%S.000Z");
    let suspension = json!({
        "act": "suspended", "reason": "Insults at three tables.", "until": until.to_string(),
        "appeal": "Write to cards@example.org.", "report": report.rsplit('/').next(),
    });
    let acts = format!("{account}/acts");
    album.put("actOnAccount", &mona.send(&acts, &suspension).await);
    album.put("", &mona.send(&acts, &json!({"act": "export_sent", "reason": "A letter."})).await);
    let own = mona.get("/v1/me").await.json();
    let own = format!("/v1/admin/accounts/{}/acts", own["id"].as_str().expect("an id"));
    album.put("", &mona.send(&own, &json!({"act": "noted", "reason": "Myself."})).await);
    let decision = json!({"decision": "upheld", "reason": "We spoke to the player."});
    album.put("decideReport", &mona.send(&format!("{report}/decision"), &decision).await);
    album.put("", &mona.send(&format!("{report}/decision"), &decision).await);
    let given = mona.send(&acts, &json!({"act": "access_given", "reason": "A letter."})).await.accepted();
    let link = json!({"code": given["token"]});
    let mut early = nobody.send("/v1/sessions/recovery", &link).await;
    early.sent = None;
    album.put("", &early);
    album.put("inspectAccount", &mona.get(&account).await);
    album.put("getQueues", &mona.get("/v1/admin/queues").await);
    let game = format!("/v1/admin/games/{}", table.id);
    album.put("endGame", &mona.send(&format!("{game}/end"), &json!({"reason": "Nobody comes."})).await);
    album.put("inspectGame", &mona.get(&game).await);
    album.put("listActs", &mona.get("/v1/admin/acts").await);
    album.put("getLogReport", &mona.get("/v1/admin/log").await);
    album.put("listNodes", &boss.get("/v1/admin/nodes").await);
    album.put("listBackups", &boss.get("/v1/admin/backups").await);
    album.put("listSettings", &boss.get("/v1/admin/settings").await);
    album.put("getAccessLink", &ziad.client.get("/v1/me/access-link").await);
}

async fn seeds(album: &mut Album, noor: &Client, sami: &Client) {
    let wish = json!({"ruleset": "nineteen", "players": 2, "visibility": "private"});
    let opened = noor.send("/v1/games", &wish).await.accepted();
    let part = |part: &str| format!("/v1/games/{}/{part}", opened["id"].as_str().expect("an id"));
    sami.send(&part("seats"), &json!({"join_code": opened["join_code"]})).await.accepted();
    let seed = ClientSeed::new("0123456789abcdef".repeat(2)).expect("a client seed");
    let commitment = json!({"commitment": seed.commitment()});
    album.put("commitSeed", &sami.send(&part("seed-commitment"), &commitment).await);
    noor.post(&part("start")).await.accepted();
    album.put("openSeed", &sami.send(&part("seed"), &json!({"client_seed": seed})).await);
    for (seat, player) in [noor, sami].into_iter().enumerate() {
        player.delete(&part(&format!("seats/{seat}"))).await.accepted();
    }
}

#[tokio::test]
async fn every_operation_answers_as_its_example_shows() {
    let service = Service::start(TestDatabase::new(Backend::Sqlite));
    let album = scene(&service).await;
    let answered = openapi_with(&album.examples).expect("the spec");
    if std::env::var_os("ESTIMATION_TEST_RECORD").is_some() {
        std::fs::write(root().join("openapi/openapi.json"), openapi_text(&answered)).expect("the spec");
        return;
    }
    let examples = |spec: &Value| serde_json::to_value(Examples::of(spec)).expect("JSON");
    let (answered, recorded) = (examples(&answered), examples(&openapi().expect("the spec")));
    for part in ["operations", "problems"] {
        let (answered, recorded) = (&answered[part], &recorded[part]);
        let names =
            |value: &Value| value.as_object().expect("examples").keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(names(answered), names(recorded), "{part}: ESTIMATION_TEST_RECORD=1 records anew");
        for (name, answer) in answered.as_object().expect("examples") {
            let (now, then) = (shape(answer), shape(&recorded[name]));
            assert_eq!(now, then, "{name} is not as it was recorded; ESTIMATION_TEST_RECORD=1 records anew");
        }
    }
}

#[test]
fn every_example_matches_its_schema() {
    let mut held = 0;
    let document = spec().document();
    let examples = Examples::of(document);
    let paths = document["paths"].as_object().expect("paths");
    for operation in paths.values().flat_map(|item| item.as_object().expect("operations").values()) {
        let name = operation["operationId"].as_str().expect("an id");
        let example = &examples.operations[name];
        let answers = operation["responses"].as_object().expect("answers");
        let successes = answers.iter().filter(|(status, _)| status.starts_with('2'));
        let (status, response) = example.response.clone().unwrap_or_default();
        let answers = successes
            .map(|(of, answer)| (&answer["content"], Some(&response).filter(|_| *of == status.to_string())));
        let request = (&operation["requestBody"]["content"], example.request.as_ref());
        for (contents, value) in answers.chain([request]) {
            let Some(contents) = contents.as_object() else { continue };
            let shown: Vec<&Value> =
                contents.values().filter(|content| content["examples"].is_object()).collect();
            assert_eq!(shown.len(), 1, "{name} shows not one example: ESTIMATION_TEST_RECORD=1 records anew");
            let value = value.unwrap_or_else(|| panic!("{name} shows another status"));
            spec().check(&shown[0]["schema"], value).unwrap_or_else(|error| panic!("{name}: {error}"));
            held += 1;
        }
    }
    assert!(held > 40, "{held} examples");
}

#[test]
fn a_shape_has_fields_without_values() {
    let one = json!({"a": 1, "b": [{"c": "x"}, {"c": "y"}], "d": null});
    assert_eq!(shape(&one), shape(&json!({"a": 2, "b": [{"c": "z"}], "d": null})));
    for other in [
        json!({"a": 1, "b": [], "d": null}),
        json!({"a": "1", "b": [{"c": "x"}], "d": null}),
        json!({"a": 1}),
    ] {
        assert_ne!(shape(&one), shape(&other), "{other}");
    }
}
