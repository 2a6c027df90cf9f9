//! A service that shows a log, and as little else as possible.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use estimation_tlog::Note;

use crate::prelude::*;

pub const ORIGIN: &str = "cards.example/log";

/// A log with so many entries of private games.
pub fn log(size: u64) -> TestLog {
    let mut log = TestLog::new(ORIGIN, 1);
    log.grow(size, "entry");
    log
}

type Answers = HashMap<String, (u16, Vec<u8>)>;
type Actions = HashMap<String, Box<dyn FnOnce() + Send>>;

/// A service, and a folder with the state of those who watch it.
pub struct Service {
    pub url: String,
    answers: Arc<Mutex<Answers>>,
    actions: Arc<Mutex<Actions>>,
    folder: TempDir,
}

impl Service {
    /// Shows a log.
    pub fn showing(log: &TestLog) -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let answers = Arc::<Mutex<Answers>>::default();
        let actions = Arc::<Mutex<Actions>>::default();
        let (shown, awaiting) = (Arc::clone(&answers), Arc::clone(&actions));
        // It ends with the test program.
        thread::spawn(move || {
            listener.incoming().for_each(|stream| {
                let _gone = stream
                    .and_then(|stream| answer(stream, &shown.lock().unwrap(), &mut awaiting.lock().unwrap()));
            });
        });
        let service = Service { url, answers, actions, folder: TempDir::new().unwrap() };
        service.show(log);
        service
    }

    /// Shows a log that is watched once.
    pub fn watched(log: &TestLog) -> Service {
        let service = Service::showing(log);
        service.watch(&[]).expect(0, "all is well");
        service
    }

    /// Shows another state of a log, or another log.
    pub fn show(&self, log: &TestLog) {
        self.show_note(log, &log.checkpoint(now()));
    }

    pub fn show_note(&self, log: &TestLog, checkpoint: &Note) {
        let files = log.files().into_iter().map(|(path, bytes)| (format!("/log/{path}"), (200, bytes)));
        let mut answers = self.answers.lock().unwrap();
        answers.retain(|path, _| !path.starts_with("/log/"));
        answers.extend(files);
        answers.insert("/log/key".to_owned(), (200, log.keys().into_bytes()));
        answers.insert("/log/checkpoint".to_owned(), (200, checkpoint.to_string().into_bytes()));
    }

    /// Answers another path than one of the log.
    pub fn serve(&self, path: &str, status: u16, body: &[u8]) {
        self.answers.lock().unwrap().insert(path.to_owned(), (status, body.to_vec()));
    }

    /// Changes one answer.
    pub fn answer(&self, path: &str, status: u16, body: &[u8]) {
        self.answers.lock().unwrap().insert(format!("/log/{path}"), (status, body.to_vec()));
    }

    /// The body of one answer.
    pub fn body(&self, path: &str) -> Vec<u8> {
        self.answers.lock().unwrap()[&format!("/log/{path}")].1.clone()
    }

    /// Does something once, before the next answer of a path.
    pub fn at_request(&self, path: &str, action: impl FnOnce() + Send + 'static) {
        self.actions.lock().unwrap().insert(path.to_owned(), Box::new(action));
    }

    pub fn forget(&self, path: &str) {
        self.answers.lock().unwrap().remove(&format!("/log/{path}")).unwrap();
    }

    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state.json")
    }

    /// The names in the folder of the state.
    pub fn files_beside_state(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    pub fn kept(&self) -> String {
        fs::read_to_string(self.state()).unwrap()
    }

    /// Watches the service with its own state.
    pub fn watch(&self, more: &[&str]) -> Ran {
        let state = self.state();
        let state = state.to_str().unwrap();
        run([&["watch", "--url", &self.url, "--state", state], more].concat())
    }
}

fn answer(stream: TcpStream, answers: &Answers, actions: &mut Actions) -> std::io::Result<()> {
    let mut lines = BufReader::new(&stream).lines();
    let request = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let missing = (404, Vec::new());
    let path = request.split(' ').nth(1).unwrap_or_default();
    if let Some(action) = actions.remove(path) {
        action();
    }
    let (status, body) = answers.get(path).unwrap_or(&missing);
    let mut stream = &stream;
    write!(stream, "HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len())?;
    stream.write_all(body)
}
