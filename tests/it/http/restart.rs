//! A restarted service continues from the database.

use super::playthrough::Playthrough;
use super::record;
use crate::prelude::*;

async fn everything(table: &Table) -> Vec<Value> {
    // Presence is not in the record. Every player makes a request first, so that all are present.
    for player in &table.players {
        table.seen_by(player).view().await.accepted();
    }
    let mut seen = vec![table.seat(0).scores().await.accepted()];
    for player in &table.players {
        seen.push(table.seen_by(player).view().await.accepted());
        seen.push(table.seen_by(player).log().await.into());
    }
    seen
}

async fn finish(service: &Service, table: &Table) {
    let onlooker = service.player("watcher").await;
    Playthrough::begin(table, &onlooker, 9).await.play_out().await;
    let log = table.seat(0).log().await;
    let totals = record::totals(table, &log).await;
    assert_eq!(table.view().await["scores"]["totals"], json!(totals));
}

on_sqlite_first! {
    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn a_running_game_continues_after_a_restart(service: Service) {
        let onlooker = service.player("watcher").await;
        let table = service.table("nineteen").players(4).started().await;
        // In the middle of a turn, so that there is a snapshot and events after it.
        let middle = |view: &Value| {
            view["round"]["number"] == 7 && view["round"]["phase"] == "play"
                && view["round"]["last_trick"].is_object()
        };
        Playthrough::begin(&table, &onlooker, 3).await.until(middle).await;
        let before = everything(&table).await;

        let service = service.restart();
        let table = table.at(service.anonymous().base());
        assert_eq!(everything(&table).await, before, "the restart changed something");

        // The node ignores a snapshot in an old format and replays the log.
        let mut outsider = service.database().outsider();
        outsider.run("UPDATE game_snapshots SET format = 9999, state = 'of another time'").unwrap();
        let service = service.restart();
        let table = table.at(service.anonymous().base());
        assert_eq!(everything(&table).await, before, "the replayed state is another");
        finish(&service, &table).await;
    }

    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn the_whole_log_gives_the_state_that_snapshots_gave(service: Service) {
        let onlooker = service.player("watcher").await;
        let mut tables = Vec::new();
        for ruleset in ["squares", "kabooot", "plain", "double-risk"] {
            let table = service.table(ruleset).options(json!({"length": "mini"})).started().await;
            // The third round, or the next one that is not folded.
            let third = |view: &Value| {
                view["round"]["number"].as_u64() >= Some(3) && view["round"]["phase"] == "play"
            };
            Playthrough::begin(&table, &onlooker, 4).await.until(third).await;
            tables.push(table);
        }
        let mut before = Vec::new();
        for table in &tables {
            before.push(everything(table).await);
        }
        service.database().outsider().run("DELETE FROM game_snapshots").unwrap();
        let service = service.restart();
        for (table, before) in tables.iter().zip(before) {
            let table = table.at(service.anonymous().base());
            assert_eq!(everything(&table).await, before);
        }
    }

    async fn sessions_outlive_a_restart(service: Service) {
        let noor = service.player("noor").await;
        let service = service.restart();
        let again = service.player("noor").await;
        assert_eq!(again.access_token, noor.access_token);
        again.client.get("/v1/me").await.accepted();
        let refreshing = json!({"refresh_token": noor.refresh_token});
        service.anonymous().send("/v1/sessions/refresh", &refreshing).await.accepted();
    }
}
