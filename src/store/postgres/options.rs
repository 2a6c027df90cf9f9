//! The options of a connection URI by name, read like libpq: first the URI, then the `PG…` variables.
//!
//! The table below holds every option of libpq. An option that libpq obeys and this server does not support
//! is refused by name, because a silently dropped option may be one that protects.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use thiserror::Error;

/// An unusable connection URI. No variant holds a value, because it may be a password.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OptionError {
    /// The URI's syntax is wrong.
    #[error("the database URL cannot be read: {0}")]
    Syntax(&'static str),
    /// An option that libpq does not know either.
    #[error("the database URL has an unknown option {0:?}")]
    Unknown(String),
    /// An option of libpq, or its environment variable, that this server does not support.
    #[error("{0} is not supported: leave it out")]
    Unsupported(String),
    /// A value that the option does not accept.
    #[error("invalid value of {name}: {expected}")]
    Value {
        /// The option, or its environment variable.
        name: String,
        /// The accepted values.
        expected: &'static str,
    },
    /// Options that contradict one another.
    #[error("{0}")]
    Contradiction(&'static str),
}

/// How an option is handled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Applied,
    /// Ignored: any value has no effect on this client.
    Ignored,
    /// Refused, except for these values, which change nothing.
    RefusedUnless(&'static [&'static str]),
}

use Kind::{Applied, Ignored, RefusedUnless};

/// The options of libpq 18, with their environment variables.
const TABLE: &[(&str, Option<&str>, Kind)] = &[
    ("host", Some("PGHOST"), Applied),
    ("hostaddr", Some("PGHOSTADDR"), Applied),
    ("port", Some("PGPORT"), Applied),
    ("dbname", Some("PGDATABASE"), Applied),
    ("user", Some("PGUSER"), Applied),
    ("password", Some("PGPASSWORD"), Applied),
    ("passfile", Some("PGPASSFILE"), Applied),
    ("channel_binding", Some("PGCHANNELBINDING"), Applied),
    ("connect_timeout", Some("PGCONNECT_TIMEOUT"), Applied),
    ("options", Some("PGOPTIONS"), Applied),
    ("application_name", Some("PGAPPNAME"), Applied),
    ("fallback_application_name", None, Applied),
    ("keepalives", None, Applied),
    ("keepalives_idle", None, Applied),
    ("keepalives_interval", None, Applied),
    ("keepalives_count", None, Applied),
    ("tcp_user_timeout", None, Applied),
    ("sslmode", Some("PGSSLMODE"), Applied),
    ("sslnegotiation", Some("PGSSLNEGOTIATION"), Applied),
    ("sslrootcert", Some("PGSSLROOTCERT"), Applied),
    ("sslcert", Some("PGSSLCERT"), Applied),
    ("sslkey", Some("PGSSLKEY"), Applied),
    ("sslcrl", Some("PGSSLCRL"), Applied),
    ("sslsni", Some("PGSSLSNI"), Applied),
    ("ssl_min_protocol_version", Some("PGSSLMINPROTOCOLVERSION"), Applied),
    ("ssl_max_protocol_version", Some("PGSSLMAXPROTOCOLVERSION"), Applied),
    ("target_session_attrs", Some("PGTARGETSESSIONATTRS"), Applied),
    ("load_balance_hosts", Some("PGLOADBALANCEHOSTS"), Applied),
    // Text is always UTF-8 here, and times are integers.
    ("client_encoding", Some("PGCLIENTENCODING"), Ignored),
    ("sslcompression", Some("PGSSLCOMPRESSION"), Ignored),
    ("krbsrvname", Some("PGKRBSRVNAME"), Ignored),
    ("gsslib", Some("PGGSSLIB"), Ignored),
    ("max_protocol_version", Some("PGMAXPROTOCOLVERSION"), Ignored),
    ("gssencmode", Some("PGGSSENCMODE"), RefusedUnless(&["disable", "prefer"])),
    ("gssdelegation", Some("PGGSSDELEGATION"), RefusedUnless(&["0"])),
    ("min_protocol_version", Some("PGMINPROTOCOLVERSION"), RefusedUnless(&["3.0"])),
    ("sslcertmode", Some("PGSSLCERTMODE"), RefusedUnless(&["allow"])),
    ("replication", None, RefusedUnless(&["false", "off", "no", "0"])),
    ("service", Some("PGSERVICE"), RefusedUnless(&[])),
    ("servicefile", None, RefusedUnless(&[])),
    ("sslpassword", None, RefusedUnless(&[])),
    ("sslcrldir", Some("PGSSLCRLDIR"), RefusedUnless(&[])),
    ("sslkeylogfile", None, RefusedUnless(&[])),
    ("requirepeer", Some("PGREQUIREPEER"), RefusedUnless(&[])),
    ("require_auth", Some("PGREQUIREAUTH"), RefusedUnless(&[])),
    ("scram_client_key", None, RefusedUnless(&[])),
    ("scram_server_key", None, RefusedUnless(&[])),
    ("oauth_issuer", None, RefusedUnless(&[])),
    ("oauth_client_id", None, RefusedUnless(&[])),
    ("oauth_client_secret", None, RefusedUnless(&[])),
    ("oauth_scope", None, RefusedUnless(&[])),
];

/// The supported options that are set.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Options(BTreeMap<&'static str, String>);

impl Options {
    /// Reads a connection URI. The environment supplies options that the URI leaves out.
    pub(super) fn read(uri: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, OptionError> {
        let mut options = Self::default();
        options.read_uri(uri)?;
        for (name, variable, _) in TABLE {
            let Some(variable) = variable else { continue };
            if !options.0.contains_key(name)
                && let Some(value) = environment(variable).filter(|value| !value.is_empty())
            {
                options.set(name, variable, value)?;
            }
        }
        options.0.retain(|name, _| TABLE.iter().any(|(known, _, kind)| known == name && *kind == Applied));
        Ok(options)
    }

    /// The value of an option; none when it is empty, which libpq treats as unset.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The value of an option with a fixed list of values.
    pub(super) fn choice<T: Copy>(
        &self,
        name: &str,
        expected: &'static str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, OptionError> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        match choices.iter().find(|(choice, _)| choice == value) {
            Some((_, meaning)) => Ok(Some(*meaning)),
            None => Err(OptionError::Value { name: name.to_owned(), expected }),
        }
    }

    /// The value of a numeric option.
    pub(super) fn number(&self, name: &str) -> Result<Option<i64>, OptionError> {
        let parse = |value: &str| {
            value
                .trim()
                .parse()
                .map_err(|_| OptionError::Value { name: name.to_owned(), expected: "an integer" })
        };
        self.get(name).map(parse).transpose()
    }

    fn set(&mut self, name: &str, shown: &str, value: String) -> Result<(), OptionError> {
        let Some((name, _, kind)) = TABLE.iter().find(|(known, ..)| *known == name) else {
            return Err(OptionError::Unknown(name.to_owned()));
        };
        if let RefusedUnless(harmless) = kind
            && !value.is_empty()
            && !harmless.contains(&value.as_str())
        {
            return Err(OptionError::Unsupported(shown.to_owned()));
        }
        self.0.insert(name, value);
        Ok(())
    }

    /// `postgresql://[user[:password]@][host[:port][,…]][/dbname][?name=value[&…]]`.
    fn read_uri(&mut self, uri: &str) -> Result<(), OptionError> {
        let (_, rest) = uri.split_once("://").ok_or(OptionError::Syntax("it has no scheme"))?;
        let credentials = rest.find(['@', '/']).filter(|at| rest[*at..].starts_with('@'));
        let rest = match credentials {
            Some(at) => {
                let (user, password) = rest[..at].split_once(':').unwrap_or((&rest[..at], ""));
                self.set_decoded("user", user)?;
                self.set_decoded("password", password)?;
                &rest[at + 1..]
            }
            None => rest,
        };
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (hosts, database) = place.split_once('/').unwrap_or((place, ""));
        self.read_hosts(hosts)?;
        self.set_decoded("dbname", database)?;
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) =
                parameter.split_once('=').ok_or(OptionError::Syntax("an option has no \"=\""))?;
            if value.contains('=') {
                return Err(OptionError::Syntax("an option has a second \"=\""));
            }
            match (decode(name)?.as_str(), decode(value)?) {
                // JDBC's spelling.
                ("ssl", value) if value == "true" => self.set("sslmode", "sslmode", "require".to_owned())?,
                (name, value) => self.set(name, name, value)?,
            }
        }
        Ok(())
    }

    /// `host[:port][,…]`, as one list of hosts and one of ports.
    fn read_hosts(&mut self, text: &str) -> Result<(), OptionError> {
        let (mut hosts, mut ports) = (Vec::new(), Vec::new());
        for place in text.split(',') {
            let (host, port) = match place.strip_prefix('[') {
                Some(place) => {
                    let (address, rest) =
                        place.split_once(']').ok_or(OptionError::Syntax("an IPv6 address has no \"]\""))?;
                    let port = match rest.strip_prefix(':') {
                        Some(port) => port,
                        None if rest.is_empty() => "",
                        None => return Err(OptionError::Syntax("something follows an IPv6 address")),
                    };
                    (address, port)
                }
                None => place.split_once(':').unwrap_or((place, "")),
            };
            hosts.push(decode(host)?);
            ports.push(decode(port)?);
        }
        for (name, list) in [("host", hosts), ("port", ports)] {
            if list.iter().any(|item| !item.is_empty()) {
                self.set(name, name, list.join(","))?;
            }
        }
        Ok(())
    }

    fn set_decoded(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        if value.is_empty() { Ok(()) } else { self.set(name, name, decode(value)?) }
    }
}

fn decode(text: &str) -> Result<String, OptionError> {
    let lone = text.split('%').skip(1).any(|rest| {
        !rest.as_bytes().first_chunk::<2>().is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    if lone {
        return Err(OptionError::Syntax("a \"%\" is not followed by two hexadecimal digits"));
    }
    let decoded = percent_decode_str(text)
        .decode_utf8()
        .map_err(|_| OptionError::Syntax("what is percent-encoded is not UTF-8"))?;
    if decoded.contains('\0') {
        return Err(OptionError::Syntax("it holds a zero byte"));
    }
    Ok(decoded.into_owned())
}
