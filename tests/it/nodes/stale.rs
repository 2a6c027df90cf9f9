//! One game through two nodes by turns, with retries at the other node: a node never accepts or refuses a
//! command because of its cache.

use super::audit::audit;
use super::site::Location;
use crate::prelude::*;

struct Posted {
    by: usize,
    command: Value,
    key: String,
    answer: Value,
}

#[tokio::test]
#[ignore = "all: plays whole games; the default plays shorter ones"]
async fn a_stale_cache_refuses_no_legal_move_and_lets_no_illegal_one_pass() {
    let site = Site::new(Backend::Postgres);
    let nodes = [site.node(), site.node()];
    let at = [0, 1].map(|node: usize| nodes[node].url.clone());
    let first = Table::of_two(&Client::anonymous(&at[0])).await;
    let tables = at.each_ref().map(|url| first.at(url));
    let mut dice = Random(21);
    let mut last: Option<Posted> = None;
    let (mut moves, mut refusals, mut replays) = (0, 0, 0);
    // The test reads the legal commands where the last move was made. The other node must find out by itself.
    let mut here = 0;
    loop {
        let Some((actor, view)) = tables[here].turn().await else { break };
        let legal = view["legal"].as_array().expect("commands").clone();
        let there = 1 - here;
        let post = |node: usize, by: usize, command: &Value| -> Request {
            tables[node].players[by].client.send(&tables[node].path("commands"), command)
        };
        if let Some(last) = &last {
            // A retry at the other node gets the first answer, even after later moves.
            if dice.below(3) == 0 {
                let again = post(there, last.by, &last.command).header("idempotency-key", &last.key).await;
                assert_eq!(again.header("idempotency-replayed"), Some("true"));
                assert_eq!(again.accepted(), last.answer);
                replays += 1;
            }
            // The other node's cache may lack the last move. It refuses a repeat of that move.
            if (last.by != actor || !legal.contains(&last.command)) && dice.below(2) == 0 {
                refused(post(there, last.by, &last.command).await);
                refusals += 1;
            }
        }
        // Players who are not to move are refused, and so are cards that are not listed.
        if dice.below(4) == 0 {
            let command = dice.command(&legal);
            refused(post(there, 1 - actor, &command).await);
            let unlisted = serde_json::json!({"type": "estimate", "tricks": 13});
            refused(post(there, actor, &unlisted).await);
            refusals += 2;
        }
        let command = dice.command(&legal);
        let key = format!("move-{moves}");
        let mut request = post(there, actor, &command).header("idempotency-key", &key);
        // Half of the moves require the version that the first node showed.
        if dice.below(2) == 0 {
            request = request.header(
                "if-match",
                format!(
                    "\"{}.{}.{:016x}\"",
                    view["version"],
                    &view["head"]["hash"].as_str().expect("a hash")[..16],
                    0
                ),
            );
        }
        let answer = request.await.accepted();
        assert_eq!(answer["events"][0]["seq"].as_u64(), view["version"].as_u64().map(|version| version + 1));
        last = Some(Posted { by: actor, command, key, answer });
        moves += 1;
        // Usually the nodes alternate. Sometimes one makes two moves, and the other lags more.
        if dice.below(4) > 0 {
            here = there;
        } else {
            let seen = [tables[0].view().await, tables[1].view().await];
            assert_eq!(seen[0], seen[1], "both nodes show the same");
        }
    }
    println!("{moves} moves, {refusals} refusals, {replays} replays");
    assert!(moves > 200 && refusals > 100 && replays > 30);
    let Location::Test(database) = &site.database else { unreachable!() };
    let logs = audit(&mut database.outsider());
    let log = &logs[&first.id];
    assert!(log.is_over());
    let made = log.events.iter().skip(3).filter(|event| event.actor != "server").count();
    // The host's start is the fourth event; its actor is the host.
    assert_eq!(made, moves + usize::from(log.events[3].actor != "server") - usize::from(made < moves));
    for table in &tables {
        log.agrees_with(&table.view().await, &table.players[0].account);
    }
}

#[track_caller]
fn refused(answer: Answer) {
    assert_eq!(answer.status, 409, "{answer:?}");
}
