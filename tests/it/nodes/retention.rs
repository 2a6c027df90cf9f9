//! Expired rows leave the database while a node runs; the others stay.

use super::races::races;
use crate::prelude::*;

async fn expired_rows_leave(backend: Backend, nodes: usize) {
    let site = Site::new(backend);
    let flags = ["--sweep-every", "1s", "--idempotency-retention", "1h"];
    let nodes: Vec<Node> = (0..nodes).map(|_| site.node_with(&flags)).collect();
    let nobody = Client::anonymous(&nodes[0].url);
    let noor = nobody.register("noor").await.client;
    let wish = json!({"ruleset": "squares"});
    let open = async |key: &str| noor.send("/v1/games", &wish).header("idempotency-key", key).await;
    let game = open("old").await.accepted()["id"].clone();
    let wrong = json!({"username": "noor", "password": "not-the-password-of-noor"});
    assert_eq!(nobody.send("/v1/sessions", &wrong).await.status, 401);
    let mut outsider = site.outsider();
    assert!(outsider.count("attempts") > 0);
    // More rows than leave in one transaction.
    let more = "INSERT INTO idempotency_keys (account_id, method, path, key, body_hash, status, created_at) \
                WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 2500) \
                SELECT account_id, method, path, 'more-' || number, body_hash, status, created_at - 3 * number \
                FROM idempotency_keys, numbers";
    outsider.run(more).expect("more keys");
    outsider.run("UPDATE idempotency_keys SET created_at = created_at - 3660000").expect("they age");
    outsider.run("UPDATE attempts SET empty_at = 1000").expect("they expire");
    open("new").await.accepted();
    eventually("the old keys leave", async || outsider.count("idempotency_keys") == 1).await;
    eventually("the attempts leave", async || outsider.count("attempts WHERE empty_at = 1000") == 0).await;
    assert_eq!(outsider.count("idempotency_keys WHERE key = 'new'"), 1);
    // What left is a new request; what stayed is repeated.
    assert_eq!(open("new").await.header("idempotency-replayed"), Some("true"));
    assert_ne!(open("old").await.accepted()["id"], game);
}

races!(expired_rows_leave);
