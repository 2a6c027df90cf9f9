//! Messages between nodes: all of them arrive, in order, at every other node.

use estimation_store::reactions::ReactionRow;
use estimation_store::{Database, GameId, NodeMessage, NodeMessages};
use tokio::sync::mpsc;

use super::samples::{account_id, at, game_id};
use crate::prelude::*;

/// Exchanges messages with other nodes. Returns those that are heard.
pub fn exchange(store: &Database) -> (NodeMessages, mpsc::UnboundedReceiver<NodeMessage>) {
    let (sender, heard) = mpsc::unbounded_channel();
    let board = store.exchange_messages(move |message| {
        let _ = sender.send(message);
    });
    (board.expect("messages"), heard)
}

/// More messages than one payload of PostgreSQL has room for.
#[tokio::test]
async fn notices_arrive_in_as_many_payloads_as_they_need() {
    let database = TestDatabase::new(Backend::Postgres);
    let [node, other] = [database.open(), database.open()];
    let (board, mut heard_by_itself) = exchange(&node);
    let (_others_board, mut heard) = exchange(&other);
    let hello = NodeMessage::Moved { game: GameId::default(), seq: 0, accounts: Vec::new() };
    eventually("the other node hears", async || {
        board.post(hello.clone());
        heard.try_recv().is_ok()
    })
    .await;

    let moved = |seq: u64| {
        let accounts =
            if seq.is_multiple_of(5) { ["noor", "omar"].map(account_id).to_vec() } else { Vec::new() };
        NodeMessage::Moved { game: game_id(&format!("game {seq}")), seq: seq * 1_000_003, accounts }
    };
    let reaction = ReactionRow {
        game_id: game_id("g"),
        account_id: account_id("noor"),
        at: at(7),
        reaction: "well_played".to_owned(),
    };
    let messages: Vec<NodeMessage> = (1..=500).map(moved).chain([NodeMessage::Reaction(reaction)]).collect();
    messages.iter().for_each(|message| board.post(message.clone()));
    let mut others = Vec::new();
    while others.len() < messages.len() {
        let message = heard.recv().await.expect("a message");
        if message != hello {
            others.push(message);
        }
    }
    assert_eq!(others, messages);
    assert!(heard_by_itself.try_recv().is_err(), "a node does not hear itself");
}
