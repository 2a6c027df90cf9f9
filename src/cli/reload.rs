//! SIGHUP: reads the settings again, and takes those that can change while the server runs.

use std::sync::Arc;

use clap::error::ContextKind;
use clap::{CommandFactory, FromArgMatches};

use super::configuration::{Configuration, Values};
use super::serve::ServeFlags;
use super::telemetry::LiveTelemetry;
use super::{Arguments, Failed, Task};
use crate::http::LiveSettings;
use estimation_service::moderation::server::SettingView;
use estimation_service::services::App;

/// The settings that can change while the server runs.
const CHANGEABLE: [&str; 14] = [
    "limit-accounts",
    "limit-login",
    "limit-login-address",
    "limit-refresh",
    "limit-sessions",
    "log",
    "rate-account",
    "rate-address",
    "rate-commands",
    "rate-hints",
    "rate-unauthenticated",
    "tables-per-host",
    "trusted-proxy",
    "witness",
];

/// Takes new settings.
pub(super) struct Reload {
    pub(super) app: Arc<App>,
    pub(super) http: LiveSettings,
    pub(super) telemetry: LiveTelemetry,
    /// The values in effect.
    pub(super) values: Values,
    /// The settings in effect, as the desk lists them.
    pub(super) listed: Vec<SettingView>,
}

/// The settings of the process and of the file.
pub(super) struct ReadSettings {
    pub(super) flags: ServeFlags,
    pub(super) values: Values,
    pub(super) listed: Vec<SettingView>,
}

impl Reload {
    /// Reads the settings and takes those that changed. Keeps all where one is not valid.
    pub(super) fn run(&mut self) {
        let ReadSettings { flags, values, listed } = match read() {
            Ok(read) => read,
            Err(error) => {
                tracing::error!(%error, "the settings were read again and are not valid: all stay as they were");
                return;
            }
        };
        let changed = self.values.changed(&values);
        let (taken, later): (Vec<&str>, Vec<&str>) =
            changed.iter().map(String::as_str).partition(|name| CHANGEABLE.contains(name));
        if !later.is_empty() {
            let settings = later.join(", ");
            tracing::warn!(settings, "these settings changed; they need a restart of the server");
        }
        for row in &mut self.listed {
            let same = |then: &&SettingView| then.flag == row.flag && CHANGEABLE.contains(&row.flag.as_str());
            if let Some(then) = listed.iter().find(same) {
                row.clone_from(then);
            }
        }
        self.app.change(flags.changed(self.listed.clone()));
        self.http.change(flags.trusted_proxies(), flags.rates());
        // Before the log line too, which the filter may let pass.
        if let Err(error) = self.telemetry.change(flags.telemetry()) {
            tracing::error!(%error, "the log filter stays as it was");
        }
        let settings = if taken.is_empty() { "none".to_owned() } else { taken.join(", ") };
        tracing::warn!(settings, "the settings were read again; these changed");
        self.values.take(values, &CHANGEABLE);
    }
}

/// Reads the settings of the process and of the file.
///
/// # Errors
/// What is not valid, without values: they may be secret.
pub(super) fn read() -> Result<ReadSettings, Failed> {
    let command = Arguments::command();
    let configuration = Configuration::read(&command)?;
    let mut command = configuration.applied(command)?;
    let matches = command.clone().try_get_matches().map_err(|error| without_values(&error))?;
    let arguments = Arguments::from_arg_matches(&matches).map_err(|error| without_values(&error))?;
    let values = Configuration::values(&command, &matches);
    command.build();
    let listed = configuration.listed(&command, &matches);
    let flags = match arguments.task {
        Some(Task::Serve(flags)) => flags,
        _ => arguments.serve,
    };
    Ok(ReadSettings { flags, values, listed })
}

fn without_values(error: &clap::Error) -> String {
    let Some(setting) = error.get(ContextKind::InvalidArg) else { return error.kind().to_string() };
    let setting = setting.to_string();
    let name = setting.split_whitespace().next().unwrap_or_default();
    let is_changeable = CHANGEABLE.contains(&name.trim_start_matches("--"));
    match std::error::Error::source(error).filter(|_| is_changeable) {
        Some(source) => format!("{name}: {source}"),
        None => format!("{name}: {}", error.kind()),
    }
}
