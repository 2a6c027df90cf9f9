//! Tracking: tells a connection when a request begins and when its answer is complete.
//!
//! It also implements HEAD: the request becomes a GET, and the answer loses its body.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_http::{ConnectionType, Request};
use actix_service::{IntoServiceFactory, Service, ServiceFactory, apply_fn_factory};
use actix_web::body::{BodySize, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use pin_project_lite::pin_project;

use super::activity::{Body, Connection, Exchange};

pin_project! {
    /// The body of an answer. Dropping it ends the exchange.
    pub(super) struct TrackedBody<B> {
        #[pin]
        body: B,
        // Whether the request is HEAD.
        is_omitted: bool,
        exchange: Option<Exchange>,
    }
}

impl<B: MessageBody> MessageBody for TrackedBody<B> {
    type Error = B::Error;

    fn size(&self) -> BodySize {
        match self.body.size() {
            // A head has no `Content-Length` if the length is unknown.
            BodySize::Stream if self.is_omitted => BodySize::None,
            size => size,
        }
    }

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, B::Error>>> {
        if self.is_omitted { Poll::Ready(None) } else { self.project().body.poll_next(cx) }
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
        let connection = request.conn_data::<Rc<Connection>>();
        let exchange = connection.map(|connection| Exchange::begin(connection, body));
        let answer = app.call(request);
        async move {
            let (mut answer, mut exchange) = (answer.await?, exchange);
            if let Some(exchange) = &mut exchange
                && (is_upgrade
                    || answer.status() == StatusCode::REQUEST_TIMEOUT
                    || exchange.left_body_unread())
            {
                answer.response_mut().head_mut().set_connection_type(ConnectionType::Close);
                exchange.make_last();
            }
            Ok(answer.map_body(|_, body| TrackedBody { body, is_omitted, exchange }))
        }
    })
}
