//! Settings from a file, the environment and the command line. Flags override the environment, which overrides the file.
//!
//! The file is TOML with the names of the flags as keys. Its values replace the defaults of clap, which does everything
//! else: validation and error messages included.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use toml::{Table, Value};

use super::Failed;
use estimation_service::moderation::server::{SettingSource, SettingView};
use estimation_store::DatabaseUrl;

/// The flag that names the file.
const FILE: &str = "config";

/// The subcommand with all settings of the service.
const SERVE: &str = "serve";

/// The settings file, if there is one.
pub(super) struct Configuration {
    file: Option<PathBuf>,
    settings: Table,
}

impl Configuration {
    /// Reads the file that the command line or the environment names.
    pub(super) fn read(command: &Command) -> Result<Configuration, Failed> {
        // The second parse reports other errors.
        let matches = command.clone().ignore_errors(true).try_get_matches();
        let file = matches.ok().and_then(|matches| named(&matches));
        let Some(path) = &file else { return Ok(Configuration { file, settings: Table::new() }) };
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| told(&error))?;
        // The error's own text quotes the line, which may hold a secret.
        let settings: Table = text.parse().map_err(|error: toml::de::Error| {
            let line = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default();
            let line = line.matches('\n').count() + 1;
            told(&format_args!("line {line}: {}", error.message()))
        })?;
        for name in settings.keys() {
            if !known(command, name) {
                return Err(told(&format!("unknown setting {name:?}")).into());
            }
        }
        Ok(Configuration { file, settings })
    }

    /// The command line, with the file's values as defaults.
    pub(super) fn applied(&self, command: Command) -> Result<Command, Failed> {
        let given = command.clone().ignore_errors(true).try_get_matches().ok();
        let rivals = given.as_ref().map(given_keys).unwrap_or_default();
        let mut values = Vec::new();
        for (name, value) in &self.settings {
            // A flag or variable overrides the settings of the file that it excludes.
            if rivals && KEY_SOURCES.contains(&name.as_str()) {
                continue;
            }
            values.push((name.clone(), texts(name, value)?));
        }
        Ok(with_defaults(command, &values))
    }

    /// The values of all settings.
    pub(super) fn values(command: &Command, matches: &ArgMatches) -> Values {
        let mut values = BTreeMap::new();
        let matches = matches.subcommand_matches(SERVE).unwrap_or(matches);
        let Some(serve) = command.find_subcommand(SERVE) else { return Values(values) };
        for arg in serve.get_arguments() {
            let Some(name) = arg.get_long().filter(|name| *name != FILE && *name != "help") else { continue };
            let raw = matches.try_get_raw(arg.get_id().as_str()).ok().flatten();
            values.insert(name.to_owned(), raw.into_iter().flatten().map(ToOwned::to_owned).collect());
        }
        Values(values)
    }

    /// All settings in effect, in the format of the file, without secrets.
    pub(super) fn effective(&self, command: &Command, matches: &ArgMatches) -> String {
        let mut text = String::new();
        if let Some(file) = &self.file {
            let _ = writeln!(text, "# with {}", file.display());
        }
        for ShownSetting { name, value, from, is_set } in self.shown(command, matches) {
            let _ = match value {
                None if !is_set => writeln!(text, "# {name} is not set"),
                None => writeln!(text, "# {name} is set ({}) and not shown", words(from)),
                Some(value) => writeln!(text, "{name} = {value} # {}", words(from)),
            };
        }
        text
    }

    /// All settings in effect, without secrets, as the desk lists them.
    pub(super) fn listed(&self, command: &Command, matches: &ArgMatches) -> Vec<SettingView> {
        let matches = matches.subcommand_matches(SERVE).unwrap_or(matches);
        let shown = self.shown(command, matches).into_iter();
        let view = |ShownSetting { name, value, from, is_set }: ShownSetting| SettingView {
            value: value.map(|value| if URLS.contains(&name.as_str()) { host_of(&value) } else { value }),
            flag: name,
            source: is_set.then_some(from),
        };
        shown.map(view).collect()
    }

    fn shown(&self, command: &Command, matches: &ArgMatches) -> Vec<ShownSetting> {
        let mut all = Vec::new();
        let Some(serve) = command.find_subcommand(SERVE) else { return all };
        for arg in serve.get_arguments() {
            let Some(name) = arg.get_long().filter(|name| *name != FILE && *name != "help") else { continue };
            if arg.is_hide_set() {
                continue;
            }
            let id = arg.get_id().as_str();
            let values: Vec<String> = matches
                .get_raw(id)
                .map(|values| values.map(|value| value.to_string_lossy().into_owned()).collect())
                .unwrap_or_default();
            let from = match matches.value_source(id) {
                Some(ValueSource::CommandLine) => SettingSource::Flag,
                Some(ValueSource::EnvVariable) => SettingSource::Environment,
                Some(_) if self.settings.contains_key(name) => SettingSource::File,
                _ => SettingSource::Default,
            };
            let (name, value) = (name.to_owned(), shown(arg, &values));
            all.push(ShownSetting { name, value, from, is_set: !values.is_empty() });
        }
        all
    }
}

/// Settings whose paths may be secret.
const URLS: [&str; 2] = ["webhook-url", "otlp-endpoint"];

/// A URL in quotes without its path.
fn host_of(value: &str) -> String {
    let end = value.find("://").and_then(|scheme| Some(scheme + 3 + value[scheme + 3..].find('/')?));
    end.map_or_else(|| value.to_owned(), |end| format!("{}/…\"", &value[..end]))
}

/// Where a setting comes from, in words.
fn words(source: SettingSource) -> &'static str {
    match source {
        SettingSource::Flag => "command line",
        SettingSource::Environment => "environment",
        SettingSource::File => "file",
        SettingSource::Default => "default",
    }
}

/// A setting, as it may be shown.
struct ShownSetting {
    name: String,
    /// In TOML; none for a secret, and if it is not set.
    value: Option<String>,
    from: SettingSource,
    is_set: bool,
}

/// The values of settings by name, secrets among them.
pub(super) struct Values(BTreeMap<String, Vec<OsString>>);

impl Values {
    /// Takes other values of some settings.
    pub(super) fn take(&mut self, mut then: Values, names: &[&str]) {
        for name in names {
            if let Some((name, value)) = then.0.remove_entry(*name) {
                self.0.insert(name, value);
            }
        }
    }

    /// The names of the settings that differ.
    pub(super) fn changed(&self, then: &Values) -> Vec<String> {
        self.0
            .iter()
            .filter(|(name, value)| then.0.get(*name) != Some(value))
            .map(|(name, _)| name.clone())
            .collect()
    }
}

/// Settings that exclude each other.
const KEY_SOURCES: [&str; 3] = ["keys-file", "keys", "keys-secret"];

/// Whether the command line or the environment has one of [`KEY_SOURCES`].
fn given_keys(matches: &ArgMatches) -> bool {
    let here = KEY_SOURCES.iter().any(|name| {
        let id = name.replace('-', "_");
        let source = matches.try_contains_id(&id).ok().and_then(|_| matches.value_source(&id));
        matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable))
    });
    here || matches.subcommand().is_some_and(|(_, matches)| given_keys(matches))
}

fn named(matches: &ArgMatches) -> Option<PathBuf> {
    let here = matches.try_get_one::<PathBuf>(FILE).ok().flatten().cloned();
    here.or_else(|| matches.subcommand().and_then(|(_, matches)| named(matches)))
}

/// Whether `serve` has a setting of that name.
fn known(command: &Command, name: &str) -> bool {
    let serve = command.find_subcommand(SERVE);
    name != FILE && serve.is_some_and(|serve| serve.get_arguments().any(|arg| arg.get_long() == Some(name)))
}

/// The values of a list, or one value.
fn texts(name: &str, value: &Value) -> Result<Vec<String>, Failed> {
    match value {
        Value::Array(values) => values.iter().map(|value| text(name, value)).collect(),
        value => Ok(vec![text(name, value)?]),
    }
}

/// A value in the syntax of the command line.
fn text(name: &str, value: &Value) -> Result<String, Failed> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(flag) => Ok(flag.to_string()),
        _ => Err(format!("{name}: expected a string, a number, or a list of these").into()),
    }
}

/// Replaces the defaults of a command and its subcommands.
fn with_defaults(command: Command, values: &[(String, Vec<String>)]) -> Command {
    let command = command.mut_args(|arg| {
        let value = values.iter().find(|(name, _)| arg.get_long() == Some(name));
        match value {
            None => arg,
            Some((_, values)) => match arg.get_value_delimiter() {
                Some(delimiter) => {
                    let split = values.iter().flat_map(|value| value.split(delimiter));
                    arg.default_values(split.map(str::to_owned).collect::<Vec<String>>())
                }
                None => arg.default_value(values.join(",")),
            },
        }
    });
    command.mut_subcommands(|command| with_defaults(command, values))
}

/// A setting's value in TOML; none for a secret.
fn shown(arg: &Arg, values: &[String]) -> Option<String> {
    let quoted = |value: &str| Value::String(value.to_owned()).to_string();
    match values {
        [] => None,
        [url] if arg.get_long() == Some("database-url") => {
            // Its `Display` omits the password.
            url.parse::<DatabaseUrl>().ok().map(|url| quoted(&url.to_string()))
        }
        _ if arg.is_hide_env_values_set() => None,
        _ if arg.get_value_delimiter().is_some() => {
            let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
            Some(format!("[{}]", values.join(", ")))
        }
        [value] => Some(if value.parse::<i64>().is_ok() { value.clone() } else { quoted(value) }),
        _ => None,
    }
}
