//! Forged, foreign, expired and malformed tokens, each refused with its own error.

use ed25519_dalek::{Signer, SigningKey};
use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::auth::keys::KeyRing;
use crate::auth::tokens::Role;
use crate::base::entropy::SeededEntropy;
use estimation_record::hmac::hmac_sha256;

const ISSUER: &str = "https://estimation.example";
const AUDIENCE: &str = "estimation";

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_767_225_600 + second).unwrap()
}

fn ring(seed: u64) -> KeyRing {
    KeyRing::create(&SeededEntropy::new(seed), at(0))
}

fn issuer(ring: &KeyRing) -> TokenIssuer {
    TokenIssuer::new(ISSUER, AUDIENCE, ring.token_keys(), Arc::new(SeededEntropy::new(9)))
}

fn grant() -> Grant {
    let binding =
        TokenBinding { account: Uuid::from_u128(1), session: Uuid::from_u128(2), role: Role::Player };
    Grant { binding, generation: 7, signed_in_at: at(-60), session_end: None }
}

fn encode(json: &Value) -> String {
    URL_SAFE_NO_PAD.encode(json.to_string())
}

/// A token with any header and claims, signed by the ring's key.
fn sign(ring: &KeyRing, header: &Value, claims: &Value) -> String {
    let message = format!("{}.{}", encode(header), encode(claims));
    let seed = ring.token_keys().signing(at(0)).unwrap().seed();
    let signature = SigningKey::from_bytes(&seed).sign(message.as_bytes());
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes()))
}

fn header_of(ring: &KeyRing) -> Value {
    json!({"alg": "EdDSA", "typ": "at+jwt", "kid": ring.token_keys().signing(at(0)).unwrap().kid()})
}

fn claims() -> Value {
    json!({
        "iss": ISSUER, "aud": AUDIENCE, "sub": Uuid::from_u128(1), "sid": Uuid::from_u128(2),
        "role": "player", "generation": 7, "auth_time": at(-60).as_second(), "iat": at(0).as_second(), "exp": at(900).as_second(), "jti": Uuid::from_u128(3),
    })
}

fn with(mut json: Value, key: &str, value: Value) -> Value {
    json[key] = value;
    json
}

fn without(mut json: Value, key: &str) -> Value {
    json.as_object_mut().unwrap().remove(key);
    json
}

#[test]
fn a_token_says_what_was_granted_for_fifteen_minutes() {
    let issuer = issuer(&ring(1));
    let token = issuer.issue(&grant(), at(0)).unwrap();
    for _ in 0..2 {
        let claims = issuer.verify(token.expose(), at(899)).unwrap();
        assert_eq!(
            (claims.account, claims.session, claims.role),
            (Uuid::from_u128(1), Uuid::from_u128(2), Role::Player)
        );
        assert_eq!((claims.generation, claims.signed_in_at), (7, at(-60)));
        assert_eq!((claims.issued_at, claims.not_before, claims.expires_at), (at(0), None, at(900)));
    }
    let just_before = at(900).checked_sub(SignedDuration::from_nanos(1)).unwrap();
    assert!(issuer.verify(token.expose(), just_before).is_ok());
    for _ in 0..2 {
        assert_eq!(issuer.verify(token.expose(), at(900)), Err(TokenError::Expired { at: at(900) }));
    }
}

#[test]
fn header_and_claims_have_the_published_form() {
    let ring = ring(1);
    let token = issuer(&ring).issue(&grant(), at(0)).unwrap();
    let parts: Vec<Value> = token
        .expose()
        .split('.')
        .take(2)
        .map(|part| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap())
        .collect();
    assert_eq!(parts[0], header_of(&ring));
    assert_eq!(without(parts[1].clone(), "jti"), without(claims(), "jti"));
    assert_eq!(parts[1]["jti"].as_str().unwrap().parse::<Uuid>().unwrap().get_version_num(), 7);
}

#[test]
fn a_token_made_by_hand_with_our_key_is_like_one_of_ours() {
    let ring = ring(1);
    assert!(issuer(&ring).verify(&sign(&ring, &header_of(&ring), &claims()), at(0)).is_ok());
}

#[test]
fn no_other_algorithm_will_do() {
    let ring = ring(1);
    let issuer = issuer(&ring);
    for alg in ["none", "None", "NONE", "nOnE", "HS256", "ES256", "RS256", "eddsa", "Ed25519", ""] {
        let header = with(header_of(&ring), "alg", json!(alg));
        let signed = sign(&ring, &header, &claims());
        let (message, _) = signed.rsplit_once('.').unwrap();
        for token in [signed.clone(), format!("{message}."), message.to_owned()] {
            assert_eq!(issuer.verify(&token, at(0)), Err(TokenError::WrongAlgorithm), "{alg}");
        }
    }
}

#[test]
fn the_public_key_is_no_secret_to_sign_with() {
    let ring = ring(1);
    let public = *ring.token_keys().signing(at(0)).unwrap().verifying_key().as_bytes();
    for alg in ["HS256", "EdDSA"] {
        let message = format!("{}.{}", encode(&with(header_of(&ring), "alg", json!(alg))), encode(&claims()));
        let mac = hmac_sha256(&public, message.as_bytes());
        for signature in [mac.to_vec(), [mac, mac].concat()] {
            let token = format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature));
            let refusal = issuer(&ring).verify(&token, at(0)).unwrap_err();
            assert!(matches!(refusal, TokenError::WrongAlgorithm | TokenError::BadSignature));
        }
    }
}

#[test]
fn only_our_own_keys_count_each_for_its_own_purpose() {
    let (ours, theirs) = (ring(1), ring(2));
    let issuer = issuer(&ours);
    let foreign = sign(&theirs, &header_of(&theirs), &claims());
    assert_eq!(issuer.verify(&foreign, at(0)), Err(TokenError::UnknownKey));
    let disguised = sign(&theirs, &header_of(&ours), &claims());
    assert_eq!(issuer.verify(&disguised, at(0)), Err(TokenError::BadSignature));
    let record_key = ours.record_keys().iter().next().unwrap().kid().clone();
    let header = with(header_of(&ours), "kid", json!(record_key));
    assert_eq!(issuer.verify(&sign(&ours, &header, &claims()), at(0)), Err(TokenError::UnknownKey));
}

#[test]
fn a_header_that_says_more_or_less_than_ours_is_refused() {
    let ring = ring(1);
    let own = header_of(&ring);
    let jwk = json!({"kty": "OKP", "crv": "Ed25519", "x": "A".repeat(43)});
    for header in [
        with(own.clone(), "typ", json!("JWT")),
        with(own.clone(), "typ", json!("AT+JWT")),
        without(own.clone(), "typ"),
        without(own.clone(), "kid"),
        with(own.clone(), "jwk", jwk),
        with(own.clone(), "jku", json!("https://example.org/jwks.json")),
        with(own.clone(), "crit", json!(["exp"])),
    ] {
        let token = sign(&ring, &header, &claims());
        assert_eq!(issuer(&ring).verify(&token, at(0)), Err(TokenError::WrongType), "{header}");
    }
}

#[test]
fn issuer_and_audience_are_ours() {
    let ring = ring(1);
    let issuer = issuer(&ring);
    let verify = |claims: Value| issuer.verify(&sign(&ring, &header_of(&ring), &claims), at(0));
    assert_eq!(verify(with(claims(), "iss", json!("https://example.org"))), Err(TokenError::WrongIssuer));
    assert_eq!(verify(with(claims(), "aud", json!("another"))), Err(TokenError::WrongAudience));
    assert_eq!(verify(with(claims(), "aud", json!([AUDIENCE]))), Err(TokenError::Malformed));
    for claim in ["iss", "aud", "sub", "sid", "role", "generation", "auth_time", "iat", "exp", "jti"] {
        assert_eq!(verify(without(claims(), claim)), Err(TokenError::Malformed), "{claim}");
        assert_eq!(verify(with(claims(), claim, json!(null))), Err(TokenError::Malformed), "{claim}");
    }
    assert_eq!(verify(with(claims(), "sub", json!("noor"))), Err(TokenError::Malformed));
    assert_eq!(verify(with(claims(), "role", json!("owner"))), Err(TokenError::Malformed));
    assert_eq!(verify(with(claims(), "exp", json!(i64::MAX))), Err(TokenError::Malformed));
}

#[test]
fn a_token_is_valid_neither_before_its_time_nor_after() {
    let ring = ring(1);
    let issuer = issuer(&ring);
    let token = sign(&ring, &header_of(&ring), &with(claims(), "nbf", json!(at(10).as_second())));
    assert_eq!(issuer.verify(&token, at(9)), Err(TokenError::NotYetValid { from: at(10) }));
    assert!(issuer.verify(&token, at(10)).is_ok());
    assert_eq!(issuer.verify(&token, at(9)), Err(TokenError::NotYetValid { from: at(10) }));
    assert_eq!(issuer.verify(&token, at(900)), Err(TokenError::Expired { at: at(900) }));
}

#[test]
fn a_signature_belongs_to_its_own_message_whole() {
    let issuer = issuer(&ring(1));
    let binding =
        TokenBinding { account: Uuid::from_u128(7), session: Uuid::from_u128(8), role: Role::Admin };
    let other = Grant { binding, ..grant() };
    let [mine, theirs] = [grant(), other].map(|grant| issuer.issue(&grant, at(0)).unwrap().into_text());
    let [mine, theirs] = [&mine, &theirs].map(|token| token.split('.').collect::<Vec<_>>());
    let (header, payload, signature) = (mine[0], mine[1], mine[2]);
    let mut tampered = URL_SAFE_NO_PAD.decode(payload).unwrap();
    *tampered.iter_mut().find(|byte| **byte == b'1').unwrap() = b'2';
    for (token, refusal) in [
        (format!("{header}.{}.{signature}", theirs[1]), TokenError::BadSignature),
        (format!("{header}.{payload}.{}", theirs[2]), TokenError::BadSignature),
        (format!("{header}.{}.{signature}", URL_SAFE_NO_PAD.encode(tampered)), TokenError::BadSignature),
        (format!("{header}.{payload}."), TokenError::BadSignature),
        (format!("{header}.{payload}.{}", &signature[..44]), TokenError::BadSignature),
        (format!("{header}.{payload}.{signature}AAAA"), TokenError::BadSignature),
        (format!("{header}.{payload}.{signature}="), TokenError::Malformed),
        (format!("{header}.{payload}"), TokenError::Malformed),
        (format!("{header}.{payload}.{signature}.{signature}"), TokenError::Malformed),
        (format!(" {header}.{payload}.{signature}"), TokenError::Malformed),
        (format!("{}{header}.{payload}.{signature}", "A".repeat(2048)), TokenError::Malformed),
        (String::new(), TokenError::Malformed),
        ("x".to_owned(), TokenError::Malformed),
        ("..".to_owned(), TokenError::Malformed),
    ] {
        assert_eq!(issuer.verify(&token, at(0)), Err(refusal), "{token}");
    }
    assert!(issuer.verify(&format!("{header}.{payload}.{signature}"), at(0)).is_ok());
}

#[test]
fn tokens_outlive_a_rotation_but_not_their_key() {
    let entropy = SeededEntropy::new(3);
    let mut ring = ring(1);
    let issuer = issuer(&ring);
    ring.rotate_token_key(&entropy, at(100));
    issuer.replace_keys(ring.token_keys());
    let last = issuer.issue(&grant(), at(159)).unwrap();
    let first = issuer.issue(&grant(), at(160)).unwrap();
    assert_ne!(last.expose().split('.').next(), first.expose().split('.').next());
    assert!(issuer.verify(last.expose(), at(159 + 899)).is_ok());
    assert!(issuer.verify(first.expose(), at(160 + 899)).is_ok());
    issuer.replace_keys(KeyRing::create(&entropy, at(200)).token_keys());
    assert_eq!(issuer.verify(last.expose(), at(200)), Err(TokenError::UnknownKey));
}

#[test]
fn what_is_forgotten_is_verified_again() {
    let issuer = issuer(&ring(1));
    let token = issuer.issue(&grant(), at(0)).unwrap();
    assert!(issuer.verify(token.expose(), at(0)).is_ok());
    assert!(issuer.verified.get(token.expose()).is_some());
    issuer.forget_session(Uuid::from_u128(99));
    assert!(issuer.verified.get(token.expose()).is_some());
    issuer.forget_session(grant().binding.session);
    assert!(issuer.verified.get(token.expose()).is_none());
    assert!(issuer.verify(token.expose(), at(0)).is_ok());
    assert!(issuer.verify(token.expose(), at(900)).is_err());
    assert!(issuer.verified.get(token.expose()).is_none());
}

#[test]
fn a_token_does_not_outlive_its_session() {
    let (ring, grant) = (ring(1), grant());
    let issuer = issuer(&ring);
    let expiry = |end| {
        let token = issuer.issue(&Grant { session_end: Some(end), ..grant }, at(0)).unwrap();
        issuer.verify(token.expose(), at(0)).unwrap().expires_at
    };
    assert_eq!((expiry(at(60)), expiry(at(900)), expiry(at(5_000))), (at(60), at(900), at(900)));
}
