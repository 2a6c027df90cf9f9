//! Versions: entity tags, conditional reads, and commands for one version only.

use serde_json::json;

use super::service::Service;
use crate::databases::on_both;

on_both! {
    async fn a_current_view_is_not_sent_again(database: TestDatabase) {
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).started().await;
        let seat = table.seat(1);
        let first = seat.view().await;
        let (view, etag) = (first.accepted(), first.etag());
        assert!(etag.starts_with(&format!("\"{}.", view["version"])), "{etag}");
        assert_eq!(first.header("cache-control"), Some("private, no-cache"));
        assert!(first.header("vary").is_some_and(|vary| vary.contains("Authorization")));

        for tags in [etag.clone(), format!("W/{etag}"), format!("\"1.other\", {etag}"), "*".to_owned()] {
            let answer = seat.view().header("if-none-match", &tags).await;
            assert_eq!((answer.status, answer.body.as_str()), (304, ""), "{tags}");
            assert_eq!(answer.etag(), etag);
        }
        let older = seat.view().header("if-none-match", "\"1.other\"").await;
        assert_eq!(older.accepted(), view);

        let others = table.seat(0).view().await;
        assert_eq!(others.accepted()["version"], view["version"]);
        assert_ne!(others.etag(), etag);

        let estimate = seat.estimate(0).await;
        let after = seat.view().header("if-none-match", &etag).await;
        assert_eq!(after.accepted(), estimate.accepted()["game"]);
        assert_eq!(after.etag(), estimate.etag(), "the command's answer has the tag of the view in it");
    }

    async fn the_score_sheet_is_conditional_too(database: TestDatabase) {
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).started().await;
        let etag = table.seat(0).scores().await.etag();
        let again = table.seat(0).scores().header("if-none-match", &etag).await;
        assert_eq!(again.status, 304);
    }

    async fn only_a_read_is_answered_with_not_modified(database: TestDatabase) {
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).open().await;
        let omar = service.player("omar").await;
        let answer = table.seen_by(&omar).sit_down(&json!({})).header("if-none-match", "*").await;
        assert_eq!(answer.accepted()["you"], json!({"place": 1}));
    }

    async fn a_command_for_an_older_version_is_stale(database: TestDatabase) {
        let service = Service::start(database);
        let table = service.table("nineteen").players(3).started().await;
        let seen = table.seat(1).view().await;
        let version = seen.accepted()["version"].as_u64().expect("a version");
        table.seat(1).estimate(0).header("if-match", seen.etag()).await.accepted();

        let request = table.seat(2).estimate(0).header("if-match", seen.etag());
        let problem = table.refuses(request, 412, "stale-version").await;
        assert_eq!(problem["current_version"], version + 1);
        let events = problem["events"].as_array().expect("events");
        assert_eq!(events.len(), 1);
        assert_eq!(events[0]["event"], json!({"type": "estimate_made", "seat": 1, "tricks": 0}));

        // Only the number before the dot counts. A future version is wrong too.
        let request = table.seat(2).estimate(0).header("if-match", "\"999.x\"");
        let problem = table.refuses(request, 412, "stale-version").await;
        assert_eq!(problem["events"], json!([]));
        table.seat(2).estimate(0).header("if-match", format!("\"{}.anything\"", version + 1)).await.accepted();
        table.seat(0).estimate(0).header("if-match", "*").await.accepted();
    }

    async fn a_stale_command_returns_missed_events_as_the_caller_may_see_them(database: TestDatabase) {
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).started().await;
        let request = table.seat(1).estimate(0).header("if-match", "\"1.x\"");
        let problem = table.refuses(request, 412, "stale-version").await;
        let dealt = problem["events"].as_array().expect("events").last().expect("a deal")["event"]["deal"].clone();
        assert_eq!((&dealt["salt"], &dealt["hands"][0]), (&json!(null), &json!({"count": 1, "cards": null})));
        assert!(dealt["hands"][1]["cards"].is_array());
    }

    async fn an_invalid_entity_tag_is_malformed(database: TestDatabase) {
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).started().await;
        for tag in ["4", "\"x\"", "\"\"", "\".abc\"", "\"-1.x\"", "\"4", "4.x", "\"99999999999999999999999.x\""] {
            let request = table.seat(1).estimate(0).header("if-match", tag);
            let problem = table.refuses(request, 400, "malformed-header").await;
            assert_eq!(problem["header"], "If-Match", "{tag}");
        }
    }

    async fn a_minimal_answer_has_the_version_only(database: TestDatabase) {
        let service = Service::start(database);
        let table = service.table("nineteen").players(2).started().await;
        let answer = table.seat(1).estimate(0).header("prefer", "return=minimal").await;
        assert_eq!(answer.accepted(), json!({"version": table.view().await["version"]}));
        assert_eq!(answer.header("preference-applied"), Some("return=minimal"));
    }
}
