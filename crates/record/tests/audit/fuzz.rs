//! Fuzzing of audit inputs: mutated histories and key sets cause no panic, and a changed history does
//! not pass.

use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_record::verify::Trust;
use estimation_test_support::Random;
use estimation_test_support::fuzz::{mutated, seeds};
use estimation_test_support::made::{self, Made, audited_text};

fn games() -> Vec<Made> {
    let rules = RulesetId::ALL.map(Ruleset::preset);
    (1..).zip(rules).map(|(number, rules)| made::play(rules, number)).collect()
}

#[test]
#[ignore = "all: tries random inputs; all tries more of them"]
fn fuzz_histories() {
    let games = games();
    let mut refused = 0;
    for seed in seeds() {
        let mut random = Random(seed);
        let game = random.pick(&games);
        let text = if random.once_in(2) { game.lines() } else { game.json() };
        let changed = mutated(text.as_bytes(), &mut random);
        refused += u64::from(audited_text(&changed).wrong > 0);
    }
    // Some mutations are spaces between tokens, or change nothing.
    assert!(refused * 10 > seeds().count() as u64 * 7, "{refused} refused");
}

#[test]
fn fuzz_keys() {
    let keys = r#"{"keys":[{"kty":"OKP","crv":"Ed25519","use":"sig","alg":"EdDSA","kid":"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
    for seed in seeds() {
        let changed = mutated(keys.as_bytes(), &mut Random(seed));
        let text = String::from_utf8_lossy(&changed);
        let mut trust = Trust::default();
        let _ = trust.add_jwks(&text);
        let _ = trust.add_hex(&text);
    }
}
