//! Attacks on ID tokens: each is refused, for its own reason.

use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jiff::{SignedDuration, Timestamp};
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::id_token::{ExpectedClaims, Subject, TokenFault};
use super::issuer::Issuer;
use super::nonce::{Nonce, draw_nonce};
use super::settings::IssuersSettings;
use crate::auth::keys::KeyRing;
use crate::base::entropy::SeededEntropy;
use crate::base::failure::Failure;
use crate::outbound::{IssuerAnswer, NoAnswer, Outbound};
use estimation_engine::choice::Choice;

const ISSUER: &str = "https://issuer.example.org";
const APP: &str = "org.example.cards";

fn noon() -> Timestamp {
    "2026-01-01T12:00:00Z".parse().unwrap()
}

fn later(seconds: i64) -> Timestamp {
    noon().checked_add(SignedDuration::from_secs(seconds)).unwrap()
}

/// A key that signs tokens.
enum Signer {
    P256(EcdsaKeyPair),
    Rsa(RsaKeyPair),
}

impl Signer {
    fn p256() -> Signer {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random);
        Signer::P256(pair.unwrap())
    }

    fn rsa() -> Signer {
        let pem = include_str!("test_rsa_key.pem");
        let text: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
        Signer::Rsa(RsaKeyPair::from_pkcs8(&STANDARD.decode(text).unwrap()).unwrap())
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Signer::P256(_) => "ES256",
            Signer::Rsa(_) => "RS256",
        }
    }

    fn jwk(&self, kid: &str) -> Value {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match self {
            Signer::P256(pair) => {
                let point = pair.public_key().as_ref();
                let (x, y) = (text(&point[1..33]), text(&point[33..]));
                json!({"kty": "EC", "crv": "P-256", "kid": kid, "use": "sig", "alg": "ES256", "x": x, "y": y})
            }
            Signer::Rsa(pair) => {
                let key = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({"kty": "RSA", "kid": kid, "alg": "RS256", "n": text(&key.n), "e": text(&key.e)})
            }
        }
    }

    fn sign(&self, text: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Signer::P256(pair) => pair.sign(&random, text).unwrap().as_ref().to_vec(),
            Signer::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, text, &mut signature).unwrap();
                signature
            }
        }
    }

    fn token(&self, header: &Value, claims: &Value) -> String {
        let text = unsigned(header, claims);
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(self.sign(text.as_bytes())))
    }
}

fn unsigned(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}", part(header), part(claims))
}

/// What an issuer publishes, and how often it was asked for its keys.
struct Site {
    description: Value,
    keys: Vec<Value>,
    is_down: bool,
    asked: usize,
}

struct Scene {
    issuer: Issuer,
    site: Arc<Mutex<Site>>,
    signer: Signer,
    nonce: Nonce,
    claims: Value,
}

impl Scene {
    fn with(signer: Signer) -> Scene {
        let description = json!({"issuer": ISSUER, "jwks_uri": format!("{ISSUER}/keys")});
        let keys = vec![signer.jwk("one")];
        let site = Arc::new(Mutex::new(Site { description, keys, is_down: false, asked: 0 }));
        let answering = Arc::clone(&site);
        let outbound = Outbound::scripted(move |fetch| {
            let mut site = answering.lock().unwrap();
            if site.is_down {
                return Err(NoAnswer("it is down".to_owned()));
            }
            let body = if fetch.url.as_text().ends_with("/keys") {
                site.asked += 1;
                json!({"keys": site.keys})
            } else {
                site.description.clone()
            };
            Ok(IssuerAnswer { status: 200, body: Zeroizing::new(body.to_string().into_bytes()) })
        });
        let text = format!("[one]\nissuer = \"{ISSUER}\"\naudiences = [\"{APP}\", \"org.example.web\"]");
        let settings = IssuersSettings::read(&text).unwrap().0.remove("one").unwrap();
        let key = KeyRing::create(&SeededEntropy::new(1), noon()).refresh_key();
        let text = draw_nonce(&key, noon(), &SeededEntropy::new(2));
        let nonce = Nonce::read(&key, &text, noon()).unwrap();
        let second = noon().as_second();
        let claims = json!({
            "iss": ISSUER, "sub": "player-7", "aud": APP, "exp": second + 600, "iat": second, "nonce": text
        });
        Scene { issuer: Issuer::new(settings, outbound), site, signer, nonce, claims }
    }

    fn header(&self) -> Value {
        json!({"alg": self.signer.algorithm(), "kid": "one"})
    }

    /// A token with other claims.
    fn token(&self, changes: &Value) -> String {
        self.signer.token(&self.header(), &merged(&self.claims, changes))
    }

    /// A token with another header.
    fn headed(&self, changes: &Value) -> String {
        self.signer.token(&merged(&self.header(), changes), &self.claims)
    }

    async fn verify(&self, token: &str, now: Timestamp) -> Result<Subject, Failure> {
        let audiences = &self.issuer.settings.audiences;
        let expected = ExpectedClaims { issuer: ISSUER, audiences, nonce: Some(&self.nonce) };
        self.issuer.verify(token, &expected, now).await
    }

    async fn fault(&self, token: &str) -> TokenFault {
        self.fault_at(token, noon()).await
    }

    async fn fault_at(&self, token: &str, now: Timestamp) -> TokenFault {
        match self.verify(token, now).await.expect_err("a refusal") {
            Failure::IdTokenInvalid { reason } => TokenFault::from_name(reason).expect("a fault"),
            other => panic!("{other}"),
        }
    }
}

/// An object with other members; a null takes one away.
fn merged(object: &Value, changes: &Value) -> Value {
    let mut object = object.clone();
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(object.as_object_mut().unwrap().remove(name)),
            value => object[name] = value.clone(),
        }
    }
    object
}

#[tokio::test]
async fn honest_tokens_are_accepted() {
    for signer in [Signer::p256(), Signer::rsa()] {
        let scene = Scene::with(signer);
        let subject = Subject { subject: "player-7".to_owned(), audience: APP.to_owned() };
        let hashed = hex::encode(scene.nonce.hash());
        for changes in [
            json!({}),
            json!({"aud": [APP]}),
            json!({"aud": [APP, "other"], "azp": APP}),
            json!({"nonce": hashed}),
            json!({"email": "noor@example.org", "nbf": noon().as_second()}),
        ] {
            assert_eq!(scene.verify(&scene.token(&changes), noon()).await.unwrap(), subject, "{changes}");
        }
        assert_eq!(scene.site.lock().unwrap().asked, 1);
    }
}

#[tokio::test]
async fn forged_and_stolen_claims_are_refused() {
    let second = noon().as_second();
    for signer in [Signer::p256(), Signer::rsa()] {
        let scene = Scene::with(signer);
        for (changes, fault) in [
            (json!({"aud": "org.example.other"}), TokenFault::Audience),
            (json!({"aud": []}), TokenFault::Audience),
            (json!({"aud": [APP, "other"]}), TokenFault::Audience),
            (json!({"aud": [APP, "other"], "azp": "other"}), TokenFault::Audience),
            (json!({"aud": ["other", "third"], "azp": APP}), TokenFault::Audience),
            (json!({"iss": "https://evil.example.org"}), TokenFault::Issuer),
            (json!({"iss": format!("{ISSUER}/")}), TokenFault::Issuer),
            (json!({"nonce": "another"}), TokenFault::Nonce),
            (json!({"nonce": null}), TokenFault::Nonce),
            (json!({"nonce": ""}), TokenFault::Nonce),
            (json!({"exp": second - 60}), TokenFault::Expired),
            (json!({"iat": second + 61}), TokenFault::NotYetValid),
            (json!({"nbf": second + 61}), TokenFault::NotYetValid),
            (json!({"exp": null}), TokenFault::Malformed),
            (json!({"iat": null}), TokenFault::Malformed),
            (json!({"exp": "tomorrow"}), TokenFault::Malformed),
            (json!({"sub": null}), TokenFault::Malformed),
            (json!({"sub": ""}), TokenFault::Malformed),
            (json!({"sub": "a".repeat(256)}), TokenFault::Malformed),
            (json!({"sub": "play\u{e9}r"}), TokenFault::Malformed),
            (json!({"sub": "a\nb"}), TokenFault::Malformed),
            (json!({"aud": null}), TokenFault::Malformed),
        ] {
            assert_eq!(scene.fault(&scene.token(&changes)).await, fault, "{changes}");
        }
    }
}

#[tokio::test]
async fn forged_signatures_are_refused() {
    let scene = Scene::with(Signer::p256());
    let thief = Signer::p256();
    let good = scene.token(&json!({}));
    let (signed, signature) = good.rsplit_once('.').unwrap();
    assert!(scene.verify(&good, noon()).await.is_ok());
    for (token, fault) in [
        // Unsigned, in all spellings.
        (
            format!("{}.", unsigned(&json!({"alg": "none", "kid": "one"}), &scene.claims)),
            TokenFault::Algorithm,
        ),
        (
            format!("{}.", unsigned(&json!({"alg": "None", "kid": "one"}), &scene.claims)),
            TokenFault::Algorithm,
        ),
        (scene.headed(&json!({"alg": "EdDSA"})), TokenFault::Algorithm),
        (scene.headed(&json!({"alg": "ES384"})), TokenFault::Algorithm),
        (scene.headed(&json!({"alg": "PS256"})), TokenFault::Algorithm),
        // The key of the name has another algorithm.
        (scene.headed(&json!({"alg": "RS256"})), TokenFault::UnknownKey),
        (scene.headed(&json!({"kid": "two"})), TokenFault::UnknownKey),
        (scene.headed(&json!({"kid": null})), TokenFault::UnknownKey),
        (scene.headed(&json!({"crit": ["exp"]})), TokenFault::Malformed),
        // The thief's own key, in the header or at the thief's address.
        (thief.token(&scene.header(), &scene.claims), TokenFault::Signature),
        (
            thief.token(&merged(&scene.header(), &json!({"jwk": thief.jwk("one")})), &scene.claims),
            TokenFault::Signature,
        ),
        (
            thief.token(&merged(&scene.header(), &json!({"jku": "https://evil.example.org"})), &scene.claims),
            TokenFault::Signature,
        ),
        (format!("{signed}."), TokenFault::Signature),
        (format!("{signed}.{}", &signature[..signature.len() - 2]), TokenFault::Signature),
        (signed.to_owned(), TokenFault::Malformed),
        (String::new(), TokenFault::Malformed),
        ("a.b.c".to_owned(), TokenFault::Malformed),
        (format!("{good}.{signature}"), TokenFault::Malformed),
        (scene.token(&json!({"more": "a".repeat(4_096)})), TokenFault::Malformed),
    ] {
        assert_eq!(scene.fault(&token).await, fault, "{token}");
    }
    // The public key as the secret of an HMAC.
    let text = unsigned(&json!({"alg": "HS256", "kid": "one"}), &scene.claims);
    let public = scene.signer.jwk("one").to_string();
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, public.as_bytes()), text.as_bytes());
    let token = format!("{text}.{}", URL_SAFE_NO_PAD.encode(tag));
    assert_eq!(scene.fault(&token).await, TokenFault::Algorithm);
    // Other claims under the same signature.
    let head = signed.split('.').next().unwrap();
    let claims = URL_SAFE_NO_PAD.encode(merged(&scene.claims, &json!({"sub": "player-8"})).to_string());
    assert_eq!(scene.fault(&format!("{head}.{claims}.{signature}")).await, TokenFault::Signature);
}

/// Unknown keys ask the issuer once a minute, however many tokens name some.
#[tokio::test]
async fn keys_rotate_and_are_fetched_once_a_minute() {
    let mut scene = Scene::with(Signer::p256());
    let old = scene.token(&json!({}));
    assert!(scene.verify(&old, noon()).await.is_ok());
    let (new, former) = (Signer::p256(), std::mem::replace(&mut scene.signer, Signer::p256()));
    scene.signer = new;
    scene.site.lock().unwrap().keys = vec![former.jwk("one"), scene.signer.jwk("two")];
    let rotated = scene.headed(&json!({"kid": "two"}));
    for seconds in [1, 30, 59] {
        assert_eq!(scene.fault_at(&rotated, later(seconds)).await, TokenFault::UnknownKey);
    }
    assert_eq!(scene.site.lock().unwrap().asked, 1);
    assert!(scene.verify(&rotated, later(60)).await.is_ok());
    for seconds in 61..70 {
        let token = scene.headed(&json!({"kid": format!("no-{seconds}")}));
        assert_eq!(scene.fault_at(&token, later(seconds)).await, TokenFault::UnknownKey);
    }
    assert_eq!(scene.site.lock().unwrap().asked, 2);
    // A key that the issuer takes back is refused within the hour.
    scene.site.lock().unwrap().keys.remove(0);
    let old = former.token(&json!({"alg": "ES256", "kid": "one"}), &scene.claims);
    assert!(scene.verify(&old, later(300)).await.is_ok());
    let claims = merged(&scene.claims, &json!({"exp": noon().as_second() + 90_000}));
    let old = former.token(&json!({"alg": "ES256", "kid": "one"}), &claims);
    assert_eq!(scene.fault_at(&old, later(3_660)).await, TokenFault::UnknownKey);
}

/// While the issuer does not answer, its keys are used for a day.
#[tokio::test]
async fn an_issuer_that_does_not_answer_stops_no_sign_in_for_a_day() {
    let scene = Scene::with(Signer::p256());
    scene.site.lock().unwrap().is_down = true;
    let token = scene.token(&json!({"exp": noon().as_second() + 200_000}));
    let refused = scene.verify(&token, noon()).await;
    assert!(matches!(refused, Err(Failure::IssuerUnavailable)));
    scene.site.lock().unwrap().is_down = false;
    assert!(matches!(scene.verify(&token, later(59)).await, Err(Failure::IssuerUnavailable)));
    assert!(scene.verify(&token, later(60)).await.is_ok());
    scene.site.lock().unwrap().is_down = true;
    assert!(scene.verify(&token, later(60 + 86_399)).await.is_ok());
    let refused = scene.verify(&token, later(60 + 86_460)).await;
    assert!(matches!(refused, Err(Failure::IssuerUnavailable)));
}

/// Mix-up: one issuer describes itself as another, or signs for another.
#[tokio::test]
async fn an_issuer_speaks_for_itself_alone() {
    for wrong in [
        json!({"issuer": "https://other.example.org"}),
        json!({"issuer": format!("{ISSUER}/")}),
        json!({"issuer": null}),
        json!({"jwks_uri": "http://issuer.example.org/keys"}),
        json!({"jwks_uri": "https://user@issuer.example.org/keys"}),
        json!({"token_endpoint": "file:///etc/passwd"}),
    ] {
        let scene = Scene::with(Signer::p256());
        let description = scene.site.lock().unwrap().description.clone();
        scene.site.lock().unwrap().description = merged(&description, &wrong);
        let refused = scene.verify(&scene.token(&json!({})), noon()).await;
        assert!(matches!(refused, Err(Failure::IssuerUnavailable)), "{wrong}");
    }
    let [one, other] = [Scene::with(Signer::p256()), Scene::with(Signer::p256())];
    assert_eq!(one.fault(&other.token(&json!({}))).await, TokenFault::Signature);
}

/// Keys that are for something else, or too weak, verify nothing.
#[tokio::test]
async fn only_keys_that_sign_are_used() {
    for wrong in [
        json!({"use": "enc"}),
        json!({"alg": "ES384"}),
        json!({"crv": "P-384"}),
        json!({"x": "AA"}),
        json!({"kty": "oct", "k": "AA"}),
        json!({"kid": null}),
        json!({"kid": 7}),
    ] {
        let scene = Scene::with(Signer::p256());
        let key = merged(&scene.signer.jwk("one"), &wrong);
        scene.site.lock().unwrap().keys = vec![json!("no key"), key];
        assert_eq!(scene.fault(&scene.token(&json!({}))).await, TokenFault::UnknownKey, "{wrong}");
    }
    let scene = Scene::with(Signer::rsa());
    let weak = merged(&scene.signer.jwk("one"), &json!({"n": URL_SAFE_NO_PAD.encode([0xff; 128])}));
    scene.site.lock().unwrap().keys = vec![weak];
    assert_eq!(scene.fault(&scene.token(&json!({}))).await, TokenFault::Signature);
}
