//! Listening to a game's stream while it is played, so that what is said there can be looked through as well.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use reqwest::Method;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::playthrough::Heard;
use super::table::{Player, Table};
use crate::harness::client::Answer;
use crate::patience::PATIENCE;

/// Somebody who listens until the game is over.
pub struct Listening(JoinHandle<Vec<Heard>>);

impl Listening {
    /// Listens as somebody; `known` is the newest version that anybody has been told of.
    pub fn to(table: &Table, player: &Player, listener: usize, known: Arc<AtomicU64>) -> Listening {
        let path = table.path("stream");
        let request = player.client.unjudged(&path);
        Listening(tokio::spawn(async move {
            let mut response = request.send().await.expect("a stream");
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            assert_eq!(status, 200);
            let (mut heard, mut rest) = (Vec::new(), String::new());
            while let Some(bytes) = response.chunk().await.expect("more of the stream") {
                rest.push_str(std::str::from_utf8(&bytes).expect("UTF-8"));
                while let Some((frame, behind)) = rest.split_once("\n\n") {
                    let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
                    let (id, data) = (field("id:"), field("data:"));
                    // What is said after the end of the game hides nothing.
                    let id = id.map_or(0, |id| {
                        id.trim().split('-').next().expect("an id").parse().expect("a number")
                    });
                    let version = known.load(Ordering::Relaxed).max(id);
                    let body = data.unwrap_or_default().trim().to_owned();
                    let (method, path, headers) = (Method::GET, path.clone(), headers.clone());
                    let answer = Answer { method, path, status, headers, body, sent: None };
                    heard.push(Heard { listener, version, answer });
                    rest = behind.to_owned();
                }
            }
            heard
        }))
    }

    /// Everything that was heard, once the stream has ended.
    pub async fn end(self) -> Vec<Heard> {
        timeout(PATIENCE, self.0).await.expect("the stream of a game that is over ends").expect("no panic")
    }
}
