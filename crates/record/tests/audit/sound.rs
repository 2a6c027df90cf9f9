//! Valid histories pass: every ruleset, every option, both forms, and running games where allowed.

use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_record::verify::{Audit, Rule, Status, Verifier};
use estimation_record::{LogEntry, canonical_json, ruleset_hash};
use estimation_test_support::made::{self, audited, audited_text, trust};
use sha2::{Digest, Sha256};

#[test]
fn histories_of_every_ruleset_pass_in_both_forms() {
    for (number, id) in (1..).zip(RulesetId::ALL) {
        let made = made::play(Ruleset::preset(id), number);
        for report in [audited_text(made.lines()), audited_text(made.json())] {
            assert_eq!(report.findings, [], "{id}");
            assert!(report.is_well() && report.deals >= 18, "{report:?}");
            assert_eq!(report.events, made.events.len() as u64);
        }
    }
}

#[test]
fn a_cancelled_table_passes() {
    let report = audited(&made::cancelled(Ruleset::preset(RulesetId::Plain), 3).pieces());
    assert_eq!(report.findings, []);
}

#[test]
fn games_pass_with_their_ends_in_the_public_log() {
    let games: Vec<_> =
        (1..4).map(|number| made::cancelled(Ruleset::preset(RulesetId::Squares), number)).collect();
    let trust = trust();
    let mut audit = Audit::new(&trust);
    audit.whole = true;
    for made in &games {
        made.pieces().into_iter().for_each(|piece| audit.piece(piece));
        audit.logged(made.header.game, &made.logged_end(), "");
    }
    audit.close_log(made::time(1_000_000));
    let report = audit.finish();
    assert_eq!((&report.findings[..], report.is_well()), (&[][..], true));
    // A log without games was read all the same.
    let mut empty = Audit::new(&trust);
    assert!(!Audit::new(&trust).finish().is_well());
    empty.close_log(made::time(1_000_000));
    assert!(empty.finish().is_well());
}

#[test]
fn a_game_passes_with_its_start_in_the_public_log() {
    let made = made::play(Ruleset::preset(RulesetId::Squares), 9);
    let trust = trust();
    let mut audit = Audit::new(&trust);
    made.pieces().into_iter().for_each(|piece| audit.piece(piece));
    let start = made::logged_start(&made, |_| {});
    audit.logged(made.header.game, &start, "");
    audit.logged(made.header.game, &made.logged_end(), "");
    audit.close_log(made::time(1_000_000));
    assert_eq!(audit.finish().findings, []);
}

/// A later version of the program gives an absent field a value; the start was logged without it.
#[test]
fn a_start_states_the_ruleset_as_it_is_stored() {
    let mut made = made::play(Ruleset::preset(RulesetId::Squares), 9);
    made.edit(0, |body| {
        let fields = body["event"]["ruleset"].as_object_mut().unwrap();
        fields.remove("half_square").unwrap();
    });
    made.rehash();
    made.sign();
    let created: serde_json::Value = serde_json::from_str(&made.events[0].body).unwrap();
    let stored = canonical_json(&created["event"]["ruleset"]).unwrap();
    let trust = trust();
    let mut audit = Audit::new(&trust);
    made.pieces().into_iter().for_each(|piece| audit.piece(piece));
    let verdict = audit.last().unwrap();
    assert_eq!(verdict.findings, []);
    let LogEntry::Start { ruleset, .. } = verdict.started.as_ref().unwrap().entry(Vec::new()) else {
        panic!("no start");
    };
    assert_eq!(ruleset.0, <[u8; 32]>::from(Sha256::digest(stored)));
    let spaced = made.events[0].body.replace("\"ruleset\":{", "\"ruleset\": {");
    assert_eq!(ruleset_hash(&spaced), Some(ruleset), "a text that is not canonical has the same rules");
}

#[test]
fn a_running_game_passes_up_to_the_end_of_a_round_if_that_is_allowed() {
    let mut made = made::play(Ruleset::preset(RulesetId::Kabooot), 9);
    let cut = made.find("round_scored", 0).unwrap() + 1;
    made.events.truncate(cut);
    made.header.status = Status::Running;
    made.end.standings = None;
    made.end.signature = None;
    made.rehash();
    let mut trust = trust();
    for (allowed, expected) in [(true, vec![]), (false, vec![Rule::Unfinished])] {
        trust.running = allowed;
        let mut audit = Audit::new(&trust);
        made.pieces().into_iter().for_each(|piece| audit.piece(piece));
        let rules: Vec<Rule> = audit.finish().findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, expected);
    }
}

#[test]
fn the_state_is_there_at_every_event() {
    let made = made::play(Ruleset::preset(RulesetId::Nineteen), 4);
    let trust = trust();
    let mut verifier = Verifier::new(&trust, made.header.clone());
    for line in &made.events {
        verifier.event(line);
        assert_eq!(verifier.seq(), line.seq);
        assert!(verifier.state().is_some());
    }
    assert_eq!(verifier.end(&made.end).findings, []);
}

#[test]
fn without_the_key_nothing_passes() {
    let made = made::cancelled(Ruleset::preset(RulesetId::Plain), 3);
    let mut none = estimation_record::verify::Trust::default();
    for (unsigned, wrong) in [(false, 1), (true, 0)] {
        none.unsigned = unsigned;
        let mut audit = Audit::new(&none);
        made.pieces().into_iter().for_each(|piece| audit.piece(piece));
        assert_eq!(audit.finish().wrong, wrong);
    }
}
