//! Event streams of games, with counted frames and checked ids.
//!
//! Frames are only searched for ids and turns, which is cheap.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::HeaderValue;
use memchr::memmem;
use serde_json::value::RawValue;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::error::DriveError;
use crate::player::Player;
use crate::run::Run;
use crate::view::{Event, HeardTurn, Tag};

/// The maximum time without any bytes.
const SILENCE: Duration = Duration::from_secs(60);

/// The beginning of the member with the commands that the viewer of a turn may post.
const LEGAL: &[u8] = b"\"legal\":[";

/// The member of a turn in which no player must act, as at the end of the game.
const NOBODY: &[u8] = b"\"awaited\":[]";

/// The name of a frame that is a turn alone.
const TURN: &[u8] = b"turn";

/// A stream that is read until this is dropped or the game is over.
pub struct Listener(JoinHandle<()>);

/// A player who follows its stream, and tells the table of its turns.
struct Follower {
    player: usize,
    table: UnboundedSender<Result<StreamItem, DriveError>>,
    /// Whether it also tells of turns in which no player must act, and of events if they are kept. One player of a
    /// table does.
    tells_all: bool,
    /// The number and the tag of the last event.
    after: (u64, Tag),
}

/// What a player told the table.
enum StreamItem {
    /// An event, if the run keeps them.
    Event(Event),
    Turn(HeardTurn),
}

/// The players of a table who play as apps should: each takes the commands that it may post from the turns in its stream.
/// After the first view none is loaded.
pub struct Followers {
    heard: UnboundedReceiver<Result<StreamItem, DriveError>>,
    listeners: Vec<Listener>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Listener {
    /// Waits for the end of the stream.
    pub async fn finish(mut self) {
        // The task has reported its own errors.
        let _ = (&mut self.0).await;
    }

    /// Opens a stream of a player who does not follow it, from the first event.
    pub async fn open(run: &Arc<Run>, player: &mut Player, game: &str) -> Result<Listener, DriveError> {
        let body = player.stream(game, None).await?;
        Ok(Listener::to(run, game, body, 0, None))
    }

    /// Starts listening to a stream after an event.
    fn to(
        run: &Arc<Run>,
        game: &str,
        body: Incoming,
        after: u64,
        mut follower: Option<Follower>,
    ) -> Listener {
        let (run, game) = (Arc::clone(run), game.to_owned());
        Listener(tokio::spawn(async move {
            match (listen(&run, body, after, follower.as_mut()).await, follower) {
                (Ok(()), _) => {}
                (Err(what), None) => run.failed("a stream", &DriveError::contradiction(&game, what)),
                // The table may have ended already.
                (Err(what), Some(follower)) => {
                    drop(follower.table.send(Err(DriveError::contradiction(&game, what))));
                }
            }
        }))
    }
}

async fn listen(
    run: &Run,
    mut body: Incoming,
    mut last: u64,
    mut follower: Option<&mut Follower>,
) -> Result<(), String> {
    let mut frames = Frames::default();
    loop {
        let Some(part) = timeout(SILENCE, body.frame()).await.map_err(|_| "its stream is silent")? else {
            return Ok(());
        };
        let part = part.map_err(|error| format!("its stream broke: {error}"))?;
        frames.add(part.data_ref().map_or(&[], |data| data));
        let mut seen = 0;
        while let Some(frame) = frames.next() {
            if frame.name == b"reset" {
                return Err(format!("the log does not have event {last} any more"));
            }
            if let Some((id, _)) = frame.id {
                if id != last + 1 {
                    return Err(format!("event {id} came after event {last}"));
                }
                last = id;
                seen += 1;
            }
            if let Some(follower) = &mut follower {
                follower.read(&frame, run.flags.verify)?;
            }
        }
        // In a run without a time limit all frames count, also those before the first command.
        if run.pace.length.is_none() || run.pace.counts(Instant::now()) {
            run.statistics.count(|counts| counts.stream_frames += seen);
        }
    }
}

impl Follower {
    /// Tells the table of a frame if that concerns it.
    fn read(&mut self, frame: &Frame<'_>, keeps: bool) -> Result<(), String> {
        // The table may have ended already.
        let tell = |heard| drop(self.table.send(Ok(heard)));
        if let Some((number, tag)) = &frame.id {
            self.after = (*number, tag.clone());
            if keeps && self.tells_all {
                tell(StreamItem::Event(event(*number, frame.data)?));
            }
        }
        let has = |member| memmem::find(frame.data, member).is_some();
        if has(LEGAL) || self.tells_all && has(NOBODY) {
            tell(StreamItem::Turn(HeardTurn {
                player: self.player,
                at: Instant::now(),
                data: Bytes::copy_from_slice(frame.data),
                after: self.after.clone(),
                is_alone: frame.name == TURN,
            }));
        }
        Ok(())
    }
}

/// The event in the data of a frame, with its number and without the turn beside it.
fn event(number: u64, data: &[u8]) -> Result<Event, String> {
    let text = String::from_utf8_lossy(data);
    let rest = text.strip_prefix('{').unwrap_or_default();
    let event = rest.split_once(",\"turn\":{").map_or(rest.to_owned(), |(event, _)| format!("{event}}}"));
    let event = RawValue::from_string(format!("{{\"seq\":{number},{event}"));
    event.map_err(|error| format!("event {number} in its stream cannot be read: {error}"))
}

impl Followers {
    /// Opens a stream for each player, after the last event that was seen.
    pub async fn open(
        run: &Arc<Run>,
        players: &mut [Player],
        game: &str,
        after: &(u64, Tag),
    ) -> Result<Followers, DriveError> {
        let (table, heard) = unbounded_channel();
        let mut followers = Followers { heard, listeners: Vec::new() };
        let position = HeaderValue::try_from(format!("{}-{}", after.0, after.1));
        let position = position.map_err(|error| DriveError::contradiction(game, error))?;
        for (player, follower) in players.iter_mut().enumerate() {
            let body = follower.stream(game, Some(position.clone())).await?;
            let (table, seen) = (table.clone(), after.clone());
            let follower = Follower { player, table, tells_all: player == 0, after: seen };
            followers.listeners.push(Listener::to(run, game, body, after.0, Some(follower)));
        }
        Ok(followers)
    }

    /// Waits for the next turn that concerns the table. Adds the events before it to `seen`, if the run keeps them.
    pub async fn turn(&mut self, game: &str, seen: &mut Vec<Event>) -> Result<HeardTurn, DriveError> {
        loop {
            match timeout(SILENCE, self.heard.recv()).await {
                Ok(Some(Ok(StreamItem::Turn(turn)))) => return Ok(turn),
                Ok(Some(Ok(StreamItem::Event(event)))) => seen.push(event),
                Ok(Some(Err(error))) => return Err(error),
                Ok(None) => return Err(DriveError::contradiction(game, "its streams ended before it did")),
                Err(_) => return Err(DriveError::contradiction(game, "its streams bring no turn")),
            }
        }
    }

    /// Waits for the ends of the streams.
    pub async fn finish(mut self) -> Result<(), DriveError> {
        for listener in self.listeners {
            listener.finish().await;
        }
        while let Ok(heard) = self.heard.try_recv() {
            heard?;
        }
        Ok(())
    }
}

/// Splits the bytes of a stream at empty lines.
#[derive(Default)]
struct Frames {
    buffer: Vec<u8>,
    read: usize,
}

/// A frame of a stream.
struct Frame<'a> {
    /// The number and the tag of the event; none for a comment or a frame without an id.
    id: Option<(u64, Tag)>,
    data: &'a [u8],
    /// Empty for events.
    name: &'a [u8],
}

impl Frames {
    /// Adds bytes to those of an unfinished frame.
    fn add(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.read);
        self.read = 0;
        self.buffer.extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<Frame<'_>> {
        let rest = &self.buffer[self.read..];
        let end = memmem::find(rest, b"\n\n")?;
        self.read += end + 2;
        let mut frame = Frame { id: None, data: b"", name: b"" };
        for line in rest[..end].split(|byte| *byte == b'\n') {
            if let Some(id) = line.strip_prefix(b"id: ") {
                frame.id = std::str::from_utf8(id).ok().and_then(|id| {
                    let (number, tag) = id.split_once('-')?;
                    Some((number.parse().ok()?, tag.to_owned()))
                });
            } else if let Some(name) = line.strip_prefix(b"event: ") {
                frame.name = name;
            } else if let Some(data) = line.strip_prefix(b"data: ") {
                frame.data = data;
            }
        }
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_found_wherever_the_bytes_are_cut() {
        let text =
            b": quiet\n\nid: 1-01\ndata: {\"at\":1}\n\nid: 2-02\ndata: {\"at\":2}\n\nevent: end\ndata: {}\n\n";
        for cut in 1..text.len() {
            let (mut frames, mut found) = (Frames::default(), Vec::new());
            for piece in text.chunks(cut) {
                frames.add(piece);
                while let Some(frame) = frames.next() {
                    found.push((frame.id, frame.data.len()));
                }
            }
            let id = |number, tag: &str| Some((number, tag.to_owned()));
            assert_eq!(found, [(None, 0), (id(1, "01"), 8), (id(2, "02"), 8), (None, 2)], "{cut}");
        }
    }

    /// What a player tells the table of these frames.
    fn told(tells_all: bool, keeps: bool, text: &str) -> Vec<String> {
        let (table, mut heard) = unbounded_channel();
        let mut follower = Follower { player: 2, table, tells_all, after: (1, "01".repeat(8)) };
        let mut frames = Frames::default();
        frames.add(text.as_bytes());
        while let Some(frame) = frames.next() {
            follower.read(&frame, keeps).unwrap();
        }
        let mut told = Vec::new();
        while let Ok(heard) = heard.try_recv() {
            told.push(match heard.unwrap() {
                StreamItem::Event(event) => format!("event {event}"),
                StreamItem::Turn(turn) => {
                    let data = String::from_utf8_lossy(&turn.data).into_owned();
                    format!("turn {data} {} {}", turn.after.0, turn.is_alone)
                }
            });
        }
        told
    }

    #[test]
    fn a_follower_tells_of_its_own_turns_and_one_of_the_end() {
        let data = |turn: &str| format!("{{\"event\":{{\"type\":\"card_played\"}}{turn}}}");
        let event = |seq: u64| format!("event {{\"seq\":{seq},{}", &data("")[1..]);
        let frame = |seq: u64, turn| format!("id: {seq}-{}\ndata: {}\n\n", "01".repeat(8), data(turn));
        let first = "{\"version\":2,\"awaited\":[{\"seat\":2}],\"legal\":[{\"type\":\"pass\"}]}";
        let other = ",\"turn\":{\"awaited\":[{\"seat\":0}]}";
        let own = ",\"turn\":{\"awaited\":[{\"seat\":2}],\"legal\":[{\"type\":\"pass\"}]   }";
        let end = ",\"turn\":{\"awaited\":[]}";
        let text = [
            frame(2, ""),
            format!("event: turn\ndata: {first}\n\n"),
            frame(3, other),
            ": quiet\n\n".to_owned(),
            frame(4, own),
            frame(5, ""),
            frame(6, end),
        ]
        .concat();
        let turns = [format!("turn {first} 2 true"), format!("turn {} 4 false", data(own))];
        assert_eq!(told(false, true, &text), turns);
        let [first, own] = turns;
        let last = format!("turn {} 6 false", data(end));
        assert_eq!(told(true, false, &text), [first.clone(), own.clone(), last.clone()]);
        let [two, three, four, five, six] = [2, 3, 4, 5, 6].map(event);
        assert_eq!(told(true, true, &text), [two, first, three, four, own, five, six, last]);
    }
}
