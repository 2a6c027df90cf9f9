//! The client's address: the connection's peer, or what a trusted proxy says.

use std::future::{Ready, ready};
use std::net::{IpAddr, SocketAddr};

use actix_web::dev::Payload;
use actix_web::http::header::HeaderName;
use actix_web::{FromRequest, HttpRequest, web};
use estimation_service::base::live::Live;
use estimation_service::base::network::Network;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The proxies whose `X-Forwarded-For` is believed.
#[derive(Clone, Default)]
pub(super) struct TrustedProxies(pub(super) Live<Vec<Network>>);

impl TrustedProxies {
    pub(super) fn new(networks: Vec<Network>) -> TrustedProxies {
        TrustedProxies(Live::new(networks))
    }

    /// Whether an address belongs to a trusted proxy.
    pub(super) fn trust(&self, address: IpAddr) -> bool {
        self.0.get().iter().any(|network| network.holds(address))
    }

    /// The client behind the proxies: the last address of the chain that is not a trusted proxy's. The addresses
    /// before it were sent by the client and are not believed.
    fn client(&self, peer: IpAddr, forwarded: &[&str]) -> IpAddr {
        let mut client = peer;
        for said in forwarded.iter().rev().flat_map(|value| value.rsplit(',')) {
            if !self.trust(client) {
                return client;
            }
            match forwarded_address(said.trim()) {
                Some(address) => client = address,
                None => return client,
            }
        }
        client
    }
}

/// Parses an entry of `X-Forwarded-For`: an address, with or without brackets and port.
fn forwarded_address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
    bare.parse().or_else(|_| with_port()).ok()
}

/// The client's address, if it is known.
pub(super) struct ClientAddress(pub(super) Option<IpAddr>);

impl FromRequest for ClientAddress {
    type Error = actix_web::Error;
    type Future = Ready<Result<ClientAddress, actix_web::Error>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        ready(Ok(ClientAddress(client(request))))
    }
}

/// The client's address, if it is known.
pub(super) fn client(request: &HttpRequest) -> Option<IpAddr> {
    let forwarded: Vec<&str> =
        request.headers().get_all(FORWARDED_FOR).filter_map(|value| value.to_str().ok()).collect();
    request.peer_addr().map(|peer| {
        let proxies = request.app_data::<web::Data<TrustedProxies>>();
        proxies.map_or(peer.ip(), |proxies| proxies.client(peer.ip(), &forwarded))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(networks: &[&str]) -> TrustedProxies {
        TrustedProxies::new(networks.iter().map(|text| text.parse().unwrap()).collect())
    }

    fn client(trusted: &[&str], peer: &str, forwarded: &[&str]) -> String {
        proxies(trusted).client(peer.parse().unwrap(), forwarded).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(client(&[], "10.0.0.1", &["198.51.100.7"]), "10.0.0.1");
        assert_eq!(client(&["10.0.0.0/8"], "10.0.0.1", &["198.51.100.7"]), "198.51.100.7");
        assert_eq!(client(&["10.0.0.0/8"], "203.0.113.9", &["198.51.100.7"]), "203.0.113.9");
    }

    #[test]
    fn an_address_may_have_a_port() {
        for (said, meant) in [
            ("198.51.100.7:4711", "198.51.100.7"),
            ("[2001:db8::7]:4711", "2001:db8::7"),
            ("[2001:db8::7]", "2001:db8::7"),
            ("2001:db8::7", "2001:db8::7"),
            (" 198.51.100.7:1 , 10.0.0.2:2", "198.51.100.7"),
        ] {
            assert_eq!(client(&["10.0.0.0/8"], "10.0.0.1", &[said]), meant, "{said}");
        }
        for nonsense in
            ["198.51.100.7:", "198.51.100.7:99999", "[198.51.100.7", "2001:db8::7]:1", "unknown", "_x:1"]
        {
            assert_eq!(client(&["10.0.0.0/8"], "10.0.0.1", &[nonsense]), "10.0.0.1", "{nonsense}");
        }
    }

    #[test]
    fn what_a_client_says_about_itself_is_not_believed() {
        let forged = ["192.0.2.1, 198.51.100.7"];
        assert_eq!(client(&["10.0.0.0/8"], "10.0.0.1", &forged), "198.51.100.7");
        assert_eq!(
            client(&["10.0.0.0/8"], "10.0.0.1", &["192.0.2.1", "198.51.100.7, 10.0.0.2"]),
            "198.51.100.7"
        );
        assert_eq!(client(&["10.0.0.0/8"], "10.0.0.1", &["nonsense"]), "10.0.0.1");
        assert_eq!(client(&["10.0.0.0/8"], "10.0.0.1", &[]), "10.0.0.1");
    }
}
