//! Idempotency keys: where one is taken a repeat changes nothing, and where none is taken that is said.

use serde_json::json;

use super::service::{PASSWORD, Service};
use crate::databases::on_both;

on_both! {
    async fn where_no_key_is_taken_it_is_refused_and_not_ignored(database: TestDatabase) {
        let service = Service::start(database);
        let nobody = service.anybody();
        let account = json!({"username": "noor", "password": PASSWORD});
        let keyed = nobody.send("/v1/accounts", &account).header("idempotency-key", "once");
        assert_eq!(keyed.await.refused(400, "not-supported")["header"], "Idempotency-Key");
        // Nothing has come of it: the name is free.
        nobody.send("/v1/accounts", &account).await.accepted();
        let session = nobody.send("/v1/sessions", &account).header("idempotency-key", "once");
        session.await.refused(400, "not-supported");
    }

    async fn a_repeat_with_the_same_key_changes_nothing(database: TestDatabase) {
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).started().await;
        let estimate = |tricks| table.seat(1).estimate(tricks).header("idempotency-key", "first");
        let first = estimate(1).await;
        let again = estimate(1).await;
        assert_eq!(again.accepted(), first.accepted());
        assert_eq!((first.header("idempotency-replayed"), again.header("idempotency-replayed")), (None, Some("true")));
        table.refuses(estimate(0), 422, "idempotency-key-reused").await;
    }
}
