//! The hosts of push services.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A host name, or `*.` and the end of some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushHost(String);

/// The text names no host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a host name like push.example.org, or *.example.org")]
pub struct NotAPushHost;

impl FromStr for PushHost {
    type Err = NotAPushHost;

    fn from_str(text: &str) -> Result<PushHost, NotAPushHost> {
        let name = text.strip_prefix("*.").unwrap_or(text);
        let fits = |label: &str| {
            !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        if !name.split('.').all(fits) {
            return Err(NotAPushHost);
        }
        Ok(PushHost(text.to_ascii_lowercase()))
    }
}

impl fmt::Display for PushHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PushHost {
    /// The push services of Chrome, Firefox, Safari and Edge.
    pub const KNOWN: &str =
        "fcm.googleapis.com,updates.push.services.mozilla.com,*.push.apple.com,*.notify.windows.com";

    pub(super) fn is(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        match self.0.strip_prefix('*') {
            Some(end) => host.len() > end.len() && host.ends_with(end),
            None => host == self.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_hosts_below_a_domain() {
        let is = |pattern: &str, host: &str| pattern.parse::<PushHost>().unwrap().is(host);
        assert!(is("push.example.org", "PUSH.example.org") && !is("push.example.org", "a.push.example.org"));
        assert!(is("*.example.org", "web.example.org") && is("*.example.org", "a.b.example.org"));
        for other in ["example.org", "webexample.org", "example.org.evil.net", ".example.org"] {
            assert!(!is("*.example.org", other), "{other}");
        }
        for wrong in ["", "*", "*.", "a..b", "a/b", "a:443", "https://a", "*.*.org", "a b"] {
            assert!(wrong.parse::<PushHost>().is_err(), "{wrong}");
        }
        assert_eq!(PushHost::KNOWN.split(',').filter(|host| host.parse::<PushHost>().is_ok()).count(), 4);
    }
}
