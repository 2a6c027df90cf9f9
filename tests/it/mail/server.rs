//! A mail server of its own for a test: the one of Python's `aiosmtpd`, with TLS.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::thread;

use crate::certificates::Authority;
use crate::documents::root;
use crate::prelude::*;

pub struct MailServer {
    authority: Authority,
    port: u16,
    mails: Arc<Mutex<Vec<Value>>>,
    process: Child,
    /// The server ends with its input.
    input: Option<ChildStdin>,
}

impl MailServer {
    pub fn start() -> MailServer {
        let authority = Authority::new();
        let pair = authority.issue(&["localhost", "127.0.0.1"], "mail server");
        let python = std::env::var("ESTIMATION_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let script = root().join(Path::new("tests/it/mail/server.py"));
        let mut process = Command::new(python)
            .arg(script)
            .args([pair.certificate(), pair.key()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python with the package aiosmtpd");
        let input = process.stdin.take();
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let port = lines.next().expect("Python needs the package aiosmtpd").expect("a port");
        let mails = Arc::new(Mutex::new(Vec::new()));
        let keeping = Arc::clone(&mails);
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                keeping.lock().expect("the mails").push(serde_json::from_str(&line).expect("JSON"));
            }
        });
        MailServer { authority, port: port.parse().expect("a port"), mails, process, input }
    }

    /// The file with the certificate of who vouches for the server.
    pub fn authority(&self) -> String {
        self.authority.file()
    }

    pub fn url(&self) -> String {
        format!("smtps://localhost:{}", self.port)
    }

    pub fn mails(&self) -> Vec<Value> {
        self.mails.lock().expect("the mails").clone()
    }

    /// The mail with this number to an address, when it is there.
    pub async fn mail(&self, to: &str, number: usize) -> Value {
        let is_meant = |mail: &Value| mail["to"][0].as_str().is_some_and(|address| address == to);
        let look = async || self.mails().into_iter().filter(|mail| is_meant(mail)).nth(number);
        found(format!("mail {number} to {to}"), look).await
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.process.wait();
    }
}
