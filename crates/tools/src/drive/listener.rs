//! Listeners: open event streams of a game, with counted frames and checked ids.
//!
//! Frames are only searched for ids and turns, which is cheap.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use memchr::{memchr, memmem};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::run::Run;
use super::scene::{Tag, tag};
use super::trouble::DriveError;
use crate::connection::Incoming;

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
    /// The number and the tag of the last event.
    pub(super) after: (u64, Tag),
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
    /// The number and the tag of the last event.
    pub(super) after: (u64, Tag),
    /// Whether the frame is the turn alone, without an event.
    pub(super) is_alone: bool,
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
            if let Some((id, _)) = frame.id {
                if id != *last + 1 {
                    return Err(wrong(format!("event {id} came after event {last}")));
                }
                *last = id;
                seen += 1;
            }
            if let Some(follower) = follower {
                follower.read(&frame, run.flags.verify);
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
    fn read(&mut self, frame: &Frame<'_>, keeps: bool) {
        // The table may have ended already.
        let tell = |heard| drop(self.table.send(Ok(heard)));
        if let Some(id) = frame.id {
            self.after = id;
            if keeps && self.tells_all {
                tell(Heard::Event(event(id.0, frame.data)));
            }
        }
        let has = |member| memmem::find(frame.data, member).is_some();
        if has(LEGAL) || self.tells_all && has(NOBODY) {
            let (player, at, data) = (self.player, Instant::now(), Bytes::copy_from_slice(frame.data));
            tell(Heard::Turn(HeardTurn {
                player,
                at,
                data,
                after: self.after,
                is_alone: frame.name == TURN,
            }));
        }
    }
}

/// The event in the data of a frame, with its number and without the turn beside it.
fn event(seq: u64, data: &[u8]) -> Bytes {
    let end = memmem::find(data, b",\"turn\":{").unwrap_or(data.len() - 1);
    [format!("{{\"seq\":{seq},").as_bytes(), &data[1..end], b"}"].concat().into()
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
                frame.id = std::str::from_utf8(id).ok().and_then(|id| {
                    let (number, digits) = id.split_once('-')?;
                    Some((number.parse().ok()?, tag(digits)?))
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
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    #[test]
    fn frames_are_found_wherever_the_bytes_are_cut() {
        let text =
            b": quiet\n\nid: 1-0101010101010101\ndata: {\"at\":1}\n\nid: 2-0202020202020202\ndata: {\"at\":2}\n\nevent: end\ndata: {}\n\n";
        for cut in 1..text.len() {
            let (mut frames, mut found) = (Frames::default(), Vec::new());
            for piece in text.chunks(cut) {
                frames.room().extend_from_slice(piece);
                while let Some(frame) = frames.next() {
                    found.push((frame.id, frame.data.len()));
                }
            }
            let ids = [Some((1, [1; 8])), Some((2, [2; 8]))];
            assert_eq!(found, [(None, 0), (ids[0], 8), (ids[1], 8), (None, 2)], "{cut}");
        }
    }

    /// What a player tells the table of these frames.
    fn told(tells_all: bool, keeps: bool, text: &str) -> Vec<String> {
        let (table, mut heard) = unbounded_channel();
        let mut follower = Follower { player: 2, table, tells_all, after: (1, [1; 8]) };
        let mut frames = Frames::default();
        frames.room().extend_from_slice(text.as_bytes());
        while let Some(frame) = frames.next() {
            follower.read(&frame, keeps);
        }
        let mut told = Vec::new();
        while let Ok(heard) = heard.try_recv() {
            told.push(match heard.unwrap() {
                Heard::Event(event) => format!("event {}", String::from_utf8_lossy(&event)),
                Heard::Turn(turn) => {
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
        let events = [2, 3, 4, 5, 6].map(event);
        let [two, three, four, five, six] = events;
        assert_eq!(told(true, true, &text), [two, first, three, four, own, five, six, last]);
    }
}
