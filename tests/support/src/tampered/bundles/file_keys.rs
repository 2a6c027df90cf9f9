//! Keys that the maker of a file added to it: they sign another checkpoint of the log with the end.

use estimation_record::LogEntry;
use serde_json::json;

use super::bundle::Bundle;
use super::logs::{Plan, keys, logged, oldest_log};
use super::{BY_FILE, Cases, SOUND, UNCHECKED};
use crate::log::TestLog;
use crate::tampered::logged::{Logged, append, checkpoint, corpus_log, key, opening, other_keys, proof};

/// With the log's own witness pinned, and not its key.
pub(super) fn cases(cases: &mut Cases, draw: &Logged) {
    let witness = [key(&corpus_log().own_witness)];
    let log_key = [key(&corpus_log().log)];
    let one = cases.sound(draw, Plan::new()).pinned(&[], &witness, true);
    let times = logged(draw, Plan::new()).times;
    let with_keys = |bundle: &Bundle, own: &TestLog| {
        let known = keys(&corpus_log()).into_iter().chain(keys(own));
        bundle.clone().member("log_keys", json!(known.collect::<Vec<_>>()))
    };
    let alone = |mut log: TestLog, entry: &LogEntry| {
        let place = append(&mut log, opening(entry, None));
        proof(&log, &place, checkpoint(&log, times[0])).to_string()
    };

    let start = alone(other_keys(), &draw.start());
    let forged = with_keys(&one, &other_keys()).member("start", json!(start));
    let what = "a key of the file signed another checkpoint of the log, with the start";
    cases.add(what, BY_FILE, forged.clone());
    let what = "another key than the pinned one signed another checkpoint of the log, with the start";
    cases.add(what, UNCHECKED, forged.pinned(&log_key, &witness, true));

    let former = cases.sound(draw, Plan::former(1)).pinned(&[], &witness, true);
    let mut invented = oldest_log();
    let place = append(&mut invented, opening(&draw.start(), None));
    let last = checkpoint(&invented, times[0]);
    let start = proof(&invented, &place, last.clone()).to_string();
    let origin = alone(other_keys(), &LogEntry::Origin { checkpoint: last.to_string() });
    let forged =
        with_keys(&former, &other_keys()).member("start", json!(start)).member("origins", json!([origin]));
    cases.add("a key of the file signed an origin, which leads to an invented log", BY_FILE, forged);
    cases.add("a witness vouches for the end and the origin at one checkpoint", SOUND, former);
}
