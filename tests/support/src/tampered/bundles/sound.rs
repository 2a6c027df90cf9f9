//! Sound files, what is pinned, and changed histories with sound proofs.

use std::path::Path;

use estimation_record::LogEntry;
use serde_json::{Value, json};

use super::logs::{EARLY, Logs, Plan, logged, other_log};
use super::{BY_FILE, Cases, SOUND, TAMPERED};
use crate::tampered::logged::{Logged, corpus_log, key, later, seconds};

/// Sound files, and what is pinned.
pub(super) fn cases(cases: &mut Cases, draw: &Logged, cancelled: &Logged) {
    let log = corpus_log();
    let (log_key, own, other) = ([key(&log.log)], [key(&log.own_witness)], [key(&other_log().log)]);
    let open = cases.sound(draw, Plan::new());
    cases.add("sound, of a public game", SOUND, open.clone());
    cases.add("sound, of a private game", SOUND, cases.sound(draw, Plan::sealed()));
    cases.add("sound, of a table that did not start", SOUND, cases.sound(cancelled, Plan::new()));
    let sealed = cases.sound(cancelled, Plan::sealed());
    cases.add("sound, of a private table that did not start", SOUND, sealed);
    for (what, status, log_keys, witnesses, jwks) in [
        ("the log's key and the record key are pinned", SOUND, &log_key[..], &[][..], true),
        ("a witness and the record key are pinned", SOUND, &[], &own, true),
        ("nothing is pinned", BY_FILE, &[], &[], false),
        ("only the record key is pinned", BY_FILE, &[], &[], true),
        ("only the log's key is pinned", BY_FILE, &log_key, &[], false),
        ("only a witness is pinned", BY_FILE, &[], &own, false),
        ("the log's key and a witness are pinned", BY_FILE, &log_key, &own, false),
        ("the key of another log and the record key are pinned", BY_FILE, &other, &[], true),
        ("the keys of two logs are pinned", SOUND, &[other.clone(), log_key.clone()].concat(), &[], true),
    ] {
        cases.add(what, status, open.clone().pinned(log_keys, witnesses, jwks));
    }
    let late = Plan { after: 600, ..Plan::new() };
    cases.add("the checkpoint is ten minutes after the end", SOUND, cases.sound(draw, late));
    for (after, status) in [(-60, SOUND), (-61, TAMPERED)] {
        let what = format!("the checkpoint is {} seconds before the end", -after);
        cases.add(&what, status, cases.sound(cancelled, Plan { after, ..Plan::new() }));
    }
    let mut end = cancelled.end.clone();
    if let LogEntry::End { at, .. } = &mut end {
        *at = later(*at, 50);
    }
    let logs = Logs::of(cancelled, None, &end, Plan::new());
    cases.add(
        "the entry of the end is 50 seconds after the last event",
        SOUND,
        cases.bundle(cancelled, &logs),
    );
    let logs = logged(draw, Plan::new());
    for (what, before, status) in [
        ("the start has an earlier checkpoint than the end", -EARLY, SOUND),
        ("the checkpoint of the start is 60 seconds before the start", 60, SOUND),
        ("the checkpoint of the start is 61 seconds before the start", 61, TAMPERED),
    ] {
        let start = logs.early(seconds(draw.started(), -before)).to_string();
        cases.add(what, status, open.clone().member("start", json!(start)));
    }
}

/// Changed histories with sound proofs.
pub(super) fn changed_histories(folder: &Path, cases: &mut Cases, draw: &Logged, cancelled: &Logged) {
    let stored = crate::tampered::lines(folder, "cases.ndjson");
    for (game, rules) in [(draw, &["chain", "deal", "command", "signature"][..]), (cancelled, &["actor"])] {
        let bundle = cases.sound(game, Plan::new());
        for rule in rules {
            let fits = |case: &&Value| case["history"] == game.file && case["found"]["rule"] == *rule;
            let Some(case) = stored.iter().find(fits) else { continue };
            let what = format!("a changed history: {}", case["what"].as_str().expect("a text"));
            let number = case["case"].as_u64().expect("a number");
            cases.add(&what, TAMPERED, bundle.clone().changed(number));
        }
    }
}
