//! The deals, recomputed from the revealed seed as an outsider would: HMAC-SHA256 and ChaCha20 written from
//! their RFCs, the pack and the dealing from the rule pages. Nothing of the service's is used.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::record::canonical;

/// Checks every draw and every deal of a finished game against its revealed seed.
pub fn check(game: &str, events: &[Value]) -> Result<usize, String> {
    let bodies: Vec<&Value> = events.iter().map(|event| &event["event"]).collect();
    let one = |kind: &str| bodies.iter().find(|body| body["type"] == kind).ok_or(format!("no {kind}"));
    let created = one("game_created")?;
    let seed = unhex(one("game_finished")?["server_seed"].as_str().unwrap_or_default());
    if created["commitment"] != hex::encode(Sha256::digest(&seed)) {
        return Err("the seed is not the one committed to".to_owned());
    }
    let seeds = &one("game_started")?["client_seeds"];
    let shuffled = |round: &Value, attempt: &Value| {
        let statement = json!({
            "alg": created["algorithm"], "game": game, "seeds": seeds, "round": round, "attempt": attempt,
        });
        let mut pack = pack(&created["ruleset"]);
        shuffle(hmac(&seed, canonical(&statement).as_bytes()), &mut pack);
        pack
    };
    let mut deals = 0;
    let mut cut = None;
    for body in bodies {
        match body["type"].as_str().unwrap_or_default() {
            "seats_drawn" if body["cards"] != json!(shuffled(&json!(0), &json!(1))[..4]) => {
                return Err(format!("the draw was {}", body["cards"]));
            }
            "deck_cut" => cut = body["position"].as_u64(),
            "round_dealt" => {
                let mut pack = shuffled(&body["round"], &body["attempt"]);
                pack.rotate_left(cut.take().unwrap_or(0) as usize);
                dealt(body, &pack)?;
                deals += 1;
            }
            _ => {}
        }
    }
    Ok(deals)
}

/// Deals a pack out and compares the hands: one card at a time, from the seat after the dealer.
fn dealt(body: &Value, pack: &[String]) -> Result<(), String> {
    let hands = body["hands"].as_array().ok_or("no hands")?;
    let (players, size) = (hands.len(), body["hand_size"].as_u64().unwrap_or(0) as usize);
    let dealer = body["dealer"].as_u64().unwrap_or(0) as usize;
    let mut ours = vec![Vec::new(); players];
    for (turn, card) in pack[..players * size].iter().enumerate() {
        ours[(dealer + 1 + turn) % players].push(card.as_str());
    }
    for (seat, hand) in ours.iter_mut().enumerate() {
        let mut theirs: Vec<&str> =
            hands[seat].as_array().ok_or("a hidden hand")?.iter().filter_map(Value::as_str).collect();
        hand.sort_unstable();
        theirs.sort_unstable();
        if *hand != theirs {
            return Err(format!("round {}: seat {seat} was dealt {theirs:?}, not {hand:?}", body["round"]));
        }
    }
    if body["kind"] == "indicator" && body["indicator"] != pack[players * size] {
        return Err(format!("round {}: the indicator is {}", body["round"], body["indicator"]));
    }
    Ok(())
}

/// The pack of a ruleset in its canonical order (C8), without the cards that are not in play.
fn pack(ruleset: &Value) -> Vec<String> {
    const RANKS: [&str; 13] = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
    let keep = match ruleset["id"].as_str() {
        Some("nineteen") => 10 * ruleset["players"].as_u64().unwrap_or(0) as usize + 1,
        _ => 52,
    };
    let jokers = ruleset["jokers"].as_u64().unwrap_or(0) as usize;
    // The keep order: from the ace down, and within a rank hearts, diamonds, clubs, spades.
    let order: Vec<(usize, &str)> =
        (0..13).rev().flat_map(|rank| ["H", "D", "C", "S"].map(|suit| (rank, suit))).collect();
    let mut kept = order[..keep - jokers].to_vec();
    kept.sort_by_key(|&(rank, suit)| (suit, rank));
    let suited = kept.into_iter().map(|(rank, suit)| format!("{}{suit}", RANKS[rank]));
    suited.chain(["RJ", "BJ"].into_iter().take(jokers).map(String::from)).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    hex::decode(text).expect("hexadecimal digits")
}

/// RFC 2104, with a key that fits the block.
fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let padded =
        |pad: u8| -> Vec<u8> { (0..64).map(|index| key.get(index).copied().unwrap_or(0) ^ pad).collect() };
    let inner = Sha256::digest([&padded(0x36), message].concat());
    Sha256::digest([padded(0x5c), inner.to_vec()].concat()).into()
}

/// For i = n − 1 … 1: draw u, refuse the incomplete run, swap i with u mod (i + 1).
fn shuffle(key: [u8; 32], pack: &mut [String]) {
    let mut words = KeyStream { key, block: 0, words: Vec::new() };
    for i in (1..pack.len()).rev() {
        let bound = i as u64 + 1;
        let u = loop {
            let u = u64::from(words.next());
            if u < (1 << 32) / bound * bound {
                break u;
            }
        };
        pack.swap(i, (u % bound) as usize);
    }
}

/// The words of ChaCha20 (RFC 8439's function, with a 64-bit counter and nonce 0), the first one last.
struct KeyStream {
    key: [u8; 32],
    block: u64,
    words: Vec<u32>,
}

impl KeyStream {
    fn next(&mut self) -> u32 {
        if self.words.is_empty() {
            self.words = chacha20(&self.key, self.block).into_iter().rev().collect();
            self.block += 1;
        }
        self.words.pop().expect("a word")
    }
}

fn chacha20(key: &[u8; 32], block: u64) -> [u32; 16] {
    let mut start = [0; 16];
    start[..4].copy_from_slice(&[0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]);
    for (word, bytes) in start[4..12].iter_mut().zip(key.chunks(4)) {
        *word = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    }
    start[12] = block as u32;
    start[13] = (block >> 32) as u32;
    let mut state = start;
    for _ in 0..10 {
        for [a, b, c, d] in [
            [0, 4, 8, 12],
            [1, 5, 9, 13],
            [2, 6, 10, 14],
            [3, 7, 11, 15],
            [0, 5, 10, 15],
            [1, 6, 11, 12],
            [2, 7, 8, 13],
            [3, 4, 9, 14],
        ] {
            let mut mix = |to: usize, from: usize, by: usize, turn: u32| {
                state[to] = state[to].wrapping_add(state[from]);
                state[by] = (state[by] ^ state[to]).rotate_left(turn);
            };
            mix(a, b, d, 16);
            mix(c, d, b, 12);
            mix(a, b, d, 8);
            mix(c, d, b, 7);
        }
    }
    std::array::from_fn(|index| state[index].wrapping_add(start[index]))
}

#[test]
fn the_key_stream_is_that_of_the_rfc() {
    // RFC 8439, appendix A.1, test vectors 1 and 2.
    let first = chacha20(&[0; 32], 0).map(u32::to_le_bytes).concat();
    assert_eq!(hex::encode(&first[..16]), "76b8e0ada0f13d90405d6ae55386bd28");
    let second = chacha20(&[0; 32], 1).map(u32::to_le_bytes).concat();
    assert_eq!(hex::encode(&second[..16]), "9f07e7be5551387a98ba977c732d080d");
}

#[test]
fn the_authentication_code_is_that_of_the_rfc() {
    // RFC 4231, test case 2.
    let code = hmac(b"Jefe", b"what do ya want for nothing?");
    assert_eq!(hex::encode(code), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}
