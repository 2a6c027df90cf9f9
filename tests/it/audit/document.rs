//! docs/specification.md and its vectors, `tests/fixtures/vectors.json`, equal what the code computes.

use estimation_engine::card::Card;
use estimation_engine::client_seed::ClientSeed;
use estimation_engine::hex::Hex;
use estimation_engine::round::DealNumber;
use estimation_engine::ruleset::{Dash, Ruleset, RulesetId};
use estimation_engine::score::{Call, CallKind, Course, Line, RoundResult, score};
use estimation_engine::seat::{BySeat, Seat};
use estimation_record::fairness::{ALGORITHM, DealKey, GameSeeds, ServerSeed};
use estimation_record::verify::{SignatureLine, Trust};
use estimation_record::{GENESIS, GameEnd, LogEntry, LogPromise, canonical_json, chain, pseudonym};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::documents::root;
use crate::prelude::*;

/// The cells of the page's table whose first heading begins with `first`, without markup.
fn table(first: &str) -> Vec<Vec<String>> {
    let page = std::fs::read_to_string(root().join("docs/specification.md")).unwrap();
    let heading = format!("| {first} |");
    let rows: Vec<Vec<String>> = page
        .lines()
        .skip_while(|line| !line.starts_with(&heading))
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect())
        .collect();
    assert!(rows.len() > 2, "no table {first}");
    rows
}

#[test]
fn score_lines_have_the_order_of_the_table() {
    for row in &table("`scoring` | the lines of a seat, in order")[2..] {
        let order: Vec<&str> = row[1].split(" · ").collect();
        let mut presets = RulesetId::ALL.into_iter().map(Ruleset::preset);
        let mut rules =
            presets.find(|rules| serde_json::to_value(rules.scoring).unwrap() == row[0].as_str()).unwrap();
        rules.with_penalty = true;
        let mut seen = vec![false; order.len()];
        for mut result in rounds() {
            // Without void rounds there is no carry.
            result.carry = if rules.void_unmade { result.carry } else { 1 };
            for (_, lines) in score(&rules, &result).lines.iter() {
                let mut from = 0;
                for line in lines.iter() {
                    let (Line::Points { reason, .. } | Line::Factor { reason, .. }) = line;
                    let name = serde_json::to_value(reason).unwrap();
                    let name = name.as_str().unwrap();
                    if ["no_winner", "folded"].contains(&name) {
                        assert_eq!(lines.iter().count(), 1, "{name} stands alone");
                        continue;
                    }
                    let at = order[from..].iter().position(|listed| *listed == name);
                    let at = from + at.unwrap_or_else(|| panic!("{name} in {lines:?} of {}", row[0]));
                    seen[at] = true;
                    from = at + 1;
                }
            }
        }
        let unseen: Vec<&str> =
            order.iter().zip(seen).filter(|(_, seen)| !seen).map(|(name, _)| *name).collect();
        assert!(unseen.is_empty(), "{unseen:?} of {} never stand on a sheet", row[0]);
    }
}

/// The page names the lines that can have no points.
#[test]
fn few_score_lines_have_no_points() {
    let mut found = BTreeSet::new();
    for mut rules in RulesetId::ALL.map(Ruleset::preset) {
        rules.with_penalty = true;
        let scoring = serde_json::to_value(rules.scoring).unwrap().as_str().unwrap().to_owned();
        let possible = |result: &RoundResult| {
            let Course::Played { calls, .. } = &result.course else { return true };
            calls.values().all(|call| match call.kind {
                CallKind::Bid => call.tricks > 0,
                CallKind::Estimate => true,
                CallKind::DashCall => rules.dash == Dash::Call,
                CallKind::BlindDash => rules.dash == Dash::Blind,
            })
        };
        for result in rounds().filter(possible) {
            for line in score(&rules, &result).lines.values().flat_map(|lines| lines.iter()) {
                if let Line::Points { reason, points: 0 } = line {
                    found.insert(format!(
                        "{scoring} {}",
                        serde_json::to_value(reason).unwrap().as_str().unwrap()
                    ));
                }
            }
        }
    }
    let expected = [
        "difference tricks",
        "penalty made",
        "roles call",
        "roles no_winner",
        "round_number no_winner",
        "squares no_winner",
    ];
    assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
}

/// Rounds of every kind, possible or not. Only their score lines matter.
fn rounds() -> impl Iterator<Item = RoundResult> {
    const CALLS: [u8; 5] = [0, 2, 5, 8, 13];
    let seats = |pick: &dyn Fn(usize) -> u8| BySeat::from_fn(4, |seat: Seat| pick(seat.index()));
    (0..CALLS.len().pow(4) * 16 * 6).map(move |number| {
        let (calls, number) = (number % 625, number / 625);
        let (made, variant) = (number % 16, number / 16);
        let declarer = (variant % 2 == 0).then_some(Seat::new(0));
        let zero = [CallKind::Estimate, CallKind::DashCall, CallKind::BlindDash][variant / 2];
        let called = seats(&|seat| CALLS[calls / CALLS.len().pow(seat as u32) % CALLS.len()]);
        let tricks = seats(&|seat| {
            let call = called[Seat::new(seat as u8)];
            if made >> seat & 1 == 1 { call } else { call.abs_diff(1) }
        });
        let calls = called.map(|seat, &tricks| {
            let kind = if declarer == Some(seat) {
                CallKind::Bid
            } else if tricks == 0 {
                zero
            } else {
                CallKind::Estimate
            };
            Call { kind, tricks }
        });
        RoundResult {
            round: if declarer.is_some() { 3 } else { 15 },
            carry: 1 + made as u32 % 2,
            first_speaker: Seat::new(0),
            course: Course::Played { declarer, calls, tricks },
        }
    })
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/specification.md")).unwrap()
}

fn vectors() -> Value {
    let text = std::fs::read_to_string(root().join("tests/fixtures/vectors.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn bytes<const N: usize>(value: &Value) -> [u8; N] {
    Hex::<N>::parse(text(value)).unwrap().0
}

/// The numbers of statements `**S-n.**` in a text.
fn statements(text: &str) -> Vec<u32> {
    let marks = text.split("**S-").skip(1);
    marks.map(|rest| rest.split_once(".**").unwrap().0.parse().unwrap()).collect()
}

#[test]
fn each_statement_has_a_number_of_its_own() {
    let numbers = statements(&page());
    let last = u32::try_from(numbers.len()).unwrap();
    assert!(last > 100, "{last} statements");
    // A new one gets the next free number, wherever it stands.
    assert_eq!(numbers.iter().copied().collect::<BTreeSet<u32>>(), (1..=last).collect());
}

#[test]
fn every_statement_that_is_cited_exists() {
    let last = u32::try_from(statements(&page()).len()).unwrap();
    for file in ["docs/specification.md", "docs/auditing.md", "tests/fixtures/tampered/README.md"] {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        for rest in text.split("S-").skip(1) {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let cited = digits.parse::<u32>().is_ok_and(|number| (1..=last).contains(&number));
            assert!(digits.is_empty() || cited, "{file} cites S-{digits}");
        }
    }
}

#[test]
fn the_page_names_every_vector() {
    let page = page();
    let named = page.split("Vector: `").skip(1).map(|rest| rest.split('`').next().unwrap().to_owned());
    let vectors: BTreeSet<String> = vectors().as_object().unwrap().keys().cloned().collect();
    assert_eq!(named.collect::<BTreeSet<_>>(), vectors);
}

#[test]
fn the_events_are_canonical_and_have_these_hashes() {
    let events = &vectors()["events"];
    let mut hash = GENESIS;
    let pairs = events["bodies"].as_array().unwrap().iter().zip(events["hashes"].as_array().unwrap());
    assert!(pairs.len() > 1);
    for (body, expected) in pairs {
        let value: Value = serde_json::from_str(text(body)).unwrap();
        assert_eq!(canonical_json(&value).unwrap(), text(body));
        hash = chain(hash, text(body).as_bytes());
        assert_eq!(hex::encode(hash), text(expected));
    }
}

#[test]
fn the_commitment_is_of_the_client_seed() {
    let vector = &vectors()["client_seed"];
    assert_eq!(hex::encode(Sha256::digest(text(&vector["seed"]))), text(&vector["commitment"]));
}

#[test]
fn the_deal_follows_from_the_seeds() {
    let vector = &vectors()["deal"];
    let seed = bytes(&vector["server_seed"]);
    let statement = text(&vector["statement"]);
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&seed).unwrap();
    mac.update(statement.as_bytes());
    assert_eq!(hex::encode(mac.finalize().into_bytes()), text(&vector["key"]));
    assert!(ServerSeed::from_bytes(seed).opens(&Hex(bytes(&vector["commitment"]))));

    let said: Value = serde_json::from_str(statement).unwrap();
    assert_eq!(canonical_json(&said).unwrap(), statement);
    assert_eq!(said["alg"], ALGORITHM);
    let seeds: Vec<Option<ClientSeed>> = serde_json::from_value(said["seeds"].clone()).unwrap();
    let number = DealNumber { round: 7, attempt: 2 };
    let mut cards: Vec<Card> = (0..52).filter_map(Card::from_index).collect();
    let seeds = GameSeeds {
        game: said["game"].as_str().unwrap().parse().unwrap(),
        client_seeds: seeds.iter().map(Option::as_ref).collect(),
    };
    DealKey::derive(&ServerSeed::from_bytes(seed), &seeds, number).shuffle(&mut cards);
    let cards: Vec<String> = cards.iter().map(Card::to_string).collect();
    assert_eq!(serde_json::to_value(cards).unwrap(), vector["pack"]);
}

/// Whether the record key of the vectors signed a statement.
fn is_signed(vectors: &Value, vector: &Value) -> bool {
    let key = serde_json::json!({"kty": "OKP", "crv": "Ed25519", "estimation:purpose": "record", "x": vectors["record_key"]["x"]});
    let mut trust = Trust::default();
    trust.add_jwks(&serde_json::json!({"keys": [key]}).to_string()).unwrap();
    let kid = text(&vectors["record_key"]["kid"]).to_owned();
    assert_eq!(trust.kids().collect::<Vec<_>>(), [&kid]);
    let signature = SignatureLine { kid, value: Hex(bytes(&vector["signature"])) };
    trust.problem(text(&vector["signed"]).as_bytes(), &signature).is_none()
}

#[test]
fn the_end_is_what_is_signed() {
    let vectors = vectors();
    let head = Hex(bytes(&vectors["events"]["hashes"][1]));
    let game = "019b7a00-0000-7000-8000-000000000001".parse().unwrap();
    let end = GameEnd { game, ruleset: RulesetId::Squares, head, events: 2, standings: None };
    assert_eq!(String::from_utf8(end.statement().unwrap()).unwrap(), text(&vectors["end"]["signed"]));
    assert!(is_signed(&vectors, &vectors["end"]));
}

#[test]
fn the_log_has_these_entries_and_promises() {
    let vectors = vectors();
    let log = &vectors["log"];
    let person = &log["pseudonym"];
    let shown = pseudonym(&bytes(&person["salt"]), text(&person["account"]));
    assert_eq!(shown.to_string(), text(&person["pseudonym"]));
    let start = text(&log["start"]);
    let entry: LogEntry = serde_json::from_str(start).unwrap();
    assert!(matches!(&entry, LogEntry::Start { seats, .. } if seats[..] == [Some(shown), None, None, None]));
    assert_eq!(entry.text().unwrap(), start);
    let leaf = |entry: &str| hex::encode(estimation_tlog::Hash::leaf(entry.as_bytes()).0);
    assert_eq!(leaf(start), text(&log["leaf"]));
    let sealed = LogEntry::sealing(start, &bytes(&log["sealed"]["salt"])).text().unwrap();
    assert_eq!(
        (&*sealed, leaf(&sealed)),
        (text(&log["sealed"]["entry"]), text(&log["sealed"]["leaf"]).to_owned())
    );
    let by = "2026-01-01T00:01:00.000Z".parse().unwrap();
    let promise = LogPromise { origin: "cards.example/log", leaf: Hex(bytes(&log["sealed"]["leaf"])), by };
    assert_eq!(String::from_utf8(promise.statement().unwrap()).unwrap(), text(&log["promise"]["signed"]));
    assert!(is_signed(&vectors, &log["promise"]));
}
