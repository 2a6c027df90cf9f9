//! Which addresses requests of the server may reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use thiserror::Error;
use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use crate::base::network::Network;

/// Public addresses, and the networks that the operator names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedNetworks(pub Vec<Network>);

impl AllowedNetworks {
    pub(super) fn allow(&self, address: IpAddr) -> bool {
        is_public(address) || self.0.iter().any(|network| network.holds(address))
    }
}

/// Whether an address is one of the public internet, by the special-purpose registries of IANA.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !matches!(
        (a, b, c),
        // This network, private, loopback, link-local.
        (0 | 10 | 127, ..) | (172, 16..=31, _) | (192, 168, _) | (169, 254, _)
            // Carrier-grade NAT, protocol assignments, 6to4 relays, benchmarks.
            | (100, 64..=127, _) | (192, 0, 0) | (192, 88, 99) | (198, 18..=19, _)
            // Documentation.
            | (192, 0, 2) | (198, 51, 100) | (203, 0, 113)
            // Multicast, reserved, broadcast.
            | (224..=255, ..)
    )
}

/// Only global unicast, without the parts of it that embed IPv4 addresses or are for other purposes.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let is_global = a & 0xe000 == 0x2000;
    // Protocol assignments with Teredo, documentation, 6to4, documentation.
    let is_special = match a {
        0x2001 => b < 0x0200 || b == 0x0db8,
        0x2002 => true,
        0x3fff => b < 0x1000,
        _ => false,
    };
    is_global && !is_special
}

/// The name has no address that requests may reach.
#[derive(Debug, Error)]
#[error("none of the addresses of the host may be reached: they are not public")]
struct NotReachable;

/// Looks up names, and leaves only the addresses that requests may reach.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_allowed() {
        let allowed = AllowedNetworks::default();
        let public = [
            "1.1.1.1",
            "8.8.8.8",
            "172.15.0.1",
            "172.32.0.1",
            "100.63.0.1",
            "100.128.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450:4001::1",
            "2001:4860:4860::8888",
            "3ffe::1",
        ];
        for address in public {
            assert!(allowed.allow(address.parse().unwrap()), "{address}");
        }
        let others = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "ff0e::1",
        ];
        for address in others {
            assert!(!allowed.allow(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn an_operator_can_allow_more() {
        let allowed = AllowedNetworks(vec!["127.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()]);
        for (address, expected) in
            [("127.0.0.1", true), ("fd12::1", true), ("10.0.0.1", false), ("::1", false), ("8.8.8.8", true)]
        {
            assert_eq!(allowed.allow(address.parse().unwrap()), expected, "{address}");
        }
    }
}
