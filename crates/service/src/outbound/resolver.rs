//! Looks up names, and leaves only the addresses that requests may reach.

use thiserror::Error;
use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::AllowedNetworks;

/// The name has no address that requests may reach.
#[derive(Debug, Error)]
#[error("none of the addresses of the host may be reached: they are not public")]
struct NotReachable;

pub(super) struct CheckedResolver {
    allowed: AllowedNetworks,
    names: DefaultResolver,
}

impl CheckedResolver {
    pub(super) fn new(allowed: AllowedNetworks) -> CheckedResolver {
        CheckedResolver { allowed, names: DefaultResolver::default() }
    }
}

impl std::fmt::Debug for CheckedResolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CheckedResolver")
    }
}

impl Resolver for CheckedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let mut allowed = self.empty();
        for address in self.names.resolve(uri, config, timeout)?.iter() {
            if self.allowed.allow(address.ip()) {
                allowed.push(*address);
            }
        }
        if allowed.is_empty() { Err(Error::Other(Box::new(NotReachable))) } else { Ok(allowed) }
    }
}
