//! Encrypts a push for a browser (RFC 8291, with the content encoding of RFC 8188).

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::SecureRandom;

/// The size of a record: a push has one.
const RECORD: u32 = 4096;

/// What ends the last record.
const LAST: u8 = 2;

/// A length of bytes to derive.
struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

/// The body of a push, to be sent with `Content-Encoding: aes128gcm`. None if the browser's key is no point of the curve, or
/// the system has no entropy.
pub(super) fn encrypted(
    text: &[u8],
    p256dh: &[u8],
    auth: &[u8],
    salt: [u8; 16],
    random: &dyn SecureRandom,
) -> Option<Vec<u8>> {
    let own = EphemeralPrivateKey::generate(&ECDH_P256, random).ok()?;
    let public = own.compute_public_key().ok()?;
    let public = public.as_ref();
    let theirs = UnparsedPublicKey::new(&ECDH_P256, p256dh);
    agree_ephemeral(own, &theirs, |secret| {
        let info = [b"WebPush: info\0", p256dh, public].concat();
        let key = derived(auth, secret, &info, 32)?;
        let content = derived(&salt, &key, b"Content-Encoding: aes128gcm\0", 16)?;
        let nonce = derived(&salt, &key, b"Content-Encoding: nonce\0", 12)?;
        let sealing = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &content).ok()?);
        let nonce = Nonce::try_assume_unique_for_key(&nonce).ok()?;
        let mut record = [text, &[LAST]].concat();
        sealing.seal_in_place_append_tag(nonce, Aad::empty(), &mut record).ok()?;
        let length = [u8::try_from(public.len()).ok()?];
        Some([&salt[..], &RECORD.to_be_bytes(), &length, public, &record].concat())
    })
    .ok()
    .flatten()
}

/// HKDF with SHA-256.
fn derived(salt: &[u8], secret: &[u8], info: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    let key = Salt::new(HKDF_SHA256, salt).extract(secret);
    key.expand(&[info], Length(length)).ok()?.fill(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    /// RFC 8291, appendix A.
    #[test]
    #[expect(deprecated, reason = "the only way to give ring a key for an agreement")]
    fn the_example_of_the_standard_comes_out() {
        let private = bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw");
        let random = ring::test::rand::FixedSliceRandom { bytes: &private };
        let sealed = encrypted(
            b"When I grow up, I want to be a watermelon",
            &bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
            &bytes("BTBZMqHH6r4Tts7J_aSIgg"),
            bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap(),
            &random,
        );
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(URL_SAFE_NO_PAD.encode(sealed.unwrap()), expected);
    }

    #[test]
    fn a_key_that_is_no_point_is_refused() {
        let random = ring::rand::SystemRandom::new();
        let mut point = vec![4; 65];
        assert!(encrypted(b"", &point, &[0; 16], [0; 16], &random).is_none());
        point.clear();
        assert!(encrypted(b"", &point, &[0; 16], [0; 16], &random).is_none());
    }
}
