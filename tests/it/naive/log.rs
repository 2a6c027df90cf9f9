//! The record as a sentence to be read from left to right: one cursor, and the complaint that names a place.

use serde_json::Value;

/// What may happen at any moment and changes nothing in the game.
const BYSTANDERS: [&str; 4] = ["turn_timed_out", "stand_in_began", "stand_in_ended", "player_forfeited"];

/// What may happen before the start.
const LOBBY: [&str; 4] = ["player_joined", "player_left", "bot_seated", "host_changed"];

/// A cursor over the events of one game.
pub struct Log<'a> {
    events: &'a [Value],
    next: usize,
}

/// One event with its envelope.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    envelope: &'a Value,
    pub body: &'a Value,
}

impl<'a> Log<'a> {
    /// Checks the envelopes: numbered from 1 without a gap, times that never go back, a type each.
    pub fn open(events: &'a [Value]) -> Result<Log<'a>, String> {
        let mut before = "";
        for (index, event) in events.iter().enumerate() {
            let seq = index as u64 + 1;
            if event["seq"].as_u64() != Some(seq) {
                return Err(format!("seq {seq}: is numbered {}", event["seq"]));
            }
            let at = event["at"].as_str().ok_or_else(|| format!("seq {seq}: has no time"))?;
            if at < before {
                return Err(format!("seq {seq}: happened at {at}, before the event before it"));
            }
            before = at;
            if event["event"]["type"].as_str().is_none() {
                return Err(format!("seq {seq}: has no type"));
            }
        }
        Ok(Log { events, next: 0 })
    }

    /// The type of the next event of the game itself; nothing at the end.
    pub fn peek(&mut self) -> Option<&'a str> {
        loop {
            let kind = self.events.get(self.next)?["event"]["type"].as_str()?;
            if !BYSTANDERS.contains(&kind) {
                return Some(kind);
            }
            self.next += 1;
        }
    }

    /// The next event, which must be of this type.
    pub fn take(&mut self, kind: &str) -> Result<Entry<'a>, String> {
        self.take_one_of(&[kind]).map(|(_, entry)| entry)
    }

    /// The next event, which must be of one of these types.
    pub fn take_one_of(&mut self, kinds: &[&str]) -> Result<(&'a str, Entry<'a>), String> {
        let found = self.peek();
        let seq = self.next + 1;
        let found = found.ok_or_else(|| format!("seq {seq}: the record ends where {kinds:?} was due"))?;
        if !kinds.contains(&found) {
            return Err(format!("seq {seq}: {found} where {kinds:?} was due"));
        }
        let envelope = &self.events[self.next];
        self.next += 1;
        Ok((found, Entry { envelope, body: &envelope["event"] }))
    }

    /// Everything before the start, and the start itself.
    pub fn take_lobby(&mut self) -> Result<Entry<'a>, String> {
        while self.peek().is_some_and(|kind| LOBBY.contains(&kind)) {
            self.next += 1;
        }
        self.take("game_started")
    }

    /// Nothing of the game may follow.
    pub fn close(&mut self) -> Result<(), String> {
        match self.peek() {
            None => Ok(()),
            Some(kind) => Err(format!("seq {}: {kind} after the end", self.next + 1)),
        }
    }
}

impl<'a> Entry<'a> {
    /// A complaint about this event.
    pub fn wrong(&self, what: impl std::fmt::Display) -> String {
        let kind = self.body["type"].as_str().unwrap_or("event");
        format!("seq {}: {kind}: {what}", self.envelope["seq"])
    }

    /// A whole number.
    pub fn number(&self, field: &str) -> Result<i64, String> {
        self.body[field].as_i64().ok_or_else(|| self.wrong(format!("{field} is {}", self.body[field])))
    }

    /// A text.
    pub fn text(&self, field: &str) -> Result<&'a str, String> {
        self.body[field].as_str().ok_or_else(|| self.wrong(format!("{field} is {}", self.body[field])))
    }

    /// A list.
    pub fn list(&self, field: &str) -> Result<&'a Vec<Value>, String> {
        self.body[field].as_array().ok_or_else(|| self.wrong(format!("{field} is {}", self.body[field])))
    }

    /// The field must be there and hold exactly this.
    pub fn must_say(&self, field: &str, expected: impl Into<Value>) -> Result<(), String> {
        let expected = expected.into();
        match self.body.get(field) {
            Some(said) if *said == expected => Ok(()),
            Some(said) => Err(self.wrong(format!("{field} is {said}, the rules say {expected}"))),
            None => Err(self.wrong(format!("{field} is missing"))),
        }
    }

    /// The act of the player whose turn it is, whoever moved his hand.
    pub fn must_be_by(&self, seat: usize) -> Result<(), String> {
        self.must_say("seat", seat)?;
        if self.envelope["actor"]["seat"] != seat {
            return Err(
                self.wrong(format!("the actor is {}, the turn is seat {seat}'s", self.envelope["actor"]))
            );
        }
        Ok(())
    }

    /// An act before the seats are settled.
    pub fn must_be_by_place(&self, place: usize) -> Result<(), String> {
        self.must_say("place", place)?;
        if self.envelope["actor"]["place"] != place {
            return Err(self.wrong(format!("the actor is {}, not place {place}", self.envelope["actor"])));
        }
        Ok(())
    }

    /// A consequence the rules draw.
    pub fn must_be_servers(&self) -> Result<(), String> {
        match self.envelope["actor"] == "server" {
            true => Ok(()),
            false => Err(self.wrong(format!("the actor is {}, not the server", self.envelope["actor"]))),
        }
    }
}
