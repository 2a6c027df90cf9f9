//! A raw connection: the test writes every byte.

use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};

use socket2::{Domain, Socket, Type};

use crate::prelude::*;

/// The longest that a late connection may stay open, with the deadlines of the tests on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub const GET: &str = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

pub struct Raw(TcpStream);

impl Raw {
    pub fn to(service: &Service) -> Raw {
        Raw::at(service.anonymous().host())
    }

    pub fn at(host: &str) -> Raw {
        let raw = Raw(TcpStream::connect(host).expect("a connection"));
        raw.wait_for(PATIENCE);
        raw
    }

    /// A connection from another address of this machine.
    pub fn from(address: impl Into<IpAddr>, service: &Service) -> Raw {
        let host: SocketAddr = service.anonymous().host().parse().expect("an address");
        let socket = Socket::new(Domain::for_address(host), Type::STREAM, None).expect("a socket");
        socket.bind(&SocketAddr::new(address.into(), 0).into()).expect("an address of this machine");
        socket.connect(&host.into()).expect("a connection");
        let raw = Raw(socket.into());
        raw.wait_for(PATIENCE);
        raw
    }

    /// Retries while the service has not yet noticed that another connection has ended.
    pub fn until_accepted(service: &Service) -> Raw {
        let started = Instant::now();
        loop {
            let mut raw = Raw::to(service);
            raw.say(GET);
            let mut heard = [0; 16];
            if raw.0.read_exact(&mut heard).is_ok() && heard.starts_with(b"HTTP/1.1 200") {
                raw.hear("\"ok\"}");
                return raw;
            }
            assert!(started.elapsed() < PATIENCE, "still refused: {}", String::from_utf8_lossy(&heard));
        }
    }

    pub fn wait_for(&self, time: Duration) {
        self.0.set_read_timeout(Some(time)).expect("a timeout");
    }

    pub fn say(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).expect("a write");
    }

    pub fn say_what_is_heard(&mut self, text: &str) {
        let _ = self.0.write_all(text.as_bytes());
    }

    fn byte(&mut self) -> char {
        let mut byte = [0];
        self.0.read_exact(&mut byte).expect("more of an answer");
        byte[0].into()
    }

    /// Sends a request, and asserts its answer.
    #[track_caller]
    pub fn is_answered(&mut self) {
        self.say(GET);
        let answer = self.answer();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    pub fn answer(&mut self) -> String {
        let mut heard = String::new();
        loop {
            heard.push(self.byte());
            let Some((head, body)) = heard.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse::<usize>().expect("a length")) {
                return heard;
            }
        }
    }

    pub fn hear(&mut self, text: &str) {
        let mut heard = String::new();
        while !heard.ends_with(text) {
            heard.push(self.byte());
        }
    }

    #[track_caller]
    pub fn end(&mut self) -> String {
        let started = Instant::now();
        let mut heard = Vec::new();
        match self.0.read_to_end(&mut heard) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                panic!("open still after {:?}", started.elapsed())
            }
            _ => String::from_utf8_lossy(&heard).into_owned(),
        }
    }

    /// Closes this side, and returns what comes until the service closes its side.
    pub fn end_after_half_close(&mut self) -> String {
        self.0.shutdown(Shutdown::Write).expect("an open connection");
        self.end()
    }

    /// Whether the next bytes are these.
    pub fn begins_with(&mut self, text: &str) -> bool {
        let mut heard = vec![0; text.len()];
        self.0.read_exact(&mut heard).is_ok() && heard == text.as_bytes()
    }

    /// Whether an answer, or the end of the connection, has arrived.
    pub fn has_heard(&self) -> bool {
        self.wait_for(Duration::from_millis(10));
        let heard = self.0.peek(&mut [0]).is_ok();
        self.wait_for(PATIENCE);
        heard
    }

    /// Sends one byte after the other until the service closes the connection; fails if it does not.
    pub fn trickle_until_cut_off(&mut self) {
        let started = Instant::now();
        self.wait_for(Duration::from_millis(50));
        while started.elapsed() < PATIENCE {
            let said = self.0.write_all(b"a");
            let heard = self.0.read(&mut [0; 1024]);
            match heard {
                _ if said.is_err() => return,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
        }
        panic!("open still after {:?}", started.elapsed());
    }

    /// Sends the same text repeatedly until the service closes the connection; fails if the service accepts
    /// it all or blocks.
    pub fn flood(&mut self, text: &str) {
        self.0.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        let much = text.repeat(1024 * 1024 / text.len());
        for _ in 0..64 {
            match self.0.write_all(much.as_bytes()) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    panic!("open still after {PATIENCE:?}")
                }
                Err(_) => return,
                Ok(()) => {}
            }
        }
        let _ = self.0.shutdown(Shutdown::Both);
        panic!("64 MiB were taken");
    }
}
