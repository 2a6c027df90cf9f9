//! Webhooks to the operator's gateway.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::receiver::{Received, Receiver};
use super::{SECRET, about, node, waiting_table};
use crate::nodes::frames::Frames;
use crate::people::befriend;
use crate::prelude::*;

/// Whether a webhook is signed with the secret, as a receiver checks it.
fn is_signed(received: &Received, secret: &str) -> bool {
    let key = STANDARD.decode(secret.trim_start_matches("whsec_")).expect("base64");
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key");
    mac.update(format!("{}.{}.", received.id(), received.headers["webhook-timestamp"]).as_bytes());
    mac.update(&received.body);
    let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    received.headers["webhook-signature"].split(' ').any(|signature| signature == expected)
}

on_both! {
    async fn a_friend_is_told_of_an_invitation_with_a_link(database: TestDatabase) {
        let (site, receiver) = (Site::on(database), Receiver::start());
        let node = node(&site, &receiver, &["--public-url", "https://cards.example.org"]);
        let nobody = Client::anonymous(&node.url);
        let (noor, omar) = (nobody.register("noor").await, nobody.register("omar").await);
        befriend(&noor, &omar).await;
        receiver.first("the request", |one| about(&one.json()).0 == "friend_request" && about(&one.json()).1 == omar.account).await;
        receiver.first("the answer", |one| about(&one.json()).0 == "friend_accepted" && about(&one.json()).1 == noor.account).await;
        for visibility in ["private", "public"] {
            let wish = json!({"ruleset": "nineteen", "players": 2, "visibility": visibility});
            let view = noor.client.send("/v1/games", &wish).await.accepted();
            let game = view["id"].as_str().expect("an id").to_owned();
            let invite = json!({"player": omar.account});
            let sent = noor.client.send(&format!("/v1/games/{game}/invitations"), &invite).await.accepted();
            let told = receiver.first("the invitation", |one| about(&one.json()) == ("invited", &omar.account, &game)).await;
            let data = told.json()["data"].clone();
            assert_eq!((&data["invitation"], told.id()), (&sent["id"], sent["id"].as_str().expect("an id")));
            let path = match view["join_code"].as_str() {
                Some(code) => format!("/join/{code}"),
                None => format!("/games/{game}"),
            };
            assert_eq!(data["url"], format!("https://cards.example.org{path}"));
        }
    }
}

on_sqlite_first! {
    #[ignore = "all: waits out deadlines of a node, a client or the database"]
    async fn a_player_without_a_stream_is_told_of_a_turn(database: TestDatabase) {
        let (site, receiver) = (Site::on(database), Receiver::start());
        receiver.answer(&[204, 204, 500]);
        let node = node(&site, &receiver, &[]);
        let (table, actor) = waiting_table(&Client::anonymous(&node.url)).await;
        let account = &table.players[actor].account;
        let first = receiver.turn_of(account).await;
        let body = first.json();
        assert_eq!(about(&body), ("your_turn", account.as_str(), table.id.as_str()));
        assert_eq!(first.path, "/hook");
        assert!(is_signed(&first, SECRET) && !is_signed(&first, "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"));
        // A failed attempt is repeated, with the same id and another timestamp.
        if first.status == 500 {
            let again = receiver.first("another attempt", |one| one.id() == first.id() && one.status == 204).await;
            assert!(is_signed(&again, SECRET) && again.at >= first.at + 4_000);
        }
        // Nobody else is told of a turn.
        let other = &table.players[1 - actor].account;
        let told: Vec<Value> = receiver.received().iter().map(Received::json).collect();
        assert!(told.iter().all(|body| about(body) != ("your_turn", other.as_str(), table.id.as_str())), "{told:?}");
        // After the move it is the other's turn, or the same player's again: with another id.
        table.any_move().await.accepted();
        let (actor, _) = table.turn().await.expect("a turn");
        let next = &table.players[actor].account;
        receiver
            .first("the next turn", |one| about(&one.json()).0 == "your_turn" && about(&one.json()).1 == next && one.id() != first.id())
            .await;
    }

    async fn who_follows_the_game_is_told_nothing(database: TestDatabase) {
        let (site, receiver) = (Site::on(database), Receiver::start());
        let node = node(&site, &receiver, &[]);
        let nobody = Client::anonymous(&node.url);
        let table = Table::open(&nobody, &json!({"ruleset": "nineteen", "players": 2}), 2).await;
        let mut streams = Vec::new();
        for player in &table.players {
            streams.push(Frames::of(&player.client, &table.stream(), None).await);
        }
        table.start().await.accepted();
        let (actor, _) = table.turn().await.expect("a turn");
        let account = table.players[actor].account.clone();
        // Another table, whose turn begins later and whose player has no stream, is told of first.
        let (other, waiting) = waiting_table(&nobody).await;
        receiver.turn_of(&other.players[waiting].account).await;
        assert!(receiver.received().iter().all(|one| about(&one.json()).2 != table.id));
        // The stream ends while the turn goes on.
        drop(streams);
        receiver.turn_of(&account).await;
    }

    async fn players_are_told_of_the_start_and_the_end(database: TestDatabase) {
        let (site, receiver) = (Site::on(database), Receiver::start());
        let node = node(&site, &receiver, &[]);
        let nobody = Client::anonymous(&node.url);
        let wish = json!({"ruleset": "squares", "options": {"length": "micro"}});
        let table = Table::open(&nobody, &wish, 4).await;
        table.start().await.accepted();
        for player in &table.players {
            receiver.first("the start", |one| about(&one.json()) == ("game_started", &player.account, &table.id)).await;
        }
        table.play_out(&mut Random(5)).await;
        for player in &table.players {
            receiver.first("the end", |one| about(&one.json()) == ("game_finished", &player.account, &table.id)).await;
        }
        // The host opens a rematch, to which the other is invited.
        let rematch = table.players[0].client.send(&table.path("rematch"), &json!({})).await.accepted();
        let id = rematch["id"].as_str().expect("an id").to_owned();
        let guest = &table.players[1].account;
        receiver.first("the invitation", |one| about(&one.json()) == ("invited", guest, &id)).await;
        let mut ids: Vec<String> = receiver.received().iter().map(|one| one.id().to_owned()).collect();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|two| two[0] != two[1]), "each notice has an id of its own");
    }

    #[ignore = "all: waits out deadlines of a node, a client or the database"]
    async fn a_turn_that_is_over_is_not_told_of(database: TestDatabase) {
        let (site, receiver) = (Site::on(database), Receiver::start());
        // Every attempt after the two of the start fails until the turn is over.
        receiver.answer(&[&[204; 2], &[503; 20][..]].concat());
        let node = node(&site, &receiver, &[]);
        let (table, actor) = waiting_table(&Client::anonymous(&node.url)).await;
        let account = table.players[actor].account.clone();
        let first = receiver.turn_of(&account).await;
        table.any_move().await.accepted();
        receiver.answer(&[]);
        // The next notices of the game arrive; this one does not.
        let (actor, _) = table.turn().await.expect("a turn");
        let next = table.players[actor].account.clone();
        receiver
            .first("the next turn", |one| about(&one.json()).1 == next && one.id() != first.id() && about(&one.json()).0 == "your_turn" && one.status == 204)
            .await;
        assert!(receiver.received().iter().all(|one| one.id() != first.id() || one.status == 503));
    }
}

#[tokio::test]
async fn secrets_rotate() {
    let (site, receiver) = (Site::new(Backend::Sqlite), Receiver::start());
    let new = format!("whsec_{}", STANDARD.encode([7; 32]));
    let both = format!("{new},{SECRET}");
    let (authority, url) = (receiver.authority(), receiver.url("/hook"));
    let flags = ["--webhook-url", &url, "--webhook-secret", &both, "--outbound-networks", "127.0.0.0/8"];
    let node = site.node_in(site.url(), &flags, &[("SSL_CERT_FILE", &authority)]);
    let (table, actor) = waiting_table(&Client::anonymous(&node.url)).await;
    let received = receiver.turn_of(&table.players[actor].account).await;
    assert!(is_signed(&received, SECRET) && is_signed(&received, &new));
}

/// Without a setting, requests reach public addresses alone, and no redirect is followed.
#[tokio::test]
async fn an_address_that_is_not_public_is_not_reached() {
    let receiver = Receiver::start();
    let site = Site::new(Backend::Sqlite);
    let (authority, url) = (receiver.authority(), receiver.url("/hook"));
    let flags = ["--webhook-url", &url, "--webhook-secret", SECRET];
    let node = site.node_in(site.url(), &flags, &[("SSL_CERT_FILE", &authority)]);
    waiting_table(&Client::anonymous(&node.url)).await;
    eventually("a refused address", async || node.complaints().contains("they are not public")).await;
    assert!(receiver.received().is_empty());
    assert!(!node.complaints().contains(SECRET));
}

#[tokio::test]
#[ignore = "all: waits out deadlines of a node, a client or the database"]
async fn a_redirect_is_a_failure() {
    let (site, receiver) = (Site::new(Backend::Sqlite), Receiver::start());
    receiver.answer(&[302; 3]);
    let node = node(&site, &receiver, &[]);
    let (table, actor) = waiting_table(&Client::anonymous(&node.url)).await;
    let account = &table.players[actor].account;
    receiver.first("a delivery", |one| about(&one.json()).1 == account && one.status == 204).await;
    assert!(receiver.received().iter().all(|one| one.path == "/hook"));
}

#[test]
fn parked_webhooks_are_listed_and_sent_again() {
    let site = Site::new(Backend::Sqlite);
    let data = tempfile::TempDir::new().expect("a folder");
    let command = |arguments: &[&str]| {
        let data = ["--data-dir", data.path().to_str().expect("a path"), "--database-url", site.url()];
        let output = run(&[&["webhooks"], arguments, &data].concat());
        let text = if output.status.success() { output.stdout } else { output.stderr };
        (output.status.success(), String::from_utf8(text).expect("UTF-8"))
    };
    assert_eq!(command(&["list"]), (true, "0 webhooks are parked\n".to_owned()));
    let mut outsider = site.outsider();
    outsider
        .run("INSERT INTO accounts VALUES ('noor', NULL, NULL, 'Noor', NULL, 0, 'guest', 'player', 0, 0)")
        .expect("an account");
    let id = "01890000-0000-8000-8000-000000000001";
    outsider
        .run(&format!(
            "INSERT INTO notifications VALUES ('{id}', 'webhook', 'noor', 'game_finished', NULL, 7, 0, NULL, 9, NULL, \
             NULL, 'parked', 1000, 2000)"
        ))
        .expect("a notice");
    let listed = command(&["list"]).1;
    assert_eq!(
        listed,
        format!("{id} game_finished account noor since 1970-01-01T00:00:01Z\n1 webhooks are parked\n")
    );
    let (is_there, told) = command(&["replay", "01890000-0000-8000-8000-000000000002"]);
    assert!(!is_there && told.contains("no parked webhook"), "{told}");
    assert_eq!(command(&["replay"]), (true, "1 webhooks are sent again\n".to_owned()));
    assert_eq!(command(&["list"]).1, "0 webhooks are parked\n");
}
