//! Recovery codes: what a player keeps on paper to come back without a password, or without the app of the second step.

use zeroize::Zeroizing;

use super::keys::RefreshKey;
use crate::base::entropy::{Entropy, draw};

/// The random bytes of a code: 120 bits.
const BYTES: usize = 15;

/// The signs of a code: digits and letters without I, L, O and U, which are mistaken for others (Crockford's base 32).
const SIGNS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The signs between two hyphens.
const GROUP: usize = 4;

/// What is hashed before a code that signs in, and before one that passes the second step.
const PURPOSE: &[u8] = b"estimation/recovery-code/v1/";
const SECOND_STEP: &[u8] = b"estimation/second-step-code/v1/";

/// A recovery code. It cannot be printed; only [`RecoveryCode::text`] writes it.
pub(crate) struct RecoveryCode(Zeroizing<[u8; BYTES]>);

impl RecoveryCode {
    pub(crate) fn draw(entropy: &dyn Entropy) -> RecoveryCode {
        RecoveryCode(Zeroizing::new(draw(entropy)))
    }

    /// Reads a code as people write it: in any case, with or without hyphens and spaces, and with letters for the digits that
    /// they look like.
    pub(crate) fn read(text: &str) -> Option<RecoveryCode> {
        let mut bytes = Zeroizing::new([0; BYTES]);
        let (mut bits, mut count, mut filled) = (0u32, 0, 0);
        for sign in text.bytes().filter(|sign| !matches!(sign, b'-' | b' ')) {
            let sign = match sign.to_ascii_uppercase() {
                b'O' => b'0',
                b'I' | b'L' => b'1',
                sign => sign,
            };
            let value = SIGNS.iter().position(|known| *known == sign)?;
            bits = (bits << 5 | u32::try_from(value).ok()?) & 0xffff;
            count += 5;
            if count >= 8 {
                count -= 8;
                *bytes.get_mut(filled)? = (bits >> count) as u8;
                filled += 1;
            }
        }
        (filled == BYTES && count == 0).then_some(RecoveryCode(bytes))
    }

    /// The code for its owner: six groups of four signs.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let (mut bits, mut count, mut signs) = (0u32, 0, 0);
        for byte in self.0.iter() {
            bits = (bits << 8 | u32::from(*byte)) & 0xffff;
            count += 8;
            while count >= 5 {
                count -= 5;
                if signs > 0 && signs % GROUP == 0 {
                    text.push('-');
                }
                text.push(char::from(SIGNS[(bits >> count) as usize & 31]));
                signs += 1;
            }
        }
        text
    }

    /// What is stored of a code that signs in.
    pub(crate) fn mac(&self, key: &RefreshKey) -> [u8; 32] {
        key.mac(&[PURPOSE, &self.0[..]].concat())
    }

    /// What is stored of a code that passes the second step.
    pub(crate) fn second_step_mac(&self, key: &RefreshKey) -> [u8; 32] {
        key.mac(&[SECOND_STEP, &self.0[..]].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::entropy::SeededEntropy;

    #[test]
    fn a_code_is_read_as_people_write_it() {
        for seed in 0..50 {
            let code = RecoveryCode::draw(&SeededEntropy::new(seed));
            let text = code.text();
            assert_eq!((text.len(), text.split('-').count()), (29, 6), "{text}");
            let same = |text: &str| RecoveryCode::read(text).is_some_and(|read| read.0 == code.0);
            assert!(same(&text) && same(&text.to_lowercase()) && same(&text.replace('-', "")));
            assert!(same(&text.replace('0', "O").replace('1', "l").replace('-', " ")));
            for wrong in
                ["", &text[1..], &format!("{text}0"), &text.replace('-', "_"), &text.replace(&text[..1], "U")]
            {
                assert!(!same(wrong), "{wrong}");
            }
        }
    }
}
