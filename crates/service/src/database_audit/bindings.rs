//! The keyed hashes by which a node knows what nodes have written: of a game's log, and of the rows beside it. Only an
//! audit with the node's keys can check them.

use crate::auth::keys::head::{check_adopted, check_head};
use crate::auth::keys::{BindingCheck, RecordKeys};
use estimation_record::verify::Rule;
use estimation_store::adopted_heads::AdoptedHead;
use estimation_store::event_reads::{Head, StoredEvent};
use estimation_store::{Binding, GameId};

/// The bindings of one game, checked while its log is read.
pub(super) struct Bindings<'k> {
    game: GameId,
    keys: Option<&'k RecordKeys>,
    /// The heads that were bound again after their keys were lost.
    adopted: &'k [AdoptedHead],
    /// What the binding of the last event is worth; none before the first event, or without keys.
    last: Option<BindingCheck>,
    /// The number of the last event.
    seq: u64,
    unknown: u64,
    faults: Vec<(Option<u64>, String)>,
}

impl<'k> Bindings<'k> {
    pub(super) fn new(
        game: GameId,
        keys: Option<&'k RecordKeys>,
        adopted: &'k [AdoptedHead],
    ) -> Bindings<'k> {
        Bindings { game, keys, adopted, last: None, seq: 0, unknown: 0, faults: Vec::new() }
    }

    /// The next event of the log. An event inside of an append has no binding.
    pub(super) fn event(&mut self, event: &StoredEvent) {
        let head = Head { seq: event.seq, hash: event.hash };
        self.seq = event.seq;
        let Some(keys) = self.keys else { return };
        let check = |binding: &Binding| check_head(self.game, head, Some(binding), keys);
        let mut found = event.binding.as_ref().map(check);
        match found {
            Some(BindingCheck::Forged) => {
                self.faults.push((Some(head.seq), "no node has bound this event".to_owned()));
            }
            Some(BindingCheck::UnknownKey) => self.unknown += 1,
            Some(BindingCheck::Sound) | None => {}
        }
        let adopted = self.adopted.iter().find(|adopted| adopted.seq == head.seq);
        match adopted.map(|adopted| check_adopted(self.game, head, adopted, keys)) {
            Some(BindingCheck::Forged) => {
                self.faults.push((Some(head.seq), "the adopted head is not bound by a node".to_owned()));
            }
            Some(BindingCheck::Sound) if found == Some(BindingCheck::UnknownKey) => {
                found = Some(BindingCheck::Sound);
            }
            Some(BindingCheck::UnknownKey) => self.unknown += 1,
            Some(BindingCheck::Sound) | None => {}
        }
        // A forged one is a fault already.
        self.last =
            Some(found.unwrap_or(BindingCheck::Forged)).filter(|_| found != Some(BindingCheck::Forged));
    }

    /// Another row of the game. `what` names it.
    pub(super) fn row(&mut self, check: impl FnOnce(&RecordKeys) -> BindingCheck, what: &str) {
        match self.keys.map(check) {
            Some(BindingCheck::Forged) => self.faults.push((None, format!("{what} is not bound by a node"))),
            Some(BindingCheck::UnknownKey) => self.unknown += 1,
            Some(BindingCheck::Sound) | None => {}
        }
    }

    /// The findings, each with the number of its event, and the number of bindings under other keys. A game that goes on
    /// needs the binding of its head.
    pub(super) fn end(mut self, goes_on: bool) -> (Vec<(Option<u64>, Rule, String)>, u64) {
        if self.adopted.iter().any(|adopted| adopted.seq > self.seq) {
            self.faults.push((None, "the adopted head is newer than the last event".to_owned()));
        }
        match self.last {
            Some(BindingCheck::Forged) => {
                self.faults.push((Some(self.seq), "the last event is not bound by a node".to_owned()));
            }
            Some(BindingCheck::UnknownKey) if goes_on => {
                let detail = "the last event is bound under a key that was not given";
                self.faults.push((Some(self.seq), detail.to_owned()));
            }
            _ => {}
        }
        let faults = self.faults.into_iter();
        (faults.map(|(seq, detail)| (seq, Rule::State, detail)).collect(), self.unknown)
    }
}
