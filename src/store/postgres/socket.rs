//! Sockets to PostgreSQL: name resolution, connecting, and TCP options.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use socket2::{Domain, SockAddr, Socket, TcpKeepalive, Type};

use super::options::{OptionError, Options};

/// The default `tcp_user_timeout`, after which the system gives up on an unreachable peer.
const USER_TIMEOUT: Duration = Duration::from_secs(15);
const KEEPALIVES_IDLE: Duration = Duration::from_secs(30);

/// The TCP options.
#[derive(Debug, Clone)]
pub(super) struct TcpSettings {
    keepalive: Option<TcpKeepalive>,
    user_timeout: Duration,
}

impl TcpSettings {
    pub(super) fn new(options: &Options) -> Result<Self, OptionError> {
        let positive = |name| -> Result<Option<u64>, OptionError> {
            let number = options.number(name)?.and_then(|number| u64::try_from(number).ok());
            Ok(number.filter(|number| *number > 0))
        };
        let idle = positive("keepalives_idle")?.map_or(KEEPALIVES_IDLE, Duration::from_secs);
        let mut keepalive = TcpKeepalive::new().with_time(idle);
        if let Some(seconds) = positive("keepalives_interval")? {
            keepalive = keepalive.with_interval(Duration::from_secs(seconds));
        }
        if let Some(count) = positive("keepalives_count")? {
            keepalive = keepalive.with_retries(u32::try_from(count).unwrap_or(u32::MAX));
        }
        Ok(Self {
            keepalive: (options.number("keepalives")? != Some(0)).then_some(keepalive),
            user_timeout: positive("tcp_user_timeout")?.map_or(USER_TIMEOUT, Duration::from_millis),
        })
    }

    /// Connects a socket to an address, with a timeout.
    pub(super) fn open(&self, address: &SockAddr, limit: Duration) -> io::Result<Socket> {
        let socket = Socket::new(address.domain(), Type::STREAM, None)?;
        if address.domain() != Domain::UNIX {
            socket.set_tcp_nodelay(true)?;
            #[cfg(target_os = "linux")]
            socket.set_tcp_user_timeout(Some(self.user_timeout))?;
            if let Some(keepalive) = &self.keepalive {
                socket.set_tcp_keepalive(keepalive)?;
            }
        }
        socket.connect_timeout(address, limit)?;
        Ok(socket)
    }
}

/// The maximum number of concurrent lookups. The system's resolver cannot be interrupted.
const LOOKUPS: usize = 32;

/// Resolves a name on a separate thread, which is abandoned after the timeout.
pub(super) fn resolve(name: &str, port: u16, limit: Duration) -> io::Result<Vec<SocketAddr>> {
    static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);
    if let Ok(address) = name.parse() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    if UNDER_WAY.fetch_add(1, Ordering::Relaxed) >= LOOKUPS {
        UNDER_WAY.fetch_sub(1, Ordering::Relaxed);
        return Err(io::Error::other("too many names are being looked up"));
    }
    let place = (name.to_owned(), port);
    let (found, finding) = mpsc::sync_channel(1);
    let lookup = move || {
        let addresses = place.to_socket_addrs().map(Iterator::collect::<Vec<_>>);
        UNDER_WAY.fetch_sub(1, Ordering::Relaxed);
        // The receiver is gone after the timeout.
        let _ = found.send(addresses);
    };
    if let Err(error) = std::thread::Builder::new().name("store-lookup".to_owned()).spawn(lookup) {
        UNDER_WAY.fetch_sub(1, Ordering::Relaxed);
        return Err(error);
    }
    match finding.recv_timeout(limit) {
        Ok(addresses) => addresses,
        Err(_) => Err(io::ErrorKind::TimedOut.into()),
    }
}
