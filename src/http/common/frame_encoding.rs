//! Encodes the frames of event streams: as they are, or with gzip.
//!
//! A thread has one compressor for all its streams. It compresses each frame with the last [`WINDOW`] bytes of the stream as
//! its dictionary, so a stream keeps nothing but these bytes. A client can decode each frame at once.
//!
//! No length depends on what is private in a frame: the private part is stored and not compressed, and the dictionary has
//! zeros in its place, to which nothing is matched.

use std::cell::RefCell;
use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::web::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use zlib_rs::crc32::crc32;
use zlib_rs::{Deflate, DeflateFlush, Status};

use crate::http::compression::{Coding, PLAIN, accepts_gzip};
use estimation_service::base::metrics::{Metrics, Open};
use estimation_service::games::viewer_text::Frame;

/// The bytes that a stream keeps. Half as many send 7 % more, and twice as many 1 % less.
const WINDOW: usize = 4096;

/// zlib's highest level. Below it, zlib-rs hashes a byte after the dictionary, which an earlier frame has left there, and
/// what it writes depends on that byte.
const LEVEL: i32 = 9;

/// The compressor's window, as a power of two: [`WINDOW`] and the largest frame.
const COMPRESSOR_WINDOW: u8 = 15;

/// A gzip header without time, name and system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// The last block of a deflate stream, without content.
const LAST_BLOCK: [u8; 2] = [3, 0];

/// The largest stored block.
const STORED: usize = u16::MAX as usize;

/// Up to here, bytes after the private part of a frame are stored with it: compressing them takes more.
const SHORT: usize = 16;

/// The streams of a node that may be compressed.
pub(in crate::http) struct CompressedStreams {
    free: Arc<Semaphore>,
    metrics: Arc<Metrics>,
}

/// A compressed stream. It counts until this is dropped.
pub(in crate::http) struct CompressedStream {
    encoder: GzipEncoder,
    _permit: OwnedSemaphorePermit,
    _open: Open,
}

impl CompressedStreams {
    pub(in crate::http) fn new(most: u32, metrics: Arc<Metrics>) -> CompressedStreams {
        CompressedStreams { free: Arc::new(Semaphore::new(most as usize)), metrics }
    }

    /// The encoder of a new stream: gzip if the client takes it and not too many streams are compressed.
    pub(in crate::http) fn encoder(&self, request: &HttpRequest) -> FrameEncoder {
        match accepts_gzip(request).then(|| Arc::clone(&self.free).try_acquire_owned()) {
            Some(Ok(permit)) => FrameEncoder::Gzip(CompressedStream {
                encoder: GzipEncoder::default(),
                _permit: permit,
                _open: self.metrics.compressed_stream(),
            }),
            _ => FrameEncoder::Plain,
        }
    }
}

/// Encodes the frames of a stream.
pub(in crate::http) enum FrameEncoder {
    Plain,
    Gzip(CompressedStream),
}

impl FrameEncoder {
    /// The header that tells the client of the encoding; for plain frames the mark that keeps actix from compressing.
    pub(in crate::http) fn header(&self) -> (&'static str, &'static str) {
        match self {
            FrameEncoder::Plain => PLAIN,
            FrameEncoder::Gzip(_) => (PLAIN.0, Coding::Gzip.name()),
        }
    }

    /// Encodes the next frames. The client can decode them at once.
    pub(in crate::http) fn encode(&mut self, frames: &[Frame]) -> Bytes {
        match (self, frames) {
            (FrameEncoder::Plain, [frame]) => frame.bytes.clone(),
            (FrameEncoder::Plain, _) => {
                let frames: Vec<&[u8]> = frames.iter().map(|frame| &frame.bytes[..]).collect();
                Bytes::from(frames.concat())
            }
            (FrameEncoder::Gzip(stream), _) => stream.encoder.encode(frames),
        }
    }

    /// What ends a complete stream, if anything does.
    pub(in crate::http) fn finish(self) -> Option<Bytes> {
        match self {
            FrameEncoder::Plain => None,
            FrameEncoder::Gzip(stream) => Some(stream.encoder.finish()),
        }
    }
}

/// The state of a gzip stream.
#[derive(Debug, Default)]
struct GzipEncoder {
    /// The last bytes of the stream, with zeros for what was private.
    window: Vec<u8>,
    checksum: u32,
    /// The number of bytes encoded, modulo 2³² as in the trailer.
    length: u32,
    has_header: bool,
}

thread_local! {
    static COMPRESSOR: RefCell<Deflate> = RefCell::new(Deflate::new(LEVEL, false, COMPRESSOR_WINDOW));
}

impl GzipEncoder {
    /// Encodes the next frames.
    fn encode(&mut self, frames: &[Frame]) -> Bytes {
        let length: usize = frames.iter().map(|frame| frame.bytes.len()).sum();
        let mut encoded = Vec::with_capacity(HEADER.len() + length);
        self.begin(&mut encoded);
        for frame in frames {
            self.add(frame, &mut encoded);
        }
        Bytes::from(encoded)
    }

    fn add(&mut self, frame: &Frame, encoded: &mut Vec<u8>) {
        let bytes = &frame.bytes[..];
        self.checksum = crc32(self.checksum, bytes);
        self.length = self.length.wrapping_add(bytes.len() as u32);
        let (public, rest) = bytes.split_at(frame.private.start);
        self.compress(public, encoded);
        let private =
            if rest.len() - frame.private.len() <= SHORT { rest.len() } else { frame.private.len() };
        let (private, public) = rest.split_at(private);
        store(private, encoded);
        let kept = self.make_room(private.len());
        self.window.resize(self.window.len() + kept, 0);
        self.compress(public, encoded);
    }

    /// The end of the stream.
    fn finish(mut self) -> Bytes {
        let mut encoded = Vec::with_capacity(HEADER.len() + 10);
        self.begin(&mut encoded);
        encoded.extend(LAST_BLOCK);
        encoded.extend(self.checksum.to_le_bytes());
        encoded.extend(self.length.to_le_bytes());
        Bytes::from(encoded)
    }

    fn begin(&mut self, encoded: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.has_header, true) {
            encoded.extend(HEADER);
        }
    }

    /// Compresses public bytes, up to the end of a byte.
    fn compress(&mut self, bytes: &[u8], encoded: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        // A zero could match one that stands for a private byte.
        if bytes.contains(&0) || !deflate(&self.window, bytes, encoded) {
            store(bytes, encoded);
        }
        let kept = self.make_room(bytes.len());
        self.window.extend_from_slice(&bytes[bytes.len() - kept..]);
    }

    /// Makes room for bytes in the window, and returns how many of them, the last ones, it takes.
    fn make_room(&mut self, bytes: usize) -> usize {
        if self.window.capacity() == 0 {
            self.window.reserve_exact(WINDOW);
        }
        let kept = bytes.min(WINDOW);
        let outdated = (self.window.len() + kept).saturating_sub(WINDOW);
        self.window.drain(..outdated);
        kept
    }
}

/// Compresses bytes with a dictionary. If that fails, nothing is added to the output.
fn deflate(dictionary: &[u8], bytes: &[u8], encoded: &mut Vec<u8>) -> bool {
    COMPRESSOR.with_borrow_mut(|compressor| {
        compressor.reset();
        if !dictionary.is_empty() && compressor.set_dictionary(dictionary).is_err() {
            return false;
        }
        let (start, room) = (encoded.len(), bytes.len() + bytes.len() / 8 + 64);
        encoded.resize(start + room, 0);
        let status = compressor.compress(bytes, &mut encoded[start..], DeflateFlush::SyncFlush);
        let (read, written) = (compressor.total_in() as usize, compressor.total_out() as usize);
        // With no room left, there may be more output.
        let complete = status == Ok(Status::Ok) && read == bytes.len() && written < room;
        encoded.truncate(if complete { start + written } else { start });
        complete
    })
}

/// Writes bytes as they are, in blocks with their length and its complement.
fn store(bytes: &[u8], encoded: &mut Vec<u8>) {
    for block in bytes.chunks(STORED) {
        let length = block.len() as u16;
        encoded.push(0);
        encoded.extend(length.to_le_bytes());
        encoded.extend((!length).to_le_bytes());
        encoded.extend(block);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::ops::Range;
    use std::slice::from_ref;

    use estimation_engine::command::Position;
    use estimation_engine::event::Event;
    use estimation_engine::evolve::evolve;
    use estimation_engine::game::Game;
    use estimation_engine::redact::Viewer;
    use estimation_engine::ruleset::RulesetId;
    use estimation_engine::seat::Seat;
    use estimation_service::games::viewer_text::{ViewerText, event_text, legal_text};
    use estimation_test_support::unseen::redealt;
    use estimation_test_support::{Random, Table, variant_of};
    use flate2::write::GzDecoder;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::http::common::event_streams::framed;

    fn frame(bytes: impl Into<Vec<u8>>, private: Range<usize>) -> Frame {
        Frame { bytes: Bytes::from(bytes.into()), private }
    }

    fn public(text: &str) -> Frame {
        frame(text, 0..0)
    }

    /// Encodes frames as one stream.
    fn encoded(frames: &[Frame]) -> Vec<Bytes> {
        let mut encoder = GzipEncoder::default();
        frames.iter().map(|frame| encoder.encode(from_ref(frame))).collect()
    }

    fn lengths(frames: &[Frame]) -> Vec<usize> {
        encoded(frames).iter().map(Bytes::len).collect()
    }

    /// Decodes a stream, and compares each frame before the next is encoded.
    fn assert_decodes(frames: &[Frame]) {
        let (mut encoder, mut decoder) = (GzipEncoder::default(), GzDecoder::new(Vec::new()));
        let mut sent = Vec::new();
        for frame in frames {
            decoder.write_all(&encoder.encode(from_ref(frame))).unwrap();
            decoder.flush().unwrap();
            sent.extend_from_slice(&frame.bytes);
            assert_eq!(decoder.get_ref(), &sent);
        }
        decoder.write_all(&encoder.finish()).unwrap();
        assert_eq!(decoder.finish().unwrap(), sent);
    }

    /// Texts of few letters, which match one another often.
    fn text() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            16 => vec(prop_oneof![Just(b'a'), Just(b'b'), Just(b' '), Just(b'9')], 0..200),
            3 => vec(any::<u8>(), 0..100),
            1 => vec(any::<u8>(), 4_000..5_000),
        ]
    }

    /// A frame, and another private part for it of the same length.
    fn frame_and_other() -> impl Strategy<Value = (Frame, Frame)> {
        (text(), text(), text(), text()).prop_map(|(before, private, other, after)| {
            let length = private.len().min(other.len());
            let range = before.len()..before.len() + length;
            let with = |part: &[u8]| [&before[..], &part[..length], &after[..]].concat();
            (frame(with(&private), range.clone()), frame(with(&other), range))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn every_frame_is_decoded_before_the_next(frames in vec(frame_and_other(), 0..8)) {
            let frames: Vec<Frame> = frames.into_iter().map(|(frame, _)| frame).collect();
            assert_decodes(&frames);
        }

        #[test]
        fn no_length_depends_on_a_private_part(frames in vec(frame_and_other(), 1..8)) {
            let (frames, others): (Vec<_>, Vec<_>) = frames.into_iter().unzip();
            prop_assert_eq!(lengths(&frames), lengths(&others));
        }

        #[test]
        fn streams_of_a_thread_do_not_affect_each_other(frames in vec(frame_and_other(), 1..8)) {
            let (mut one, mut other) = (GzipEncoder::default(), GzipEncoder::default());
            let mixed: Vec<_> = frames.iter().map(|(frame, f)| (one.encode(from_ref(frame)), other.encode(from_ref(f)))).collect();
            let (one, other): (Vec<_>, Vec<_>) = mixed.into_iter().unzip();
            let (frames, others): (Vec<_>, Vec<_>) = frames.into_iter().unzip();
            prop_assert_eq!(one, encoded(&frames));
            prop_assert_eq!(other, encoded(&others));
        }
    }

    /// The frames of a player's stream, with the same hashes for every record.
    fn frames_of(record: &[Event], seat: Seat) -> Vec<Frame> {
        let mut game = Game::replay(&record[..1]).unwrap();
        let frames = record.iter().enumerate().map(|(index, event)| {
            if index > 0 {
                evolve(&mut game, event);
            }
            let hash = rapidhash::v3::rapidhash_v3(&index.to_le_bytes());
            let event = event_text(event, Viewer::Seat(seat), false).unwrap();
            let message =
                ViewerText::public(format!("{{\"seq\":{index},\"hash\":\"{hash:016x}\",\"event\":"));
            let message = match legal_text(&game, Position::Seat(seat)).unwrap() {
                Some(legal) => message.and(&event).then(",\"turn\":{\"legal\":").and(&legal).then("}}"),
                None => message.and(&event).then("}"),
            };
            framed(&format!("id: {index}"), &message)
        });
        frames.collect()
    }

    #[test]
    fn no_length_depends_on_a_hand() {
        assert_lengths_of_hands(8, 3);
    }

    #[ignore = "all: tries every case; the default tries some"]
    #[test]
    fn no_length_depends_on_a_hand_in_many_games() {
        assert_lengths_of_hands(30, 100);
    }

    /// In as many games of each ruleset, at least some frames differ, and none in its length.
    fn assert_lengths_of_hands(games: u64, least: usize) {
        for id in RulesetId::ALL {
            let (mut differing, mut longest) = (0, 0);
            for seed in 0..games {
                let mut random = Random(seed);
                let rules = variant_of(id, &mut random);
                let seat = Seat::new(random.below(rules.players.into()) as u8);
                let mut table = Table::start(rules, seed);
                let mut left = 20 + random.below(120);
                table.play_until(&mut random, |_| {
                    left -= 1;
                    left == 0
                });
                let record = table.events();
                // What no watcher sees is dealt again: also the player's own hand.
                let other = redealt(&table.game, &record, Viewer::Stranger, &mut random);
                let (frames, others) = (frames_of(&record, seat), frames_of(&other, seat));
                for (frame, other) in frames.iter().zip(&others) {
                    let outside = |frame: &Frame| {
                        [&frame.bytes[..frame.private.start], &frame.bytes[frame.private.end..]].concat()
                    };
                    assert_eq!(frame.private, other.private, "{frame:?}, {other:?}");
                    assert_eq!(outside(frame), outside(other), "{frame:?}, {other:?}");
                    differing += usize::from(frame != other);
                    longest = longest.max(frame.private.len());
                }
                assert_eq!(lengths(&frames), lengths(&others), "{id:?}, seed {seed}");
            }
            assert!(
                differing > least && longest > 200,
                "{id:?}: {differing} differing frames, {longest} bytes"
            );
        }
    }

    #[test]
    fn a_private_part_of_any_length_is_stored() {
        let private = "[\"AS\",\"KS\"]".repeat(10_000);
        let text = format!("data: {{\"cards\":{private}}}\n\n");
        let start = text.find('[').unwrap();
        assert_decodes(&[
            public("data: {}\n\n"),
            frame(text, start..start + private.len()),
            public("data: {}\n\n"),
        ]);
    }

    #[test]
    fn a_repeated_frame_is_short() {
        let text = "id: 7-0123456789abcdef\ndata: {\"type\":\"card_played\",\"seat\":2,\"card\":\"9H\"}\n\n";
        let [first, second] = lengths(&[public(text), public(text)])[..] else { panic!() };
        assert!(first > text.len() / 2 && second < 16, "{first}, {second}");
    }

    #[test]
    fn a_stream_keeps_its_window_and_no_more() {
        let mut encoder = GzipEncoder::default();
        for length in (0..6_000).step_by(37) {
            encoder.encode(&[public(&"[\"AS\",\"KS\"]".repeat(length)[..length])]);
            assert!(encoder.window.len() <= WINDOW);
        }
        assert_eq!((encoder.window.len(), encoder.window.capacity()), (WINDOW, WINDOW));
        assert!(size_of::<GzipEncoder>() <= 40);
    }
}
