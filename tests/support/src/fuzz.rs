//! Fuzzing with inputs that are almost valid.
//!
//! `ESTIMATION_TEST_FUZZ` sets the number of inputs per target (100), `ESTIMATION_TEST_SEED` repeats a run.

use crate::Random;

/// Texts that often break parsers.
const STRANGE: [&str; 16] = [
    "null",
    "true",
    "-1",
    "0",
    "1e308",
    "18446744073709551616",
    "9007199254740993",
    "\"\"",
    "\"\\ud800\"",
    "{}",
    "[",
    "]}",
    "\u{0}",
    "\u{feff}",
    "\u{202e}",
    "\r\n",
];

/// The seeds of a target's inputs.
pub fn seeds() -> impl Iterator<Item = u64> {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let first = number("ESTIMATION_TEST_SEED").unwrap_or(1) << 32;
    first..first + number("ESTIMATION_TEST_FUZZ").unwrap_or(100)
}

/// A text with up to four changes: bytes flipped, removed, repeated, moved, or replaced by a strange text.
pub fn mutated(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=random.below(4) {
        let from = random.below(bytes.len() + 1);
        let most = *random.pick(&[1, 4, 64, 4096]);
        let to = (from + random.below(most + 1)).min(bytes.len());
        let piece = bytes[from..to].to_vec();
        match random.below(6) {
            0 => bytes[from..to].iter_mut().for_each(|byte| *byte ^= 1 << random.below(8)),
            1 => drop(bytes.drain(from..to)),
            2 => drop(bytes.splice(from..from, piece.repeat(1 + random.below(8)))),
            3 => {
                let at = random.below(bytes.len() + 1);
                bytes.splice(at..at, piece);
            }
            4 => drop(bytes.splice(from..to, random.pick(&STRANGE).bytes())),
            _ => {
                let digits = bytes[from..].iter().position(u8::is_ascii_digit).map(|at| from + at);
                if let Some(at) = digits {
                    let end = bytes[at..].iter().position(|byte| !byte.is_ascii_digit());
                    let end = end.map_or(bytes.len(), |end| at + end);
                    let number = random.number() >> random.below(64);
                    bytes.splice(at..end, number.to_string().into_bytes());
                }
            }
        }
    }
    bytes
}
