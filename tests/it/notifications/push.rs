//! Pushes to browsers, as a browser decrypts them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey as VerifyingKey};

use super::long_turns;
use super::receiver::{Received, Receiver};
use crate::prelude::*;

const AUTH: [u8; 16] = [9; 16];

/// A browser with a key for one push.
struct Browser {
    private: EphemeralPrivateKey,
    public: Vec<u8>,
}

impl Browser {
    fn new() -> Browser {
        let private = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).expect("a key");
        let public = private.compute_public_key().expect("a point").as_ref().to_vec();
        Browser { private, public }
    }

    fn subscription(&self, endpoint: &str) -> Value {
        let keys =
            json!({"p256dh": URL_SAFE_NO_PAD.encode(&self.public), "auth": URL_SAFE_NO_PAD.encode(AUTH)});
        json!({"endpoint": endpoint, "keys": keys})
    }

    /// What a push says.
    fn read(self, push: &Received) -> Value {
        assert_eq!(push.headers["content-encoding"], "aes128gcm");
        let (salt, rest) = push.body.split_at(16);
        let (_record, rest) = rest.split_at(4);
        let (theirs, sealed) = rest[1..].split_at(usize::from(rest[0]));
        let public = UnparsedPublicKey::new(&ECDH_P256, theirs);
        let text = agree_ephemeral(self.private, &public, |secret| {
            let info = [b"WebPush: info\0", &self.public[..], theirs].concat();
            let key = derived(&AUTH, secret, &info, 32);
            let content = derived(salt, &key, b"Content-Encoding: aes128gcm\0", 16);
            let nonce = derived(salt, &key, b"Content-Encoding: nonce\0", 12);
            let opening = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &content).expect("a key"));
            let mut sealed = sealed.to_vec();
            let nonce = Nonce::try_assume_unique_for_key(&nonce).expect("12 bytes");
            let text = opening.open_in_place(nonce, Aad::empty(), &mut sealed).expect("an intact push");
            text.strip_suffix(&[2]).expect("the end of the last record").to_vec()
        });
        serde_json::from_slice(&text.expect("a point")).expect("JSON")
    }
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn derived(salt: &[u8], secret: &[u8], info: &[u8], length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let key = Salt::new(HKDF_SHA256, salt).extract(secret);
    key.expand(&[info], Length(length)).expect("a length").fill(&mut bytes).expect("bytes");
    bytes
}

fn pushing_node(site: &Site, receiver: &Receiver) -> Node {
    let flags = [
        "--push-contact",
        "mailto:admin@example.org",
        "--push-hosts",
        "localhost",
        "--outbound-networks",
        "127.0.0.0/8",
    ];
    site.node_in(site.url(), &flags, &[("SSL_CERT_FILE", &receiver.authority())])
}

fn subscribe(player: &Player, subscription: &Value) -> Request {
    player.client.request(Method::PUT, "/v1/me/push-subscription").json(subscription)
}

async fn settings(client: &Client) -> Value {
    client.get("/v1/me/notifications").await.accepted()
}

/// The claims of the token of a push, after its signature was checked with the key of the settings.
fn claims(push: &Received, push_key: &Value) -> Value {
    let (token, key) = push.headers["authorization"]
        .strip_prefix("vapid t=")
        .expect("a token")
        .split_once(", k=")
        .expect("a key");
    assert_eq!(key, push_key);
    let (signed, signature) = token.rsplit_once('.').expect("a signature");
    let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("base64url");
    VerifyingKey::new(&ECDSA_P256_SHA256_FIXED, bytes(key))
        .verify(signed.as_bytes(), &bytes(signature))
        .expect("a signature");
    let (head, claims) = signed.split_once('.').expect("claims");
    assert_eq!(serde_json::from_slice::<Value>(&bytes(head)).expect("JSON")["alg"], "ES256");
    serde_json::from_slice(&bytes(claims)).expect("JSON")
}

on_both! {
    async fn a_subscription_ends(database: TestDatabase) {
        let (site, receiver) = (Site::on(database), Receiver::start());
        let node = pushing_node(&site, &receiver);
        let nobody = Client::anonymous(&node.url);
        receiver.answer(&[410]);
        let table = Table::open(&nobody, &long_turns(), 2).await;
        let [first, second] = [&table.players[0], &table.players[1]];
        subscribe(first, &Browser::new().subscription(&receiver.url("/gone"))).await.accepted();
        // The browser moves to another account: the former one gets no pushes there any more.
        subscribe(second, &Browser::new().subscription(&receiver.url("/moved"))).await.accepted();
        let third = nobody.register("ziad").await;
        subscribe(&third, &Browser::new().subscription(&receiver.url("/moved"))).await.accepted();
        assert_eq!(settings(&second.client).await["subscribed"], false);
        assert_eq!(settings(&third.client).await["subscribed"], true);
        table.start().await.accepted();
        eventually("the push service says that it is gone", async || {
            settings(&first.client).await["subscribed"] == false
        })
        .await;
        third.client.delete("/v1/me/push-subscription").await.accepted();
        third.client.delete("/v1/me/push-subscription").await.refused(404, "not-found");
        assert!(receiver.received().iter().all(|one| one.path == "/gone"));
    }
}

#[tokio::test]
async fn only_push_services_that_are_known_are_called() {
    let (site, receiver) = (Site::new(Backend::Sqlite), Receiver::start());
    let node = pushing_node(&site, &receiver);
    let player = Client::anonymous(&node.url).register("noor").await;
    let good = Browser::new().subscription(&receiver.url("/push"));
    for (endpoint, code) in [
        ("https://push.example.org/a", "not-a-choice"),
        ("https://127.0.0.1/a", "not-a-choice"),
        ("https://localhost.example.org/a", "not-a-choice"),
        ("http://localhost/push", "wrong-format"),
        ("https://user@localhost/a", "wrong-format"),
    ] {
        let mut wrong = good.clone();
        wrong["endpoint"] = json!(endpoint);
        let problem = subscribe(&player, &wrong).await.refused(422, "invalid-field");
        assert_eq!(
            (&problem["errors"][0]["field"], &problem["errors"][0]["code"]),
            (&json!("/endpoint"), &json!(code))
        );
    }
    for (key, value) in
        [("p256dh", URL_SAFE_NO_PAD.encode([4; 65])), ("p256dh", "!".repeat(87)), ("auth", "a".repeat(24))]
    {
        let mut wrong = good.clone();
        wrong["keys"][key] = json!(value);
        let problem = subscribe(&player, &wrong).await.refused(422, "invalid-field");
        assert_eq!(problem["errors"][0]["field"], format!("/keys/{key}"));
    }
    assert_eq!(settings(&player.client).await["subscribed"], false);
}

#[tokio::test]
async fn a_server_without_a_contact_sends_no_pushes() {
    let (site, receiver) = (Site::new(Backend::Sqlite), Receiver::start());
    let node = site.node();
    let player = Client::anonymous(&node.url).register("noor").await;
    assert!(settings(&player.client).await["push_key"].is_null());
    subscribe(&player, &Browser::new().subscription(&receiver.url("/push"))).await.refused(409, "push-off");
}

#[tokio::test]
async fn a_subscription_ends_with_its_session() {
    let (site, receiver) = (Site::new(Backend::Sqlite), Receiver::start());
    let node = pushing_node(&site, &receiver);
    let nobody = Client::anonymous(&node.url);
    let table = Table::open(&nobody, &long_turns(), 2).await;
    subscribe(&table.players[1], &Browser::new().subscription(&receiver.url("/out"))).await.accepted();
    subscribe(&table.players[0], &Browser::new().subscription(&receiver.url("/in"))).await.accepted();
    table.players[1].client.delete("/v1/sessions").await.accepted();
    table.start().await.accepted();
    receiver.first("a push to the other", |one| one.path == "/in").await;
    assert!(receiver.received().iter().all(|one| one.path == "/in"));
}

on_sqlite_first! {
    async fn a_browser_gets_a_push_that_only_it_can_read(database: TestDatabase) {
        let (site, receiver) = (Site::on(database), Receiver::start());
        let node = pushing_node(&site, &receiver);
        let nobody = Client::anonymous(&node.url);
        let mut wish = long_turns();
        wish["visibility"] = json!("private");
        let table = Table::open(&nobody, &wish, 2).await;
        let code = table.view().await["join_code"].as_str().expect("a code").to_owned();
        let mut browsers = Vec::new();
        for (number, player) in table.players.iter().enumerate() {
            let browser = Browser::new();
            // Some push services have URLs of several hundred characters.
            let endpoint = receiver.url(&format!("/push/{number}/{}", "a".repeat(600)));
            subscribe(player, &browser.subscription(&endpoint)).await.accepted();
            browsers.push(Some(browser));
        }
        assert_eq!(settings(&table.players[0].client).await["subscribed"], true);
        table.start().await.accepted();
        // The start comes first, to both.
        for (number, browser) in browsers.iter_mut().enumerate() {
            let push = receiver.first("a push", |one| one.path.starts_with(&format!("/push/{number}/"))).await;
            let key = settings(&table.players[number].client).await["push_key"].clone();
            let claims = claims(&push, &key);
            let now = push.at / 1000;
            assert_eq!(claims["aud"], receiver.url(""));
            assert_eq!(claims["sub"], "mailto:admin@example.org");
            assert!((now + 60..now + 86_400).contains(&claims["exp"].as_i64().expect("a time")));
            assert!(push.headers["ttl"].parse::<u32>().is_ok_and(|ttl| ttl <= 86_400));
            let message = browser.take().expect("a browser").read(&push);
            let notice = &message["notices"][0];
            assert_eq!((&notice["kind"], &notice["game"]), (&json!("game_started"), &json!(table.id)));
            assert!(!message.to_string().contains(&code), "a push holds the code of a private table");
        }
    }

    /// The other sessions are told at once, whatever the player muted; the one that did it is not.
    async fn a_changed_way_in_is_told_to_the_other_sessions(database: TestDatabase) {
        let (site, receiver) = (Site::on(database), Receiver::start());
        let node = pushing_node(&site, &receiver);
        let here = Client::anonymous(&node.url).register("noor").await;
        let codes = here.client.post("/v1/me/recovery-codes").await.accepted();
        let signed_in = Client::anonymous(&node.url)
            .send("/v1/sessions/recovery", &json!({"code": codes["codes"][0]}))
            .await
            .accepted();
        let there = here.client.with_token(signed_in["access_token"].as_str().expect("a token"));
        // The first session ended with that, so a third one does it.
        let username = there.get("/v1/me").await.accepted()["username"].clone();
        let login = json!({"username": username, "password": crate::http::service::PASSWORD});
        let third = Client::anonymous(&node.url).send("/v1/sessions", &login).await.accepted();
        let third = here.client.with_token(third["access_token"].as_str().expect("a token"));
        let hours = json!({"from": "00:01", "to": "00:00", "time_zone": "UTC"});
        let choices = json!({"muted": ["account_changed"], "quiet_hours": hours});
        there.request(Method::PUT, "/v1/me/notifications").json(&choices).await.accepted();
        let browser = Browser::new();
        for (client, subscription) in [
            (&there, browser.subscription(&receiver.url("/there"))),
            (&third, Browser::new().subscription(&receiver.url("/third"))),
        ] {
            client.request(Method::PUT, "/v1/me/push-subscription").json(&subscription).await.accepted();
        }
        third.post("/v1/me/recovery-codes").await.accepted();
        let push = receiver.first("a push", |one| one.path == "/there").await;
        let notice = browser.read(&push)["notices"][0].clone();
        assert_eq!((&notice["kind"], &notice["game"]), (&json!("account_changed"), &Value::Null));
        assert!(receiver.received().iter().all(|one| one.path != "/third"));
        let changes = there.get("/v1/me/changes").await.accepted();
        assert_eq!((&changes["items"][0]["kind"], &changes["items"][0]["current"]), (&json!("recovery_codes_made"), &json!(false)));
    }
}
