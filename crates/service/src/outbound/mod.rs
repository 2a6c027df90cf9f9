//! Requests to addresses that others choose: webhooks, push services, issuers of identities.
//!
//! Only https, without redirects and without a proxy. The connection goes to the address that was checked, so a name
//! cannot lead elsewhere after the check. What an answer says reaches no client.

mod networks;
mod url;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use thiserror::Error;
use tokio::task::spawn_blocking;
use ureq::Agent;
use ureq::unversioned::transport::DefaultConnector;
use zeroize::Zeroizing;

pub use self::networks::AllowedNetworks;
use self::networks::CheckedResolver;
pub use self::url::{HttpsUrl, NotAnHttpsUrl};
use estimation_command::tls;

/// The longest time of a request, with its answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The most bytes that are read of an answer that says nothing but its status.
const MAX: u64 = 4 << 10;

/// The most bytes of an answer of an issuer: its keys, its tokens, its own description.
const MAX_OF_ISSUER: u64 = 64 << 10;

/// Sends requests. Connections are kept for further ones. Cloning is cheap.
#[derive(Clone)]
pub(crate) struct Outbound(Arc<Client>);

struct Client {
    allowed: AllowedNetworks,
    /// Answers instead of the network.
    #[cfg(test)]
    script: Option<Script>,
    /// Made for the first request: the root certificates of the system take time and memory.
    agent: OnceLock<Agent>,
}

/// A request with a body.
pub(crate) struct Post {
    pub(crate) url: HttpsUrl,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeliveryAnswer {
    pub(crate) status: u16,
    /// The seconds of a `Retry-After`.
    pub(crate) retry_after: Option<u32>,
}

/// A request to an issuer: for what it publishes, or with a form.
pub(crate) struct Fetch {
    pub(crate) url: HttpsUrl,
    /// Names and values; a GET if there are none.
    pub(crate) form: Vec<(&'static str, Zeroizing<String>)>,
}

/// What an issuer answered. It may hold tokens.
pub(crate) struct IssuerAnswer {
    pub(crate) status: u16,
    pub(crate) body: Zeroizing<Vec<u8>>,
}

/// There was no answer. The text is for the log.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct NoAnswer(pub(crate) String);

#[cfg(test)]
type Script = Box<dyn Fn(Fetch) -> Result<IssuerAnswer, NoAnswer> + Send + Sync>;

impl Outbound {
    pub(crate) fn new(allowed: AllowedNetworks) -> Outbound {
        Outbound(Arc::new(Client {
            allowed,
            #[cfg(test)]
            script: None,
            agent: OnceLock::new(),
        }))
    }

    /// One that asks this instead of the network.
    #[cfg(test)]
    pub(crate) fn scripted(
        script: impl Fn(Fetch) -> Result<IssuerAnswer, NoAnswer> + Send + Sync + 'static,
    ) -> Outbound {
        let script = Some(Box::new(script) as Script);
        Outbound(Arc::new(Client { allowed: AllowedNetworks::default(), script, agent: OnceLock::new() }))
    }

    /// Posts, off the event loop.
    pub(crate) async fn post(&self, request: Post) -> Result<DeliveryAnswer, NoAnswer> {
        let client = Arc::clone(&self.0);
        let sent = spawn_blocking(move || client.post(request));
        sent.await.unwrap_or_else(|error| Err(NoAnswer(error.to_string())))
    }

    /// Sends a request to an issuer, off the event loop.
    ///
    /// # Errors
    /// [`NoAnswer`] if no answer came within ten seconds, or its body has more than 64 KiB.
    pub(crate) async fn fetch(&self, request: Fetch) -> Result<IssuerAnswer, NoAnswer> {
        let client = Arc::clone(&self.0);
        let fetched = spawn_blocking(move || client.fetch(request));
        fetched.await.unwrap_or_else(|error| Err(NoAnswer(error.to_string())))
    }
}

impl Client {
    fn agent(&self) -> Agent {
        let config = Agent::config_builder()
            .tls_config(tls())
            .https_only(true)
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT))
            .user_agent(concat!("estimation/", env!("CARGO_PKG_VERSION")))
            .build();
        let resolver = CheckedResolver::new(self.allowed.clone());
        Agent::with_parts(config, DefaultConnector::new(), resolver)
    }

    fn post(&self, Post { url, headers, body }: Post) -> Result<DeliveryAnswer, NoAnswer> {
        let agent = self.agent.get_or_init(|| self.agent());
        let request = headers
            .into_iter()
            .fold(agent.post(url.uri()), |request, (name, value)| request.header(name, value));
        let mut response = request.send(body).map_err(|error| NoAnswer(error.to_string()))?;
        let header = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let retry_after = header.and_then(|value| value.trim().parse().ok());
        // Read to its end, so that the connection can be used again.
        let _ = response.body_mut().with_config().limit(MAX).read_to_vec();
        Ok(DeliveryAnswer { status: response.status().as_u16(), retry_after })
    }

    fn fetch(&self, fetch: Fetch) -> Result<IssuerAnswer, NoAnswer> {
        #[cfg(test)]
        if let Some(script) = &self.script {
            return script(fetch);
        }
        let Fetch { url, form } = fetch;
        let agent = self.agent.get_or_init(|| self.agent());
        let sent = if form.is_empty() {
            agent.get(url.uri()).header("accept", "application/json").call()
        } else {
            let fields = form.iter().map(|(name, value)| (*name, value.as_str()));
            agent.post(url.uri()).header("accept", "application/json").send_form(fields)
        };
        let mut response = sent.map_err(|error| NoAnswer(error.to_string()))?;
        let read = response.body_mut().with_config().limit(MAX_OF_ISSUER).read_to_vec();
        let body = read.map_err(|error| NoAnswer(error.to_string()))?;
        Ok(IssuerAnswer { status: response.status().as_u16(), body: Zeroizing::new(body) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However an address is written, the connection is refused before it begins.
    #[tokio::test]
    async fn no_spelling_of_an_address_leads_inside() {
        let outbound = Outbound::new(AllowedNetworks::default());
        let hosts = [
            "localhost",
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "0x7f.1",
            "0",
            "0.0.0.0",
            "10.0.0.1",
            "10.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0xa9fea9fe",
            "100.64.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "[::]",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::ffff:10.0.0.1]",
            "[0:0:0:0:0:ffff:a9fe:a9fe]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "[2001::1]",
            "[2001:db8::1]",
            "[fc00::1]",
            "[fd00:ec2::254]",
            "[fe80::1]",
            "[fec0::1]",
            "[ff02::1]",
            "[100::1]",
        ];
        for host in hosts {
            for port in ["", ":8443"] {
                let url: HttpsUrl = format!("https://{host}{port}/").parse().unwrap();
                let answer = outbound.post(Post { url, headers: Vec::new(), body: Vec::new() }).await;
                let NoAnswer(why) = answer.unwrap_err();
                assert!(why.contains("they are not public"), "{host}: {why}");
                let url: HttpsUrl = format!("https://{host}{port}/").parse().unwrap();
                let NoAnswer(why) = outbound.fetch(Fetch { url, form: Vec::new() }).await.err().unwrap();
                assert!(why.contains("they are not public"), "{host}: {why}");
            }
        }
    }
}
