//! From seeds to a shuffled pack: the key of a deal, and its shuffle.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{ALGORITHM, ServerSeed};
use crate::hmac::hmac_sha256;
use estimation_engine::client_seed::ClientSeed;
use estimation_engine::game::Table;
use estimation_engine::round::DealNumber;

/// What determines all deals of a game, besides the server seed.
#[derive(Clone, Debug)]
pub struct GameSeeds<'a> {
    /// The game's id.
    pub game: Uuid,
    /// The client seeds in order of places; none for bots and for players without one.
    pub client_seeds: Vec<Option<&'a ClientSeed>>,
}

impl<'a> GameSeeds<'a> {
    /// The seeds of a table as far as they are known. They are complete once the game has started.
    pub fn of(game: Uuid, table: &'a Table) -> GameSeeds<'a> {
        let seeds = table.places.values().map(|sitter| sitter.as_ref()?.seed.known());
        GameSeeds { game, client_seeds: seeds.collect() }
    }
}

/// The key of one deal: HMAC-SHA256 with the server seed over the canonical JSON (RFC 8785) of `{"alg",
/// "game", "seeds", "round", "attempt"}`. `seeds` are the client seeds in order of places, null for bots and
/// for missing seeds.
pub struct DealKey(Zeroizing<[u8; 32]>);

impl DealKey {
    /// Derives the key of a deal.
    pub fn derive(seed: &ServerSeed, seeds: &GameSeeds<'_>, deal: DealNumber) -> DealKey {
        DealKey(Zeroizing::new(hmac_sha256(seed.expose(), statement(seeds, deal).as_bytes())))
    }

    /// Shuffles a pack in canonical order (common rules, C8).
    ///
    /// The words u are those of ChaCha20's key stream with this key (20 rounds, 64-bit counter and nonce 0,
    /// 32-bit little-endian). For i = n − 1 … 1: draw a word, again while u ≥ ⌊2³² / (i + 1)⌋ · (i + 1), and
    /// swap card i with card u mod (i + 1). A pack has at most 2³² cards.
    pub fn shuffle<T>(&self, pack: &mut [T]) {
        let mut words = ChaCha20Rng::from_seed(*self.0);
        for i in (1..pack.len()).rev() {
            pack.swap(i, below(i as u64 + 1, || words.next_u32()) as usize);
        }
    }
}

/// A uniformly distributed number below a bound. Rejects words from the last, incomplete multiple of the
/// bound.
fn below(bound: u64, mut word: impl FnMut() -> u32) -> u64 {
    let limit = (1 << 32) / bound * bound;
    loop {
        let u = u64::from(word());
        if u < limit {
            return u % bound;
        }
    }
}

/// The canonical JSON from which the key of a deal is derived. Its keys are sorted and it contains only plain
/// ASCII and small integers, so compact JSON is canonical; a test compares the two.
fn statement(seeds: &GameSeeds<'_>, deal: DealNumber) -> String {
    serde_json::json!({
        "alg": ALGORITHM,
        "attempt": deal.attempt,
        "game": seeds.game,
        "round": deal.round,
        "seeds": seeds.client_seeds.iter().map(|seed| seed.map(ClientSeed::as_str)).collect::<Vec<_>>(),
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use estimation_engine::card::Card;

    const GAME: &str = "019b7a00-0000-7000-8000-000000000001";

    fn known_seeds() -> Vec<Option<ClientSeed>> {
        let seed = |text: String| ClientSeed::new(text).ok();
        vec![seed("0123456789abcdef".repeat(2)), None, seed("f".repeat(63)), None]
    }

    fn game_seeds(client_seeds: &[Option<ClientSeed>]) -> GameSeeds<'_> {
        let client_seeds = client_seeds.iter().map(Option::as_ref).collect();
        GameSeeds { game: GAME.parse().unwrap(), client_seeds }
    }

    fn key(server: [u8; 32], round: u8, attempt: u32) -> DealKey {
        let deal = DealNumber { round, attempt };
        DealKey::derive(&ServerSeed::from_bytes(server), &game_seeds(&known_seeds()), deal)
    }

    #[test]
    fn the_statement_is_canonical_json() {
        let deal = DealNumber { round: 19, attempt: u32::MAX };
        let text = statement(&game_seeds(&known_seeds()), deal);
        assert_eq!(serde_json_canonicalizer::pipe(&text).unwrap(), text);
    }

    /// The key stream of draft-strombergson-chacha-test-vectors, TC1 with 256-bit key and 20 rounds.
    #[test]
    fn the_words_are_those_of_chacha20() {
        let mut words = ChaCha20Rng::from_seed([0; 32]);
        let first = std::array::from_fn::<u32, 8, _>(|_| words.next_u32()).map(u32::to_le_bytes);
        let expected = "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7";
        assert_eq!(hex::encode(first.concat()), expected);
    }

    #[test]
    fn a_whole_deal_is_the_one_another_implementation_computes() {
        let server = std::array::from_fn(|i| i as u8);
        let key = key(server, 7, 2);
        assert_eq!(hex::encode(*key.0), known::KEY);
        let mut pack: Vec<Card> = (0..52).filter_map(Card::from_index).collect();
        key.shuffle(&mut pack);
        let pack: Vec<String> = pack.iter().map(Card::to_string).collect();
        assert_eq!(pack.join(" "), known::PACK);
    }

    #[test]
    fn words_of_the_last_incomplete_multiple_are_rejected() {
        // 2³² = 82 595 524 · 52 + 48, so the last 48 words are rejected.
        let mut words = [u32::MAX, u32::MAX - 47, u32::MAX - 48].into_iter();
        assert_eq!(below(52, || words.next().unwrap()), 51);
        let mut words = [u32::MAX].into_iter();
        assert_eq!(below(2, || words.next().unwrap()), 1);
    }

    #[test]
    fn every_part_of_the_statement_changes_the_key() {
        let base = key([0; 32], 1, 1);
        for other in [key([1; 32], 1, 1), key([0; 32], 2, 1), key([0; 32], 1, 2)] {
            assert_ne!(*base.0, *other.0);
        }
        let deal = DealNumber { round: 1, attempt: 1 };
        let seed = ServerSeed::from_bytes([0; 32]);
        let known = known_seeds();
        let other_game = GameSeeds { game: Uuid::nil(), ..game_seeds(&known) };
        for other in [game_seeds(&[]), other_game] {
            assert_ne!(*base.0, *DealKey::derive(&seed, &other, deal).0);
        }
    }

    /// Every card is equally likely at every index: the sum of squared deviations over expectation, for 52 ×
    /// 52 counts, has mean 51 · 51 = 2601 and a standard deviation of about 72.
    #[test]
    fn no_card_prefers_a_place() {
        const SHUFFLES: u32 = 20_000;
        let mut counts = [[0_u32; 52]; 52];
        for attempt in 1..=SHUFFLES {
            let mut pack: [usize; 52] = std::array::from_fn(|i| i);
            key([42; 32], 1, attempt).shuffle(&mut pack);
            pack.iter().enumerate().for_each(|(place, &card)| counts[place][card] += 1);
        }
        let expected = f64::from(SHUFFLES) / 52.0;
        let chi_squared: f64 =
            counts.iter().flatten().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
        assert!((2601.0 - 500.0..2601.0 + 500.0).contains(&chi_squared), "{chi_squared}");
    }

    /// Computed in Python with `hmac`, `hashlib` and a ChaCha20 written from RFC 8439.
    mod known {
        pub const KEY: &str = "ae64dd9b475dc5f9acf0dc06f08fe3c0a25cc282cf4d9bd57f4f94381854e328";
        pub const PACK: &str = "AD 8C 4D 4H 5S 4S JS 10C 8S 5C 8H QS 9D 8D QH 10H QC QD 3D JH 5H 6S JC KS 4C KC 6D JD 10S 9C KD 9S 9H 6H KH AC 2C 7S 2D 10D 3C 3S 7C AS 6C 3H 5D 7D 7H AH 2H 2S";
    }
}
