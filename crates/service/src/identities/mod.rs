//! Sign-in with OpenID Connect: issuers that the operator trusts say who a player is.
//!
//! An identity is the issuer and its subject, never an email address. An ID token must carry a nonce that the server issued.
//! Each nonce is valid once, so a stolen token does not sign in. An app sends the token itself. For the web app the server
//! exchanges the authorization code that came through the browser. The verifier (PKCE) proves that this browser requested it.

#[cfg(test)]
mod attacks;
mod evidence;
mod grant;
mod id_token;
mod issuer;
mod nonce;
mod settings;
mod sign_in;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

pub use self::evidence::Evidence;
use self::evidence::{CheckedEvidence, Flow};
use self::grant::GrantToken;
pub use self::id_token::TokenFault;
use self::id_token::{ExpectedClaims, Subject};
pub(crate) use self::issuer::issuers as trusted_issuers;
use self::issuer::{Bound, Issuer, TokenResponse};
use self::nonce::{LIFETIME, Nonce, draw_nonce};
pub use self::settings::{IssuersSettings, NotIssuers};
pub use self::sign_in::{SignIn, SignedIn};
use crate::accounts::Accounts;
use crate::accounts::banned::Mark;
use crate::accounts::changes::{AccountChangeKind, ChangeLog};
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::auth::security;
use crate::auth::sessions::Sessions;
use crate::auth::throttle::Throttle;
use crate::base::clock::Clock;
use crate::base::entropy::Entropy;
use crate::base::failure::{Failure, milliseconds};
use crate::base::ids::new_id;
use crate::base::metrics::Metrics;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::identities::{self, IdentityRow, RemovalOutcome};
use estimation_store::{Connection, Database, Id, Server, StoreError, accounts};

/// The most identities of an account.
const PER_ACCOUNT: usize = 16;

/// A nonce for an ID token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct IssuedNonce {
    /// The nonce for the request to the issuer. It is used once.
    #[schema(min_length = 54, max_length = 54, pattern = "^[A-Za-z0-9_-]{54}$")]
    pub nonce: String,
    /// Seconds until it expires.
    #[schema(minimum = 600, maximum = 600, example = 600)]
    pub expires_in: u64,
}

/// The ways in besides passwords and recovery codes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct IssuerList {
    /// The issuers.
    #[schema(max_items = 16)]
    pub items: Vec<IssuerView>,
    /// Whether this server also sends links by mail (`POST /v1/password-resets`).
    pub mail: bool,
}

/// An issuer of OpenID Connect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct IssuerView {
    /// The name for requests.
    #[schema(min_length = 1, max_length = 32, pattern = "^[a-z0-9-]{1,32}$", example = "google")]
    pub name: String,
    /// The issuer's URL.
    #[schema(min_length = 1, max_length = 2000, example = "https://accounts.google.com")]
    pub issuer: String,
    /// What a web app needs to send a player there; null if the issuer is not for web apps, or has not answered yet.
    pub web: Option<IssuerForWeb>,
}

/// What a web app needs to send a player to an issuer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct IssuerForWeb {
    /// Where the issuer asks the player.
    #[schema(min_length = 1, max_length = 2000)]
    pub authorization_endpoint: String,
    /// How the issuer knows the web app.
    #[schema(min_length = 1, max_length = 255)]
    pub client_id: String,
    /// Where the issuer sends the player back to.
    #[schema(min_length = 1, max_length = 2000)]
    pub redirect_uri: String,
}

/// The identities that sign in to an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct IdentityList {
    /// The identities, oldest first.
    #[schema(max_items = 16)]
    pub items: Vec<IdentityView>,
}

/// An identity of an issuer that signs in to the caller's account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct IdentityView {
    /// The identity's id.
    pub id: Uuid,
    /// The issuer's URL.
    #[schema(min_length = 1, max_length = 2000, example = "https://accounts.google.com")]
    pub issuer: String,
    /// The issuer's name for requests; null if this server does not use it any more.
    #[schema(min_length = 1, max_length = 32, example = "google")]
    pub name: Option<String>,
    /// When the identity was linked.
    pub linked_at: RecordTime,
}

/// Where identities come from.
#[derive(Clone, Default)]
pub struct IdentitySettings {
    pub issuers: IssuersSettings,
    /// Where issuers send players of the web app back to; none if there is no web app to sign in to.
    pub redirect_uri: Option<String>,
}

pub struct Identities {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) throttle: Arc<Throttle>,
    pub(crate) change_log: Arc<ChangeLog>,
    pub(crate) issuers: BTreeMap<String, Issuer>,
    pub(crate) redirect_uri: Option<String>,
}

/// A player as an issuer knows them, with a nonce to use up.
struct ProvenIdentity {
    issuer: String,
    subject: Subject,
    grant: Option<GrantToken>,
    nonce: Nonce,
}

impl ProvenIdentity {
    /// What identifies the player to a ban.
    fn mark(&self) -> Mark<'_> {
        Mark::Identity { issuer: &self.issuer, subject: &self.subject.subject }
    }
}

impl Identities {
    /// A nonce for an ID token. Nothing is stored.
    pub fn nonce(&self) -> IssuedNonce {
        IssuedNonce {
            nonce: draw_nonce(&self.sessions.refresh_key(), self.clock.now(), &*self.entropy),
            expires_in: LIFETIME.as_secs().unsigned_abs(),
        }
    }

    /// The issuers that the operator trusts, and whether the server sends mail. Waits for none of them.
    pub fn issuers(&self, mail: bool) -> IssuerList {
        let view = |(name, issuer): (&String, &Issuer)| IssuerView {
            name: name.clone(),
            issuer: issuer.settings.issuer.clone(),
            web: self.web_client(issuer),
        };
        IssuerList { items: self.issuers.iter().map(view).collect(), mail }
    }

    fn web_client(&self, issuer: &Issuer) -> Option<IssuerForWeb> {
        let (client_id, redirect_uri) = (issuer.settings.web_client.clone()?, self.redirect_uri.clone()?);
        let authorization_endpoint = issuer.last_known()?.endpoints.authorization.as_ref()?.as_text();
        Some(IssuerForWeb { authorization_endpoint, client_id, redirect_uri })
    }

    /// Fetches the keys and the endpoints of issuers again when they are old, so that sign-ins do not wait for that.
    pub(crate) async fn refresh(&self) -> Result<(), Failure> {
        for issuer in self.issuers.values() {
            // Its failure is in the log.
            let _ = issuer.known(self.clock.now(), |_| true).await;
        }
        Ok(())
    }

    /// The identities of the caller's account.
    pub async fn list(&self, caller: &Caller) -> Result<IdentityList, Failure> {
        let account = caller.account.clone();
        let rows = self.database.read(move |conn| identities::of_account(conn, &account)).await?;
        let items = rows.into_iter().map(|row| {
            let name = self.issuers.iter().find(|(_, issuer)| issuer.settings.issuer == row.issuer);
            Ok(IdentityView {
                id: row.id.0,
                name: name.map(|(name, _)| name.clone()),
                issuer: row.issuer,
                linked_at: row.linked_at,
            })
        });
        Ok(IdentityList { items: items.collect::<Result<_, Failure>>()? })
    }

    /// Lets an identity sign in to the caller's account. A guest's becomes a full account.
    ///
    /// # Errors
    /// [`Failure::IdentityTaken`] if an account has the identity, and what is wrong with the evidence. A full account must
    /// have signed in within the last five minutes.
    pub async fn link(&self, caller: &Caller, evidence: Evidence) -> Result<IdentityList, Failure> {
        self.accounts.require_recent_sign_in(caller).await?;
        let evidence = self.checked(evidence)?;
        let counted = self.throttle.count_confirmation(caller.session).await?;
        let proven = match self.prove(evidence).await {
            Err(Failure::IssuerUnavailable) => {
                self.throttle.take_back(&counted).await?;
                return Err(Failure::IssuerUnavailable);
            }
            proven => proven?,
        };
        self.accounts.refuse_banned(&proven.mark()).await?;
        let identity = self.identity(&caller.account, &proven);
        let change = self.change_log.made(&caller.account, caller.session, AccountChangeKind::IdentityLinked);
        let (nonce, expires_at) = (proven.nonce.hash(), proven.nonce.expires_at);
        let link = move |conn: &mut Connection| {
            if !identities::use_nonce(conn, &nonce, expires_at)? {
                return Err(Failure::NonceInvalid);
            }
            if identities::of_account(conn, &identity.account_id)?.len() >= PER_ACCOUNT {
                return Err(Failure::TooManyIdentities);
            }
            insert(conn, &identity)?;
            accounts::end_guesthood(conn, &identity.account_id, identity.linked_at.milliseconds())?;
            change.write(conn)?;
            Ok(())
        };
        self.database.write(caller.authority(RequiredAuthority::SignedIn, self.clock.now()), link).await?;
        self.throttle.take_back(&counted).await?;
        security::identity_linked(&caller.account, caller.session, &proven.issuer);
        self.list(caller).await
    }

    /// Takes an identity from the caller's account.
    ///
    /// # Errors
    /// [`Failure::LastWayIn`] if nobody could sign in any more, [`Failure::NotFound`]. The caller must have signed in
    /// within the last five minutes.
    pub async fn remove(&self, caller: &Caller, id: Uuid) -> Result<(), Failure> {
        caller.require_recent_sign_in(self.clock.now())?;
        let change =
            self.change_log.made(&caller.account, caller.session, AccountChangeKind::IdentityRemoved);
        let (account, now) = (caller.account.clone(), milliseconds(self.clock.now()));
        let remove = move |conn: &mut Connection| match identities::remove(conn, &account, Id(id), now)? {
            RemovalOutcome::Done => Ok(change.write(conn)?),
            RemovalOutcome::Unknown => Err(Failure::NotFound { what: "identity" }),
            RemovalOutcome::LastWayIn => Err(Failure::LastWayIn),
        };
        self.database.write(caller.authority(RequiredAuthority::SignedIn, self.clock.now()), remove).await?;
        security::identity_removed(&caller.account, caller.session);
        Ok(())
    }

    /// Verifies evidence. Writes nothing.
    async fn prove(&self, evidence: CheckedEvidence<'_>) -> Result<ProvenIdentity, Failure> {
        let proven = self.verified(evidence).await;
        self.metrics.identity_proof(match &proven {
            Ok(_) => "accepted",
            Err(Failure::IssuerUnavailable) => "unavailable",
            Err(_) => "refused",
        });
        proven
    }

    async fn verified(&self, evidence: CheckedEvidence<'_>) -> Result<ProvenIdentity, Failure> {
        let CheckedEvidence { issuer, nonce, flow } = evidence;
        let now = self.clock.now();
        let nonce = Nonce::read(&self.sessions.refresh_key(), &nonce, now).ok_or(Failure::NonceInvalid)?;
        let url = issuer.settings.issuer.as_str();
        let expected =
            ExpectedClaims { issuer: url, audiences: &issuer.settings.audiences, nonce: Some(&nonce) };
        let (subject, grant) = match flow {
            Flow::App { id_token, code: None } => (issuer.verify(&id_token, &expected, now).await?, None),
            Flow::App { id_token, code: Some(code) } => {
                let subject = issuer.verify(&id_token, &expected, now).await?;
                let TokenResponse { id_token, grant } =
                    issuer.exchange(&subject.audience, &code, Bound::App, now).await?;
                // The code of another player would store that player's grant here.
                let of_code =
                    issuer.verify(&id_token, &ExpectedClaims { nonce: None, ..expected }, now).await?;
                if of_code.subject != subject.subject {
                    return Err(TokenFault::Subject.into());
                }
                (subject, grant)
            }
            Flow::Browser { code, verifier, client, redirect_uri } => {
                let bound = Bound::Browser { verifier: &verifier, redirect_uri };
                let TokenResponse { id_token, grant } = issuer.exchange(client, &code, bound, now).await?;
                let expected = ExpectedClaims { audiences: std::slice::from_ref(client), ..expected };
                (issuer.verify(&id_token, &expected, now).await?, grant)
            }
        };
        Ok(ProvenIdentity { issuer: url.to_owned(), subject, grant, nonce })
    }

    fn identity(&self, account: &AccountId, proven: &ProvenIdentity) -> IdentityRow {
        let now = self.clock.now();
        let id = Id(new_id(now, &*self.entropy));
        let Subject { subject, audience } = proven.subject.clone();
        IdentityRow {
            grant_token: self.sealed(proven, id),
            id,
            account_id: account.clone(),
            issuer: proven.issuer.clone(),
            subject,
            audience,
            linked_at: now.into(),
        }
    }

    /// The grant of a proven identity, encrypted.
    fn sealed(&self, proven: &ProvenIdentity, id: Id) -> Option<Vec<u8>> {
        proven.grant.as_ref()?.seal(&self.sessions.refresh_key(), &id.to_string(), &*self.entropy)
    }

    /// Deletes used nonces that have expired.
    pub(crate) async fn sweep(&self) -> Result<(), StoreError> {
        let now = milliseconds(self.clock.now());
        self.database.write(Server, move |conn| identities::sweep_nonces(conn, now)).await.map(drop)
    }
}

/// Gives an account an identity.
///
/// # Errors
/// [`Failure::IdentityTaken`] if an account has it.
fn insert(conn: &mut Connection, identity: &IdentityRow) -> Result<(), Failure> {
    identities::insert(conn, identity).map_err(|error| match error {
        StoreError::IdentityTaken => Failure::IdentityTaken,
        error => error.into(),
    })
}
