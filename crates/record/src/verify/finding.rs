//! What an audit finds: in which game, at which event, against which rule.

use std::fmt;

use serde::Serialize;
use uuid::Uuid;

/// What something was found to break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The file, or an event, is not in the published form.
    Form,
    /// The hash of an event is that of the hash before it and its stored bytes.
    Chain,
    /// The stored bytes are canonical JSON (RFC 8785).
    Canonical,
    /// The events are numbered from 1 without a gap, and belong to this game.
    Order,
    /// The times never go back.
    Time,
    /// Only the player whose act it is leads an event; what the rules derive is the server's.
    Actor,
    /// The rules stand whole in the first event and are those of a published ruleset.
    Ruleset,
    /// A command is one that the rules allow.
    Command,
    /// What follows from a command is what the rules derive.
    Derived,
    /// The revealed seed is the one committed to.
    Commitment,
    /// The cards are those that follow from the seeds.
    Deal,
    /// A deal carries a salt of its own.
    Salt,
    /// A round is worth what the rules say.
    Score,
    /// The standings follow from the totals.
    Standings,
    /// The end of a history agrees with its events.
    Head,
    /// The end of a game is signed with a record key.
    Signature,
    /// A history goes on to the end of its game.
    Unfinished,
    /// The list of ended games is whole, and agrees with the games.
    List,
    /// A stored state is the one that the log makes.
    State,
}

impl Rule {
    /// The rule's name, as it is printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Rule::Form => "form",
            Rule::Chain => "chain",
            Rule::Canonical => "canonical",
            Rule::Order => "order",
            Rule::Time => "time",
            Rule::Actor => "actor",
            Rule::Ruleset => "ruleset",
            Rule::Command => "command",
            Rule::Derived => "derived",
            Rule::Commitment => "commitment",
            Rule::Deal => "deal",
            Rule::Salt => "salt",
            Rule::Score => "score",
            Rule::Standings => "standings",
            Rule::Head => "head",
            Rule::Signature => "signature",
            Rule::Unfinished => "unfinished",
            Rule::List => "list",
            Rule::State => "state",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// In which game; none where it concerns no single one.
    pub game: Option<Uuid>,
    /// At which event, or at which position of the list; none where it concerns the whole.
    pub seq: Option<u64>,
    /// Against which rule.
    pub rule: Rule,
    /// What is wrong, in a sentence.
    pub detail: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.game, self.seq) {
            (Some(game), Some(seq)) => write!(f, "game {game}, event {seq}: ")?,
            (Some(game), None) => write!(f, "game {game}: ")?,
            (None, Some(position)) => write!(f, "position {position}: ")?,
            (None, None) => {}
        }
        write!(f, "{}: {}", self.rule, self.detail)
    }
}
