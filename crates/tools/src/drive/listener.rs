//! Listeners: open event streams of a game, with counted frames and checked ids.
//!
//! One frame in a hundred is parsed. The others are only searched for ids and turns, which is cheap.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use memchr::{memchr, memmem};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::run::Run;
use super::scene::hash;
use super::trouble::DriveError;
use super::wire::Head;
use crate::connection::Incoming;
use estimation_record::Hash;

/// One in this many frames is parsed.
const PARSED: u64 = 100;

/// The maximum time without any bytes.
pub(super) const SILENCE: Duration = Duration::from_secs(60);

/// The beginning of the member with the commands that the viewer of a turn may post.
const LEGAL: &[u8] = b"\"legal\":[";

/// The member of a turn in which no player must act, as at the end of the game.
const NOBODY: &[u8] = b"\"awaited\":[]";

/// The name of a frame that is a turn alone.
const TURN: &[u8] = b"turn";

/// A stream that is read until this is dropped or the game is over.
pub(super) struct Listener(JoinHandle<()>);

/// The stream of a game.
pub(super) struct GameStream {
    pub(super) game: String,
    pub(super) body: Incoming,
    /// The number of the event after which it begins.
    pub(super) after: u64,
    /// The player who follows it, if any.
    pub(super) follower: Option<Follower>,
}

/// A player who follows its stream, and tells the table of its turns.
pub(super) struct Follower {
    pub(super) player: usize,
    pub(super) table: UnboundedSender<Result<Heard, DriveError>>,
    /// Whether it also tells of turns in which no player must act, and of events if they are kept. One player of a
    /// table does.
    pub(super) tells_all: bool,
    /// The hash of the last event, until the first turn, which does not have it.
    pub(super) after: Option<Hash>,
}

/// What a player told the table.
pub(super) enum Heard {
    /// An event, if the run keeps them.
    Event(Bytes),
    Turn(HeardTurn),
}

/// A turn in the stream of a player.
pub(super) struct HeardTurn {
    pub(super) player: usize,
    /// The time of its arrival.
    pub(super) at: Instant,
    /// The data of its frame.
    pub(super) data: Bytes,
    /// The hash of the last event, if the frame is the turn alone.
    pub(super) after: Option<Hash>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Listener {
    /// Waits for the end of the stream.
    pub(super) async fn finish(mut self) {
        // The task has reported its own errors.
        let _ = (&mut self.0).await;
    }

    /// Starts listening to a stream.
    pub(super) fn to(run: &Arc<Run>, mut stream: GameStream) -> Listener {
        let run = Arc::clone(run);
        Listener(tokio::spawn(async move {
            match (listen(&run, &mut stream).await, stream.follower) {
                (Ok(()), _) => {}
                (Err(trouble), None) => run.failed("a stream", &trouble),
                // The table may have ended already.
                (Err(trouble), Some(follower)) => drop(follower.table.send(Err(trouble))),
            }
        }))
    }
}

async fn listen(run: &Run, stream: &mut GameStream) -> Result<(), DriveError> {
    let GameStream { game, body, after: last, follower } = stream;
    let wrong = |what: String| DriveError::contradiction(game, what);
    let mut frames = Frames::default();
    loop {
        let read = timeout(SILENCE, body.part(frames.room())).await;
        let read = read.map_err(|_| wrong("its stream is silent".into()))?;
        if !read.map_err(|error| wrong(format!("its stream broke: {error}")))? {
            return Ok(());
        }
        let mut seen = 0;
        while let Some(frame) = frames.next() {
            if frame.name == b"reset" {
                return Err(wrong(format!("the log does not have event {last} any more")));
            }
            if let Some(id) = frame.id {
                if id != *last + 1 {
                    return Err(wrong(format!("event {id} came after event {last}")));
                }
                *last = id;
                seen += 1;
                if id % PARSED == 0 {
                    parsed(id, frame.data).map_err(wrong)?;
                }
            }
            if let Some(follower) = follower {
                follower.read(&frame, run.flags.verify).map_err(wrong)?;
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
        if let Some(id) = frame.id {
            if self.after.is_some() {
                self.after = Some(parsed(id, frame.data)?);
            }
            if keeps && self.tells_all {
                tell(Heard::Event(event(frame.data)));
            }
        }
        let has = |member| memmem::find(frame.data, member).is_some();
        if has(LEGAL) || self.tells_all && has(NOBODY) {
            let (data, after) = (Bytes::copy_from_slice(frame.data), self.after);
            tell(Heard::Turn(HeardTurn { player: self.player, at: Instant::now(), data, after }));
        }
        if frame.name == TURN {
            self.after = None;
        }
        Ok(())
    }
}

/// The event in the data of a frame, without the turn beside it.
fn event(data: &[u8]) -> Bytes {
    match memmem::find(data, b",\"turn\":{") {
        Some(end) => [&data[..end], b"}"].concat().into(),
        None => Bytes::copy_from_slice(data),
    }
}

/// The hash of an event, from the data of its frame.
fn parsed(id: u64, data: &[u8]) -> Result<Hash, String> {
    let event: Head<'_> = serde_json::from_slice(data)
        .map_err(|error| format!("event {id} in its stream cannot be read: {error}"))?;
    if event.seq != id {
        return Err(format!("the frame of event {id} holds event {}", event.seq));
    }
    hash(event.hash).ok_or_else(|| format!("event {id} in its stream has no hash"))
}

/// Splits the bytes of a stream at empty lines.
#[derive(Default)]
struct Frames {
    buffer: Vec<u8>,
    read: usize,
}

/// A frame of a stream.
struct Frame<'a> {
    /// None for a comment or a frame without an id.
    id: Option<u64>,
    data: &'a [u8],
    /// Empty for events.
    name: &'a [u8],
}

impl Frames {
    /// Where the next bytes go, after those of an unfinished frame.
    fn room(&mut self) -> &mut Vec<u8> {
        self.buffer.drain(..self.read);
        self.read = 0;
        &mut self.buffer
    }

    fn next(&mut self) -> Option<Frame<'_>> {
        let rest = &self.buffer[self.read..];
        let end = memmem::find(rest, b"\n\n")?;
        self.read += end + 2;
        let mut frame = Frame { id: None, data: b"", name: b"" };
        let mut lines = &rest[..end];
        while !lines.is_empty() {
            let length = memchr(b'\n', lines).unwrap_or(lines.len());
            let line = &lines[..length];
            lines = lines.get(length + 1..).unwrap_or_default();
            if let Some(id) = line.strip_prefix(b"id: ") {
                // The number, without the hash after it.
                let number = &id[..memchr(b'-', id).unwrap_or(id.len())];
                frame.id = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
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
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    #[test]
    fn frames_are_found_wherever_the_bytes_are_cut() {
        let text =
            b": quiet\n\nid: 1\ndata: {\"seq\":1}\n\nid: 2-9f3c2a71b0d4e655\ndata: {\"seq\":2}\n\nevent: end\ndata: {}\n\n";
        for cut in 1..text.len() {
            let (mut frames, mut found) = (Frames::default(), Vec::new());
            for piece in text.chunks(cut) {
                frames.room().extend_from_slice(piece);
                while let Some(frame) = frames.next() {
                    found.push((frame.id, frame.data.len()));
                }
            }
            assert_eq!(found, [(None, 0), (Some(1), 9), (Some(2), 9), (None, 2)], "{cut}");
        }
    }

    /// What a player tells the table of these frames.
    fn told(tells_all: bool, keeps: bool, text: &str) -> Vec<String> {
        let (table, mut heard) = unbounded_channel();
        let mut follower = Follower { player: 2, table, tells_all, after: Some([1; 32]) };
        let mut frames = Frames::default();
        frames.room().extend_from_slice(text.as_bytes());
        while let Some(frame) = frames.next() {
            follower.read(&frame, keeps).unwrap();
        }
        let mut told = Vec::new();
        while let Ok(heard) = heard.try_recv() {
            told.push(match heard.unwrap() {
                Heard::Event(event) => format!("event {}", String::from_utf8_lossy(&event)),
                Heard::Turn(turn) => {
                    let data = String::from_utf8_lossy(&turn.data).into_owned();
                    format!("turn {data} {:?}", turn.after.map(|hash| hash[0]))
                }
            });
        }
        told
    }

    #[test]
    fn a_follower_tells_of_its_own_turns_and_one_of_the_end() {
        let event = |seq: u64, turn: &str| {
            let hash = hex::encode([seq as u8; 32]);
            format!("{{\"seq\":{seq},\"hash\":\"{hash}\",\"event\":{{\"type\":\"card_played\"}}{turn}}}")
        };
        let frame = |seq, turn| format!("id: {seq}-0123456789abcdef\ndata: {}\n\n", event(seq, turn));
        let first = "{\"version\":2,\"awaited\":[{\"seat\":2}],\"legal\":[{\"type\":\"pass\"}]}";
        let other = ",\"turn\":{\"version\":3,\"awaited\":[{\"seat\":0}]}";
        let own = ",\"turn\":{\"version\":4,\"awaited\":[{\"seat\":2}],\"legal\":[{\"type\":\"pass\"}]   }";
        let end = ",\"turn\":{\"version\":6,\"awaited\":[]}";
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
        let turns = [format!("turn {first} Some(2)"), format!("turn {} None", event(4, own))];
        assert_eq!(told(false, true, &text), turns);
        let [first, own] = turns;
        let last = format!("turn {} None", event(6, end));
        assert_eq!(told(true, false, &text), [first.clone(), own.clone(), last.clone()]);
        let events = [2, 3, 4, 5, 6].map(|seq| format!("event {}", event(seq, "")));
        let [two, three, four, five, six] = events;
        assert_eq!(told(true, true, &text), [two, first, three, four, own, five, six, last]);
    }
}
