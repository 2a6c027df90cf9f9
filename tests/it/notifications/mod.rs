//! Notices to players: webhooks to a gateway and pushes to browsers, received by servers of the tests.

mod choices;
mod kills;
mod push;
mod receiver;
mod webhooks;

use self::receiver::Receiver;

use crate::prelude::*;

/// The secret of the specification's example.
pub const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A node whose notices go to the receiver.
fn node(site: &Site, receiver: &Receiver, flags: &[&str]) -> Node {
    let (authority, url) = (receiver.authority(), receiver.url("/hook"));
    let all =
        [&["--webhook-url", &url, "--webhook-secret", SECRET, "--outbound-networks", "127.0.0.0/8"], flags]
            .concat();
    site.node_in(site.url(), &all, &[("SSL_CERT_FILE", &authority)])
}

/// A game of two whose first turn nobody follows, and the player who must act.
async fn waiting_table(nobody: &Client) -> (Table, usize) {
    let table = Table::of_two(nobody).await;
    let (actor, _) = table.turn().await.expect("a turn");
    (table, actor)
}

/// The type, the account and the game of a webhook.
fn about(body: &Value) -> (&str, &str, &str) {
    let text = |value: &'static str| body["data"][value].as_str().unwrap_or_default();
    (body["type"].as_str().expect("a type"), text("account"), text("game"))
}

fn long_turns() -> Value {
    json!({"ruleset": "nineteen", "players": 2, "turn_seconds": 86_400})
}
