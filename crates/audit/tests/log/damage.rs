//! Answers and states that are damaged: nothing is concluded from them, and nothing is kept.

use crate::prelude::*;

/// A service that is watched at 257 entries and has 600 now.
fn grown() -> (Service, TestLog) {
    let mut log = log(257);
    let service = Service::watched(&log);
    log.grow(600, "entry");
    service.show(&log);
    (service, log)
}

/// The tiles that lead from 257 entries to 600.
const TILES: [&str; 3] = ["tile/0/001", "tile/0/002.p/88", "tile/1/000.p/2"];

#[test]
fn damaged_tiles_are_reported_and_prove_no_tampering() {
    let (service, log) = grown();
    let before = service.kept();
    for path in TILES {
        let sound = service.body(path);
        let flipped = { [&[sound[0] ^ 1], &sound[1..]].concat() };
        for (status, body, part) in [
            (200, &sound[..sound.len() - 1], "is damaged"),
            (200, &sound[..32], ""),
            (200, &[], "is damaged"),
            (200, &[&sound[..], &[0; 32]].concat(), ""),
            (200, &flipped, "the tiles are damaged"),
            (200, &[0; 100_000], ""),
            (404, &[], "the service has no"),
            (500, &[], "status 500"),
            (302, &[], ""),
        ] {
            service.answer(path, status, body);
            let ran = service.watch(&[]);
            // A full tile of one hash is possible nowhere here.
            assert!(ran.output.contains("not checked completely"), "{path} {status}: {ran:?}");
            ran.expect(3, part);
            assert_eq!(service.kept(), before);
        }
        service.show(&log);
    }
    service.watch(&[]).expect(0, "all is well");
}

#[test]
fn a_full_tile_replaces_a_partial_one_that_was_deleted() {
    let (service, mut log) = grown();
    let checkpoint = service.body("checkpoint");
    log.grow(1_000, "entry");
    service.show(&log);
    service.answer("checkpoint", 200, &checkpoint);
    service.answer("tile/1/000.p/2", 200, &service.body("tile/1/000.p/3")[..64]);
    service.watch(&[]).expect(0, "all is well");
}

#[test]
fn damaged_checkpoints_are_told() {
    let (service, log) = grown();
    let before = service.kept();
    let sound = service.body("checkpoint");
    for at in (0..sound.len()).step_by(5) {
        let mut changed = sound.clone();
        changed[at] ^= 1;
        service.answer("checkpoint", 200, &changed);
        let ran = service.watch(&[]);
        assert_eq!(ran.status, 3, "byte {at}: {ran:?}");
    }
    for (status, body) in
        [(200, &b""[..]), (200, b"{}"), (200, &[0xff; 70_000]), (404, b""), (503, b""), (301, b"")]
    {
        service.answer("checkpoint", status, body);
        let ran = service.watch(&[]);
        assert_eq!(ran.status, 3, "{status}: {ran:?}");
    }
    service.show(&log);
    // Only a wrong cosignature leaves the log's own signature intact.
    assert!(service.kept() == before || service.kept().contains("600"), "{}", service.kept());
    service.watch(&[]).expect(0, "all is well");
}

#[test]
fn a_service_that_is_away_is_told() {
    let (service, _) = grown();
    let state = service.state();
    let watch = ["watch", "--url", "http://127.0.0.1:1", "--state", state.to_str().unwrap()];
    run(watch).expect(3, "\nnot checked completely");
    assert!(run(watch).output.starts_with("not checked: checkpoint: "));
    fs::remove_file(&state).unwrap();
    assert!(run(watch).output.starts_with("not checked: key: "));
}

#[test]
fn a_damaged_state_is_told_and_kept() {
    let (service, _) = grown();
    let sound = service.kept();
    let cut = sound[..sound.len() / 2].to_owned();
    for (damaged, part) in [
        (String::new(), "state.json: "),
        (cut, "state.json: "),
        (sound.replace("watch/v1", "watch/v2"), "unknown format"),
        (sound.replace("257\\n", "256\\n"), "does not match the text"),
        (sound.replace("\"log_key\": \"cards", "\"log_key\": \"card"), "key id does not match"),
    ] {
        fs::write(service.state(), &damaged).unwrap();
        service.watch(&[]).expect(3, part);
        assert_eq!(service.kept(), damaged);
    }
    fs::remove_file(service.state()).unwrap();
    fs::create_dir(service.state()).unwrap();
    service.watch(&[]).expect(3, "state.json");
}
