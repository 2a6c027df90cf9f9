//! Parsers of almost valid inputs do not panic, and accept only what they would write.

use std::fmt::Display;
use std::str::FromStr;

use estimation_test_support::Random;
use estimation_test_support::fuzz::{mutated, seeds};
use estimation_tlog::witness::{AddCheckpoint, Answer};
use estimation_tlog::{
    BundleId, Checkpoint, Note, ProofFile, SignatureLine, TileId, VerifierKey, decode_entries, encode_entries,
};

use crate::support::{leaves, signed, the_witness};

fn one_form<T: FromStr + Display>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        assert_eq!(value.to_string(), text);
    }
}

#[test]
fn fuzz_texts() {
    let note = signed(5, leaves(1)[0]);
    let witness = the_witness().key;
    let extra = Some(b"{}".to_vec());
    let texts = [
        note.to_string(),
        note.text().to_owned(),
        note.signatures()[0].to_string(),
        ProofFile { extra, index: 3, proof: leaves(3), checkpoint: note.clone() }.to_string(),
        AddCheckpoint { old: 3, proof: leaves(2), checkpoint: note.clone() }.to_string(),
        witness.to_string(),
        "tile/0/x001/x234/067.p/8".to_owned(),
    ];
    for seed in seeds() {
        let mut random = Random(seed);
        let changed = mutated(random.pick(&texts).as_bytes(), &mut random);
        let text = String::from_utf8_lossy(&changed);
        one_form::<Note>(&text);
        one_form::<Checkpoint>(&text);
        one_form::<SignatureLine>(&text);
        one_form::<ProofFile>(&text);
        one_form::<AddCheckpoint>(&text);
        one_form::<VerifierKey>(&text);
        one_form::<TileId>(&text);
        for status in [200, 409] {
            let _answer = Answer::read(status, "text/x.tlog.size", &text, note.text(), &witness);
        }
        if let Ok(entries) = decode_entries(&changed) {
            assert_eq!(encode_entries(entries), Ok(changed.clone()));
        }
        let _bundle = BundleId { index: 0, width: 5 }.open(&changed, &leaves(5));
    }
}
