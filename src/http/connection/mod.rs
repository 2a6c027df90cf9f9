//! Connections: admission, deadlines, and closing.
//!
//! actix-http limits only the time for a connection's first request head. This module is the layer below it: it admits
//! sockets ([`admission`]), closes idle ones when too many are open ([`idle`]), wraps each in a transport with deadlines
//! ([`transport`]), and tracks the connection's state by its requests ([`activity`], [`tracking`]). It takes the sockets of
//! event streams from actix-http ([`event_stream`]). It never reads the content of a request.

mod activity;
mod admission;
mod event_stream;
mod idle;
mod listener;
mod raw_answer;
mod tracking;
mod transport;

pub use self::activity::Timeouts;
pub(super) use self::activity::body_was_read;
pub use self::admission::ConnectionLimits;
pub(super) use self::event_stream::Frames;
pub(super) use self::listener::{Listener, listen};
