//! Idempotency keys: a repeat changes nothing, and operations that take no key refuse one.

use crate::prelude::*;

on_sqlite_first! {
    async fn operations_without_keys_refuse_a_key(service: Service) {
        let nobody = service.anonymous();
        let account = json!({"username": "noor", "password": PASSWORD});
        let keyed = nobody.send("/v1/accounts", &account).header("idempotency-key", "once");
        assert_eq!(keyed.await.refused(400, "not-supported")["header"], "Idempotency-Key");
        nobody.send("/v1/accounts", &account).await.accepted();
        let session = nobody.send("/v1/sessions", &account).header("idempotency-key", "once");
        session.await.refused(400, "not-supported");
    }

    async fn a_repeat_after_leaving_shows_no_invitation_code(service: Service) {
        let table = service.table("nineteen").players(3).with("visibility", "private").open().await;
        let code = table.view().await["join_code"].as_str().expect("a code").to_owned();
        let (omar, lina) = (service.player("omar").await, service.player("lina").await);
        let sit_down = |path: String, body| omar.client.send(&path, &body).header("idempotency-key", "sit");
        let by_code = || lina.client.send(&format!("/v1/join/{code}"), &json!({})).header("idempotency-key", "sit");
        let joined = || sit_down(table.path("seats"), json!({"join_code": code}));
        let first = joined().await.accepted();
        assert_eq!(first["join_code"], code.as_str());
        assert_eq!(by_code().await.accepted()["join_code"], code.as_str());
        // While the player is seated, a repeat gets the same answer.
        assert_eq!(joined().await.accepted(), first);
        for place in [1, 2] {
            let leaver = [&omar, &lina][place - 1];
            leaver.client.delete(&table.path(&format!("seats/{place}"))).await.accepted();
        }
        for repeat in [joined().await, by_code().await] {
            assert_eq!(repeat.header("idempotency-replayed"), Some("true"));
            assert_eq!(repeat.accepted()["join_code"], Value::Null);
            assert!(!repeat.body.contains(&code), "{repeat}");
        }
    }

    async fn a_repeat_with_the_same_key_changes_nothing(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let estimate = |tricks| table.seat(1).estimate(tricks).header("idempotency-key", "first");
        let first = estimate(1).await;
        let again = estimate(1).await;
        assert_eq!(again.accepted(), first.accepted());
        assert_eq!((first.header("idempotency-replayed"), again.header("idempotency-replayed")), (None, Some("true")));
        table.refuses(estimate(0), 422, "idempotency-key-reused").await;
    }
}
