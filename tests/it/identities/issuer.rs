//! An issuer of OpenID Connect on this machine: it signs what a test asks for, exchanges codes, and keeps what it revoked.

use std::sync::{Mutex, MutexGuard};
use std::time::SystemTime;

use actix_web::web::Query;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};

use crate::harness::tls_server::{Incoming, Outgoing, TlsServer};
use crate::prelude::*;

/// How the issuer knows the app, and the web app.
pub const APP: &str = "org.example.cards";
pub const WEB: &str = "org.example.cards.web";

/// The secret of both.
pub const SECRET: &str = "a secret between two servers";

/// Where the issuer sends players of the web app back to.
pub const PUBLIC_URL: &str = "https://cards.example.org";

/// What was authorized, by its code.
struct Authorized {
    client: String,
    subject: String,
    nonce: String,
    challenge: Option<String>,
}

#[derive(Default)]
struct State {
    /// Set once the port is known.
    url: String,
    codes: BTreeMap<String, Authorized>,
    /// The tokens that were revoked.
    revoked: Vec<String>,
    refuses_to_revoke: bool,
}

pub struct FakeIssuer {
    server: TlsServer,
    pair: Arc<EcdsaKeyPair>,
    state: Arc<Mutex<State>>,
}

impl FakeIssuer {
    pub fn start() -> FakeIssuer {
        let random = SystemRandom::new();
        let document =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random);
        let (pair, state) = (Arc::new(pair.expect("a key")), Arc::new(Mutex::new(State::default())));
        let (signing, told) = (Arc::clone(&pair), Arc::clone(&state));
        let server =
            TlsServer::start(move |incoming| answer(&signing, &mut told.lock().expect("a state"), &incoming));
        state.lock().expect("a state").url = server.url("");
        FakeIssuer { server, pair, state }
    }

    pub fn url(&self) -> String {
        self.server.url("")
    }

    /// The file with the certificate of who vouches for the issuer.
    pub fn authority(&self) -> String {
        self.server.authority()
    }

    /// The text of the file that names the issuer.
    pub fn settings(&self) -> String {
        let url = self.server.url("");
        format!(
            "[fake]\nissuer = \"{url}\"\naudiences = [\"{APP}\", \"{WEB}\"]\nweb_client = \"{WEB}\"\nclient_secret = \"{SECRET}\"\n"
        )
    }

    /// A token for the app.
    pub fn token(&self, subject: &str, nonce: &str) -> String {
        token(&self.pair, &self.server.url(""), APP, subject, nonce)
    }

    /// A code for a client, as if the player had agreed. `challenge` is that of a web app.
    pub fn code(&self, client: &str, subject: &str, nonce: &str, challenge: Option<String>) -> String {
        let mut state = self.state();
        let code = format!("code-{}", state.codes.len());
        let (client, subject, nonce) = (client.to_owned(), subject.to_owned(), nonce.to_owned());
        state.codes.insert(code.clone(), Authorized { client, subject, nonce, challenge });
        code
    }

    pub fn revoked(&self) -> Vec<String> {
        self.state().revoked.clone()
    }

    pub fn refuse_to_revoke(&self, refuses: bool) {
        self.state().refuses_to_revoke = refuses;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("a state")
    }
}

/// The challenge of a verifier (RFC 7636).
pub fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()))
}

fn answer(pair: &EcdsaKeyPair, state: &mut State, incoming: &Incoming) -> Outgoing {
    let text = std::str::from_utf8(&incoming.body).expect("a text");
    let form = Query::<BTreeMap<String, String>>::from_query(text).expect("a form").into_inner();
    let is_known = form.get("client_secret").is_some_and(|secret| secret == SECRET);
    match incoming.path.as_str() {
        "/.well-known/openid-configuration" => {
            let url = &state.url;
            let described = json!({
                "issuer": url,
                "jwks_uri": format!("{url}/keys"),
                "authorization_endpoint": format!("{url}/authorize"),
                "token_endpoint": format!("{url}/token"),
                "revocation_endpoint": format!("{url}/revoke"),
            });
            (200, described.to_string())
        }
        "/keys" => (200, json!({"keys": [jwk(pair)]}).to_string()),
        "/token" if is_known => exchanged(pair, state, &form),
        "/revoke" if is_known => {
            if state.refuses_to_revoke {
                return (503, String::new());
            }
            state.revoked.push(form["token"].clone());
            (200, String::new())
        }
        _ => (400, json!({"error": "invalid_request"}).to_string()),
    }
}

fn exchanged(pair: &EcdsaKeyPair, state: &mut State, form: &BTreeMap<String, String>) -> Outgoing {
    let refused = || (400, json!({"error": "invalid_grant"}).to_string());
    let Some(Authorized { client, subject, nonce, challenge: wanted }) = state.codes.remove(&form["code"])
    else {
        return refused();
    };
    let is_bound = wanted.is_none_or(|wanted| {
        form.get("code_verifier").is_some_and(|verifier| challenge(verifier) == wanted)
            && form.get("redirect_uri").is_some_and(|uri| *uri == format!("{PUBLIC_URL}/"))
    });
    if !is_bound || form["client_id"] != client || form["grant_type"] != "authorization_code" {
        return refused();
    }
    let id_token = token(pair, &state.url, &client, &subject, &nonce);
    let tokens = json!({
        "access_token": "of no use", "token_type": "Bearer", "id_token": id_token,
        "refresh_token": format!("grant of {subject}"),
    });
    (200, tokens.to_string())
}

fn jwk(pair: &EcdsaKeyPair) -> Value {
    let point = pair.public_key().as_ref();
    let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    json!({"kty": "EC", "crv": "P-256", "kid": "one", "x": text(&point[1..33]), "y": text(&point[33..])})
}

fn token(pair: &EcdsaKeyPair, issuer: &str, audience: &str, subject: &str, nonce: &str) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs();
    let claims = json!({
        "iss": issuer, "sub": subject, "aud": audience, "nonce": nonce, "iat": now, "exp": now + 300,
        "email": "noor@example.org", "email_verified": true,
    });
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(&json!({"alg": "ES256", "kid": "one"})), part(&claims));
    let signature = pair.sign(&SystemRandom::new(), text.as_bytes()).expect("a signature");
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}
