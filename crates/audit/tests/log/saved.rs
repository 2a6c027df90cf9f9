//! The log in a folder that `--save` made.

use std::path::Path;

use crate::games::{FAR, forged_note};
use crate::prelude::*;

/// Audits a folder with a log, cosigned two minutes after the end of a game, and the history of this game.
fn audit(log: &TestLog, made: &Made, opened: Option<&Value>) -> Ran {
    let folder = TempDir::new().unwrap();
    let save = |path: &str, bytes: &[u8]| {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap_or(Path::new(""))).unwrap();
        fs::write(file, bytes).unwrap();
    };
    let closed = made.ended_at().plus(SignedDuration::from_mins(2)).timestamp().as_second() as u64;
    log.files().into_iter().for_each(|(path, bytes)| save(&format!("log/{path}"), &bytes));
    save("log/key", log.keys().as_bytes());
    save("log/checkpoint", log.checkpoint(closed).to_string().as_bytes());
    save("jwks.json", made::jwks().to_string().as_bytes());
    save("games/game.ndjson", made.lines().as_bytes());
    if let Some(opened) = opened {
        save("opened.ndjson", format!("{opened}\n").as_bytes());
    }
    run([folder.path()])
}

fn game() -> Made {
    made::play(Ruleset::preset(RulesetId::Squares), 1)
}

fn append(log: &mut TestLog, entry: &LogEntry) {
    log.append(entry.text().unwrap().as_bytes());
}

#[test]
fn an_entry_that_is_none_is_found() {
    let one = game();
    let origin = LogEntry::Origin { checkpoint: String::new() }.text().unwrap();
    for (entry, status, part) in [
        ("{\"hash\":\"HASH\",\"type\":\"sealed\"}".replace("HASH", &"00".repeat(32)), 0, "all is well"),
        ("garbage".to_owned(), 1, "log: entry 2 is no entry of a log"),
        ("{\"hash\":\"00\",\"type\":\"sealed\"}".to_owned(), 1, "log: entry 2 is no entry of a log"),
        (origin, 1, "log: entry 2 names a former log, and is not the first entry"),
        ("{\"type\":\"paused\"}".to_owned(), 3, "log: entry 2 is of the unknown type \"paused\""),
    ] {
        let mut log = TestLog::new(ORIGIN, 1);
        append(&mut log, &made::logged_start(&one, |_| {}));
        append(&mut log, &one.logged_end());
        log.append(entry.as_bytes());
        audit(&log, &one, None).expect(status, part);
    }
}

/// A former log that has the first entries of this one has ended, whatever time a cosignature in the note claims.
#[test]
fn a_forged_time_of_a_former_log_excuses_no_missing_entry() {
    let (one, other) = (game(), made::play(Ruleset::preset(RulesetId::Squares), 2));
    let started = made::logged_start(&one, |_| {}).at().unwrap();
    let forged = forged_note(1, one.ended_at().timestamp().as_second() as u64 + 1);
    for (at, has_end, status, part) in [
        (started, true, 0, "all is well"),
        (started.plus(SignedDuration::from_millis(-1)), true, 1, "lacks its start"),
        (one.ended_at(), false, 0, "all is well"),
        (
            one.ended_at().plus(SignedDuration::from_millis(-1)),
            false,
            1,
            "the game has been over for more than a minute and is not in the public log",
        ),
    ] {
        let mut log = TestLog::new(ORIGIN, 1);
        append(&mut log, &LogEntry::Origin { checkpoint: forged.clone() });
        let first = made::logged_start(&other, |entry| {
            if let LogEntry::Start { at: started, .. } = entry {
                *started = at;
            }
        });
        let mut sealed = log.clone();
        append(&mut log, &first);
        if has_end {
            append(&mut log, &one.logged_end());
        }
        audit(&log, &one, None).expect(status, part);
        if !has_end {
            let (entry, salt) = (first.text().unwrap(), [7; 32]);
            append(&mut sealed, &LogEntry::sealing(&entry, &salt));
            audit(&sealed, &one, None).expect(0, "all is well");
            let (game, salt) = (other.header.game, Hex(salt));
            let opened = json!({ "origin": ORIGIN, "index": 1, "game": game, "entry": entry, "salt": salt });
            audit(&sealed, &one, Some(&opened)).expect(status, part);
        }
    }
    let mut log = TestLog::new(ORIGIN, 1);
    append(&mut log, &LogEntry::Origin { checkpoint: forged_note(1, FAR) });
    audit(&log, &one, None).expect(1, "is not in the public log");
}

#[test]
fn hostile_text_in_a_page_stays_text() {
    let folder = TempDir::new().unwrap();
    let hostile = folder.path().join("<script>alert('x')<b>&\"\u{202e}\u{1}");
    fs::create_dir_all(hostile.join("games")).unwrap();
    fs::write(hostile.join("games/game.ndjson"), game().lines()).unwrap();
    fs::write(hostile.join("jwks.json"), made::jwks().to_string()).unwrap();
    let page = folder.path().join("report.html");
    run([hostile.as_path(), Path::new("--report"), &page]);
    let page = fs::read_to_string(page).unwrap();
    let text = "&lt;script&gt;alert(&#39;x&#39;)&lt;b&gt;&amp;&quot;&#xfffd;&#xfffd;";
    assert!(page.contains(text) && !page.contains("<script"), "{page}");
}
