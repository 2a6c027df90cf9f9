//! Logs that only grow.

use estimation_tlog::Note;

use crate::prelude::*;

#[test]
fn a_log_that_grows_is_never_accused_by_a_state_of_any_age() {
    let mut log = TestLog::new(ORIGIN, 1);
    let service = Service::showing(&log);
    let mut states = Vec::new();
    for size in [0, 1, 2, 255, 256, 257, 600] {
        log.grow(size, "entry");
        service.show(&log);
        for state in &states {
            fs::write(service.state(), state).unwrap();
            service.watch(&[]).expect(0, "all is well");
        }
        service.watch(&[]).expect(0, &format!("{ORIGIN}: {size} entries"));
        states.push(service.kept());
    }
}

#[test]
fn the_key_of_the_first_watch_is_kept_and_marked_as_the_services_own() {
    let log = log(3);
    let service = Service::showing(&log);
    service.watch(&[]).expect(0, "trusted on first use");
    // The service no longer shows a key: the kept one is used.
    service.forget("key");
    service.watch(&[]).expect(0, "trusted on first use");
    let key = log.log.key.to_string();
    service.watch(&["--log-key", &key]).expect(0, "given with --log-key");
}

#[test]
fn a_given_key_is_not_asked_of_the_service() {
    let log = log(3);
    let service = Service::showing(&log);
    service.answer("key", 200, TestLog::new(ORIGIN, 9).keys().as_bytes());
    let key = log.log.key.to_string();
    // The key of its own cosignatures is not that of the checkpoint.
    service.watch(&["--log-key", &key]).expect(3, "has not signed the note");
    service.watch(&[]).expect(3, "not signed with the log's key");
    assert!(!service.state().exists(), "a first watch with problems keeps nothing");
}

/// Without the key of the service's own cosignatures, nothing shows that a later checkpoint is backdated.
#[test]
fn a_first_watch_without_the_services_own_key_keeps_nothing() {
    let mut log = log(3);
    let service = Service::showing(&log);
    let witness = Signatory::witness("witness.example/w1", 7);
    let show = |log: &TestLog, own: u64| {
        let mut note = log.checkpoint(own);
        note.add(witness.cosign(note.text(), now()));
        service.show_note(log, &note);
    };
    let (log_key, witness_key) = (log.log.key.to_string(), witness.key.to_string());
    let given = ["--log-key", &log_key, "--witness", &witness_key];
    show(&log, now());
    for (status, keys, part) in [
        (500, "", "key: status 500"),
        (200, &*format!("{log_key}\n"), "the service shows no key of its own cosignatures"),
    ] {
        service.answer("key", status, keys.as_bytes());
        service.watch(&given).expect(3, part);
        assert!(!service.state().exists());
    }
    // Nor does another key that it shows.
    let other = TestLog::new(ORIGIN, 9).keys();
    service.answer("key", 200, other.as_bytes());
    service.watch(&given).expect(3, "cards.example/log/witness has not signed the note");
    assert!(!service.state().exists());
    show(&log, now());
    service.watch(&given).expect(0, "all is well");
    log.grow(4, "entry");
    show(&log, now() - 100);
    service.watch(&given).expect(1, "the checkpoint is backdated");
    // Nor does a checkpoint without its cosignature.
    let mut note = Note::new(log.checkpoint(now()).text().to_owned()).unwrap();
    note.add(log.log.sign(note.text()));
    note.add(witness.cosign(note.text(), now()));
    service.show_note(&log, &note);
    service.watch(&given).expect(3, "cards.example/log/witness has not signed the note");
}

/// Another watch may keep a newer checkpoint in the same file meanwhile.
#[test]
fn a_watch_that_is_overtaken_keeps_the_newer_checkpoint() {
    let mut log = log(3);
    let service = Service::watched(&log);
    let before = service.kept();
    let mut later = log.clone();
    later.grow(9, "entry");
    service.show(&later);
    service.watch(&[]).expect(0, "all is well");
    let newer = service.kept();
    fs::write(service.state(), before).unwrap();
    log.grow(5, "entry");
    service.show(&log);
    let (state, overtaking) = (service.state(), newer.clone());
    service.at_request("/log/checkpoint", move || fs::write(state, overtaking).unwrap());
    service.watch(&[]).expect(0, "all is well");
    assert_eq!(service.kept(), newer);
    assert_eq!(service.files_beside_state(), ["state.json"]);
    // Two first watches that were shown different keys.
    fs::remove_file(service.state()).unwrap();
    service.show(&TestLog::new(ORIGIN, 9));
    let (state, overtaking) = (service.state(), newer.clone());
    service.at_request("/log/checkpoint", move || fs::write(state, overtaking).unwrap());
    service.watch(&[]).expect(3, "another watch keeps the checkpoint of another log key");
    assert_eq!(service.kept(), newer);
    assert_eq!(service.files_beside_state(), ["state.json"]);
}

#[test]
fn a_state_that_cannot_be_written_leaves_no_file_behind() {
    let log = log(3);
    let service = Service::showing(&log);
    let state = service.state();
    service.at_request("/log/checkpoint", move || fs::create_dir(state).unwrap());
    service.watch(&[]).expect(3, "state.json: ");
    assert_eq!(service.files_beside_state(), ["state.json"]);
}

#[test]
fn an_old_checkpoint_and_one_of_the_future_are_told() {
    let log = log(3);
    let service = Service::showing(&log);
    service.show_note(&log, &log.checkpoint(now() - 1_000));
    service.watch(&[]).expect(3, "too old: it was cosigned 1");
    service.watch(&["--max-age", "2000"]).expect(0, "all is well");
    service.show_note(&log, &log.checkpoint(now() + 1_000));
    service.watch(&[]).expect(3, "s in the future");
}

#[test]
fn witnesses_that_are_demanded_must_have_cosigned() {
    let log = log(3);
    let service = Service::showing(&log);
    let witness = Signatory::witness("witness.example/w1", 7);
    let key = witness.key.to_string();
    let demanded = ["--witness", key.as_str()];
    service.watch(&demanded).expect(3, "witness.example/w1 has not signed the note");
    let mut note = log.checkpoint(now());
    note.add(witness.cosign("another text\n", now()));
    service.show_note(&log, &note);
    service.watch(&demanded).expect(3, "the signature of witness.example/w1 does not match");
    let mut note = log.checkpoint(now() - 5_000);
    note.add(witness.cosign(note.text(), now()));
    service.show_note(&log, &note);
    // The age is that of the witness, not of the service's own cosignature.
    service.watch(&demanded).expect(0, "cosigned by witness.example/w1");
    service.watch(&[]).expect(3, "too old");
    let mut note = log.checkpoint(now());
    note.add(witness.cosign(note.text(), now() - 5_000));
    service.show_note(&log, &note);
    service.watch(&demanded).expect(3, "too old");
}

#[test]
fn wrong_arguments_have_a_status_of_their_own() {
    let log_key = TestLog::new(ORIGIN, 1).log.key.to_string();
    let needed = ["watch", "--url", "http://127.0.0.1:1", "--state", "/nowhere/state.json"];
    for wrong in [&["--log-key", "x"][..], &["--witness", &log_key], &["--max-age", "-1"], &["--unknown"]] {
        run([&needed, wrong].concat()).expect(2, "error");
    }
    run(["watch"]).expect(2, "--url");
    run(["watch", "--url", "http://127.0.0.1:1"]).expect(2, "--state");
}

/// A line on paper is enough to find a fork.
#[test]
fn a_kept_line_is_compared() {
    let mut log = log(300);
    let service = Service::showing(&log);
    let first = service.watch(&[]);
    let line = first.output.lines().find_map(|line| line.strip_prefix("line to keep: ")).unwrap().to_owned();
    first.expect(0, "all is well");
    log.grow(600, "entry");
    service.show(&log);
    service.watch(&["--kept", &line]).expect(0, "all is well");
    let mut forked = TestLog::new(ORIGIN, 1);
    forked.grow(299, "entry");
    forked.grow(700, "forked");
    fs::remove_file(service.state()).unwrap();
    service.show(&forked);
    service.watch(&["--kept", &line]).expect(1, "the log forked: its first 300 entries");
    assert!(!service.state().exists());
    service
        .watch(&["--kept", &line.replace("cards", "other")])
        .expect(3, "the line is of the log other.example/log");
    service.watch(&["--kept", "cards.example/log 300"]).expect(2, "expected origin, size and root");
}
