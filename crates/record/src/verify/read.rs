//! Reads published records, as JSON or NDJSON, one piece at a time.

use std::fmt;
use std::io::Read;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, de::DeserializeSeed};
use serde_json::Deserializer as JsonDeserializer;

use super::piece::Piece;
use crate::forms::Object;

/// Takes the pieces of published records as they are read.
pub trait Sink {
    /// Processes the next piece.
    fn piece(&mut self, piece: Piece);

    /// Records that the following input cannot be read, which cuts off the current history.
    fn unreadable(&mut self, detail: String);

    /// Records that the proofs after the end of a history cannot be read. Nothing after them is read.
    fn unreadable_proofs(&mut self, detail: String) {
        self.unreadable(detail);
    }
}

/// Reads the whole input into an audit. Unreadable input is a finding and ends the reading.
pub fn read(input: impl Read, audit: &mut impl Sink) {
    let mut json = JsonDeserializer::from_reader(input);
    let mut place = ReaderState::Elsewhere;
    loop {
        if json.end().is_ok() {
            return;
        }
        if let Err(error) = (Pieces { sink: audit, place: &mut place }).deserialize(&mut json) {
            match place {
                ReaderState::InProofs => audit.unreadable_proofs(error.to_string()),
                ReaderState::AfterEnd | ReaderState::Elsewhere => audit.unreadable(error.to_string()),
            }
            return;
        }
    }
}

/// Where the reader is, as far as proofs depend on it.
#[derive(Clone, Copy)]
enum ReaderState {
    /// Directly after the end of a history, where its proofs may follow.
    AfterEnd,
    InProofs,
    Elsewhere,
}

/// The members of an object of pieces.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Member {
    Header,
    Event,
    Events,
    End,
    Proofs,
}

/// An object whose members are pieces. Passes each on as it is read.
struct Pieces<'a, S> {
    sink: &'a mut S,
    place: &'a mut ReaderState,
}

impl<'de, S: Sink> DeserializeSeed<'de> for Pieces<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, S: Sink> Visitor<'de> for Pieces<'_, S> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of a published record")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<(), M::Error> {
        let mut empty = true;
        while let Some(member) = members.next_key()? {
            empty = false;
            let before = std::mem::replace(self.place, ReaderState::Elsewhere);
            match member {
                Member::Header => self.sink.piece(Piece::Header(value(&mut members)?)),
                Member::Event => self.sink.piece(Piece::Event(value(&mut members)?)),
                Member::Events => members.next_value_seed(Events(self.sink))?,
                Member::End => {
                    self.sink.piece(Piece::End(value(&mut members)?));
                    *self.place = ReaderState::AfterEnd;
                }
                Member::Proofs => {
                    if !matches!(before, ReaderState::AfterEnd) {
                        return Err(M::Error::custom("proofs that do not follow the end of a history"));
                    }
                    *self.place = ReaderState::InProofs;
                    self.sink.piece(Piece::Proofs(value(&mut members)?));
                    *self.place = ReaderState::Elsewhere;
                }
            }
        }
        if empty { Err(M::Error::custom("an object without members")) } else { Ok(()) }
    }
}

/// The value of a piece, which is an object.
fn value<'de, T: Deserialize<'de>, M: MapAccess<'de>>(members: &mut M) -> Result<T, M::Error> {
    members.next_value().map(|Object(value)| value)
}

/// The events of a history written as one object.
struct Events<'a, S>(&'a mut S);

impl<'de, S: Sink> DeserializeSeed<'de> for Events<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, S: Sink> Visitor<'de> for Events<'_, S> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<(), A::Error> {
        while let Some(Object(event)) = events.next_element()? {
            self.0.piece(Piece::Event(event));
        }
        Ok(())
    }
}
