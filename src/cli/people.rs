//! Flags for people: words that names must not have, and apps that open links to tables.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use super::Failed;
use crate::http::{AndroidApp, AppleApp, LinkedApps};
use estimation_service::base::names::ForbiddenWords;

/// Flags for people.
#[derive(Args, Clone, Debug)]
pub(super) struct PeopleFlags {
    /// File with words that display names must not have, one a line; `*` before a word forbids it anywhere in a name. Replaces
    /// a small list in English and Arabic. An empty file forbids none.
    #[arg(long, value_name = "FILE", env = "ESTIMATION_FORBIDDEN_WORDS")]
    forbidden_words: Option<PathBuf>,

    /// App of Apple's systems that opens links to tables, as in A1B2C3D4E5.org.example.cards. Repeat the flag or separate
    /// values by commas. None by default.
    #[arg(long = "apple-app", env = "ESTIMATION_APPLE_APP", value_delimiter = ',')]
    apple_apps: Vec<AppleApp>,

    /// App of Android that opens links to tables: the package, `=`, and the SHA-256 of its certificate in hexadecimal, with or
    /// without colons. Repeat the flag or separate values by commas. None by default.
    #[arg(long = "android-app", env = "ESTIMATION_ANDROID_APP", value_delimiter = ',')]
    android_apps: Vec<AndroidApp>,
}

impl PeopleFlags {
    /// The words that display names must not have.
    pub(super) fn words(&self) -> Result<ForbiddenWords, Failed> {
        let Some(path) = &self.forbidden_words else { return Ok(ForbiddenWords::default()) };
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(ForbiddenWords::read(&text).map_err(|error| format!("{}: {error}", path.display()))?)
    }

    /// The apps that open links to tables.
    pub(super) fn apps(&self) -> LinkedApps {
        LinkedApps { apple: self.apple_apps.clone(), android: self.android_apps.clone() }
    }
}
