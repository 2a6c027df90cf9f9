//! Logs that forked or were rolled back.

use uuid::Uuid;

use crate::prelude::*;

/// Another log with the same key, which is different from the given entry on.
fn fork(from: u64, size: u64) -> TestLog {
    let mut log = log(from);
    log.grow(size, "forked");
    log
}

/// Demands that watching finds an attack, prints both signed checkpoints, and keeps the earlier one.
#[track_caller]
fn caught(service: &Service, attacker: &TestLog, part: &str) {
    let before = service.kept();
    service.show(attacker);
    let ran = service.watch(&[]);
    assert!(ran.output.contains("kept:\n") && ran.output.contains("shown:\n"), "{ran:?}");
    ran.expect(1, part);
    assert_eq!(service.kept(), before);
}

#[test]
fn a_fork_is_found_at_every_entry_and_size() {
    for (kept, from, size) in
        [(1, 0, 2), (2, 1, 300), (256, 255, 257), (257, 0, 600), (257, 256, 600), (300, 100, 301)]
    {
        let service = Service::watched(&log(kept));
        caught(&service, &fork(from, size), &format!("the log forked: its first {kept} entries"));
        caught(
            &service,
            &fork(from, kept),
            &format!("the log forked: it signed two roots for {kept} entries"),
        );
        // An honest log with the entries that were kept is still accepted.
        service.show(&log(size));
        service.watch(&[]).expect(0, "all is well");
    }
}

#[test]
fn a_log_that_differs_only_after_the_kept_checkpoint_is_accepted() {
    let service = Service::watched(&log(256));
    service.show(&fork(256, 600));
    service.watch(&[]).expect(0, "all is well");
}

/// A backup is restored: the log is older than what was signed, and then grows another way.
#[test]
fn a_rollback_is_found_also_after_the_log_has_grown_again() {
    let service = Service::watched(&log(300));
    for size in [0, 1, 256, 299] {
        caught(&service, &log(size), &format!("rolled back: it has {size} entries, it signed 300 before"));
    }
    caught(&service, &fork(299, 300), "it signed two roots for 300 entries");
    caught(&service, &fork(299, 500), "its first 300 entries");
    // Without the restored backup all is as it was.
    service.show(&log(500));
    service.watch(&[]).expect(0, "all is well");
}

#[test]
fn an_earlier_checkpoint_of_a_log_that_has_grown_is_a_rollback() {
    let service = Service::watched(&log(300));
    let old = log(200);
    service.answer("checkpoint", 200, old.checkpoint(now()).to_string().as_bytes());
    service.watch(&[]).expect(1, "it still serves the tiles of the larger log");
    let forked = fork(199, 200);
    service.answer("checkpoint", 200, forked.checkpoint(now()).to_string().as_bytes());
    service.watch(&[]).expect(1, "which has other entries");
}

#[test]
fn two_services_with_the_same_key_and_different_games_are_told_apart() {
    let (first, second) = (Service::showing(&log(30)), Service::showing(&fork(0, 40)));
    first.watch(&[]).expect(0, "all is well");
    second.watch(&[]).expect(0, "all is well");
    for (of, on) in [(&first, &second), (&second, &first)] {
        let own = on.kept();
        fs::write(on.state(), of.kept()).unwrap();
        on.watch(&[]).expect(1, "tampered with");
        fs::write(on.state(), own).unwrap();
        on.watch(&[]).expect(0, "all is well");
    }
}

/// Anyone can make a log with another key, so it proves nothing about the kept log.
#[test]
fn another_key_or_origin_is_no_fork() {
    let service = Service::watched(&log(30));
    let before = service.kept();
    let mut other = TestLog::new(ORIGIN, 2);
    other.grow(20, "entry");
    service.show(&other);
    service.watch(&[]).expect(3, "not signed with the log's key");
    let mut other = TestLog::new("other.example/log", 1);
    other.grow(20, "entry");
    service.show(&other);
    service
        .watch(&[])
        .expect(3, "the service has another log, other.example/log instead of cards.example/log");
    let key = other.log.key.to_string();
    service.watch(&["--log-key", &key]).expect(3, "it keeps the checkpoint of another log key");
    assert_eq!(service.kept(), before);
}

/// A new log whose first entry is a checkpoint of the kept one.
fn after(last: &TestLog) -> TestLog {
    let mut log = TestLog::new("new.example/log", 3);
    let checkpoint = last.checkpoint(now()).to_string();
    log.append(LogEntry::Origin { checkpoint }.text().unwrap().as_bytes());
    log.grow(20, "entry");
    log
}

#[test]
fn a_new_log_must_begin_after_all_that_was_signed() {
    let service = Service::watched(&log(300));
    for (last, status, part) in [
        (
            log(300),
            3,
            "begun another log, new.example/log, after 300 entries of cards.example/log, of which 300",
        ),
        (log(400), 3, "after 400 entries"),
        (log(299), 1, "rolled back: the new log new.example/log begins after 299 entries"),
        (fork(299, 300), 1, "the log forked: cards.example/log signed two roots for 300 entries"),
        // A checkpoint of another key says nothing about this log.
        (TestLog::new(ORIGIN, 9), 3, "does not begin with a checkpoint of cards.example/log"),
    ] {
        service.show(&after(&last));
        service.watch(&[]).expect(status, part);
    }
    // The first entry is not in the log that is shown.
    service.show(&after(&log(400)));
    service.answer("tile/entries/000.p/20", 200, &after(&log(299)).files()["tile/entries/000.p/20"]);
    service.watch(&[]).expect(3, "does not begin with a checkpoint");
}

#[test]
fn a_checkpoint_with_an_earlier_time_than_a_smaller_one_is_backdated() {
    let small = log(30);
    let service = Service::watched(&small);
    let time = now();
    service.show_note(&log(31), &log(31).checkpoint(time - 100));
    service
        .watch(&[])
        .expect(1, "the checkpoint is backdated: cards.example/log/witness cosigned 31 entries");
    // The same checkpoint again, as a cache may show it, contradicts nothing.
    service.show_note(&small, &small.checkpoint(time - 100));
    service.watch(&[]).expect(0, "all is well");
}

/// The entry of a start of the game with a number, at a time in seconds since 1970.
fn entry(number: u64, seconds: i64) -> Vec<u8> {
    let at = jiff::Timestamp::from_second(seconds).unwrap();
    let (at, hash) = (format!("{at:.3}").parse().unwrap(), Hex([0xab; 32]));
    let game = Uuid::from_u64_pair(7, number);
    let start =
        LogEntry::Start { game, at, started: hash, commitment: hash, ruleset: hash, seats: vec![None; 4] };
    start.text().unwrap().into_bytes()
}

#[test]
fn entries_whose_times_go_back_are_found() {
    let time = now() as i64;
    // The last entry that was kept ends its bundle, or is in the bundle of the new ones.
    for kept in [256, 300] {
        for (new, status, text) in [
            (vec![time - 5, time - 5, time], 0, "all is well"),
            (vec![time - 6], 1, "goes back in time"),
            (vec![time, time - 1], 1, "goes back in time"),
        ] {
            let mut log = log(kept - 1);
            log.append(&entry(0, time - 5));
            let service = Service::watched(&log);
            for (number, at) in (1..).zip(new) {
                log.append(&entry(number, at));
                // An entry that does not show its time.
                log.grow(kept + 2 * number, "sealed");
            }
            service.show(&log);
            service.watch(&[]).expect(status, text);
        }
    }
}

/// A game that says it ended long ago came into the log today.
#[test]
fn backdated_and_postdated_entries_are_found() {
    let time = now() as i64;
    for (at, status, text) in [
        (time - 30, 0, "all is well"),
        (time + 5, 0, "all is well"),
        (time - 200, 1, "entry 301 is backdated"),
        (time + 200, 1, "entry 301 is of the future"),
    ] {
        let mut log = log(300);
        let service = Service::watched(&log);
        log.grow(301, "entry");
        log.append(&entry(0, at));
        service.show(&log);
        service.watch(&[]).expect(status, text);
    }
}
