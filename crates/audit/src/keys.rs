//! The record keys that an audit checks signatures with, and where each came from.

use std::path::Path;

use estimation_record::verify::{BadKey, Trust};
use serde::Serialize;

use estimation_command::Failed;

/// A record key, as reports name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnownKey {
    /// The key's id.
    pub kid: String,
    /// Where the audit got the key.
    pub from: String,
    /// Whether the caller chose the key. A service that forges histories can forge keys, so a key from the service
    /// proves only that the service agrees with itself.
    pub pinned: bool,
}

/// What an audit trusts, with the origin of its keys.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// What the verifier trusts.
    pub trust: Trust,
    /// The keys, in the order in which they were added.
    pub known: Vec<KnownKey>,
}

impl Keys {
    /// Adds the record keys of a file with a JWK set that the caller named.
    pub(crate) fn pin_file(&mut self, file: &Path) -> Result<(), Failed> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        self.pin_jwks(&format!("{} (--jwks)", file.display()), &text)
    }

    /// Adds the record keys of a JWK set that the caller trusts. Reports name its origin.
    ///
    /// # Errors
    ///
    /// The text is no JWK set with record keys.
    pub fn pin_jwks(&mut self, from: &str, jwks: &str) -> Result<(), Failed> {
        Ok(self.add(from, true, |trust| trust.add_jwks(jwks))?)
    }

    /// Adds a record key that the caller gave.
    pub(crate) fn pin_hex(&mut self, key: &str) -> Result<(), Failed> {
        Ok(self.add("the command line (--key)", true, |trust| trust.add_hex(key))?)
    }

    /// Adds the record keys of the audited service's own JWK set.
    pub(crate) fn add_own(&mut self, from: &str, jwks: &str) -> Result<(), Failed> {
        Ok(self.add(from, false, |trust| trust.add_jwks(jwks))?)
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn add(
        &mut self,
        from: &str,
        pinned: bool,
        add: impl FnOnce(&mut Trust) -> Result<(), BadKey>,
    ) -> Result<(), BadKey> {
        add(&mut self.trust)?;
        let new = self.trust.kids().skip(self.known.len());
        let new: Vec<KnownKey> =
            new.map(|kid| KnownKey { kid: kid.to_owned(), from: from.to_owned(), pinned }).collect();
        self.known.extend(new);
        Ok(())
    }
}
