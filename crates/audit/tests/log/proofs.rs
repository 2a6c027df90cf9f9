//! Histories with their proofs, without network.

use estimation_record::{LogPromise, Opening, RecordTime, canonical_json};
use estimation_test_support::made::key_hex;
use estimation_tlog::ProofFile;

use crate::prelude::*;

/// A game with the proof of its end.
struct Case {
    folder: TempDir,
    made: Made,
    log: TestLog,
    witness: Signatory,
    proof: ProofFile,
}

/// The entry of the end, at the time of the last event.
pub fn end_of(made: &Made) -> String {
    made.logged_end().text().unwrap()
}

impl Case {
    fn new(salt: Option<[u8; 32]>) -> Case {
        Case::cosigned(salt, now())
    }

    fn cosigned(salt: Option<[u8; 32]>, time: u64) -> Case {
        let made = made::cancelled(Ruleset::preset(RulesetId::Squares), 5);
        let opening = Opening { entry: end_of(&made), salt: salt.map(Hex) };
        let mut log = log(300);
        let index = log.append(opening.logged().unwrap().as_bytes());
        log.grow(700, "entry");
        let witness = Signatory::witness("witness.example/w1", 7);
        let mut note = log.checkpoint(time);
        note.add(witness.cosign(note.text(), time));
        let proof = log.proof(index, &canonical_json(&opening).unwrap(), note);
        let folder = TempDir::new().unwrap();
        let case = Case { folder, made, log, witness, proof };
        case.write(&case.made.lines(), case.proof.to_string().as_bytes());
        case
    }

    fn write(&self, history: &str, proof: &[u8]) {
        fs::write(self.folder.path().join("history.ndjson"), history).unwrap();
        fs::write(self.folder.path().join("proof"), proof).unwrap();
    }

    fn verify(&self, more: &[&str]) -> Ran {
        let path = |name| self.folder.path().join(name).to_str().unwrap().to_owned();
        let (history, proof) = (path("history.ndjson"), path("proof"));
        run([&["verify", "--proof", &proof, &history], more].concat())
    }

    /// With every key: no part of the proof is ignored.
    fn strictly(&self) -> Ran {
        let [log, own, witness] =
            [&self.log.log, &self.log.own_witness, &self.witness].map(|signatory| signatory.key.to_string());
        self.verify(&["--log-key", &log, "--witness", &own, "--witness", &witness, "--key", &key_hex()])
    }
}

#[test]
fn a_public_and_a_private_game_are_proved_in_two_kilobytes() {
    for salt in [None, Some([5; 32])] {
        let case = Case::new(salt);
        assert!(case.proof.to_string().len() <= 2_048, "{}", case.proof.to_string().len());
        case.strictly().expect(0, "entry 300 of 700");
        let log = case.log.log.key.to_string();
        case.verify(&["--log-key", &log]).expect(0, "neither --jwks nor --key");
        let witness = case.witness.key.to_string();
        case.verify(&["--witness", &witness]).expect(0, "the log's own signature was not checked");
        case.write(&case.made.json(), case.proof.to_string().as_bytes());
        case.strictly().expect(0, "all is well");
    }
}

#[test]
fn a_whole_game_is_proved() {
    let made = made::play(Ruleset::preset(RulesetId::Nineteen), 3);
    let opening = Opening { entry: end_of(&made), salt: None };
    let mut case = Case::new(None);
    let index = case.log.append(opening.entry.as_bytes());
    let note = case.log.checkpoint(now());
    let proof = case.log.proof(index, &canonical_json(&opening).unwrap(), note);
    case.write(&made.lines(), proof.to_string().as_bytes());
    let log = case.log.log.key.to_string();
    case.verify(&["--log-key", &log, "--key", &key_hex()]).expect(0, "deals are right");
}

#[test]
fn a_changed_proof_is_refused_byte_by_byte() {
    let case = Case::new(Some([5; 32]));
    let sound = case.proof.to_string().into_bytes();
    for at in (0..sound.len()).step_by(7) {
        let mut changed = sound.clone();
        changed[at] ^= 1;
        case.write(&case.made.lines(), &changed);
        let ran = case.strictly();
        assert!(ran.status == 1 || ran.status == 3, "byte {at}: {ran:?}");
    }
}

#[test]
fn another_history_is_refused() {
    let case = Case::new(None);
    let proof = case.proof.to_string();
    let other = made::cancelled(Ruleset::preset(RulesetId::Squares), 6);
    case.write(&other.lines(), proof.as_bytes());
    case.strictly().expect(1, "the proof is of another end");
    // The operator deals another game under the same id, and signs it: the log has the first.
    let mut forged = case.made.clone();
    forged.edit(0, |body| body["event"]["turn_seconds"] = 61.into());
    forged.rehash();
    forged.sign();
    case.write(&forged.lines(), proof.as_bytes());
    case.strictly().expect(1, "the proof is of another end");
    let mut broken = case.made.clone();
    broken.end.events += 1;
    case.write(&broken.lines(), proof.as_bytes());
    case.strictly().expect(1, "head: the end says");
}

#[test]
fn an_opening_that_does_not_open_the_entry_is_refused() {
    let case = Case::new(Some([5; 32]));
    let history = case.made.lines();
    let entry = end_of(&case.made);
    for (extra, part) in [
        (None, "does not open"),
        (Some("{}".to_owned()), "does not open"),
        (
            Some(canonical_json(&Opening { entry: entry.clone(), salt: None }).unwrap()),
            "does not lead to the root",
        ),
        (
            Some(canonical_json(&Opening { entry, salt: Some(Hex([6; 32])) }).unwrap()),
            "does not lead to the root",
        ),
    ] {
        let extra = extra.map(String::into_bytes);
        let proof = ProofFile { extra, ..case.proof.clone() };
        case.write(&history, proof.to_string().as_bytes());
        case.strictly().expect(1, part);
    }
}

#[test]
fn signatures_of_the_wrong_key_are_told() {
    let case = Case::new(None);
    let other = TestLog::new(ORIGIN, 9).log.key.to_string();
    case.verify(&["--log-key", &other]).expect(3, "not of the log with this key");
    let other = TestLog::new("other.example/log", 1).log.key.to_string();
    case.verify(&["--log-key", &other]).expect(3, "not of the log with this key");
    let log = case.log.log.key.to_string();
    let stranger = Signatory::witness("witness.example/w2", 8).key.to_string();
    case.verify(&["--log-key", &log, "--witness", &stranger]).expect(3, "has not signed the note");
    case.verify(&["--witness", &stranger]).expect(3, "has not signed the note");
    case.verify(&["--log-key", &log, "--key", &"ab".repeat(32)]).expect(3, "");
    let mut proof = case.proof.clone();
    let witness = Signatory::witness("witness.example/w2", 8);
    proof.checkpoint.add(witness.cosign("another text\n", now()));
    case.write(&case.made.lines(), proof.to_string().as_bytes());
    case.verify(&["--log-key", &log, "--witness", &stranger])
        .expect(1, "the cosignature of witness.example/w2 is wrong");
    case.verify(&[]).expect(3, "no key of the log cards.example/log is known");
}

/// A game may wait for its verification, so its entry may be of a later time than its last event, but of no earlier one.
#[test]
fn an_entry_of_a_time_before_the_end_is_refused() {
    let made = made::cancelled(Ruleset::preset(RulesetId::Squares), 5);
    for (seconds, status, part) in [(600, 0, "its entry in the log is of"), (-1, 1, "and the game ends at")] {
        let mut entry = made.logged_end();
        if let LogEntry::End { at, .. } = &mut entry {
            *at = at.plus(SignedDuration::from_secs(seconds));
        }
        let entry = entry.text().unwrap();
        let mut case = Case::new(None);
        let index = case.log.append(entry.as_bytes());
        let note = case.log.checkpoint(now());
        let proof = case.log.proof(index, &canonical_json(&Opening { entry, salt: None }).unwrap(), note);
        case.write(&made.lines(), proof.to_string().as_bytes());
        let log = case.log.log.key.to_string();
        case.verify(&["--log-key", &log]).expect(status, part);
    }
}

#[test]
fn an_end_after_the_checkpoint_that_has_it_is_refused() {
    let case = Case::cosigned(None, 1_767_225_600 - 100);
    case.strictly().expect(1, "later than the checkpoint");
    Case::cosigned(None, 1_767_225_600 - 30).strictly().expect(0, "all is well");
}

#[test]
fn files_that_cannot_be_read_are_told() {
    let case = Case::new(None);
    let log = case.log.log.key.to_string();
    let nowhere = case.folder.path().join("nowhere");
    let nowhere = nowhere.to_str().unwrap();
    let history = case.folder.path().join("history.ndjson");
    run(["verify", "--proof", nowhere, "--log-key", &log, history.to_str().unwrap()]).expect(3, "nowhere");
    run(["verify", "--proof", nowhere, "--log-key", &log, nowhere]).expect(3, "nowhere");
    let problem = r#"{"code":"token-missing","status":401}"#;
    for history in ["", problem] {
        case.write(history, case.proof.to_string().as_bytes());
        case.strictly().expect(3, "not the history of a game");
    }
    case.write(&case.made.lines(), problem.as_bytes());
    case.strictly().expect(3, "not a proof of the form");
    let two = case.made.lines() + &made::cancelled(Ruleset::preset(RulesetId::Squares), 6).lines();
    case.write(&two, case.proof.to_string().as_bytes());
    case.strictly().expect(3, "not the history of a game");
}

/// The start, the promise of it and a head, as a player keeps them.
#[test]
fn what_a_player_kept_is_compared() {
    let made = made::play(Ruleset::preset(RulesetId::Squares), 3);
    let mut case = Case::new(None);
    let salt = Some([5; 32]);
    let start = made::logged_start(&made, |_| {});
    let openings = [start.text().unwrap(), end_of(&made)].map(|entry| Opening { entry, salt: salt.map(Hex) });
    let leaves = openings.each_ref().map(|opening| opening.logged().unwrap());
    let indexes = leaves.each_ref().map(|leaf| case.log.append(leaf.as_bytes()));
    let LogEntry::Start { at, .. } = start else { panic!("{start:?}") };
    let path = |name: &str| case.folder.path().join(name).to_str().unwrap().to_owned();
    let note = case.log.checkpoint(now());
    for ((opening, index), name) in openings.iter().zip(indexes).zip(["start", "end"]) {
        let proof = case.log.proof(index, &canonical_json(opening).unwrap(), note.clone());
        fs::write(path(name), proof.to_string()).unwrap();
    }
    let by = at.plus(SignedDuration::from_mins(1));
    let promised = |leaf: &str, origin: &str| {
        let leaf = Hex(estimation_tlog::Hash::leaf(leaf.as_bytes()).0);
        let signature = made::signed(&LogPromise { origin, leaf, by }.statement().unwrap());
        json!({ "origin": origin, "leaf": leaf, "by": by, "signature": signature })
    };
    let promise = promised(&leaves[0], ORIGIN);
    let view = json!({ "id": made.header.game, "version": 9, "log": promise });
    let mut other_view = view.clone();
    other_view["id"] = uuid::Uuid::nil().to_string().into();
    let mut forged = promise.clone();
    forged["by"] = by.plus(SignedDuration::from_secs(1)).to_string().into();
    for (name, json) in [
        ("promise", &promise),
        ("view", &view),
        ("other-view", &other_view),
        ("forged", &forged),
        ("other-leaf", &promised(&leaves[1], ORIGIN)),
        ("other-log", &promised(&leaves[0], "other.example/log")),
        ("nothing", &json!({})),
    ] {
        fs::write(path(name), json.to_string()).unwrap();
    }
    fs::write(path("history.ndjson"), made.lines()).unwrap();
    let log = case.log.log.key.to_string();
    let (history, start, end, key) = (path("history.ndjson"), path("start"), path("end"), key_hex());
    let verify = |more: &[&str]| {
        let base = ["verify", &history, "--log-key", &log, "--key", &key];
        run([&base[..], more].concat())
    };
    let both = ["--proof", &start, "--proof", &end];
    verify(&both).expect(0, "the game began at");
    verify(&both[2..]).expect(0, "the start in the log was not checked");
    for (name, status, part) in [
        ("promise", 0, "the log has the start that was promised"),
        ("view", 0, "the log has the start that was promised"),
        ("other-view", 3, "a view of another game"),
        ("forged", 3, "not a promise of this service"),
        ("other-leaf", 1, "another start of the game than was promised"),
        ("other-log", 0, "the start was promised for other.example/log"),
        ("nothing", 3, "no promise"),
    ] {
        verify(&[&both[..], &["--promise", &path(name)]].concat()).expect(status, part);
    }
    let unsigned =
        ["verify", &history, "--log-key", &log, "--proof", &start, "--promise", &path("other-leaf")];
    run(unsigned).expect(3, "another start of the game than was promised");
    verify(&["--proof", &end, "--promise", &path("promise")]).expect(3, "only with the proof of the start");
    let event = &made.events[4];
    let head = |digits: &str| format!("{}-{digits}", event.seq);
    verify(&[&both[..], &["--head", &head(&event.hash[..16])]].concat())
        .expect(0, "is the one that was kept");
    verify(&[&both[..], &["--head", &head(&event.hash)]].concat()).expect(0, "is the one that was kept");
    verify(&[&both[..], &["--head", &head(&"0".repeat(16))]].concat()).expect(1, "which was kept");
    verify(&[&both[..], &["--head", &format!("99999-{}", event.hash)]].concat()).expect(1, "which was kept");
    verify(&[&both[..], &["--head", "5"]].concat()).expect(2, "a number, a hyphen");

    // The start of another game.
    let other = made::play(Ruleset::preset(RulesetId::Squares), 4);
    fs::write(path("history.ndjson"), other.lines()).unwrap();
    verify(&["--proof", &start]).expect(1, "the proof is of another start");
}

/// A checkpoint that is later than a promise allows, and lacks the start, proves that the game was dropped.
#[test]
fn a_dropped_start_is_found() {
    let mut log = log(20);
    let sealed = LogEntry::sealing("a start", &[7; 32]).text().unwrap();
    log.append(sealed.as_bytes());
    let service = Service::showing(&log);
    let folder = TempDir::new().unwrap();
    let promise = |leaf: &[u8], origin: &str, by: u64| {
        let by = RecordTime::from_milliseconds(i64::try_from(by).unwrap() * 1000).unwrap();
        let leaf = Hex(estimation_tlog::Hash::leaf(leaf).0);
        let signature = made::signed(&LogPromise { origin, leaf, by }.statement().unwrap());
        let path = folder.path().join("promise");
        let json = json!({ "origin": origin, "leaf": leaf, "by": by, "signature": signature });
        fs::write(&path, json.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let audit = |promise: String, key: &str| {
        run(["--url", &service.url, "--all", "--key", key, "--promise", &promise])
    };
    let (past, future) = (now() - 600, now() + 600);
    audit(promise(sealed.as_bytes(), ORIGIN, past), &key_hex()).expect(0, "");
    audit(promise(b"dropped", ORIGIN, past), &key_hex()).expect(1, "lacks it");
    audit(promise(b"dropped", ORIGIN, future), &key_hex()).expect(3, "not later than was promised");
    audit(promise(b"dropped", "other.example/log", past), &key_hex()).expect(3, "of another log");
    audit(
        promise(b"dropped", ORIGIN, past),
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    )
    .expect(3, "not a promise of this service");
    audit(folder.path().join("nowhere").to_str().unwrap().to_owned(), &key_hex()).expect(3, "no promise");
}
