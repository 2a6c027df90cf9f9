//! A file with its proofs, and changes of it.

use estimation_tlog::{Note, ProofFile, SignatureLine};
use serde_json::{Value, json};

use super::logs::stranger;
use crate::log::TestLog;
use crate::tampered::logged::{other_keys, signed_anew, witness};

/// A file with its proofs, and the arguments of a verifier.
#[derive(Clone)]
pub(super) struct Bundle {
    pub(super) history: String,
    /// The number of a changed history.
    pub(super) changed: Option<u64>,
    pub(super) proofs: Value,
    pub(super) log_keys: Vec<String>,
    pub(super) witnesses: Vec<String>,
    pub(super) jwks: bool,
    pub(super) promises: Vec<Value>,
    pub(super) heads: Vec<String>,
    pub(super) kept: Vec<String>,
}

impl Bundle {
    /// A member of the proofs.
    pub(super) fn member(mut self, name: &str, value: Value) -> Bundle {
        self.proofs[name] = value;
        self
    }

    pub(super) fn without(mut self, name: &str) -> Bundle {
        self.proofs.as_object_mut().expect("an object").remove(name);
        self
    }

    /// Changes a proof, found by its JSON pointer.
    pub(super) fn proof(mut self, path: &str, edit: impl FnOnce(&mut ProofFile)) -> Bundle {
        let text = self.proofs.pointer_mut(path).expect("a proof");
        let mut proof: ProofFile = text.as_str().expect("a text").parse().expect("a proof");
        edit(&mut proof);
        *text = json!(proof.to_string());
        self
    }

    /// Changes the signatures of all proofs with the checkpoint of one of them. Lines of a checkpoint: log, own witness,
    /// witness.
    pub(super) fn signatures(self, path: &str, edit: impl Fn(&Note) -> Vec<SignatureLine>) -> Bundle {
        let text = self.proofs.pointer(path).and_then(Value::as_str).expect("a text").to_owned();
        let (_, signed) = text.split_once("\n\n").expect("a checkpoint");
        let note: Note = signed.parse().expect("a note");
        let changed = signed_anew(&note, |_| edit(&note)).to_string();
        let proofs = self.proofs.to_string();
        let quoted = |text: &str| Value::from(text).to_string().trim_matches('"').to_owned();
        let proofs = proofs.replace(&quoted(signed), &quoted(&changed));
        Bundle { proofs: serde_json::from_str(&proofs).expect("JSON"), ..self }
    }

    pub(super) fn pinned(mut self, log_keys: &[String], witnesses: &[String], jwks: bool) -> Bundle {
        (self.log_keys, self.witnesses, self.jwks) = (log_keys.to_vec(), witnesses.to_vec(), jwks);
        self
    }

    pub(super) fn unpinned(self) -> Bundle {
        self.pinned(&[], &[], false)
    }

    pub(super) fn promised(mut self, promise: Value) -> Bundle {
        self.promises.push(promise);
        self
    }

    pub(super) fn head(mut self, head: impl ToString) -> Bundle {
        self.heads.push(head.to_string());
        self
    }

    pub(super) fn kept(mut self, proof: impl ToString) -> Bundle {
        self.kept.push(proof.to_string());
        self
    }

    pub(super) fn changed(mut self, case: u64) -> Bundle {
        self.changed = Some(case);
        self
    }
}

/// The signature lines of a checkpoint, with another in place of the log's.
pub(super) fn signed_by(note: &Note, line: SignatureLine) -> Vec<SignatureLine> {
    [&[line], &note.signatures()[1..]].concat()
}

/// The signature lines of a checkpoint, with a wrong one of its log.
pub(super) fn forged(note: &Note, log: &TestLog) -> Vec<SignatureLine> {
    signed_by(note, other_keys().log.sign_as(&log.log.key, note.text()))
}

/// The signature lines of a checkpoint, with a wrong one of the witness.
pub(super) fn badly_cosigned(note: &Note) -> Vec<SignatureLine> {
    [&note.signatures()[..2], &[stranger().cosign_as(&witness().key, note.text(), 1)]].concat()
}
