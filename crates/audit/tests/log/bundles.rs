//! Bundles: a history with its proofs in one file, without network.

use estimation_record::verify::Proofs;
use estimation_record::{LogPromise, Opening, canonical_json};
use estimation_test_support::made::key_hex;
use estimation_tlog::{Note, ProofFile};

use crate::prelude::*;
use crate::proofs::end_of;

/// The time of all histories that the tests make, in seconds since 1970.
const THEN: u64 = 1_767_225_600;

/// A game with its proofs, and the logs that they are of: the last one has the end, and the first one the start.
pub struct Bundled {
    pub made: Made,
    pub proofs: Proofs,
    pub witness: Signatory,
    logs: Vec<TestLog>,
    /// The index of the start in the first log.
    start: u64,
    folder: TempDir,
}

/// The checkpoint of a log, cosigned at a time.
fn checkpoint(log: &TestLog, witness: &Signatory, time: u64) -> Note {
    let mut note = log.checkpoint(time);
    note.add(witness.cosign(note.text(), time));
    note
}

fn proof(log: &mut TestLog, index: u64, entry: &str, note: &Note) -> ProofFile {
    let opening = Opening { entry: entry.to_owned(), salt: None };
    log.proof(index, &canonical_json(&opening).unwrap(), note.clone())
}

impl Bundled {
    /// A table that was cancelled before its start.
    pub fn cancelled() -> Bundled {
        Bundled::of(made::cancelled(Ruleset::preset(RulesetId::Squares), 5), 1)
    }

    /// A game that started so many logs before the one with its end.
    pub fn started(logs: usize) -> Bundled {
        Bundled::of(made::forfeited(Ruleset::preset(RulesetId::Squares), 3), logs)
    }

    /// The key of a witness that cosigned nothing.
    pub fn stranger() -> String {
        Signatory::witness("witness.example/w2", 8).key.to_string()
    }

    fn of(made: Made, count: usize) -> Bundled {
        let witness = Signatory::witness("witness.example/w1", 7);
        let started = made.find("game_started", 0).map(|_| made::logged_start(&made, |_| {}).text().unwrap());
        let mut logs: Vec<TestLog> = Vec::new();
        let mut start = 0;
        for number in 0..count {
            let mut log = TestLog::new(&format!("cards.example/log{number}"), number as u8 + 1);
            if let Some(former) = logs.last() {
                log.append(origin_entry(&former.checkpoint(THEN).to_string()).as_bytes());
            } else {
                log.grow(20, "entry");
                start = started.as_ref().map_or(0, |entry| log.append(entry.as_bytes()));
            }
            log.grow(40, "entry");
            logs.push(log);
        }
        let last = logs.last_mut().unwrap();
        let index = last.append(end_of(&made).as_bytes());
        last.grow(50, "entry");
        let notes: Vec<Note> = logs.iter().map(|log| checkpoint(log, &witness, THEN + 60)).collect();
        let end = proof(logs.last_mut().unwrap(), index, &end_of(&made), notes.last().unwrap()).to_string();
        let origins = (1..count).rev().map(|number| {
            let entry = origin_entry(&logs[number - 1].checkpoint(THEN).to_string());
            proof(&mut logs[number], 0, &entry, &notes[number]).to_string()
        });
        let origins = origins.collect();
        let start_proof = started.map(|entry| proof(&mut logs[0], start, &entry, &notes[0]).to_string());
        let log_keys =
            logs.iter().flat_map(|log| log.keys().lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        let jwks = serde_json::from_value(made::jwks()).unwrap();
        let proofs = Proofs { start: start_proof, end, origins, log_keys, jwks };
        Bundled { made, proofs, witness, logs, start, folder: TempDir::new().unwrap() }
    }

    /// The key of the log with the end.
    pub fn log_key(&self) -> String {
        self.logs.last().unwrap().log.key.to_string()
    }

    /// Verifies the history with this value as its proofs.
    fn verify_with(&self, proofs: &Value, more: &[&str]) -> Ran {
        self.verify_text(&format!("{}{}\n", self.made.lines(), json!({ "proofs": proofs })), more)
    }

    fn verify_text(&self, text: &str, more: &[&str]) -> Ran {
        let file = self.folder.path().join("bundle");
        fs::write(&file, text).unwrap();
        run([&["verify", file.to_str().unwrap()], more].concat())
    }

    fn verify(&self, more: &[&str]) -> Ran {
        self.verify_with(&json!(self.proofs), more)
    }

    /// Verifies it with every key pinned.
    fn pinned(&self) -> Ran {
        self.verify(&[
            "--key",
            &key_hex(),
            "--log-key",
            &self.log_key(),
            "--witness",
            &self.witness.key.to_string(),
        ])
    }

    /// The same with other proofs.
    fn with(&self, change: impl FnOnce(&mut Proofs)) -> Bundled {
        let (made, witness, logs) = (self.made.clone(), self.witness.clone(), self.logs.clone());
        let mut proofs = self.proofs.clone();
        change(&mut proofs);
        Bundled { made, proofs, witness, logs, start: self.start, folder: TempDir::new().unwrap() }
    }

    /// The proof of the start in its log as it is, cosigned at a time.
    fn start_at(&self, time: u64) -> String {
        let mut log = self.logs[0].clone();
        let note = checkpoint(&log, &self.witness, time);
        let entry = made::logged_start(&self.made, |_| {}).text().unwrap();
        proof(&mut log, self.start, &entry, &note).to_string()
    }
}

fn origin_entry(checkpoint: &str) -> String {
    LogEntry::Origin { checkpoint: checkpoint.to_owned() }.text().unwrap()
}

/// A proof after a change of its checkpoint.
fn recheckpointed(proof: &str, change: impl FnOnce(&mut ProofFile)) -> String {
    let mut file: ProofFile = proof.parse().unwrap();
    change(&mut file);
    file.to_string()
}

#[test]
fn a_bundle_is_sound_by_its_own_keys_or_by_pinned_ones() {
    for bundled in [Bundled::cancelled(), Bundled::started(1)] {
        let (log, witness, key) = (bundled.log_key(), bundled.witness.key.to_string(), key_hex());
        let kid = bundled.made.end.signature.as_ref().unwrap().kid.clone();
        bundled.verify(&[]).expect(4, "sound by the keys in this file");
        bundled.verify(&[]).expect(4, &format!("a key of the file was used: the record key {kid}"));
        bundled.verify(&[]).expect(4, &format!("a key of the file was used: the log key {log}"));
        bundled.verify(&["--key", &key]).expect(4, &log);
        bundled.verify(&["--log-key", &log]).expect(4, &kid);
        bundled.verify(&["--witness", &witness]).expect(4, &kid);
        for pinned in
            [&["--log-key", &log][..], &["--witness", &witness], &["--log-key", &log, "--witness", &witness]]
        {
            let ran = bundled.verify(&[&["--key", &key], pinned].concat());
            assert!(!ran.output.contains("a key of the file"), "{ran:?}");
            ran.expect(0, "all is well");
        }
        // As one object.
        let object = bundled.made.json();
        let object = format!("{},\"proofs\":{}}}", object.strip_suffix('}').unwrap(), json!(bundled.proofs));
        bundled.verify_text(&object, &[]).expect(4, "sound by the keys in this file");
    }
}

#[test]
fn a_pinned_witness_must_have_cosigned_the_end() {
    let bundled = Bundled::started(2);
    let (log, key, stranger) = (bundled.log_key(), key_hex(), Bundled::stranger());
    let all = ["--key", &key, "--log-key", &log, "--witness", &stranger];
    bundled.verify(&all).expect(5, "witness.example/w2 has not signed the note");
    // The key of the file stands for the log, whose signature no witness has verified.
    bundled.verify(&["--witness", &stranger]).expect(5, "a pinned witness's cosignature is missing");
    // Only the end needs it.
    let mut start: ProofFile = bundled.proofs.start.as_ref().unwrap().parse().unwrap();
    start.checkpoint = bundled.logs[0].checkpoint(THEN + 60);
    bundled.with(|proofs| proofs.start = Some(start.to_string())).pinned().expect(0, "all is well");
    // A wrong one is not missing.
    let wrong = bundled.with(|proofs| {
        let other = Signatory::witness("witness.example/w2", 8).cosign("another text\n", THEN);
        proofs.end = recheckpointed(&proofs.end, |file| file.checkpoint.add(other));
    });
    wrong.verify(&all).expect(1, "the cosignature of witness.example/w2 is wrong");
    // Other problems come first.
    let other = made::cancelled(Ruleset::preset(RulesetId::Squares), 6);
    bundled.verify(&[&all[..], &["--head", "1-0000000000000000"]].concat()).expect(1, "which was kept");
    let unknown = ["--log-key", &log, "--witness", &stranger, "--key", &"ab".repeat(32)];
    bundled.verify(&unknown).expect(3, "");
    let text = format!("{}{}\n", other.lines(), json!({ "proofs": Bundled::cancelled().proofs }));
    bundled.verify_text(&text, &all).expect(1, "the proof is of another end");
}

#[test]
fn the_keys_are_those_that_are_pinned() {
    let bundled = Bundled::cancelled();
    let log = bundled.log_key();
    let other = TestLog::new("cards.example/log0", 9).log.key.to_string();
    bundled.verify(&["--log-key", &other]).expect(3, "not of the log with this key");
    // A log with another name may have its own key, and of several keys each is for its log.
    let another = TestLog::new("other.example/log", 9).log.key.to_string();
    bundled.verify(&["--key", &key_hex(), "--log-key", &another]).expect(4, &log);
    bundled.verify(&["--key", &key_hex(), "--log-key", &another, "--log-key", &log]).expect(0, "all is well");
    let keyless = bundled.with(|proofs| proofs.log_keys.clear());
    keyless.verify(&[]).expect(3, "no key of the log cards.example/log0 is known");
    keyless.pinned().expect(0, "all is well");
    let garbage = bundled.with(|proofs| proofs.log_keys = vec!["cards.example/log0".to_owned()]);
    garbage.verify(&[]).expect(3, "no key of the log");
    let forged = bundled.with(|proofs| {
        let stranger = TestLog::new("cards.example/log0", 9);
        proofs.log_keys = vec![stranger.log.key.to_string()];
        proofs.end = recheckpointed(&proofs.end, |file| {
            let line = stranger.log.sign("another text\n");
            file.checkpoint.add(line);
        });
    });
    forged.verify(&[]).expect(1, "does not match the text");
    forged.pinned().expect(0, "all is well");
    // The record keys.
    let nothing = |keys: Value| {
        bundled.with(|proofs| proofs.jwks = serde_json::from_value(json!({ "keys": keys })).unwrap())
    };
    nothing(json!([])).verify(&[]).expect(3, "the set has no record key");
    nothing(json!([])).pinned().expect(0, "all is well");
    nothing(json!([{"estimation:purpose": "record", "x": "AA"}]))
        .verify(&[])
        .expect(3, "no Ed25519 public key");
    let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    nothing(json!([{"estimation:purpose": "record", "x": x}]))
        .verify(&[])
        .expect(3, "is not one of the record keys");
    bundled.verify(&["--key", &hex_of_another()]).expect(3, "is not one of the record keys");
    let mut unsigned = bundled.with(|_| {});
    unsigned.made.end.signature = None;
    unsigned.verify(&[]).expect(3, "the end of the game is not signed");
    let mut signed = bundled.with(|_| {});
    signed.made.end.signature.as_mut().unwrap().value.0[5] ^= 1;
    signed.verify(&[]).expect(1, "the signature does not match");
    signed.pinned().expect(1, "the signature does not match");
}

/// A record key of another service.
fn hex_of_another() -> String {
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a".to_owned()
}

#[test]
fn a_start_in_a_former_log_is_reached_by_the_origins() {
    for logs in [2, 4] {
        let bundled = Bundled::started(logs);
        assert_eq!(bundled.proofs.origins.len(), logs - 1);
        bundled.verify(&[]).expect(4, "cards.example/log1 continues 40 entries of cards.example/log0");
        bundled.pinned().expect(0, "all is well");
        // The later log vouches for a former one whose key is lost.
        let lost =
            bundled.with(|proofs| proofs.log_keys.retain(|key| !key.starts_with("cards.example/log0")));
        lost.verify(&[]).expect(4, "the signature of cards.example/log0 was not checked");
        let first = bundled.logs[0].log.key.to_string();
        let ran = lost.verify(&["--log-key", &first]);
        assert!(!ran.output.contains("was not checked"), "{ran:?}");
        let stranger = TestLog::new("cards.example/log0", 9).log.key.to_string();
        lost.verify(&["--log-key", &stranger]).expect(3, "not of the log with this key");

        bundled.with(|proofs| proofs.origins.truncate(logs - 2)).verify(&[]).expect(3, "and the start is in");
        bundled.with(|proofs| proofs.origins.clear()).verify(&[]).expect(3, "and the start is in");
        let longer = bundled.with(|proofs| proofs.origins.extend(proofs.origins.clone()));
        longer.verify(&[]).expect(3, "the origins lead beyond cards.example/log0");
        let swapped = bundled.with(|proofs| proofs.origins[0] = proofs.start.clone().unwrap());
        swapped.verify(&[]).expect(1, "does not open an entry of the log");
        let unproven = bundled.with(|proofs| {
            proofs.origins[0] = recheckpointed(&proofs.origins[0], |file| file.proof[0].0[0] ^= 1);
        });
        unproven.verify(&[]).expect(1, "does not lead to the root");
    }
    let (two, three) = (Bundled::started(2), Bundled::started(3));
    let of_another = two.with(|proofs| proofs.origins = three.proofs.origins.clone());
    of_another.verify(&[]).expect(3, "the origins lead to the first entry of cards.example/log1");
    for bundled in [Bundled::started(1), Bundled::cancelled()] {
        let more = bundled.with(|proofs| proofs.origins = two.proofs.origins.clone());
        more.verify(&[]).expect(3, "the origins lead beyond");
    }
    // An entry that names no checkpoint, as of a log that never signed one; and one that is not the first.
    let mut unnamed = TestLog::new("cards.example/log1", 2);
    unnamed.append(origin_entry("").as_bytes());
    unnamed.append(origin_entry(&two.logs[0].checkpoint(THEN).to_string()).as_bytes());
    let end = unnamed.append(end_of(&two.made).as_bytes());
    let note = checkpoint(&unnamed, &two.witness, THEN + 60);
    let end = proof(&mut unnamed, end, &end_of(&two.made), &note).to_string();
    for (index, checkpoint, part) in [
        (0, String::new(), "names no checkpoint"),
        (1, two.logs[0].checkpoint(THEN).to_string(), "the next one is entry 1 of cards.example/log1"),
    ] {
        let origin = proof(&mut unnamed, index, &origin_entry(&checkpoint), &note).to_string();
        let changed = two.with(|proofs| (proofs.end, proofs.origins) = (end.clone(), vec![origin]));
        changed.verify(&[]).expect(3, part);
    }
}

#[test]
fn a_former_log_has_the_size_and_the_root_that_the_next_one_names() {
    let bundled = Bundled::started(3);
    // The operator has the keys of the first log, and lets it grow, or signs another beginning.
    let entry = made::logged_start(&bundled.made, |_| {}).text().unwrap();
    let mut grown = bundled.logs[0].clone();
    grown.grow(41, "entry");
    let mut forked = TestLog::new("cards.example/log0", 1);
    forked.append(entry.as_bytes());
    forked.grow(40, "another");
    for (mut log, index) in [(grown, bundled.start), (forked, 0)] {
        let note = checkpoint(&log, &bundled.witness, THEN + 60);
        let start = proof(&mut log, index, &entry, &note).to_string();
        let changed = bundled.with(|proofs| proofs.start = Some(start));
        changed.verify(&[]).expect(1, "the next log continues 40 entries of cards.example/log0");
        changed
            .with(|proofs| proofs.log_keys.clear())
            .pinned()
            .expect(1, "the next log continues 40 entries");
    }
    // The same of a log in between.
    let mut between = bundled.logs[1].clone();
    between.grow(42, "entry");
    let note = checkpoint(&between, &bundled.witness, THEN + 60);
    let origin = origin_entry(&bundled.logs[0].checkpoint(THEN).to_string());
    let origin = proof(&mut between, 0, &origin, &note).to_string();
    let changed = bundled.with(|proofs| proofs.origins[1] = origin);
    changed.verify(&[]).expect(1, "the next log continues 40 entries of cards.example/log1");
    // A known key of the former log did not sign.
    let wrong = bundled.with(|proofs| {
        proofs.start = proofs.start.as_ref().map(|start| {
            recheckpointed(start, |file| {
                let mut note = Note::new(file.checkpoint.text()).unwrap();
                note.add(bundled.logs[0].log.sign("another text\n"));
                file.checkpoint = note;
            })
        });
    });
    wrong.verify(&[]).expect(1, "the signature of cards.example/log0 does not match the text");
}

/// Who makes the file can add a key with the name of the log of the end. A pinned witness has not verified its signatures.
#[test]
fn a_key_of_the_file_for_a_checkpoint_of_the_log_of_the_end_is_told() {
    let name = "cards.example/log0";
    let (one, two) = (Bundled::started(1), Bundled::started(2));
    let entry = made::logged_start(&one.made, |_| {}).text().unwrap();
    let alone = |name: &str, seed: u8, entry: &str| {
        let mut log = TestLog::new(name, seed);
        let index = log.append(entry.as_bytes());
        let note = log.checkpoint(THEN);
        (proof(&mut log, index, entry, &note).to_string(), log)
    };
    // A start in a log of its own.
    let (start, own) = alone(name, 9, &entry);
    let key = own.log.key.to_string();
    let forged = one.with(|proofs| {
        proofs.start = Some(start);
        proofs.log_keys.push(key.clone());
    });
    let (record, witness) = (key_hex(), one.witness.key.to_string());
    let by_witness = ["--key", &record, "--witness", &witness];
    one.verify(&by_witness).expect(0, "all is well");
    forged.verify(&by_witness).expect(4, &format!("a key of the file was used: the log key {key}"));
    forged.verify(&["--key", &record, "--log-key", &one.log_key()]).expect(3, "not of the log with this key");
    forged.pinned().expect(3, "not of the log with this key");
    // The log's own key from the file is not better than that.
    let unsigned = |text: &String| {
        recheckpointed(text, |file| {
            let line = file.checkpoint.signatures()[0].clone();
            file.checkpoint = Note::new(file.checkpoint.text()).unwrap();
            file.checkpoint.add(line);
        })
    };
    let mut log = one.logs[0].clone();
    log.grow(60, "entry");
    let note = log.checkpoint(THEN);
    let later = proof(&mut log, one.start, &entry, &note).to_string();
    one.with(|proofs| proofs.start = Some(later)).verify(&by_witness).expect(4, &one.log_key());
    // At the checkpoint of the end it is authenticated by the end.
    let same = one.with(|proofs| proofs.start = proofs.start.as_ref().map(unsigned));
    same.verify(&by_witness).expect(0, "all is well");

    // An invented log before the log of the end.
    let (start, former) = alone("invented.example/log", 8, &entry);
    let origin = origin_entry(&former.checkpoint(THEN).to_string());
    let (origin, own) = alone(&two.logs[1].log.key.name().to_string(), 9, &origin);
    let key = own.log.key.to_string();
    let forged = two.with(|proofs| {
        (proofs.start, proofs.origins) = (Some(start), vec![origin]);
        proofs.log_keys.push(key.clone());
    });
    two.verify(&by_witness).expect(0, "all is well");
    forged.verify(&by_witness).expect(4, &format!("a key of the file was used: the log key {key}"));
    forged.verify(&["--key", &record, "--log-key", &two.log_key()]).expect(3, "not of the log with this key");
    let same = two.with(|proofs| proofs.origins[0] = unsigned(&proofs.origins[0]));
    same.verify(&by_witness).expect(0, "all is well");
    // A log that an authenticated later log names needs no key.
    let former = two.with(|proofs| proofs.start = proofs.start.as_ref().map(unsigned));
    former.verify(&by_witness).expect(0, "all is well");
}

#[test]
fn two_roots_of_one_size_are_a_fork() {
    let bundled = Bundled::started(1);
    let entry = made::logged_start(&bundled.made, |_| {}).text().unwrap();
    let mut forked = TestLog::new("cards.example/log0", 1);
    let index = forked.append(entry.as_bytes());
    forked.grow(50, "another");
    let note = checkpoint(&forked, &bundled.witness, THEN + 60);
    let other = proof(&mut forked, index, &entry, &note).to_string();
    bundled
        .with(|proofs| proofs.start = Some(other.clone()))
        .verify(&[])
        .expect(1, "two roots for 50 entries");
    let kept = bundled.folder.path().join("kept");
    fs::write(&kept, other).unwrap();
    bundled.verify(&["--proof", kept.to_str().unwrap()]).expect(1, "two roots for 50 entries");
}

#[test]
fn proofs_of_another_game_or_form_are_told() {
    let bundled = Bundled::started(1);
    let proofs = json!(bundled.proofs);
    let (start, end) = (proofs["start"].clone(), proofs["end"].clone());
    bundled
        .with(|proofs| proofs.end = proofs.start.clone().unwrap())
        .verify(&[])
        .expect(1, "it is of the start");
    bundled.with(|proofs| proofs.start = Some(proofs.end.clone())).verify(&[]).expect(1, "it is of the end");
    bundled.with(|proofs| proofs.start = None).verify(&[]).expect(3, "not those of this game");
    let cancelled = Bundled::cancelled();
    cancelled
        .with(|proofs| proofs.start = bundled.proofs.start.clone())
        .verify(&[])
        .expect(3, "not those of this game");
    bundled.with(|proofs| proofs.end = cancelled.proofs.end.clone()).verify(&[]).expect(1, "another end");
    bundled
        .with(|proofs| proofs.end = "no proof".to_owned())
        .verify(&[])
        .expect(3, "not a proof of the form");
    let changed = |member: &str, value: Value| {
        let mut changed = proofs.clone();
        changed[member] = value;
        changed
    };
    let without = |member: &str| {
        let mut changed = proofs.clone();
        changed.as_object_mut().unwrap().remove(member);
        changed
    };
    let deep = (0..200).fold(json!([]), |inner, _| json!([inner]));
    let values = [
        json!(null),
        json!(7),
        json!([]),
        json!({}),
        json!("text"),
        deep.clone(),
        without("start"),
        without("end"),
        without("origins"),
        without("log_keys"),
        without("jwks"),
        changed("more", json!(1)),
        changed("start", json!([start])),
        changed("end", json!(null)),
        changed("end", json!({})),
        changed("origins", json!(null)),
        changed("origins", json!("")),
        changed("origins", json!([1])),
        changed("origins", json!(vec![end; 101])),
        changed("log_keys", json!(vec![""; 401])),
        changed("log_keys", json!({})),
        changed("jwks", json!(null)),
        changed("jwks", json!([])),
        changed("jwks", json!({})),
        changed("jwks", json!({"keys": [], "more": 1})),
        changed("jwks", json!({"keys": [1]})),
        changed("jwks", json!({"keys": [{"deep": deep}]})),
    ];
    let (log, key) = (bundled.log_key(), key_hex());
    for value in values {
        bundled.verify_with(&value, &["--log-key", &log, "--key", &key]).expect(3, "the proofs: ");
    }
    // A tampered history is told first.
    let mut tampered = bundled.with(|_| {});
    tampered.made.end.events += 1;
    tampered.verify_with(&json!(7), &[]).expect(1, "head: the end says");
    tampered.verify(&[]).expect(1, "head: the end says");
}

#[test]
fn a_file_that_cannot_be_read_to_its_end_is_told() {
    let bundled = Bundled::cancelled();
    let history = bundled.made.lines();
    let proofs = json!({ "proofs": bundled.proofs }).to_string();
    bundled.verify_text(&history, &[]).expect(3, "the file has no proofs");
    for text in [
        format!("{history}{}", &proofs[..proofs.len() / 2]),
        format!("{history}{proofs}{proofs}"),
        format!("{history}{proofs}garbage"),
        format!("{history}{}", "[".repeat(10_000)),
        format!("{history}{{\"proofs\":{}", "[".repeat(10_000)),
        format!("{history}{{\"proofs\":{{\"origins\":[{}", "\"\",".repeat(100_000)),
    ] {
        bundled.verify_text(&text, &[]).expect(3, "the proofs: ");
    }
    let twice = proofs.replacen("\"keys\":[{", "\"keys\":[{\"x\":\"\",", 1);
    bundled.verify_text(&format!("{history}{twice}"), &[]).expect(3, "a duplicate key");
    let end = history.lines().last().unwrap();
    let values = json!({"end": json!(bundled.made.end).as_object().unwrap().values().collect::<Vec<_>>()});
    let listed = history.replace(end, &values.to_string());
    bundled.verify_text(&format!("{listed}{proofs}"), &[]).expect(1, "expected an object");
    let early = history.replace("{\"end\"", &format!("{proofs}{{\"end\""));
    bundled.verify_text(&early, &[]).expect(1, "proofs that do not follow the end of a history");
    let whole = history.clone() + &proofs;
    bundled.verify_text(&whole[..history.len() / 2], &[]).expect(1, "");
    bundled.verify_text(&(whole.clone() + &whole), &[]).expect(1, "two histories of the game");
    let other = made::cancelled(Ruleset::preset(RulesetId::Squares), 6).lines();
    bundled.verify_text(&(other + &whole), &[]).expect(3, "not the history of a game");
    let long = whole + &" ".repeat(65 << 20);
    bundled.verify_text(&long, &[]).expect(3, "longer than");
}

/// No byte of the proofs can be changed unnoticed. Of the keys of the file only those that are used count.
#[test]
fn a_changed_proof_in_a_bundle_is_refused_byte_by_byte() {
    let bundled = Bundled::started(2);
    for (name, text) in [
        ("end", &bundled.proofs.end),
        ("start", bundled.proofs.start.as_ref().unwrap()),
        ("origins", &bundled.proofs.origins[0]),
    ] {
        let sound = text.clone().into_bytes();
        // The lines below are signatures that do not have to be there.
        let own = text.find("/witness ").unwrap();
        for at in (0..own - 20).step_by(23) {
            let mut changed = sound.clone();
            changed[at] ^= 1;
            let Ok(changed) = String::from_utf8(changed) else { continue };
            let ran = bundled.with(|proofs| match name {
                "end" => proofs.end = changed,
                "start" => proofs.start = Some(changed),
                _ => proofs.origins[0] = changed,
            });
            let ran = ran.verify(&[]);
            assert!(ran.status == 1 || ran.status == 3, "{name}, byte {at}: {ran:?}");
        }
    }
}

/// Only witnesses show when the log had the start.
#[test]
fn the_time_of_the_start_is_the_services_word_without_an_early_cosignature() {
    let bundled = Bundled::started(2);
    let witness = bundled.witness.key.to_string();
    let word = "when the log had the start is the service's word";
    bundled.verify(&[]).expect(4, word);
    bundled.verify(&["--witness", &Bundled::stranger()]).expect(5, word);
    bundled.verify(&["--witness", &witness]).expect(4, "the log had the start by 2026-01-01T00:01:00Z");
    let late = bundled.with(|proofs| proofs.start = Some(bundled.start_at(THEN + 1_000)));
    late.verify(&["--witness", &witness]).expect(4, word);
    // A proof that was kept, of a smaller log.
    let entry = made::logged_start(&late.made, |_| {}).text().unwrap();
    let mut early = TestLog::new("cards.example/log0", 1);
    early.grow(20, "entry");
    early.append(entry.as_bytes());
    early.grow(30, "entry");
    let kept = late.folder.path().join("kept");
    let note = checkpoint(&early, &late.witness, THEN + 90);
    fs::write(&kept, proof(&mut early, late.start, &entry, &note).to_string()).unwrap();
    let kept = kept.to_str().unwrap().to_owned();
    late.verify(&["--witness", &witness, "--proof", &kept])
        .expect(4, "the log had the start by 2026-01-01T00:01:30Z");
    // It needs no cosignature of its own, but a signature.
    let note = early.checkpoint(THEN + 90);
    fs::write(&kept, proof(&mut early, late.start, &entry, &note).to_string()).unwrap();
    late.verify(&["--witness", &witness, "--proof", &kept]).expect(4, word);
    let keyless = late.with(|proofs| proofs.log_keys.clear());
    keyless
        .verify(&["--witness", &witness, "--proof", &kept])
        .expect(3, "no key of the log cards.example/log0 is known");
    // Later than its own checkpoint.
    let before = bundled.with(|proofs| proofs.start = Some(bundled.start_at(THEN - 1_000)));
    before.verify(&["--witness", &witness]).expect(1, "later than the checkpoint that has it");
}

#[test]
fn a_kept_promise_and_head_are_compared_with_a_bundle() {
    let bundled = Bundled::started(2);
    let entry = made::logged_start(&bundled.made, |_| {});
    let LogEntry::Start { at, .. } = entry else { panic!("{entry:?}") };
    let by = at.plus(SignedDuration::from_mins(1));
    let promise = |entry: &str| {
        let leaf = estimation_engine::hex::Hex(estimation_tlog::Hash::leaf(entry.as_bytes()).0);
        let origin = "cards.example/log0";
        let signature = made::signed(&LogPromise { origin, leaf, by }.statement().unwrap());
        let file = bundled.folder.path().join("promise");
        fs::write(
            &file,
            json!({ "origin": origin, "leaf": leaf, "by": by, "signature": signature }).to_string(),
        )
        .unwrap();
        file.to_str().unwrap().to_owned()
    };
    let kept = promise(&entry.text().unwrap());
    bundled.verify(&["--promise", &kept]).expect(4, "the log has the start that was promised");
    let kept = promise("another start");
    bundled.verify(&["--promise", &kept]).expect(1, "another start of the game than was promised");
    bundled
        .verify(&["--promise", &kept, "--key", &hex_of_another()])
        .expect(3, "not a promise of this service");
    let event = &bundled.made.events[2];
    bundled.verify(&["--head", &format!("3-{}", event.hash)]).expect(4, "event 3 is the one that was kept");
    bundled.verify(&["--head", &format!("2-{}", event.hash)]).expect(1, "which was kept");
}
