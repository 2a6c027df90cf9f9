//! The protocol between logs and witnesses.

use estimation_tlog::Hash;
use estimation_tlog::witness::{AddCheckpoint, Answer, SIZE_TYPE};

use crate::support::{leaves, signed, the_log, the_witness};

#[test]
fn a_request_has_one_form() {
    let request = AddCheckpoint { old: 3, proof: leaves(2), checkpoint: signed(0, Hash::empty_root()) };
    let text = request.to_string();
    assert!(text.starts_with(&format!(
        "old 3\n{}\n{}\n\ncards.example/log\n0\n",
        leaves(2)[0],
        leaves(2)[1]
    )));
    assert_eq!(text.parse(), Ok(request.clone()));
    let without = AddCheckpoint { old: 0, proof: Vec::new(), ..request.clone() };
    assert_eq!(without.to_string().parse(), Ok(without));
    let too_long = AddCheckpoint { proof: leaves(64), ..request };
    for wrong in [
        too_long.to_string(),
        text.replace("old 3", "old 03"),
        text.replace("old 3", "old"),
        text.replace("old 3\n", ""),
        text.replacen("\n\n", "\n", 1),
        text.trim_end().to_owned(),
    ] {
        assert!(wrong.parse::<AddCheckpoint>().is_err(), "{wrong:?}");
    }
}

#[test]
fn answers_are_told_apart() {
    let (log, witness) = (the_log(), the_witness());
    let text = "cards.example/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n";
    let read = |status, kind: &str, body: &str| Answer::read(status, kind, body, text, &witness.key);
    let line = witness.cosign(text, 77);
    let answer = read(200, "text/plain", &format!("{}{line}", log.sign(text)));
    assert_eq!(answer, Answer::Cosigned { line: line.clone(), time: 77 });
    assert_eq!(read(409, SIZE_TYPE, "20\n"), Answer::Conflict { size: 20 });
    assert_eq!(read(409, "text/x.tlog.size; charset=utf-8", "0\n"), Answer::Conflict { size: 0 });
    assert_eq!(read(403, "", ""), Answer::Forbidden);
    assert_eq!(read(404, "", ""), Answer::UnknownLog);
    assert_eq!(read(422, "", ""), Answer::Inconsistent);
    for (status, kind, body) in [
        (500, "", String::new()),
        (200, "", String::new()),
        (200, "", log.sign(text).to_string()),
        (200, "", line.to_string().trim_end().to_owned()),
        (200, "", format!("{line}\n")),
        (200, "", witness.cosign("other\n", 77).to_string()),
        (200, "", witness.cosign(text, 0).to_string()),
        (409, "text/plain", "20\n".to_owned()),
        (409, SIZE_TYPE, "20".to_owned()),
        (409, SIZE_TYPE, "020\n".to_owned()),
        (409, SIZE_TYPE, "20\n20\n".to_owned()),
    ] {
        let answer = read(status, kind, &body);
        assert!(matches!(answer, Answer::Unusable(_)), "{status} {body:?}: {answer:?}");
    }
}
