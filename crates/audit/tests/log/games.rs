//! The starts and ends of public games: a log that contradicts itself, or the histories of its games.

use estimation_record::LogPromise;
use estimation_tlog::Hash;

use crate::prelude::*;

/// A service with a log of its own, at the time of the games.
struct Site {
    service: Service,
    log: TestLog,
    /// The latest time of an entry, in seconds since 1970.
    time: u64,
}

fn game(number: u64) -> Made {
    made::play(Ruleset::preset(RulesetId::Squares), number)
}

fn start(made: &Made) -> LogEntry {
    made::logged_start(made, |_| {})
}

fn end_with(made: &Made, change: impl FnOnce(&mut LogEntry)) -> LogEntry {
    let mut entry = made.logged_end();
    change(&mut entry);
    entry
}

/// Another entry of the same game.
fn another(entry: &mut LogEntry) {
    match entry {
        LogEntry::Start { commitment, .. } => commitment.0[0] ^= 1,
        LogEntry::End { head, .. } => head.0[0] ^= 1,
        _ => panic!("{entry:?}"),
    }
}

impl Site {
    /// A log with entries of private games, and the histories of games.
    fn new(private: u64, histories: &[&Made]) -> Site {
        let log = log(private);
        let service = Service::showing(&log);
        for made in histories {
            service.serve(&history(made), 200, made.lines().as_bytes());
        }
        Site { service, log, time: made::time(0).timestamp().as_second() as u64 }
    }

    fn append(&mut self, entries: &[LogEntry]) {
        for entry in entries {
            self.log.append(entry.text().unwrap().as_bytes());
            let at = entry.at().map_or(0, |at| at.timestamp().as_second() as u64);
            self.time = self.time.max(at);
        }
    }

    /// Watches the log as it was at the last time of its entries.
    fn watch(&self, more: &[&str]) -> Ran {
        self.service.show_note(&self.log, &self.log.checkpoint(self.time));
        self.watch_again(more)
    }

    /// Watches what the service shows already.
    fn watch_again(&self, more: &[&str]) -> Ran {
        self.service.watch(&[&["--max-age", "4000000000"], more].concat())
    }

    /// Watches before and after these entries come.
    #[track_caller]
    fn grows(&mut self, entries: &[LogEntry], status: i32, part: &str) {
        self.append(entries);
        self.watch(&[]).expect(status, part);
    }
}

/// The last checkpoint of a former log that ended at a time, with a cosignature of another time that no key made.
pub fn forged_note(ended: u64, forged: u64) -> String {
    let mut note = TestLog::new("former.example/log", 2).checkpoint(ended);
    let stranger = Signatory::witness("stranger.example/witness", 9);
    note.add(stranger.cosign("another text\n", forged));
    note.to_string()
}

/// The year 9000.
pub const FAR: u64 = 221_845_392_000;

fn history(made: &Made) -> String {
    format!("/v1/games/{}/history", made.header.game)
}

#[test]
fn sound_games_are_compared_once() {
    let (one, other, never) = (game(1), game(2), made::cancelled(Ruleset::preset(RulesetId::Squares), 3));
    for private in [0, 255, 300] {
        let mut site = Site::new(private, &[&one, &other, &never]);
        let mut first = [never.logged_end(), start(&one), start(&other)];
        first.sort_by_key(LogEntry::at);
        site.grows(&first, 0, "1 games were compared with their histories; 0 more");
        let mut ends = [one.logged_end(), other.logged_end()];
        ends.sort_by_key(LogEntry::at);
        site.grows(&ends, 0, "2 games were compared");
        let ran = site.watch(&[]);
        assert!(!ran.output.contains("compared"), "{ran:?}");
        // The same entry again.
        site.grows(&ends[1..], 0, "all is well");
        // A watch that begins now sees the same.
        fs::remove_file(site.service.state()).unwrap();
        site.watch(&[]).expect(0, "3 games were compared with their histories; 0 more");
    }
}

#[test]
fn a_second_start_or_end_is_found() {
    let one = game(1);
    for is_kept in [true, false] {
        let mut site = Site::new(300, &[&one]);
        site.append(&[start(&one)]);
        if is_kept {
            site.watch(&[]).expect(0, "all is well");
        }
        let second = made::logged_start(&one, another);
        let part = format!("entry 301 is a second start of the game {}, after entry 300", one.header.game);
        site.grows(&[second], 1, &part);

        let mut site = Site::new(300, &[&one]);
        site.append(&[start(&one), one.logged_end()]);
        if is_kept {
            site.watch(&[]).expect(0, "1 games were compared");
        }
        let part = format!("entry 302 is a second end of the game {}, after entry 301", one.header.game);
        site.grows(&[end_with(&one, another)], 1, &part);
    }
}

#[test]
fn an_entry_that_is_none_is_found() {
    let sound = start(&game(1)).text().unwrap();
    let origin = LogEntry::Origin { checkpoint: String::new() }.text().unwrap();
    for (entry, status, part) in [
        ("entry".to_owned(), 1, "entry 300 is no entry of a log"),
        (sound.replace(":", ": "), 1, "entry 300 is no entry of a log"),
        (sound.replace("\"seats\"", "\"a\":1,\"seats\""), 1, "entry 300 is no entry of a log"),
        ("{\"hash\":\"00\",\"type\":\"sealed\"}".to_owned(), 1, "entry 300 is no entry of a log"),
        (origin, 1, "entry 300 names a former log, and is not the first entry"),
        ("{\"type\":\"paused\"}".to_owned(), 3, "entry 300 is of the unknown type \"paused\""),
    ] {
        for is_kept in [true, false] {
            let mut site = Site::new(300, &[]);
            if is_kept {
                site.watch(&[]).expect(0, "all is well");
            }
            site.log.append(entry.as_bytes());
            site.watch(&[]).expect(status, part);
        }
    }
}

/// A newer version may know the type, and reads on from there.
#[test]
fn an_unknown_type_is_told_until_it_is_known() {
    let (one, other) = (game(1), game(2));
    let mut site = Site::new(300, &[&one, &other]);
    site.append(&[start(&one)]);
    site.watch(&[]).expect(0, "all is well");
    site.log.append(b"{\"type\":\"paused\"}");
    let told = "entry 301 is of the unknown type \"paused\"";
    site.append(&[start(&other)]);
    site.watch(&[]).expect(3, told);
    site.append(&[one.logged_end(), other.logged_end()]);
    site.watch(&[]).expect(3, "2 games were compared");
    let ran = site.watch(&[]);
    assert!(!ran.output.contains("compared"), "{ran:?}");
    ran.expect(3, told);
    site.grows(&[end_with(&other, another)], 1, "entry 305 is a second end of the game");
    // A start that is read again after its end is not later than it.
    let mut site = Site::new(300, &[]);
    site.watch(&[]).expect(0, "all is well");
    site.log.append(b"{\"type\":\"paused\"}");
    site.grows(&[start(&one)], 3, "entry 300 is of the unknown type");
    forget(&site.service);
    change(&site.service, "read", json!(302));
    site.grows(&[one.logged_end()], 3, "status 404");
    change(&site.service, "read", json!(300));
    site.service.serve(&history(&one), 200, one.lines().as_bytes());
    site.watch(&[]).expect(3, "1 games were compared");
}

#[test]
fn an_end_before_its_start_is_found() {
    let one = game(1);
    let mut site = Site::new(3, &[&one]);
    site.grows(&[one.logged_end(), start(&one)], 1, "entry 4 is the start of the game");
    let LogEntry::Start { at, .. } = start(&one) else { panic!("no start") };
    let early = end_with(&one, |end| {
        if let LogEntry::End { at: ended, .. } = end {
            *ended = at.plus(SignedDuration::from_millis(-1));
        }
    });
    let mut site = Site::new(3, &[&one]);
    site.grows(&[start(&one), early], 1, "and of a time before its start, entry 3");
}

#[test]
fn an_end_without_the_start_that_its_history_has_is_found() {
    let one = game(1);
    let missing = format!(
        "entry 300 is the end of the game {}, whose history has a start, and the log has none",
        one.header.game
    );
    let mut site = Site::new(300, &[&one]);
    site.watch(&[]).expect(0, "all is well");
    site.grows(&[one.logged_end()], 1, &missing);
    // The service does not show the history, and then it does.
    let mut site = Site::new(300, &[]);
    site.watch(&[]).expect(0, "all is well");
    site.grows(&[one.logged_end()], 3, &format!("the history of the game {}: status 404", one.header.game));
    site.service.serve(&history(&one), 200, b"{}");
    site.watch(&[]).expect(3, "does not verify");
    site.service.serve(&history(&one), 200, game(2).lines().as_bytes());
    site.watch(&[]).expect(3, "the service shows no history of the game");
    site.service.serve(&history(&one), 200, one.lines().as_bytes());
    site.watch(&[]).expect(1, &missing);
}

/// Makes the file forget its games, as if they were too many.
fn forget(service: &Service) {
    change(service, "games", json!({}));
}

/// Changes what the file has about games.
fn change(service: &Service, name: &str, value: Value) {
    let mut state: Value = serde_json::from_str(&service.kept()).unwrap();
    state["games"][name] = value;
    fs::write(service.state(), state.to_string()).unwrap();
}

/// A start that the file no longer has is looked for in the log.
#[test]
fn a_forgotten_start_is_no_missing_one() {
    let one = game(1);
    let mut site = Site::new(300, &[&one]);
    site.grows(&[start(&one)], 0, "all is well");
    forget(&site.service);
    site.grows(&[one.logged_end()], 0, "1 games were compared");
    // So is an end.
    forget(&site.service);
    site.grows(&[end_with(&one, another)], 1, "is a second end of the game");
    let mut site = Site::new(300, &[&one]);
    site.grows(&[made::logged_start(&one, another)], 0, "all is well");
    forget(&site.service);
    site.grows(&[one.logged_end()], 1, "entry 300 is another start of the game");
}

/// The start may be in the former log only if it ended later.
#[test]
fn a_start_in_a_former_log_is_not_missed() {
    let one = game(1);
    let LogEntry::Start { at, .. } = start(&one) else { panic!("no start") };
    let began = at.timestamp().as_second() as u64;
    for (ended, status, part) in [
        (began + 1, 0, "should be in the former log"),
        (began - 1, 1, "whose history has a start, and the log has none"),
    ] {
        let mut site = Site::new(0, &[&one]);
        let checkpoint = TestLog::new("former.example/log", 2).checkpoint(ended).to_string();
        site.append(&[LogEntry::Origin { checkpoint }]);
        site.grows(&[one.logged_end()], status, part);
    }
}

/// A former log that has the first entries of this one has ended, whatever time a cosignature in the note claims.
#[test]
fn a_forged_time_of_a_former_log_excuses_no_missing_start() {
    let (one, other) = (game(1), game(2));
    let LogEntry::Start { at: started, .. } = start(&one) else { panic!("no start") };
    for (millis, status, part) in
        [(0, 0, "should be in the former log"), (-1, 1, "whose history has a start, and the log has none")]
    {
        for is_kept in [true, false] {
            let mut site = Site::new(0, &[&one]);
            let first = made::logged_start(&other, |entry| {
                if let LogEntry::Start { at, .. } = entry {
                    *at = started.plus(SignedDuration::from_millis(millis));
                }
            });
            let ended = one.ended_at().timestamp().as_second() as u64;
            site.append(&[LogEntry::Origin { checkpoint: forged_note(1, ended) }, first]);
            site.time = site.time.max(ended);
            if is_kept {
                site.watch(&[]).expect(0, "all is well");
            }
            site.grows(&[one.logged_end()], status, part);
        }
    }
    // Nor does a time after that of this log's own cosignature; another line can still have a time that is right.
    let began = started.timestamp().as_second() as u64;
    for (ended, status, part) in [
        (began + 1, 0, "should be in the former log"),
        (began - 1, 1, "whose history has a start, and the log has none"),
    ] {
        for forged in [FAR, i64::MAX as u64] {
            let mut site = Site::new(0, &[&one]);
            site.append(&[LogEntry::Origin { checkpoint: forged_note(ended, forged) }]);
            site.grows(&[one.logged_end()], status, part);
        }
    }
}

#[test]
fn another_start_or_end_than_that_of_the_history_is_found() {
    let one = game(1);
    for (entries, part) in [
        ([made::logged_start(&one, another), one.logged_end()], "entry 300 is another start of the game"),
        ([start(&one), end_with(&one, another)], "entry 301 is another end of the game"),
    ] {
        let mut site = Site::new(300, &[&one]);
        site.append(&entries[..1]);
        site.watch(&[]).expect(0, "all is well");
        site.grows(&entries[1..], 1, part);
    }
    // A start of a table that never began.
    let never = made::cancelled(Ruleset::preset(RulesetId::Squares), 3);
    let mut site = Site::new(300, &[&never]);
    let of_another = made::logged_start(&one, |entry| {
        if let LogEntry::Start { game, started, .. } = entry {
            *game = never.header.game;
            *started = Hex([7; 32]);
        }
    });
    site.grows(&[of_another, never.logged_end()], 1, "entry 300 is");
}

#[test]
fn at_most_so_many_histories_are_compared_in_a_run() {
    let games: Vec<Made> = (1..=3).map(game).collect();
    let mut site = Site::new(3, &[&games[0], &games[1], &games[2]]);
    site.append(&games.iter().map(start).collect::<Vec<_>>());
    site.append(&games.iter().map(Made::logged_end).collect::<Vec<_>>());
    for (most, compared, left) in [("0", 0, 3), ("2", 2, 1), ("2", 1, 0)] {
        let part = format!("{compared} games were compared with their histories; {left} more are over");
        site.watch(&["--histories", most]).expect(0, &part);
    }
}

/// Games whose histories cannot be compared let others go first.
#[test]
fn a_history_that_fails_does_not_keep_others_waiting() {
    let games: Vec<Made> = (1..=3).map(game).collect();
    let mut site = Site::new(3, &[&games[2]]);
    site.append(&games.iter().map(start).collect::<Vec<_>>());
    site.watch(&[]).expect(0, "all is well");
    site.append(&games[..2].iter().map(Made::logged_end).collect::<Vec<_>>());
    site.append(&[end_with(&games[2], another)]);
    let watch = |site: &Site| site.watch(&["--histories", "1"]);
    for made in &games[..2] {
        watch(&site).expect(3, &format!("the history of the game {}: status 404", made.header.game));
    }
    let ran = watch(&site);
    assert!(ran.output.contains("the histories of 2 games were not compared, after they failed"), "{ran:?}");
    ran.expect(1, "is another end of the game");
    // They are tried again.
    let mut site = Site::new(3, &[]);
    site.append(&games.iter().map(start).collect::<Vec<_>>());
    site.watch(&[]).expect(0, "all is well");
    site.append(&games[..2].iter().map(Made::logged_end).collect::<Vec<_>>());
    for _ in 0..3 {
        watch(&site).expect(3, "status 404");
    }
    games.iter().for_each(|made| site.service.serve(&history(made), 200, made.lines().as_bytes()));
    watch(&site).expect(3, "the histories of 1 games were not compared");
    watch(&site).expect(0, "1 games were compared");
}

/// Entries that are not those of the signed tree say nothing, and are read again.
#[test]
fn entries_of_another_tree_are_not_believed() {
    let one = game(1);
    let mut site = Site::new(300, &[&one]);
    site.watch(&[]).expect(0, "all is well");
    site.append(&[start(&one)]);
    site.watch(&["--histories", "0"]).expect(0, "all is well");
    let mut other = site.log.clone();
    site.append(&[one.logged_end()]);
    other.append(b"entry");
    let files = other.files();
    site.service.show_note(&site.log, &site.log.checkpoint(site.time));
    let (tile, bundle) = ("tile/0/001.p/46", "tile/entries/001.p/46");
    let sound = site.service.body(tile);
    site.service.answer(bundle, 200, &files[bundle]);
    site.watch_again(&[]).expect(3, "is damaged");
    site.service.answer(tile, 200, &files[tile]);
    site.watch_again(&[]).expect(3, "the tiles are damaged");
    site.service.answer(tile, 200, &sound);
    site.watch(&[]).expect(0, "1 games were compared");
}

/// A start that was promised, and dropped.
#[test]
fn a_promise_is_held_against_the_log() {
    let one = game(1);
    let entry = start(&one).text().unwrap();
    let leaf = Hex(Hash::leaf(entry.as_bytes()).0);
    let LogEntry::Start { at, .. } = start(&one) else { panic!("no start") };
    let by = at.plus(SignedDuration::from_mins(1));
    let statement = LogPromise { origin: ORIGIN, leaf, by }.statement().unwrap();
    let log = json!({ "origin": ORIGIN, "leaf": leaf, "by": by, "signature": made::signed(&statement) });
    let folder = tempfile::TempDir::new().unwrap();
    let [promise, view, another] = ["promise", "view", "another"].map(|name| folder.path().join(name));
    fs::write(&promise, log.to_string()).unwrap();
    fs::write(&view, json!({ "id": one.header.game, "log": log }).to_string()).unwrap();
    let mut of_another = log.clone();
    of_another["origin"] = "other.example/log".into();
    fs::write(&another, of_another.to_string()).unwrap();
    let (promise, view, another) =
        (promise.to_str().unwrap(), view.to_str().unwrap(), another.to_str().unwrap());
    let key = made::key_hex();
    let watch = |site: &Site, file: &str| site.watch(&["--key", &key, "--promise", file]);

    let mut site = Site::new(300, &[&one]);
    site.append(&[start(&one)]);
    site.watch(&["--promise", promise]).expect(3, "cannot be checked without keys");
    for file in [promise, view] {
        watch(&site, file).expect(0, "all is well");
    }
    watch(&site, another).expect(3, "not a promise of this service");
    // The checkpoint is not late yet, and then it is.
    let mut site = Site::new(300, &[&one]);
    watch(&site, promise).expect(3, "its checkpoint is not later than was promised");
    site.time = by.timestamp().as_second() as u64 + 1;
    watch(&site, promise).expect(1, "the start was promised by");
}

/// With a record key the signatures of histories count too.
#[test]
fn a_history_without_a_signature_is_not_accepted_with_a_key() {
    let mut one = game(1);
    one.end.signature = None;
    let mut site = Site::new(3, &[&one]);
    site.append(&[start(&one), one.logged_end()]);
    site.watch(&["--key", &made::key_hex()]).expect(3, "does not verify");
    site.watch(&[]).expect(0, "1 games were compared");
}
