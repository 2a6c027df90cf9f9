//! What identified banned accounts that were deleted: keyed hashes of their identities and email addresses, until the ban
//! ends. The server refuses to register or link these identities, and to verify these addresses.

use super::Accounts;
use crate::auth::keys::RefreshKey;
use crate::auth::restrictions::end;
use crate::base::failure::{Failure, milliseconds};
use estimation_engine::player::AccountId;
use estimation_store::moderation::{banned_until, remember_banned, standing};
use estimation_store::{Connection, Hash, StoreError, email_addresses, identities};

/// What identifies a person.
pub(crate) enum Mark<'a> {
    /// An issuer of OpenID Connect and its subject.
    Identity { issuer: &'a str, subject: &'a str },
    /// An email address in lower case.
    Email(&'a str),
}

impl Mark<'_> {
    fn mac(&self, key: &RefreshKey) -> Hash {
        let parts: [&[u8]; 3] = match self {
            Mark::Identity { issuer, subject } => [b"identity\0", issuer.as_bytes(), subject.as_bytes()],
            Mark::Email(address) => [b"email\0", address.as_bytes(), b""],
        };
        key.mac(&[b"estimation/banned/v1/".as_slice(), parts[0], parts[1], b"\0", parts[2]].concat())
    }
}

impl Accounts {
    /// Refuses an identity or address of a banned account that was deleted.
    ///
    /// # Errors
    /// [`Failure::Banned`].
    pub(crate) async fn refuse_banned(&self, mark: &Mark<'_>) -> Result<(), Failure> {
        let (macs, now) = ([mark.mac(&self.sessions.refresh_key())], milliseconds(self.clock.now()));
        match self.database.read(move |conn| banned_until(conn, &macs, now)).await? {
            Some(until) => Err(Failure::Banned { until: end(until)? }),
            None => Ok(()),
        }
    }
}

/// Remembers what identifies an account that is banned, before it is deleted.
pub(super) fn remember(
    conn: &mut Connection,
    account: &AccountId,
    key: &RefreshKey,
    now: i64,
) -> Result<(), StoreError> {
    let Some(until) = standing(conn, account)?.banned_until.filter(|until| *until > now) else {
        return Ok(());
    };
    let mut macs: Vec<Hash> = identities::of_account(conn, account)?
        .iter()
        .map(|row| Mark::Identity { issuer: &row.issuer, subject: &row.subject }.mac(key))
        .collect();
    let email = email_addresses::find(conn, account)?;
    macs.extend(email.map(|row| Mark::Email(&row.address_key).mac(key)));
    remember_banned(conn, &macs, until)
}
