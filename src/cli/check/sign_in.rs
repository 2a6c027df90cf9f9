//! How players reach the server: TLS, proxies, and the public address.

use std::time::Duration;

use super::Finding;
use crate::cli::serve::ServeFlags;

const AREA: &str = "proxy";

/// How long the public address may take.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn findings(flags: &ServeFlags) -> Vec<Finding> {
    let (proxies, url) = (flags.trusted_proxies(), flags.sign_in.public_url());
    let is_https = url.as_ref().is_some_and(|url| url.starts_with("https://"));
    let mut findings = Vec::new();
    if proxies.iter().any(|network| network.is_everything()) {
        findings.push(Finding::problem(
            AREA,
            "every address is a trusted proxy",
            "anybody can send an `X-Forwarded-For`, and get around each limit by address",
            "name the addresses of your proxies alone",
        ));
    }
    if is_https && proxies.is_empty() {
        findings.push(Finding::problem(
            AREA,
            "players come by https, and no proxy is trusted",
            "all players seem to have the proxy's address, and share its limits",
            "set --trusted-proxy to the proxy's address, as in 127.0.0.1",
        ));
    }
    if !flags.listen.ip().is_loopback() && proxies.is_empty() {
        findings.push(Finding::warning(
            AREA,
            format!("the server is open to others on {} without a proxy", flags.listen),
            "this server has no TLS: tokens and passwords cross the network in plain text",
            "listen on 127.0.0.1, and let a proxy do TLS: docs/installing.md",
        ));
    }
    if !flags.metrics_listen.ip().is_loopback() {
        findings.push(Finding::warning(
            AREA,
            format!("the metrics are open to others on {}", flags.metrics_listen),
            "they need no password",
            "keep the port behind a firewall, or listen on 127.0.0.1",
        ));
    }
    if let Some(url) = &url {
        findings.push(reached(url));
    }
    if findings.is_empty() {
        findings.push(Finding::good(AREA, "players reach the server on this machine alone"));
    }
    findings
}

/// Asks the server at its public address.
fn reached(url: &str) -> Finding {
    let agent = estimation_command::agent(Some(PATIENCE));
    let failed = |why: String| {
        Finding::warning(
            AREA,
            format!("{url} does not lead to a server: {why}"),
            "links in mails and invitations lead there",
            "start the server and the proxy; see the proxy's log, its certificate and the DNS",
        )
    };
    // A proxy may hide the probes of the server.
    match agent.get(format!("{url}/.well-known/jwks.json")).call() {
        Err(error) => failed(error.to_string()),
        Ok(mut answer) => {
            let body = answer.body_mut().read_to_string().unwrap_or_default();
            match body.contains("\"keys\"") {
                true => Finding::good(AREA, format!("{url} leads to a server")),
                false => failed(format!("{} at /.well-known/jwks.json", answer.status())),
            }
        }
    }
}
