//! Promises that a log will have an entry, sound and changed ones. New cases go to the end.

use std::path::Path;

use estimation_record::RecordTime;
use serde_json::{Value, json};

use super::logged::{Logged, ORIGIN, SALT, later, leaf, opening, promise};
use crate::made;

/// A promise with the bytes in the log.
struct Promised {
    entry: String,
    log: Value,
}

impl Promised {
    fn of(opening: &estimation_record::Opening, by: RecordTime) -> Promised {
        let mut log = promise(ORIGIN, leaf(opening), by);
        log.as_object_mut().expect("an object").remove("origin");
        Promised { entry: opening.logged().expect("canonical JSON"), log }
    }

    fn sound(&self, what: &str) -> Value {
        json!({"what": what, "origin": ORIGIN, "entry": self.entry, "sound": true, "log": self.log})
    }

    fn changed(&self, what: &str, path: &str, value: Value) -> Value {
        let mut line = self.sound(what);
        line["sound"] = json!(false);
        *line.pointer_mut(path).expect("a member") = value;
        line
    }
}

pub(super) fn lines(folder: &Path) -> Vec<Value> {
    let [plain, draw] = ["plain", "draw"].map(|name| Logged::read(folder, name));
    let end = Promised::of(&opening(&plain.end, None), made::time(100));
    let renamed = end.entry.replacen("\"end\"", "\"start\"", 1);
    let by = later(draw.started(), 60);
    let open = Promised::of(&opening(&draw.start(), None), by);
    let sealed = Promised::of(&opening(&draw.start(), Some(SALT)), by);
    let hash = super::digest(&open.entry);
    vec![
        end.sound("sound"),
        end.changed("another origin", "/origin", json!("other.example/log")),
        end.changed("another leaf", "/log/leaf", json!("ab".repeat(32))),
        end.changed("a later time", "/log/by", json!(made::time(101))),
        end.changed("another signature", "/log/signature/value", json!("ab".repeat(64))),
        end.changed("an unknown key", "/log/signature/kid", json!("another")),
        end.changed("another entry", "/entry", json!(renamed)),
        open.sound("sound, of the start of a public game"),
        sealed.sound("sound, of the start of a private game"),
        sealed.changed("the bytes of a start that is sealed in the log", "/entry", json!(open.entry)),
        open.changed("a sealed start, and a leaf of the open one", "/entry", json!(sealed.entry)),
        open.changed("the hash of the bytes without the byte before a leaf", "/log/leaf", json!(hash)),
        open.changed("an earlier time", "/log/by", json!(draw.started())),
        open.changed("the signature of another promise", "/log/signature", sealed.log["signature"].clone()),
        open.changed("no origin", "/origin", json!("")),
    ]
}
