//! Versions: entity tags, conditional reads, and commands for one version only.

use super::spec::spec;
use crate::prelude::*;

on_sqlite_first! {
    async fn a_current_view_is_not_sent_again(service: Service) {
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

    /// The time that is left differs in every answer, and the entity tag is the same.
    async fn the_remaining_time_is_not_part_of_the_entity_tag(service: Service) {
        let table = service.table("nineteen").players(2).with("turn_seconds", 60).started().await;
        let seat = table.seat(1);
        let first = seat.view().await;
        assert_eq!((&first.accepted()["remaining_ms"], &first.accepted()["players"]), (&json!(60_000), &json!(2)));
        service.wait(20);
        let second = seat.view().await;
        assert_eq!((&second.accepted()["remaining_ms"], second.etag()), (&json!(40_000), first.etag()));
        assert_eq!(seat.view().header("if-none-match", first.etag()).await.status, 304);
        let answer = seat.estimate(0).header("if-match", first.etag()).await;
        let view = seat.view().await;
        assert_eq!((&answer.accepted()["game"], answer.etag()), (&view.accepted(), view.etag()));
        assert!(view.accepted()["round"]["deadline"].is_string());
        let untimed = service.table("nineteen").players(2).started().await.view().await;
        assert_eq!(untimed.get("remaining_ms"), None);
    }

    async fn the_score_sheet_is_conditional_too(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let etag = table.seat(0).scores().await.etag();
        let again = table.seat(0).scores().header("if-none-match", &etag).await;
        assert_eq!(again.status, 304);
    }

    async fn only_a_read_is_answered_with_not_modified(service: Service) {
        let table = service.table("nineteen").players(2).open().await;
        let omar = service.player("omar").await;
        let answer = table.seen_by(&omar).sit_down(&json!({})).header("if-none-match", "*").await;
        assert_eq!(answer.accepted()["you"], json!({"place": 1}));
    }

    async fn a_command_for_an_older_version_is_stale(service: Service) {
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

        // A future version is wrong too, and so is another event with the number of the last one.
        let head = problem["events"][0]["hash"].as_str().expect("a hash")[..16].to_owned();
        let tag = |version: u64, hash: &str| format!("\"{version}.{hash}.0123456789abcdef\"");
        for tag in [tag(999, &head), tag(version + 1, "0123456789abcdef")] {
            let request = table.seat(2).estimate(0).header("if-match", tag);
            let problem = table.refuses(request, 412, "stale-version").await;
            assert_eq!(problem["events"], json!([]));
        }
        // The tag after the hash is another one for each player, and is not compared.
        table.seat(2).estimate(0).header("if-match", tag(version + 1, &head)).await.accepted();
        table.seat(0).estimate(0).header("if-match", "*").await.accepted();
    }

    async fn a_stale_command_returns_missed_events_as_the_caller_may_see_them(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let first = table.seat(1).events(0, 1).await.accepted()["items"][0]["hash"].clone();
        let opened = format!("\"1.{}.0123456789abcdef\"", &first.as_str().expect("a hash")[..16]);
        let request = table.seat(1).estimate(0).header("if-match", opened);
        let problem = table.refuses(request, 412, "stale-version").await;
        let dealt = problem["events"].as_array().expect("events").last().expect("a deal")["event"]["deal"].clone();
        assert_eq!((&dealt["salt"], &dealt["hands"][0]), (&json!(null), &json!({"count": 1, "cards": null})));
        assert!(dealt["hands"][1]["cards"].is_array());
    }

    /// The spec has a pattern for the header. The service takes what the pattern does, and nothing else.
    async fn an_entity_tag_has_the_form_in_the_spec(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let parameters = spec().document()["paths"]["/v1/games/{id}/commands"]["post"]["parameters"].clone();
        let parameters = parameters.as_array().expect("parameters").iter();
        let schema = parameters.clone().find(|parameter| parameter["name"] == "If-Match").expect("If-Match")["schema"].clone();
        let schema = jsonschema::validator_for(&schema).expect("a schema");
        let present = table.seat(1).view().await.etag();
        let tag = "0123456789abcdef";
        for value in [format!("\"1.{tag}.{tag}\""), format!("\"{}.{tag}.{tag}\"", "9".repeat(16)), format!("\"0000000000000001.{tag}.{tag}\"")] {
            assert!(schema.is_valid(&json!(value)), "{value}");
            table.refuses(table.seat(1).estimate(0).header("if-match", &value), 412, "stale-version").await;
        }
        let (head, view) = present.rsplit_once('.').expect("a tag of a view");
        let bad = [
            "4", "\"x\"", "\"\"", "\".abc\"", "\"4", "\"4\"", "\"4.x\"", "\"4.0123456789abcdef\"", "**", "\"1\", \"2\"",
            "4.0123456789abcdef.0123456789abcdef", "\"4.0123456789abcdef.x\"", "\"4.x.0123456789abcdef\"",
            "\"4.0123456789ABCDEF.0123456789abcdef\"", "\"+4.0123456789abcdef.0123456789abcdef\"",
            "\"-1.0123456789abcdef.0123456789abcdef\"", "\".0123456789abcdef.0123456789abcdef\"",
            "\"12345678901234567.0123456789abcdef.0123456789abcdef\"",
        ];
        let bad = bad.map(str::to_owned).into_iter();
        for value in bad.chain([format!("{head}\""), format!("{head}.0123456789abcdef.{view}"), format!("W/{present}")]) {
            assert!(!schema.is_valid(&json!(value)), "{value}");
            let request = table.seat(1).estimate(0).header("if-match", &value);
            let problem = table.refuses(request, 400, "malformed-header").await;
            assert_eq!(problem["header"], "If-Match", "{value}");
        }
        for value in [present.as_str(), "*"] {
            assert!(schema.is_valid(&json!(value)), "{value}");
        }
        table.seat(1).estimate(0).header("if-match", "*").await.accepted();
    }

    async fn a_minimal_answer_has_the_version_and_the_head(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let answer = table.seat(1).estimate(0).header("prefer", "return=minimal").await;
        let view = table.view().await;
        assert_eq!(answer.accepted(), json!({"version": view["version"], "head": view["head"]}));
        assert_eq!(view["head"]["seq"], view["version"]);
        assert_eq!(answer.header("preference-applied"), Some("return=minimal"));
    }
}
