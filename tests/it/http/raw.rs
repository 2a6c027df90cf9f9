//! A connection of which a test says every byte itself.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The longest a connection may live that is late, with the deadlines of a test and beside other work.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A connection. What takes longer than it waits for is a failure.
pub struct Raw(TcpStream);

impl Raw {
    /// A connection to a host and port.
    pub fn at(host: &str) -> Raw {
        let raw = Raw(TcpStream::connect(host).expect("a connection"));
        raw.0.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        raw
    }

    /// Says as much as the service takes.
    pub fn say_what_is_heard(&mut self, text: &str) {
        let _ = self.0.write_all(text.as_bytes());
    }

    /// What is said until the service hangs up; fails if it does not.
    #[track_caller]
    pub fn end(&mut self) -> String {
        let started = Instant::now();
        let mut heard = Vec::new();
        match self.0.read_to_end(&mut heard) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                panic!("open still after {:?}", started.elapsed())
            }
            // A connection that is reset has ended as well.
            _ => String::from_utf8_lossy(&heard).into_owned(),
        }
    }
}
