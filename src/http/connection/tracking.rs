//! Tracking: tells a connection when a request begins and when its answer is complete.
//!
//! It also implements HEAD: the request becomes a GET, and the answer loses its body. And it ends a stream whose request
//! has a body that does not end in time. No handler of a GET reads a body.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_http::{ConnectionType, Payload, Request};
use actix_service::{IntoServiceFactory, Service, ServiceFactory, apply_fn_factory};
use actix_web::body::{BodySize, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use futures_util::Stream;
use pin_project_lite::pin_project;
use tokio::time::{Sleep, sleep};

use super::activity::{Body, Connection, Exchange};
use super::event_stream::{EventStream, Frames, Framing};

pin_project! {
    /// The body of an answer. Dropping it ends the exchange.
    pub(super) struct TrackedBody<B> {
        #[pin]
        body: B,
        // The frames of an event stream, unless the connection becomes one.
        frames: Option<Frames>,
        // Whether the request is HEAD.
        is_omitted: bool,
        // The body of the request, while a stream answers it.
        unread: Option<UnreadBody>,
        exchange: Option<Exchange>,
    }
}

/// The body of a request that no handler reads. It is read and discarded, so that its end shows.
struct UnreadBody {
    payload: Payload,
    timer: Pin<Box<Sleep>>,
}

impl UnreadBody {
    /// Whether the body has ended. `Some(false)` if it is late.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Option<bool> {
        if self.timer.as_mut().poll(cx).is_ready() {
            return Some(false);
        }
        loop {
            match Pin::new(&mut self.payload).poll_next(cx) {
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(Some(Err(_))) => return Some(false),
                Poll::Ready(None) => return Some(true),
                Poll::Pending => return None,
            }
        }
    }
}

impl<B: MessageBody> MessageBody for TrackedBody<B> {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        match self.body.size() {
            // A head has no `Content-Length` if the length is unknown.
            BodySize::Stream if self.is_omitted => BodySize::None,
            size => size,
        }
    }

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.project();
        if *this.is_omitted {
            return Poll::Ready(None);
        }
        match this.unread.as_mut().and_then(|unread| unread.poll_end(cx)) {
            Some(true) => *this.unread = None,
            Some(false) => return Poll::Ready(None),
            None => {}
        }
        match this.frames {
            Some(frames) => frames.poll_next(cx),
            None => this.body.poll_next(cx).map_err(Into::into),
        }
    }
}

/// How the body of a request is announced.
fn body_of(request: &Request) -> Body {
    let headers = &request.head().headers;
    if headers.contains_key(TRANSFER_ENCODING) {
        Body::Chunked
    } else if headers.contains_key(CONTENT_LENGTH) {
        Body::Sized
    } else {
        Body::None
    }
}

/// Wraps an application.
pub(super) fn tracked<F, A, B>(
    app: F,
) -> impl ServiceFactory<
    Request,
    Config = A::Config,
    Response = ServiceResponse<TrackedBody<B>>,
    Error = A::Error,
    InitError = A::InitError,
>
where
    F: IntoServiceFactory<A, Request>,
    A: ServiceFactory<Request, Response = ServiceResponse<B>>,
    B: MessageBody,
{
    apply_fn_factory(app, |mut request: Request, app: &A::Service| {
        let is_omitted = request.method() == Method::HEAD;
        if is_omitted {
            request.head_mut().method = Method::GET;
        }
        // The server ignores `Upgrade`. actix-http would repeat the header and close the connection unannounced.
        let is_upgrade = request.head().upgrade();
        let body = body_of(&request);
        let framing = Framing::of(request.version());
        let becomes_stream = body == Body::None && !is_omitted && !is_upgrade;
        let connection = request.conn_data::<Rc<Connection>>();
        let exchange = connection.map(|connection| Exchange::begin(connection, body));
        let unread = match &exchange {
            Some(exchange) if body != Body::None && request.method() == Method::GET => {
                let timer = Box::pin(sleep(exchange.body_time()));
                Some(UnreadBody { payload: request.take_payload(), timer })
            }
            _ => None,
        };
        let answer = app.call(request);
        async move {
            let (mut answer, mut exchange) = (answer.await?, exchange);
            let is_stream = answer.response().body().size() == BodySize::Stream;
            let unread = unread.filter(|_| is_stream);
            let is_until_close = is_stream && framing == Framing::UntilClose;
            if let Some(exchange) = &mut exchange
                && (is_upgrade
                    || is_until_close
                    || answer.status() == StatusCode::REQUEST_TIMEOUT
                    || exchange.left_body_unread())
            {
                answer.response_mut().head_mut().set_connection_type(ConnectionType::Close);
                exchange.make_last();
            }
            answer.response_mut().head_mut().no_chunking(is_until_close);
            let mut frames = answer.response_mut().extensions_mut().remove::<Frames>();
            if becomes_stream
                && let Some(exchange) = &mut exchange
                && let Some(frames) = frames.take()
            {
                answer.response_mut().head_mut().set_connection_type(ConnectionType::Close);
                exchange.hand_over(EventStream { frames, framing });
            }
            Ok(answer.map_body(|_, body| TrackedBody { body, frames, is_omitted, unread, exchange }))
        }
    })
}
