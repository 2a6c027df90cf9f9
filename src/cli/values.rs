//! Values of flags: limits, durations and addresses.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;

use estimation_service::auth::throttle::period_seconds;
use estimation_service::games::bots::BotDelay;

/// A limit; `off` is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit(pub(super) Option<u32>);

impl FromStr for Limit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Limit, &'static str> {
        match text.parse() {
            _ if text == "off" => Ok(Limit(None)),
            Ok(max @ 1..) => Ok(Limit(Some(max))),
            _ => Err("expected a number from 1 to 4294967295, or off"),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(max) => max.fmt(f),
            None => f.write_str("off"),
        }
    }
}

/// A duration; `off` is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span(pub(super) Option<Duration>);

pub(super) fn span(text: &str) -> Result<Span, &'static str> {
    if text == "off" {
        return Ok(Span(None));
    }
    let seconds =
        period_seconds(text).ok_or("expected a number with s, m, h or d, as in 90s or 7d, or off")?;
    Ok(Span(Some(Duration::from_secs(seconds))))
}

/// The range of a time that is drawn; `off` is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delay(pub(super) Option<BotDelay>);

pub(super) fn delay(text: &str) -> Result<Delay, &'static str> {
    if text == "off" {
        return Ok(Delay(None));
    }
    let milliseconds = |text: &str| text.strip_suffix("ms")?.parse().ok().map(Duration::from_millis);
    let range = text
        .split_once("..")
        .and_then(|(min, max)| BotDelay::between(milliseconds(min)?, milliseconds(max)?));
    range
        .map(|range| Delay(Some(range)))
        .ok_or("expected two times from 300ms to 10000ms, as in 600ms..1600ms, or off")
}

pub(super) fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "expected an address and a port, as in 127.0.0.1:8080 or [::1]:8080")
}

/// Whether something is so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switch(pub(super) bool);

pub(super) fn switch(text: &str) -> Result<Switch, &'static str> {
    match text {
        "on" => Ok(Switch(true)),
        "off" => Ok(Switch(false)),
        _ => Err("expected on or off"),
    }
}

/// Parses an address at which people are reached.
pub(super) fn contact(text: &str) -> Result<String, &'static str> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("mailto:"));
    let fits = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_graphic());
    rest.filter(|rest| fits(rest))
        .map(|_| text.to_owned())
        .ok_or("expected an address with https:// or mailto:")
}

/// Parses the URL of the web app: https, or http on this machine; without a query. A final slash is dropped.
pub(super) fn public_url(text: &str) -> Result<String, &'static str> {
    let url = text.trim_end_matches('/');
    let host = |rest: &str| rest.split('/').next().unwrap_or_default().to_owned();
    let is_local = |rest: &str| {
        let host = host(rest);
        let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
        matches!(name, "localhost" | "127.0.0.1" | "[::1]")
    };
    let rest =
        url.strip_prefix("https://").or_else(|| url.strip_prefix("http://").filter(|rest| is_local(rest)));
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"?#@\"<>\\".contains(&byte);
    rest.filter(|rest| !host(rest).is_empty() && rest.bytes().all(is_plain))
        .map(|_| url.to_owned())
        .ok_or("expected the URL of the web app, with https://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_of_the_web_app_is_https_or_local() {
        for url in
            ["https://cards.example.org", "https://cards.example.org:8443/play", "http://localhost:8080"]
        {
            assert_eq!(public_url(&format!("{url}/")).as_deref(), Ok(url));
            assert_eq!(public_url(url).as_deref(), Ok(url));
        }
        for wrong in [
            "",
            "cards.example.org",
            "http://cards.example.org",
            "https://",
            "https:///a",
            "https://a/?b",
            "https://a/#b",
            "https://a@b",
            "http://localhost.example.org",
            "ftp://localhost",
        ] {
            assert!(public_url(wrong).is_err(), "{wrong}");
        }
    }
}
