//! Bundles: histories with their proofs, and what a verifier must say of them. New cases go to the end.

mod bundle;
mod entries;
mod file_keys;
mod former_logs;
mod forms;
mod kept;
mod logs;
mod readings;
mod signatures;
mod sound;

use std::path::Path;

use serde_json::{Value, json};

use self::bundle::Bundle;
use self::logs::{Logs, Plan, logged};
use super::logged::{Logged, corpus_log, key, witness};

/// The exit statuses of a verifier.
const SOUND: u8 = 0;
const TAMPERED: u8 = 1;
const USAGE: u8 = 2;
const UNCHECKED: u8 = 3;
const BY_FILE: u8 = 4;
const UNWITNESSED: u8 = 5;

/// The cases made so far, and the record keys that files have.
struct Cases {
    jwks: Value,
    list: Vec<Value>,
}

impl Cases {
    fn add(&mut self, what: &str, status: u8, bundle: Bundle) {
        let Bundle { history, changed, proofs, log_keys, witnesses, jwks, promises, heads, kept } = bundle;
        self.list.push(json!({
            "case": self.list.len() + 1, "what": what, "history": history, "changed": changed, "proofs": proofs,
            "log_keys": log_keys, "witnesses": witnesses, "jwks": jwks, "promises": promises, "heads": heads,
            "kept": kept, "status": status,
        }));
    }

    /// The proofs of a game in logs, with all keys.
    fn bundle(&self, game: &Logged, logs: &Logs) -> Bundle {
        let log = corpus_log();
        Bundle {
            history: game.file.clone(),
            changed: None,
            proofs: logs.proofs(&self.jwks),
            log_keys: vec![key(&log.log)],
            witnesses: vec![key(&log.own_witness), key(&witness())],
            jwks: true,
            promises: Vec::new(),
            heads: Vec::new(),
            kept: Vec::new(),
        }
    }

    fn sound(&self, game: &Logged, plan: Plan) -> Bundle {
        self.bundle(game, &logged(game, plan))
    }
}

pub(super) fn lines(folder: &Path) -> Vec<Value> {
    let jwks: Value = serde_json::from_str(&super::text(folder, "jwks.json")).expect("JSON");
    let mut cases = Cases { jwks, list: Vec::new() };
    let [draw, cancelled, other] = ["draw", "cancelled", "unseeded"].map(|name| Logged::read(folder, name));
    sound::cases(&mut cases, &draw, &cancelled);
    former_logs::cases(&mut cases, &draw, &cancelled);
    forms::cases(&mut cases, &draw, &cancelled);
    forms::keys_of_the_file(&mut cases, &draw);
    signatures::cases(&mut cases, &draw, &cancelled);
    signatures::cosignatures(&mut cases, &draw);
    entries::ends(&mut cases, &cancelled, &draw);
    entries::starts(&mut cases, &draw, &other);
    sound::changed_histories(folder, &mut cases, &draw, &cancelled);
    kept::promises(&mut cases, &draw, &cancelled);
    kept::heads(folder, &mut cases, &draw);
    kept::proofs(&mut cases, &draw, &other);
    readings::origins(&mut cases, &draw);
    readings::record_keys(&mut cases, &draw);
    readings::log_keys(&mut cases, &draw);
    readings::proofs(&mut cases, &draw);
    readings::cosignatures(&mut cases, &cancelled);
    readings::kept(&mut cases, &draw, &cancelled, &super::lines(folder, "cases.ndjson"));
    file_keys::cases(&mut cases, &draw);
    cases.list
}
