//! The listener: accepts sockets, admits them, and hands them to actix-http, which speaks HTTP/1.1 on them.

use std::io;
use std::net::TcpListener;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, KeepAlive, Request};
use actix_server::Server;
use actix_service::{IntoServiceFactory, Service, ServiceFactory, apply_fn_factory, map_config};
use actix_web::body::MessageBody;
use actix_web::dev::{AppConfig, ServiceResponse};
use actix_web::rt::net::TcpStream;
use socket2::SockRef;

use super::activity::{Connection, Timeouts};
use super::admission::{Admissions, ConnectionLimits};
use super::raw_answer::RawAnswers;
use super::tracking::tracked;
use super::transport::{Transport, send_last};
use crate::http::address::TrustedProxies;
use estimation_service::services::App;

/// Connections above its share that a worker may hold while it refuses them.
const TO_BE_REFUSED: usize = 8;

pub(in crate::http) struct Listener {
    pub(in crate::http) workers: usize,
    pub(in crate::http) timeouts: Timeouts,
    pub(in crate::http) limits: ConnectionLimits,
    pub(in crate::http) trusted: TrustedProxies,
    /// After how long without reading a client is disconnected.
    pub(in crate::http) unread_timeout: Duration,
    /// How long requests in progress may take after the server was told to stop.
    pub(in crate::http) shutdown_timeout: Duration,
}

/// Serves the application that `make` creates for each worker, on a bound socket.
pub(in crate::http) fn listen<F, I, A, B>(
    listener: TcpListener,
    settings: Listener,
    app: &Arc<App>,
    make: F,
) -> io::Result<Server>
where
    F: Fn() -> I + Send + Clone + 'static,
    I: IntoServiceFactory<A, Request>,
    A: ServiceFactory<Request, Config = AppConfig, Response = ServiceResponse<B>, Error = actix_web::Error>
        + 'static,
    A::InitError: std::fmt::Debug,
    B: MessageBody + 'static,
{
    let Listener { workers, timeouts, limits, trusted, unread_timeout, shutdown_timeout } = settings;
    let admissions = Arc::new(Admissions::new(limits, trusted, Arc::clone(&app.metrics)));
    let app = Arc::clone(app);
    // The acceptor counts before admission, so connections that wait for a worker cannot use up the file descriptors.
    let per_worker = limits.total.div_ceil(workers).saturating_add(TO_BE_REFUSED);
    let builder = Server::build()
        .workers(workers)
        .max_concurrent_connections(per_worker)
        .shutdown_timeout(shutdown_timeout.as_secs())
        .disable_signals();
    let shutdown = builder.graceful_shutdown_signal();
    let builder = builder.listen("estimation", listener, move || {
        let answers = Rc::new(RawAnswers(Arc::clone(&app)));
        let admissions = Arc::clone(&admissions);
        let shutdown = shutdown.clone();
        let http = HttpService::build()
            // The transport has the deadlines. This one is for closing after an unread body.
            .client_request_timeout(Duration::ZERO)
            .keep_alive(KeepAlive::Os)
            .client_disconnect_timeout(timeouts.linger)
            // A client that closes its side has disconnected: its streams end at once.
            .h1_allow_half_closed(false)
            .graceful_shutdown_signal(move || {
                let shutdown = shutdown.clone();
                async move { shutdown.notified().await }
            })
            .on_connect_ext(|transport: &Transport, extensions| {
                extensions.insert(Rc::clone(transport.connection()));
            })
            .h1(tracked(map_config(make(), |()| AppConfig::default())));
        apply_fn_factory(http, move |socket: TcpStream, http| {
            let admitted = admit(socket, &admissions, &answers, timeouts, unread_timeout);
            let served = admitted.map(|(transport, peer)| {
                let connection = Rc::clone(transport.connection());
                // Freed when the connection becomes a stream.
                (connection, Box::pin(http.call((transport, peer))))
            });
            async move {
                let (connection, served) = served.map_err(DispatchError::Io)?;
                let outcome = served.await;
                match connection.take_stream() {
                    Some(stream) => stream.run(timeouts.linger).await.map_err(DispatchError::Io),
                    None => outcome,
                }
            }
        })
    })?;
    Ok(builder.run())
}

/// Wraps an admitted socket, or refuses it.
fn admit(
    socket: TcpStream,
    admissions: &Arc<Admissions>,
    answers: &Rc<RawAnswers>,
    timeouts: Timeouts,
    unread: Duration,
) -> io::Result<(Transport, Option<std::net::SocketAddr>)> {
    let peer = socket.peer_addr()?;
    let Some(admission) = admissions.admit(peer.ip()) else {
        send_last(&socket, &answers.too_many_connections());
        return Err(io::ErrorKind::QuotaExceeded.into());
    };
    prepare(&socket, unread);
    let connection = Connection::new(timeouts, admission.place());
    let transport = Transport::new(socket, connection, Rc::clone(answers), admission);
    Ok((transport, Some(peer)))
}

/// Sets the options of an admitted socket.
///
/// The kernel sends each write at once: the head of a compressed answer and its body are two writes, and Nagle's
/// algorithm would hold the second one back until the client acknowledges the first, for 40 ms. It disconnects a client
/// that does not read, so that unsent bytes do not accumulate.
fn prepare(socket: &TcpStream, unread: Duration) {
    if let Err(error) = socket.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    #[cfg(target_os = "linux")]
    if let Err(error) = SockRef::from(socket).set_tcp_user_timeout(Some(unread)) {
        tracing::debug!(%error, "cannot set TCP_USER_TIMEOUT");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix_web::test]
    async fn an_answer_in_two_writes_is_sent_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        assert!(!client.nodelay().unwrap(), "the system's default");
        prepare(&client, Duration::from_secs(7));
        assert!(client.nodelay().unwrap());
        #[cfg(target_os = "linux")]
        assert_eq!(SockRef::from(&client).tcp_user_timeout().unwrap(), Some(Duration::from_secs(7)));
    }
}
