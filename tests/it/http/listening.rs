//! Listens to a game's stream during play, so that the test can search it for secrets.

use std::sync::atomic::{AtomicU64, Ordering};

use reqwest::header::HeaderMap;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::playthrough::Heard;
use crate::nodes::frames::{Frame, Frames};
use crate::prelude::*;

pub struct Listening(JoinHandle<Vec<Heard>>);

impl Listening {
    pub fn to(table: &Table, player: &Player, listener: usize, known: Arc<AtomicU64>) -> Listening {
        let (client, path) = (player.client.clone(), table.stream());
        Listening(tokio::spawn(async move {
            let mut frames = Frames::of(&client, &path, None).await;
            let mut heard = Vec::new();
            while let Some(frame) = frames.next().await.expect("more of the stream") {
                let (id, data) = match frame {
                    Frame::Event { id, mut data } => {
                        if frames.turn["version"] == id {
                            data["turn"] = frames.turn.clone();
                        }
                        (id, data)
                    }
                    Frame::Turn(turn) => (turn["version"].as_u64().expect("a version"), turn),
                    // After the end of the game nothing is hidden.
                    Frame::Named { data, .. } | Frame::Reset { data, .. } => (0, data),
                    Frame::Comment => continue,
                };
                let version = known.load(Ordering::Relaxed).max(id);
                let (method, path, headers) = (Method::GET, path.clone(), HeaderMap::new());
                let answer =
                    Answer { method, path, status: 200, headers, body: data.to_string(), sent: None };
                heard.push(Heard { listener, version, answer });
            }
            heard
        }))
    }

    pub async fn end(self) -> Vec<Heard> {
        timeout(PATIENCE, self.0).await.expect("the stream of a game that is over ends").expect("no panic")
    }
}
