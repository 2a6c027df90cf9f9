//! The state of a connection and its deadline.

use std::cell::Cell;
use std::rc::Rc;
use std::task::Waker;
use std::time::{Duration, Instant};

use actix_web::HttpRequest;

use super::admission::Permit;
use super::event_stream::{AdmittedSocket, EventStream, SocketStream};

#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// For a request head, from its first byte to its last. Also from the connection's start to the first byte.
    pub head: Duration,
    /// For the rest of a request body while a stream answers the request, from the end of its head.
    pub body: Duration,
    /// From an answer to the first byte of the next request.
    pub keep_alive: Duration,
    /// From the last answer of a connection to its end, while the service drops the rest of an unread body.
    pub linger: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            head: Duration::from_secs(10),
            body: Duration::from_secs(10),
            keep_alive: Duration::from_secs(75),
            linger: Duration::from_secs(1),
        }
    }
}

/// The state of a connection, with its deadline if it has one.
#[derive(Clone, Copy, Debug)]
enum Activity {
    /// No bytes have arrived since the last answer or the start. Part of a head that arrived together with the body
    /// before it goes unnoticed, so it has this deadline too.
    Idle(Instant),
    /// A part of a request head has arrived.
    ReadingHead(Instant),
    /// A request is being answered. The handler has its own deadlines; a stream has none.
    Answering,
    /// The answer is complete, and the socket has not taken all of it. The kernel disconnects a client that reads nothing;
    /// slow reading is allowed.
    Flushing(Next),
    /// The last answer was sent.
    Closing(Instant),
}

/// The state after an answer.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// Waiting for another request.
    Request,
    /// Part of another request has arrived.
    BegunRequest,
    /// The connection closes.
    End,
}

/// The end of a request head.
const END_OF_HEAD: &[u8] = b"\r\n\r\n";

/// The state shared by a connection's transport and its requests.
pub(super) struct Connection {
    timeouts: Timeouts,
    place: Rc<Permit>,
    activity: Cell<Activity>,
    /// Whether the last bytes did not end with the end of a head.
    ends_inside: Cell<bool>,
    /// Whether the request in progress has a body of unknown length that was not read to its end.
    body_unread: Cell<bool>,
    /// The event stream that the connection becomes when the head of the answer is sent.
    coming: Cell<Option<EventStream>>,
    /// The event stream that the connection has become.
    stream: Cell<Option<SocketStream>>,
}

impl Connection {
    pub(super) fn new(timeouts: Timeouts, place: &Rc<Permit>) -> Rc<Connection> {
        Rc::new(Connection {
            timeouts,
            place: Rc::clone(place),
            activity: Cell::new(Activity::Idle(Instant::now() + timeouts.head)),
            ends_inside: Cell::new(false),
            body_unread: Cell::new(false),
            coming: Cell::new(None),
            stream: Cell::new(None),
        })
    }

    /// Takes the event stream that waits for the socket.
    pub(super) fn coming_stream(&self) -> Option<EventStream> {
        self.coming.take()
    }

    /// Gives the socket to an event stream.
    pub(super) fn become_stream(&self, stream: EventStream, socket: AdmittedSocket) {
        self.stream.set(Some(SocketStream::new(stream, socket)));
    }

    /// Takes the event stream that the connection has become.
    pub(super) fn take_stream(&self) -> Option<SocketStream> {
        // Left there if the connection ended before.
        self.coming.take();
        self.stream.take()
    }

    /// Records received bytes.
    pub(super) fn received(&self, bytes: &[u8]) {
        self.place.keep();
        self.ends_inside.set(!bytes.ends_with(END_OF_HEAD));
        if let Activity::Idle(_) = self.activity.get() {
            self.activity.set(Activity::ReadingHead(Instant::now() + self.timeouts.head));
        }
    }

    /// Records that the socket has taken all written bytes.
    pub(super) fn flushed(&self) {
        if let Activity::Flushing(next) = self.activity.get() {
            let now = Instant::now();
            self.activity.set(match next {
                Next::Request => Activity::Idle(now + self.timeouts.keep_alive),
                Next::BegunRequest => Activity::ReadingHead(now + self.timeouts.head),
                Next::End => Activity::Closing(now + self.timeouts.linger),
            });
        }
    }

    /// Lets the connection be closed for a new one, if no complete request has arrived.
    pub(super) fn offer(&self, waker: &Waker) {
        if let Activity::Idle(_) | Activity::ReadingHead(_) = self.activity.get() {
            self.place.offer(waker);
        }
    }

    /// Whether the connection was told to close for a new one.
    pub(super) fn is_displaced(&self) -> bool {
        self.place.is_closing()
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        match self.activity.get() {
            Activity::Answering | Activity::Flushing(_) => None,
            Activity::Idle(until) | Activity::ReadingHead(until) | Activity::Closing(until) => Some(until),
        }
    }

    pub(super) fn is_answering(&self) -> bool {
        matches!(self.activity.get(), Activity::Answering)
    }

    pub(super) fn is_reading_head(&self) -> bool {
        matches!(self.activity.get(), Activity::ReadingHead(_))
    }

    /// Whether bytes written now belong to the answer to a request.
    pub(super) fn owes_answer(&self) -> bool {
        matches!(self.activity.get(), Activity::Answering | Activity::Flushing(_))
    }
}

/// A request in progress on a connection: from its complete head until its answer is complete or dropped.
pub(super) struct Exchange {
    connection: Rc<Connection>,
    body: Body,
    is_last: bool,
}

/// How the body of a request is announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    None,
    /// By `Content-Length`: actix-http knows where it ends.
    Sized,
    /// By `Transfer-Encoding`: it must be read to its end.
    Chunked,
}

impl Exchange {
    pub(super) fn begin(connection: &Rc<Connection>, body: Body) -> Exchange {
        connection.place.keep();
        connection.activity.set(Activity::Answering);
        connection.body_unread.set(body == Body::Chunked);
        Exchange { connection: Rc::clone(connection), body, is_last: false }
    }

    /// How long the rest of the body may take while a stream answers the request.
    pub(super) fn body_time(&self) -> Duration {
        self.connection.timeouts.body
    }

    /// Whether the rest of the body may still arrive.
    pub(super) fn left_body_unread(&self) -> bool {
        self.connection.body_unread.get()
    }

    /// Gives the connection to an event stream when the head of the answer is sent.
    pub(super) fn hand_over(&mut self, stream: EventStream) {
        self.is_last = true;
        self.connection.coming.set(Some(stream));
    }

    /// Closes the connection after this answer.
    pub(super) fn make_last(&mut self) {
        self.is_last = true;
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let next = match self.body {
            _ if self.is_last => Next::End,
            Body::None if self.connection.ends_inside.get() => Next::BegunRequest,
            Body::None | Body::Sized | Body::Chunked => Next::Request,
        };
        self.connection.activity.set(Activity::Flushing(next));
    }
}

/// Records that the body of a request was read to its end, so its connection stays open.
pub(in crate::http) fn body_was_read(request: &HttpRequest) {
    if let Some(connection) = request.conn_data::<Rc<Connection>>() {
        connection.body_unread.set(false);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::http::address::TrustedProxies;
    use crate::http::connection::admission::{Admissions, ConnectionLimits};

    fn connection() -> Rc<Connection> {
        let admissions = Admissions::new(ConnectionLimits::NONE, TrustedProxies::default(), Arc::default());
        let admission = Arc::new(admissions).admit([127, 0, 0, 1].into()).unwrap();
        Connection::new(Timeouts::default(), admission.place())
    }

    /// Seconds until the deadline, rounded up.
    fn left(connection: &Connection) -> Option<u64> {
        let left = connection.deadline()?.saturating_duration_since(Instant::now());
        Some(left.as_millis().div_ceil(1_000).try_into().unwrap())
    }

    const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    /// Answers a request with such a body, and has the answer sent.
    fn answer(connection: &Rc<Connection>, body: Body) {
        drop(Exchange::begin(connection, body));
        connection.flushed();
    }

    #[test]
    fn what_a_client_does_has_a_deadline() {
        let connection = connection();
        assert_eq!(left(&connection), Some(10));
        connection.received(GET);
        answer(&connection, Body::None);
        assert_eq!(left(&connection), Some(75));
        connection.received(b"G");
        assert_eq!(left(&connection), Some(10));
        let mut exchange = Exchange::begin(&connection, Body::Chunked);
        assert!(exchange.left_body_unread());
        exchange.make_last();
        drop(exchange);
        connection.flushed();
        connection.received(b"more of the body");
        assert_eq!(left(&connection), Some(1));
    }

    #[test]
    fn a_head_that_began_behind_another_is_seen() {
        let connection = connection();
        connection.received(&[GET, b"GET"].concat());
        answer(&connection, Body::None);
        assert!(connection.is_reading_head() && left(&connection) == Some(10));
        // Bytes after a body go unnoticed.
        connection.received(b"POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n{GET");
        answer(&connection, Body::Sized);
        assert!(!connection.is_reading_head() && left(&connection) == Some(75));
    }

    #[test]
    fn more_of_a_head_does_not_move_its_deadline() {
        let connection = connection();
        connection.received(b"G");
        let deadline = connection.deadline();
        connection.received(b"ET");
        assert_eq!(connection.deadline(), deadline);
    }

    #[test]
    fn an_answer_is_owed_without_a_deadline_until_the_socket_has_taken_it() {
        let connection = connection();
        assert!(!connection.owes_answer());
        let exchange = Exchange::begin(&connection, Body::None);
        connection.flushed();
        assert!(connection.owes_answer() && left(&connection).is_none(), "a part is not the answer");
        drop(exchange);
        assert!(connection.owes_answer() && left(&connection).is_none());
        connection.flushed();
        assert!(!connection.owes_answer());
    }
}
