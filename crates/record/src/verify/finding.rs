//! The findings of an audit: game, event, and the violated rule.

use std::fmt;

use serde::Serialize;
use uuid::Uuid;

/// The rule that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The file, or an event, is not in the published form.
    Form,
    /// Each event's hash covers the previous hash and the stored bytes.
    Chain,
    /// The stored bytes are canonical JSON (RFC 8785).
    Canonical,
    /// The events are numbered from 1 without gaps, and belong to this game.
    Order,
    /// Times never decrease.
    Time,
    /// A player's event has that player as actor, a derived event the server.
    Actor,
    /// The first event contains the whole ruleset, and the ruleset is a published one.
    Ruleset,
    /// The rules allow each command.
    Command,
    /// The events after a command are those that the rules derive.
    Derived,
    /// The revealed seed matches the commitment.
    Commitment,
    /// The cards follow from the seeds.
    Deal,
    /// Each deal has its own salt.
    Salt,
    /// The scores follow from the rules.
    Score,
    /// The standings follow from the totals.
    Standings,
    /// The end of a history matches its events.
    Head,
    /// A record key signed the end of the game.
    Signature,
    /// A history contains the end of its game.
    Unfinished,
    /// The public log is complete and matches the games, and there is one history of each.
    Log,
    /// A stored state matches the log of events.
    State,
}

impl Rule {
    /// All rules with their printed names, in the order of the variants.
    pub const ALL: [(Rule, &'static str); 19] = [
        (Rule::Form, "form"),
        (Rule::Chain, "chain"),
        (Rule::Canonical, "canonical"),
        (Rule::Order, "order"),
        (Rule::Time, "time"),
        (Rule::Actor, "actor"),
        (Rule::Ruleset, "ruleset"),
        (Rule::Command, "command"),
        (Rule::Derived, "derived"),
        (Rule::Commitment, "commitment"),
        (Rule::Deal, "deal"),
        (Rule::Salt, "salt"),
        (Rule::Score, "score"),
        (Rule::Standings, "standings"),
        (Rule::Head, "head"),
        (Rule::Signature, "signature"),
        (Rule::Unfinished, "unfinished"),
        (Rule::Log, "log"),
        (Rule::State, "state"),
    ];

    /// The rule's printed name.
    pub const fn as_str(self) -> &'static str {
        Rule::ALL[self as usize].1
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A problem that an audit found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The game; none if it does not concern a single game.
    pub game: Option<Uuid>,
    /// The event's sequence number; none if it concerns the whole.
    pub seq: Option<u64>,
    /// The violated rule.
    pub rule: Rule,
    /// The problem, in one sentence.
    pub detail: String,
    /// Whether the finding says only that something could not be checked: a part of a history, a signature or a key is
    /// missing, which proves no tampering.
    #[serde(skip)]
    pub is_inconclusive: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(game) = self.game {
            write!(f, "game {game}")?;
        }
        let between = if self.game.is_some() { ", " } else { "" };
        if let Some(seq) = self.seq {
            write!(f, "{between}event {seq}")?;
        }
        if self.game.is_some() || self.seq.is_some() {
            f.write_str(": ")?;
        }
        write!(f, "{}: {}", self.rule, self.detail)
    }
}

impl Finding {
    /// A finding that proves that something was changed, omitted or invented.
    pub fn new(game: Option<Uuid>, seq: Option<u64>, rule: Rule, detail: impl Into<String>) -> Finding {
        Finding { game, seq, rule, detail: detail.into(), is_inconclusive: false }
    }

    /// A finding that proves no tampering.
    pub fn inconclusive(
        game: Option<Uuid>,
        seq: Option<u64>,
        rule: Rule,
        detail: impl Into<String>,
    ) -> Finding {
        Finding { is_inconclusive: true, ..Finding::new(game, seq, rule, detail) }
    }
}
