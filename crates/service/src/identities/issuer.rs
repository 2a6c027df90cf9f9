//! An issuer of OpenID Connect: what it publishes, cached, and the requests to it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use tokio::sync::{Mutex as AsyncMutex, Semaphore};
use zeroize::Zeroizing;

use super::grant::GrantToken;
use super::id_token::{ExpectedClaims, IssuerKeys, LONGEST, Subject, TokenFault, key_name, verified};
use super::settings::{IssuerSettings, IssuersSettings};
use crate::base::failure::Failure;
use crate::outbound::{Fetch, HttpsUrl, IssuerAnswer, Outbound};

/// How long keys are used before they are fetched again. A key that the issuer takes back is refused after this.
const FRESH: SignedDuration = SignedDuration::from_hours(1);

/// How long keys are used while the issuer does not answer.
const STALE: SignedDuration = SignedDuration::from_hours(24);

/// The least time between two fetches, whatever clients send.
const PAUSE: SignedDuration = SignedDuration::from_secs(60);

/// The most codes of an issuer that are exchanged at a time.
const EXCHANGES: usize = 32;

pub(crate) struct Issuer {
    pub(super) settings: IssuerSettings,
    outbound: Outbound,
    published: Mutex<MetadataCache>,
    /// Held while what the issuer publishes is fetched.
    fetching: AsyncMutex<()>,
    /// Bounds the codes that are exchanged at a time: a slow issuer must not take all threads.
    exchanges: Semaphore,
}

#[derive(Clone, Default)]
struct MetadataCache {
    known: Option<Arc<IssuerMetadata>>,
    /// When it was last fetched, or tried to.
    asked_at: Option<Timestamp>,
}

/// What an issuer published.
pub(super) struct IssuerMetadata {
    pub(super) endpoints: Endpoints,
    keys: IssuerKeys,
    fetched_at: Timestamp,
}

/// The part of an issuer's description that the server uses (OpenID Connect Discovery 1.0).
#[derive(Deserialize)]
struct Description {
    issuer: String,
    jwks_uri: String,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    revocation_endpoint: Option<String>,
}

pub(super) struct Endpoints {
    pub(super) authorization: Option<HttpsUrl>,
    pub(super) token: Option<HttpsUrl>,
    pub(super) revocation: Option<HttpsUrl>,
}

/// What an issuer gives for an authorization code.
pub(super) struct TokenResponse {
    pub(super) id_token: Zeroizing<String>,
    pub(super) grant: Option<GrantToken>,
}

#[derive(Deserialize)]
struct WireTokens {
    id_token: Option<String>,
    refresh_token: Option<String>,
}

/// What a request to exchange a code has beside the code.
pub(super) enum Bound<'a> {
    /// The code is from an app on the device.
    App,
    /// The code came through the browser, to this address.
    Browser { verifier: &'a str, redirect_uri: &'a str },
}

/// The trusted issuers by name.
pub(crate) fn issuers(settings: IssuersSettings, outbound: &Outbound) -> BTreeMap<String, Issuer> {
    let settings = settings.0.into_iter();
    settings.map(|(name, settings)| (name, Issuer::new(settings, outbound.clone()))).collect()
}

impl Issuer {
    pub(super) fn new(settings: IssuerSettings, outbound: Outbound) -> Issuer {
        Issuer {
            settings,
            outbound,
            published: Mutex::default(),
            fetching: AsyncMutex::default(),
            exchanges: Semaphore::new(EXCHANGES),
        }
    }

    /// Verifies a token of this issuer.
    pub(super) async fn verify(
        &self,
        token: &str,
        expected: &ExpectedClaims<'_>,
        now: Timestamp,
    ) -> Result<Subject, Failure> {
        if token.len() > LONGEST {
            return Err(TokenFault::Malformed.into());
        }
        let name = key_name(token)?;
        let known = self.known(now, |known| known.keys.get(&name).is_some()).await?;
        let key = known.keys.get(&name).ok_or(TokenFault::UnknownKey)?;
        Ok(verified(token, name.algorithm, key, expected, now)?)
    }

    /// What the issuer published. Fetches it if it is old or does not have what is needed, at most once a minute.
    pub(super) async fn known(
        &self,
        now: Timestamp,
        has: impl Fn(&IssuerMetadata) -> bool,
    ) -> Result<Arc<IssuerMetadata>, Failure> {
        if let Some(known) = self.fresh(now, &has) {
            return Ok(known);
        }
        let _fetching = self.fetching.lock().await;
        // Another request may have fetched it meanwhile.
        if let Some(known) = self.fresh(now, &has) {
            return Ok(known);
        }
        let MetadataCache { known, asked_at } = self.published().clone();
        let may_ask = asked_at.is_none_or(|at| now.duration_since(at).abs() >= PAUSE);
        if may_ask {
            self.published().asked_at = Some(now);
            match self.fetch(now).await {
                Ok(fetched) => {
                    let fetched = Arc::new(fetched);
                    self.published().known = Some(Arc::clone(&fetched));
                    return Ok(fetched);
                }
                Err(why) => {
                    tracing::warn!(issuer = self.settings.issuer, why, "cannot fetch the keys of an issuer");
                }
            }
        }
        let usable = known.filter(|known| now.duration_since(known.fetched_at) < STALE);
        usable.ok_or(Failure::IssuerUnavailable)
    }

    fn fresh(&self, now: Timestamp, has: impl Fn(&IssuerMetadata) -> bool) -> Option<Arc<IssuerMetadata>> {
        let known = self.published().known.clone()?;
        (now.duration_since(known.fetched_at) < FRESH && has(&known)).then_some(known)
    }

    /// What the issuer published last, however old.
    pub(super) fn last_known(&self) -> Option<Arc<IssuerMetadata>> {
        self.published().known.clone()
    }

    fn published(&self) -> MutexGuard<'_, MetadataCache> {
        self.published.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn fetch(&self, now: Timestamp) -> Result<IssuerMetadata, String> {
        let described = self.get(self.settings.discovery.clone()).await?;
        let Description { issuer, jwks_uri, authorization_endpoint, token_endpoint, revocation_endpoint } =
            serde_json::from_slice(&described).map_err(|error| format!("its description: {error}"))?;
        if issuer != self.settings.issuer {
            return Err("its description is of another issuer".to_owned());
        }
        let url = |text: &str| text.parse::<HttpsUrl>().map_err(|error| error.to_string());
        let maybe = |text: Option<String>| text.map(|text| url(&text)).transpose();
        let endpoints = Endpoints {
            authorization: maybe(authorization_endpoint)?,
            token: maybe(token_endpoint)?,
            revocation: maybe(revocation_endpoint)?,
        };
        let keys = self.get(url(&jwks_uri)?).await?;
        let keys = IssuerKeys::read(&keys).map_err(|error| format!("its keys: {error}"))?;
        Ok(IssuerMetadata { endpoints, keys, fetched_at: now })
    }

    async fn get(&self, url: HttpsUrl) -> Result<Zeroizing<Vec<u8>>, String> {
        let fetched = self.outbound.fetch(Fetch { url, form: Vec::new() }).await;
        match fetched.map_err(|error| error.to_string())? {
            IssuerAnswer { status: 200, body } => Ok(body),
            IssuerAnswer { status, .. } => Err(format!("status {status}")),
        }
    }

    /// Exchanges an authorization code of an app for tokens.
    ///
    /// # Errors
    /// [`Failure::AuthorizationCodeInvalid`] if the issuer refuses it, [`Failure::IssuerUnavailable`].
    pub(super) async fn exchange(
        &self,
        app: &str,
        code: &str,
        bound: Bound<'_>,
        now: Timestamp,
    ) -> Result<TokenResponse, Failure> {
        let known = self.known(now, |_| true).await?;
        let url = known.endpoints.token.clone().ok_or(Failure::IssuerUnavailable)?;
        let _free = self.exchanges.try_acquire().map_err(|_| Failure::IssuerUnavailable)?;
        let mut form = self.client(app, now)?;
        let text = |text: &str| Zeroizing::new(text.to_owned());
        form.push(("grant_type", text("authorization_code")));
        form.push(("code", text(code)));
        if let Bound::Browser { verifier, redirect_uri } = bound {
            form.push(("code_verifier", text(verifier)));
            form.push(("redirect_uri", text(redirect_uri)));
        }
        let unavailable = |why: &str| {
            tracing::warn!(issuer = self.settings.issuer, why, "an issuer does not exchange a code");
            Failure::IssuerUnavailable
        };
        let body = match self.outbound.fetch(Fetch { url, form }).await {
            Ok(IssuerAnswer { status: 200, body }) => body,
            Ok(IssuerAnswer { status: 400..=499, .. }) => return Err(Failure::AuthorizationCodeInvalid),
            Ok(IssuerAnswer { status, .. }) => return Err(unavailable(&format!("status {status}"))),
            Err(error) => return Err(unavailable(&error.to_string())),
        };
        let tokens: Option<WireTokens> = serde_json::from_slice(&body).ok();
        let Some(WireTokens { id_token: Some(id_token), refresh_token }) = tokens else {
            return Err(unavailable("the answer has no ID token"));
        };
        let grant = refresh_token.map(|token| GrantToken(Zeroizing::new(token)));
        Ok(TokenResponse { id_token: Zeroizing::new(id_token), grant })
    }

    /// Revokes a grant (RFC 7009). Returns whether the issuer has done so, or never will.
    pub(super) async fn revoke(&self, app: &str, grant: &GrantToken, now: Timestamp) -> bool {
        let Ok(known) = self.known(now, |_| true).await else { return false };
        // An issuer without this endpoint revokes nothing.
        let Some(url) = known.endpoints.revocation.clone() else { return true };
        let Ok(mut form) = self.client(app, now) else { return true };
        form.push(("token", grant.0.clone()));
        form.push(("token_type_hint", Zeroizing::new("refresh_token".to_owned())));
        match self.outbound.fetch(Fetch { url, form }).await {
            Ok(IssuerAnswer { status: 200..=299, .. }) => true,
            Ok(IssuerAnswer { status, .. }) => {
                tracing::warn!(issuer = self.settings.issuer, status, "an issuer does not revoke a grant");
                // Refused for good, unless it asks to wait.
                (400..500).contains(&status) && status != 429
            }
            Err(error) => {
                tracing::warn!(issuer = self.settings.issuer, %error, "an issuer does not revoke a grant");
                false
            }
        }
    }

    /// The fields that show the issuer which app asks.
    fn client(&self, app: &str, now: Timestamp) -> Result<Vec<(&'static str, Zeroizing<String>)>, Failure> {
        let IssuerSettings { issuer, secret, .. } = &self.settings;
        let secret = secret.as_ref().ok_or_else(|| Failure::Defect(format!("{issuer} has no secret")))?;
        let secret = secret.text(issuer, app, now)?;
        Ok(vec![("client_id", Zeroizing::new(app.to_owned())), ("client_secret", secret)])
    }
}
