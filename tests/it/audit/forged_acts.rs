//! Acts of moderators that an intruder deletes or invents, which `estimation audit --database` finds.

use estimation_service::auth::keys::KeyRing;
use estimation_service::auth::permission::ActingModerator;
use estimation_service::auth::tokens::Role;
use estimation_service::base::entropy::SeededEntropy;
use estimation_service::moderation::{Act, ActRequest};
use estimation_test_support::made::time;

use super::falsified_rows::{attack, undetected, unlock};
use super::served::*;
use crate::prelude::*;

/// What `estimation audit --database` finds with the keys of the node.
fn found_with_keys(database: &TestDatabase) -> String {
    let dir = TempDir::new().expect("a folder");
    let file = dir.path().join("keys.json");
    KeyRing::load_or_create(&file, &SeededEntropy::new(77), time(0).timestamp()).expect("keys");
    let (_, report) = inspected_with(database, &["--keys-file", file.to_str().expect("a path")]);
    report["findings"].to_string()
}

on_both! {
    /// Notes leave nothing that the audit could compare, so only their numbers and keyed hashes tell.
    async fn forged_notes_are_found(database: TestDatabase) {
        let node = service(&database).await;
        let account = caller(2, Role::Player).account;
        for note in ["first", "second", "third"] {
            let act = ActRequest::new(Act::Noted, note);
            node.moderation.act(&ActingModerator::operator(), &account, &act).await.expect("a note");
        }
        node.shutdown().await;
        drop(node);
        assert!(inspected(&database).0);
        assert_eq!(found_with_keys(&database), "[]");

        let deleted = database.copied();
        unlock(&deleted, &["moderation_acts"]);
        let missing = attack("DELETE FROM moderation_acts WHERE reason = 'second'", "act 2 is missing");
        assert_eq!(undetected(&deleted, vec![missing]), Vec::<String>::new());

        let invented = database.copied();
        let id = "0199c2f0-0000-7000-8000-000000000001";
        let sql = format!(
            "INSERT INTO moderation_acts SELECT '{id}', account_id, game_id, act, until_at, 'fourth', appeal, changes, report_id, \
             acted_by, untold, created_at, 4, binding FROM moderation_acts WHERE number = 3"
        );
        invented.outsider().run(&sql).expect("a fourth act");
        let found = found_with_keys(&invented);
        assert!(found.contains(&format!("the act {id} of a moderator is not bound by a node")), "{found}");
    }
}
