//! Tokens of links in mails.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::base::entropy::{Entropy, draw};
use estimation_store::Hash;

/// A token of 256 bits. It cannot be printed; only [`LinkToken::text`] writes it.
pub(crate) struct LinkToken(Zeroizing<[u8; 32]>);

impl LinkToken {
    pub(crate) fn draw(entropy: &dyn Entropy) -> LinkToken {
        LinkToken(Zeroizing::new(draw(entropy)))
    }

    /// Reads a token; none if the text is none.
    pub(crate) fn read(text: &str) -> Option<LinkToken> {
        let mut bytes = Zeroizing::new([0; 32]);
        let length = URL_SAFE_NO_PAD.decode_slice(text, &mut *bytes).ok()?;
        (length == bytes.len()).then_some(LinkToken(bytes))
    }

    /// The token for the fragment of a link.
    pub(crate) fn text(&self) -> Zeroizing<String> {
        Zeroizing::new(URL_SAFE_NO_PAD.encode(*self.0))
    }

    /// What is stored of the token.
    pub(crate) fn hash(&self) -> Hash {
        Sha256::digest(*self.0).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::entropy::SeededEntropy;

    #[test]
    fn a_token_reads_back_and_nothing_else_does() {
        let token = LinkToken::draw(&SeededEntropy::new(1));
        let text = token.text();
        assert_eq!(LinkToken::read(&text).unwrap().hash(), token.hash());
        for wrong in ["", &text[1..], &format!("{}A", *text), &text.replace(&text[..1], "!")] {
            assert!(LinkToken::read(wrong).is_none(), "{wrong}");
        }
    }
}
