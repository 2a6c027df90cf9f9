//! Keys, notes, cosignatures and checkpoints.

use estimation_tlog::checkpoint::{BadCheckpoint, open};
use estimation_tlog::note::BadNote;
use estimation_tlog::{BadKey, Checkpoint, Hash, KeyName, KeyType, Note, VerifierKey};

use crate::support::{ORIGIN, Signatory, signed, the_log, the_witness};

#[test]
fn keys_have_one_form() {
    for signatory in [the_log(), the_witness()] {
        assert_eq!(signatory.key.to_string().parse(), Ok(signatory.key));
    }
    // The same public key has another id as a cosigner.
    let both = [KeyType::Ed25519, KeyType::Cosignature].map(|kind| Signatory::new(ORIGIN, kind, 1).key.id());
    assert_ne!(both[0], both[1]);
    for (text, error) in [
        ("", BadKey::Form),
        ("example.com/foo", BadKey::Form),
        ("example.com/foo+530d903a", BadKey::Form),
        ("+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", BadKey::Name(String::new())),
        ("a b+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", BadKey::Name("a b".to_owned())),
        ("example.com/foo+530D903A+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", BadKey::Id),
        ("example.com/fop+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", BadKey::Id),
        ("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U0=", BadKey::NotAKey),
        ("example.com/foo+530d903a+BukyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", BadKey::Type(6)),
        ("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k\n", BadKey::Form),
    ] {
        assert_eq!(text.parse::<VerifierKey>(), Err(error), "{text:?}");
    }
    // A key of small order accepts signatures of everybody.
    let name = KeyName::new(ORIGIN).unwrap();
    assert_eq!(VerifierKey::new(name, KeyType::Ed25519, &[0; 32]), Err(BadKey::NotAKey));
}

#[test]
fn a_note_is_verified_by_its_keys_and_by_no_other() {
    let note = signed(0, Hash::empty_root());
    let text = note.to_string();
    let note: Note = text.parse().unwrap();
    assert_eq!(note.to_string(), text);
    assert_eq!(note.verify(&the_log().key).unwrap().time, None);
    assert_eq!(note.verify(&the_witness().key).unwrap().time, Some(1_790_000_000));
    let stranger = Signatory::new(ORIGIN, KeyType::Ed25519, 9).key;
    assert_eq!(note.verify(&stranger), Err(BadNote::Unsigned(stranger.name().clone())));
}

/// A cosignature is no signature of the log, although both are Ed25519.
#[test]
fn types_of_signatures_are_not_exchanged() {
    let text = "cards.example/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n";
    let (log, witness) = (the_log(), the_witness());
    assert!(witness.cosign(text, 5).verify(&log.key, text).is_err());
    assert!(log.sign(text).verify(&witness.key, text).is_err());
    // A line of type 0x01 under a key of type 0x04, and the other way round.
    assert!(witness.sign(text).verify(&witness.key, text).is_err());
    assert!(log.cosign(text, 5).verify(&log.key, text).is_err());
    let line = witness.cosign(text, u64::MAX);
    assert!(line.verify(&witness.key, text).is_err(), "a time of more than 63 bits");
}

#[test]
fn a_wrong_or_second_signature_of_a_known_key_spoils_the_note() {
    let witness = the_witness();
    let mut note = signed(0, Hash::empty_root());
    note.add(witness.cosign(note.text(), 1_800_000_000));
    assert_eq!(note.verify(&witness.key), Err(BadNote::Repeated(witness.key.name().clone())));
    assert!(note.verify(&the_log().key).is_ok());
    let mut note = Note::new(note.text()).unwrap();
    note.add(witness.cosign("another text\n", 1_800_000_000));
    assert_eq!(note.verify(&witness.key), Err(BadNote::Signature(witness.key.name().clone())));
}

#[test]
fn malformed_notes_are_refused() {
    let good = signed(0, Hash::empty_root()).to_string();
    let line = good.lines().last().unwrap().to_owned() + "\n";
    let text = good.split_once("\n\n").unwrap().0.to_owned() + "\n";
    for wrong in [
        String::new(),
        text.clone(),
        format!("{text}\n"),
        format!("{text}{line}"),
        format!("{text}\n\n{}", line.trim_end()),
        format!("{text}\n{line}\n"),
        format!("{text}\n{line}{text}"),
        format!("{text}\r\n{line}"),
        format!("\t{text}\n{line}"),
        format!("{text}\n-{}", line.strip_prefix('—').unwrap()),
        format!("{text}\n— a AAAAAA==\n"),
        format!("{text}\n— a  AAAAAAA=\n"),
        format!("{text}\n— a+b AAAAAAA=\n"),
        format!("{text}\n— a\u{a0}b AAAAAAA=\n"),
        format!("{text}\n—  AAAAAAA=\n"),
        format!("{text}\n— a AAAAAAA\n"),
        format!("{text}\n— a AAAAAAB=\n"),
        format!("{text}\n{}", line.repeat(101)),
        format!("{}\n{text}\n{line}", "a".repeat(64 << 10)),
    ] {
        assert!(wrong.parse::<Note>().is_err(), "{wrong:?}");
    }
    assert!(format!("{text}\n— a AAAAAAA=\n").parse::<Note>().is_ok());
    assert!(format!("with\n\nempty lines\n\n{line}").parse::<Note>().is_ok());
    assert!(format!("{text}\n{}", line.repeat(100)).parse::<Note>().is_ok());
}

#[test]
fn malformed_checkpoints_are_refused() {
    let root = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
    let other = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=";
    for (wrong, error) in [
        (String::new(), BadCheckpoint::Form),
        ("a\n0\n".to_owned(), BadCheckpoint::Form),
        (format!("a\n0\n{root}"), BadCheckpoint::Form),
        (format!("\n0\n{root}\n"), BadCheckpoint::Form),
        (format!("a b\n0\n{root}\n"), BadCheckpoint::Form),
        (format!("a\n00\n{root}\n"), BadCheckpoint::Form),
        (format!("a\n-1\n{root}\n"), BadCheckpoint::Form),
        (format!("a\n\n{root}\n"), BadCheckpoint::Form),
        (format!("a\n1\n{}\n", &root[..43]), BadCheckpoint::Form),
        (format!("a\n1\n{root}\nextension\n"), BadCheckpoint::Form),
        (format!("a\n1\n{root}\n\n"), BadCheckpoint::Form),
        (format!("a\n0\n{other}\n"), BadCheckpoint::EmptyRoot),
    ] {
        assert_eq!(wrong.parse::<Checkpoint>(), Err(error), "{wrong:?}");
    }
    assert!(format!("a\n0\n{root}\n").parse::<Checkpoint>().is_ok());
}

#[test]
fn a_checkpoint_is_opened_for_its_own_log_only() {
    let note = signed(0, Hash::empty_root()).to_string();
    let (checkpoint, _) = open(&note, &the_log().key).unwrap();
    assert_eq!((checkpoint.size, checkpoint.root), (0, Hash::empty_root()));
    let other = Signatory::new("other.example/log", KeyType::Ed25519, 1).key;
    assert!(matches!(open(&note, &other), Err(BadCheckpoint::Origin { .. })));
    let forger = Signatory::new(ORIGIN, KeyType::Ed25519, 9).key;
    assert_eq!(open(&note, &forger), Err(BadCheckpoint::Note(BadNote::Unsigned(forger.name().clone()))));
}

#[test]
fn only_one_form_of_a_size_is_accepted() {
    let read = |size: &str| {
        let root = if size == "0" { Hash::empty_root() } else { Hash::leaf(b"x") };
        format!("{ORIGIN}\n{size}\n{root}\n").parse::<Checkpoint>().map(|checkpoint| checkpoint.size)
    };
    assert_eq!(read("0"), Ok(0));
    assert_eq!(read("18446744073709551615"), Ok(u64::MAX));
    for size in ["", "00", "01", "+1", "-1", " 1", "1 ", "1_0", "٣", "18446744073709551616"] {
        assert_eq!(read(size), Err(BadCheckpoint::Form), "{size:?}");
    }
}
