//! Listeners: open event streams of a game, with counted frames and checked ids.
//!
//! One frame in a hundred is parsed. The others are only searched for ids, which is cheap.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::BodyExt;
use hyper::body::Incoming;
use memchr::memmem;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::run::Run;
use super::trouble::DriveError;
use super::wire::Listed;

/// One in this many frames is parsed.
const PARSED: u64 = 100;

/// The maximum time without any bytes.
const SILENCE: Duration = Duration::from_secs(60);

/// A stream that is read until this is dropped or the game is over.
pub(super) struct Listener(JoinHandle<()>);

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

    /// Starts listening to the stream of a game, from its first event.
    pub(super) fn to(run: &Arc<Run>, game: &str, body: Incoming) -> Listener {
        let (run, game) = (Arc::clone(run), game.to_owned());
        Listener(tokio::spawn(async move {
            if let Err(trouble) = listen(&run, &game, body).await {
                run.failed("a stream", &trouble);
            }
        }))
    }
}

async fn listen(run: &Run, game: &str, mut body: Incoming) -> Result<(), DriveError> {
    let wrong = |what: String| DriveError::contradiction(game, what);
    let (mut frames, mut last) = (Frames::default(), 0);
    loop {
        let chunk = timeout(SILENCE, body.frame()).await.map_err(|_| wrong("its stream is silent".into()))?;
        let Some(chunk) = chunk else { return Ok(()) };
        let chunk = chunk.map_err(|error| wrong(format!("its stream broke: {error}")))?;
        let Some(data) = chunk.data_ref() else { continue };
        frames.take(data);
        let mut seen = 0;
        while let Some(frame) = frames.next() {
            if frame.is_reset {
                return Err(wrong(format!("the log does not have event {last} any more")));
            }
            let Some(id) = frame.id else { continue };
            if id != last + 1 {
                return Err(wrong(format!("event {id} came after event {last}")));
            }
            last = id;
            seen += 1;
            if id % PARSED == 0 {
                let event: Listed = serde_json::from_slice(frame.data)
                    .map_err(|error| wrong(format!("event {id} in its stream cannot be read: {error}")))?;
                if event.seq != id {
                    return Err(wrong(format!("the frame of event {id} holds event {}", event.seq)));
                }
            }
        }
        // In a run without a time limit all frames count, also those before the first command.
        if run.pace.length.is_none() || run.pace.counts(Instant::now()) {
            run.statistics.count(|counts| counts.stream_frames += seen);
        }
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
    /// None for a comment or a frame without an id.
    id: Option<u64>,
    data: &'a [u8],
    /// Whether the frame says that the log does not contain the previous event.
    is_reset: bool,
}

impl Frames {
    fn take(&mut self, data: &[u8]) {
        self.buffer.drain(..self.read);
        self.read = 0;
        self.buffer.extend_from_slice(data);
    }

    fn next(&mut self) -> Option<Frame<'_>> {
        let rest = &self.buffer[self.read..];
        let end = memmem::find(rest, b"\n\n")?;
        self.read += end + 2;
        let mut frame = Frame { id: None, data: b"", is_reset: false };
        for line in rest[..end].split(|&byte| byte == b'\n') {
            if let Some(id) = line.strip_prefix(b"id: ") {
                // The number, without the hash after it.
                let number = id.split(|&byte| byte == b'-').next().unwrap_or(id);
                frame.id = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
            } else if line == b"event: reset" {
                frame.is_reset = true;
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
            b": quiet\n\nid: 1\ndata: {\"seq\":1}\n\nid: 2-9f3c2a71b0d4e655\ndata: {\"seq\":2}\n\nevent: end\ndata: {}\n\n";
        for cut in 1..text.len() {
            let (mut frames, mut found) = (Frames::default(), Vec::new());
            for piece in text.chunks(cut) {
                frames.take(piece);
                while let Some(frame) = frames.next() {
                    found.push((frame.id, frame.data.len()));
                }
            }
            assert_eq!(found, [(None, 0), (Some(1), 9), (Some(2), 9), (None, 2)], "{cut}");
        }
    }
}
