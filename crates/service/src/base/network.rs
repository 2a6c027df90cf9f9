//! Networks of addresses, as operators name them.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use thiserror::Error;

/// A network, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(IpNet);

/// A text that is not a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a network is an address and the length of its prefix, like 10.0.0.0/8")]
pub struct NotANetwork;

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Network, NotANetwork> {
        let address = || text.parse::<IpAddr>().map(IpNet::from);
        text.parse().or_else(|_| address()).map(Network).map_err(|_| NotANetwork)
    }
}

impl Network {
    /// Whether an address belongs to the network. An IPv4-mapped IPv6 address counts as IPv4.
    pub fn holds(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }

    /// Whether it holds all addresses of a version of IP.
    pub fn is_everything(&self) -> bool {
        self.0.prefix_len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_holds_its_addresses() {
        let holds = |network: &str, address: &str| {
            network.parse::<Network>().unwrap().holds(address.parse().unwrap())
        };
        assert!(holds("10.0.0.0/8", "10.255.0.1") && !holds("10.0.0.0/8", "11.0.0.1"));
        assert!(holds("127.0.0.1", "127.0.0.1") && !holds("127.0.0.1", "127.0.0.2"));
        assert!(holds("0.0.0.0/0", "203.0.113.9") && !holds("0.0.0.0/0", "2001:db8::1"));
        assert!(holds("10.0.0.0/8", "::ffff:10.1.2.3"));
        assert!(holds("2001:db8::/32", "2001:db8:9::1") && holds("::/0", "::1"));
        for wrong in ["", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/-1", "proxy/8"] {
            assert_eq!(wrong.parse::<Network>(), Err(NotANetwork), "{wrong}");
        }
    }
}
