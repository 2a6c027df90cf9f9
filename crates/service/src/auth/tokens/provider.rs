//! The cryptography provider for `jsonwebtoken`: Ed25519 signs and verifies the server's own tokens; RS256 and ES256 verify
//! those of issuers.
//!
//! Keys are raw: a 32-byte seed or public key of Ed25519, an uncompressed point of P-256, a modulus and an exponent.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result, new_error};
use jsonwebtoken::signature;
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes `jsonwebtoken` use this module. Repeated calls have no effect.
pub(crate) fn install() {
    let _ = PROVIDER.install_default();
}

fn signer(algorithm: &Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    require_eddsa(*algorithm, key.family())?;
    let seed = key.as_bytes().try_into().map_err(|_| new_error(ErrorKind::InvalidEddsaKey))?;
    Ok(Box::new(Ed25519Signer(SigningKey::from_bytes(seed))))
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    match (algorithm, key.family(), key.kind()) {
        (Algorithm::ES256, AlgorithmFamily::Ec, DecodingKeyKind::SecretOrDer(point)) => {
            Ok(Box::new(RingVerifier::P256(point.clone())))
        }
        (Algorithm::RS256, AlgorithmFamily::Rsa, DecodingKeyKind::RsaModulusExponent { n, e }) => {
            Ok(Box::new(RingVerifier::Rsa { n: n.clone(), e: e.clone() }))
        }
        _ => {
            require_eddsa(*algorithm, key.family())?;
            let public =
                key.try_get_as_bytes()?.try_into().map_err(|_| new_error(ErrorKind::InvalidEddsaKey))?;
            let key = VerifyingKey::from_bytes(public).map_err(|_| new_error(ErrorKind::InvalidEddsaKey))?;
            Ok(Box::new(Ed25519Verifier(key)))
        }
    }
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

/// Verifies what issuers sign.
enum RingVerifier {
    P256(Vec<u8>),
    Rsa { n: Vec<u8>, e: Vec<u8> },
}

impl signature::Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], bytes: &Vec<u8>) -> std::result::Result<(), signature::Error> {
        let verified = match self {
            RingVerifier::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, bytes)
            }
            RingVerifier::Rsa { n, e } => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, bytes)
            }
        };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        match self {
            RingVerifier::P256(_) => Algorithm::ES256,
            RingVerifier::Rsa { .. } => Algorithm::RS256,
        }
    }
}
