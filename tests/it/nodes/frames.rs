use reqwest::{RequestBuilder, Response};
use tokio::time::timeout;

use crate::prelude::*;

#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    Event {
        id: u64,
        data: Value,
    },
    /// The log lacks the stream's last event; the id is the end of the log.
    Reset {
        id: String,
        data: Value,
    },
    /// A turn in a message of its own.
    Turn(Value),
    Named {
        name: String,
        data: Value,
    },
    Comment,
}

pub struct Frames {
    response: Response,
    rest: Vec<u8>,
    /// The last turn, from an event's message or from one of its own.
    pub turn: Value,
}

impl Frames {
    /// Opens a stream after the frame with an id, if given. Returns any other answer as an error.
    pub async fn open(
        client: &Client,
        path: &str,
        after: Option<&str>,
    ) -> Result<Result<Frames, Answer>, reqwest::Error> {
        Frames::requested(client.unjudged(path), after).await
    }

    pub async fn requested(
        mut request: RequestBuilder,
        after: Option<&str>,
    ) -> Result<Result<Frames, Answer>, reqwest::Error> {
        if let Some(after) = after {
            request = request.header("last-event-id", after);
        }
        let response = request.send().await?;
        if response.status() != 200 {
            return Ok(Err(Answer::whole(response).await?));
        }
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers().get("content-encoding"), None);
        Ok(Ok(Frames { response, rest: Vec::new(), turn: Value::Null }))
    }

    /// Opens a stream that must exist.
    pub async fn of(client: &Client, path: &str, after: Option<&str>) -> Frames {
        let opened = Frames::open(client, path, after).await.expect("an answer");
        opened.unwrap_or_else(|answer| panic!("{answer:?}"))
    }

    /// The next frame; an event without its turn, which is kept.
    pub async fn next(&mut self) -> Result<Option<Frame>, reqwest::Error> {
        loop {
            if let Some(end) = self.rest.windows(2).position(|window| window == b"\n\n") {
                let frame: Vec<u8> = self.rest.drain(..end + 2).collect();
                let mut frame = parse(std::str::from_utf8(&frame).expect("UTF-8"));
                match &mut frame {
                    Frame::Turn(turn) => self.turn = turn.clone(),
                    Frame::Event { data: Value::Object(data), .. } => {
                        if let Some(turn) = data.remove("turn") {
                            self.turn = turn;
                        }
                    }
                    _ => {}
                }
                return Ok(Some(frame));
            }
            match self.response.chunk().await? {
                Some(chunk) => self.rest.extend_from_slice(&chunk),
                None => return Ok(None),
            }
        }
    }

    /// The next frame that is neither a comment nor a turn.
    pub async fn soon(&mut self, limit: Duration) -> Frame {
        let next = async {
            loop {
                match self.next().await.expect("no break") {
                    Some(Frame::Comment | Frame::Turn(_)) => {}
                    Some(frame) => return frame,
                    None => panic!("the stream has ended"),
                }
            }
        };
        timeout(limit, next).await.unwrap_or_else(|_| panic!("nothing came within {limit:?}"))
    }

    pub async fn is_silent(&mut self, limit: Duration) -> bool {
        let next = async { while let Ok(Some(Frame::Comment | Frame::Turn(_))) = self.next().await {} };
        timeout(limit, next).await.is_err()
    }
}

/// The id of an event's frame.
pub fn id_of(seq: u64, hash: &str) -> String {
    format!("{seq}-{}", &hash[..16])
}

fn parse(text: &str) -> Frame {
    let (mut id, mut name, mut data) = (None, None, Value::Null);
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with(':')) {
        let (field, value) = line.split_once(": ").unwrap_or_else(|| panic!("{line:?} in {text:?}"));
        match field {
            "id" => id = Some(value.to_owned()),
            "event" => name = Some(value.to_owned()),
            "data" => data = serde_json::from_str(value).expect("JSON"),
            _ => panic!("{text:?}"),
        }
    }
    match (id, name) {
        (Some(id), None) => event(&id, data),
        (Some(id), Some(name)) if name == "reset" => Frame::Reset { id, data },
        (None, Some(name)) if name == "turn" => Frame::Turn(data),
        (None, Some(name)) => Frame::Named { name, data },
        (None, None) => Frame::Comment,
        (Some(_), Some(_)) => panic!("a control frame with an id: {text:?}"),
    }
}

/// An event as streams show it: with 16 digits of its hash.
pub fn streamed(mut event: Value) -> Value {
    event["hash"] = json!(event["hash"].as_str().expect("a hash")[..16]);
    event
}

/// The event of a frame, from its id and its data.
fn event(id: &str, mut data: Value) -> Frame {
    let (number, tag) = id.split_once('-').expect("a number and a tag");
    let number = number.parse().expect("a sequence number");
    let hash = data.get("hash").map_or(tag, |hash| hash.as_str().expect("a hash"));
    assert!(tag.len() == 16 && hash.starts_with(tag), "{id} of {data}");
    data["hash"] = json!(tag);
    data["seq"] = json!(number);
    match data.get_mut("actor") {
        Some(actor) => actor["kind"] = json!("player"),
        None => data["actor"] = json!({"kind": "server"}),
    }
    if let Some(turn) = data.get_mut("turn") {
        assert_eq!(turn.get("version"), None, "the id says it");
        turn["version"] = json!(number);
    }
    Frame::Event { id: number, data }
}
