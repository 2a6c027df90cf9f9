//! Titles and descriptions in English and Arabic, from `locales/`, and those of options from the table of the rules. Those of
//! problems are in the table of refusals. Tests check that no entry is missing.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use estimation_engine::ruleset::RulesetId;
use estimation_engine::ruleset::options::{OptionText, RulesetOption};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The default.
    English,
    Arabic,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    pub title: String,
    /// One sentence.
    pub description: String,
}

/// The names of bots.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bots {
    /// As many in each language. The same position is the same bot.
    names: Vec<String>,
}

/// Used where an entry is missing.
static NO_TEXT: Text = Text { title: String::new(), description: String::new() };

/// A file of `locales/`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Locale {
    /// Details of field errors by code. English details name the field and its limits instead.
    #[serde(default)]
    field_errors: BTreeMap<String, String>,
    bots: Bots,
    /// By id.
    rulesets: BTreeMap<String, Text>,
    /// Texts of reactions, by name.
    reactions: BTreeMap<String, String>,
    /// Subjects and texts of mails, by kind.
    mails: BTreeMap<String, Text>,
}

static ENGLISH: LazyLock<Locale> = LazyLock::new(|| parsed(include_str!("../../../../locales/en.toml")));
static ARABIC: LazyLock<Locale> = LazyLock::new(|| parsed(include_str!("../../../../locales/ar.toml")));

fn parsed(file: &str) -> Locale {
    toml::from_str(file).unwrap_or_else(|error| {
        tracing::error!(%error, "a locale cannot be read");
        Locale::default()
    })
}

impl Language {
    pub const ALL: [Language; 2] = [Language::English, Language::Arabic];

    /// Its tag (BCP 47).
    pub const fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Arabic => "ar",
        }
    }

    /// The writing direction, as the HTML attribute `dir` has it.
    pub const fn direction(self) -> &'static str {
        match self {
            Language::English => "ltr",
            Language::Arabic => "rtl",
        }
    }

    fn locale(self) -> &'static Locale {
        match self {
            Language::English => &ENGLISH,
            Language::Arabic => &ARABIC,
        }
    }

    /// The detail of a field error; `None` where the error's own English detail applies.
    pub fn field_error(self, code: &str) -> Option<&'static str> {
        self.locale().field_errors.get(code).map(String::as_str)
    }

    /// The names of bots. Each language has as many, and the same position is the same bot.
    pub fn bot_names(self) -> &'static [String] {
        &self.locale().bots.names
    }

    pub fn ruleset_text(self, id: RulesetId) -> &'static Text {
        self.locale().rulesets.get(id.as_str()).unwrap_or(&NO_TEXT)
    }

    /// The language with this tag; English for others.
    pub fn of_tag(tag: &str) -> Language {
        Language::ALL.into_iter().find(|language| language.tag() == tag).unwrap_or(Language::English)
    }

    pub fn reaction_text(self, name: &str) -> &'static str {
        self.locale().reactions.get(name).map_or("", String::as_str)
    }

    /// The subject and the text of a kind of mail, with links in braces.
    pub fn mail_text(self, kind: &str) -> &'static Text {
        self.locale().mails.get(kind).unwrap_or(&NO_TEXT)
    }

    /// The text of an option; none if no ruleset has it.
    pub fn option_text(self, name: &str) -> Option<OptionText> {
        let option = RulesetOption::all().iter().find(|option| option.name == name)?;
        Some(match self {
            Language::English => option.english,
            Language::Arabic => option.arabic,
        })
    }
}
