//! Sockets to PostgreSQL: name resolution, connecting, and TCP options.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use socket2::{Domain, SockAddr, Socket, TcpKeepalive, Type};
use tokio_postgres::Config;

/// Connects a socket to an address, with a timeout and the TCP options of the URL.
pub(crate) fn open(config: &Config, address: &SockAddr, limit: Duration) -> io::Result<Socket> {
    let socket = Socket::new(address.domain(), Type::STREAM, None)?;
    if address.domain() != Domain::UNIX {
        socket.set_tcp_nodelay(true)?;
        #[cfg(target_os = "linux")]
        socket.set_tcp_user_timeout(config.get_tcp_user_timeout().copied())?;
        if config.get_keepalives() {
            let mut keepalive = TcpKeepalive::new().with_time(config.get_keepalives_idle());
            if let Some(interval) = config.get_keepalives_interval() {
                keepalive = keepalive.with_interval(interval);
            }
            if let Some(retries) = config.get_keepalives_retries() {
                keepalive = keepalive.with_retries(retries);
            }
            socket.set_tcp_keepalive(&keepalive)?;
        }
    }
    socket.connect_timeout(address, limit)?;
    Ok(socket)
}

/// The maximum number of concurrent lookups. The system's resolver cannot be interrupted.
const LOOKUPS: usize = 32;

/// Resolves a name on a separate thread, which is abandoned after the timeout.
pub(crate) fn resolve(name: &str, port: u16, limit: Duration) -> io::Result<Vec<SocketAddr>> {
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
