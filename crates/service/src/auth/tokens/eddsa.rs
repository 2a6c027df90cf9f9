//! The cryptography provider for `jsonwebtoken`: Ed25519 only.
//!
//! Keys are raw: a 32-byte seed to sign, a 32-byte public key to verify.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result, new_error};
use jsonwebtoken::signature;
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, EncodingKey};

static ED25519_ALONE: CryptoProvider = CryptoProvider {
    signer_factory: signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes `jsonwebtoken` use this module. Repeated calls have no effect.
pub(super) fn install() {
    let _ = ED25519_ALONE.install_default();
}

fn signer(algorithm: &Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    require_eddsa(*algorithm, key.family())?;
    let seed = key.as_bytes().try_into().map_err(|_| new_error(ErrorKind::InvalidEddsaKey))?;
    Ok(Box::new(Ed25519Signer(SigningKey::from_bytes(seed))))
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    require_eddsa(*algorithm, key.family())?;
    let public = key.try_get_as_bytes()?.try_into().map_err(|_| new_error(ErrorKind::InvalidEddsaKey))?;
    let key = VerifyingKey::from_bytes(public).map_err(|_| new_error(ErrorKind::InvalidEddsaKey))?;
    Ok(Box::new(Ed25519Verifier(key)))
}

fn require_eddsa(algorithm: Algorithm, family: AlgorithmFamily) -> Result<()> {
    if algorithm == Algorithm::EdDSA && family == AlgorithmFamily::Ed {
        Ok(())
    } else {
        Err(new_error(ErrorKind::InvalidAlgorithm))
    }
}

struct Ed25519Signer(SigningKey);

impl signature::Signer<Vec<u8>> for Ed25519Signer {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, signature::Error> {
        Ok(self.0.sign(message).to_bytes().to_vec())
    }
}

impl JwtSigner for Ed25519Signer {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}

struct Ed25519Verifier(VerifyingKey);

impl signature::Verifier<Vec<u8>> for Ed25519Verifier {
    fn verify(&self, message: &[u8], bytes: &Vec<u8>) -> std::result::Result<(), signature::Error> {
        let signature = Signature::from_slice(bytes).map_err(|_| signature::Error::new())?;
        self.0.verify_strict(message, &signature).map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Ed25519Verifier {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}
