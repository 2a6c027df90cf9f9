//! Compression of large answers: by at most one thread in four of the node at a time. If none of them is free, an answer
//! goes out uncompressed, so clients that ask for many large answers do not slow down everybody else.
//!
//! actix's compressor handles the small ones.

use std::sync::Arc;

use actix_web::Error;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::web::{Bytes, Data, block};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::caching::mark_uncompressed;
use super::compression::{Coding, Effort, PLAIN, encoding};
use super::static_body::SizedPieces;

/// The smallest large answer, in bytes. Few views of a game are as large.
const LARGE: u64 = 8 * 1024;

/// One compressing thread for so many of the node's.
const SHARE: usize = 4;

/// The threads of a node that may compress large answers.
pub(super) struct Compressors {
    free: Arc<Semaphore>,
}

/// A thread that may compress, until this is dropped.
pub(super) struct Compressor(
    #[expect(dead_code, reason = "it is returned when dropped")] OwnedSemaphorePermit,
);

impl Compressors {
    pub(super) fn new(threads: usize) -> Compressors {
        Compressors { free: Arc::new(Semaphore::new((threads / SHARE).max(1))) }
    }

    /// A free thread. None while all compress; the answer then goes out uncompressed.
    pub(super) fn reserve(&self) -> Option<Compressor> {
        Arc::clone(&self.free).try_acquire_owned().ok().map(Compressor)
    }
}

impl Compressor {
    pub(super) async fn compress(self, coding: Coding, plain: Bytes) -> std::io::Result<Bytes> {
        let compress = move || {
            let compressed = coding.compress(&plain, Effort::Low);
            drop(self);
            compressed
        };
        block(compress).await.map_err(std::io::Error::other)?.map(Bytes::from)
    }
}

/// Compresses large answers, and keeps actix's compressor from them.
pub(super) async fn compress_large(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let answer = next.call(request).await?.map_into_boxed_body();
    let Some(coding) = Coding::named(encoding(answer.request().headers())) else { return Ok(answer) };
    let is_large = match answer.response().body().size() {
        BodySize::None => false,
        BodySize::Sized(bytes) => bytes >= LARGE,
        BodySize::Stream => true,
    };
    if !is_large || answer.headers().contains_key(CONTENT_ENCODING) {
        return Ok(answer);
    }
    let (request, response) = answer.into_parts();
    let (mut response, body) = response.into_parts();
    let leave_uncompressed = |headers: &mut HeaderMap| {
        headers.insert(HeaderName::from_static(PLAIN.0), HeaderValue::from_static(PLAIN.1));
        mark_uncompressed(headers, coding);
    };
    let body = match body.try_into_bytes() {
        Ok(plain) => {
            let compressors = request.app_data::<Data<Compressors>>();
            let compressed = match compressors.and_then(|compressors| compressors.reserve()) {
                Some(compressor) => compressor.compress(coding, plain.clone()).await.ok(),
                None => None,
            };
            match compressed {
                Some(compressed) => {
                    response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
                    BoxBody::new(SizedPieces(compressed))
                }
                None => {
                    leave_uncompressed(response.headers_mut());
                    BoxBody::new(plain)
                }
            }
        }
        Err(stream) => {
            leave_uncompressed(response.headers_mut());
            stream
        }
    };
    Ok(ServiceResponse::new(request, response.set_body(body)))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::ETAG;
    use actix_web::middleware::{Compress, from_fn};
    use actix_web::test::{TestRequest, call_service, init_service, read_body};
    use actix_web::{App as ActixApp, HttpRequest, HttpResponse, web};

    use super::*;
    use crate::http::caching::entity_tag;
    use crate::http::compression::choose_encoding;

    async fn large(request: HttpRequest) -> HttpResponse {
        let text = "trick ".repeat(5_000);
        let tag = entity_tag(&request, 7.into(), text.as_bytes());
        HttpResponse::Ok().insert_header((ETAG, tag.to_string())).body(text)
    }

    #[actix_web::test]
    async fn a_large_answer_goes_out_uncompressed_while_no_thread_is_free() {
        let compressors = Data::new(Compressors::new(7));
        let app = ActixApp::new()
            .wrap(from_fn(compress_large))
            .wrap(Compress::default())
            .wrap(from_fn(choose_encoding))
            .app_data(compressors.clone())
            .route("/large", web::get().to(large));
        let app = init_service(app).await;
        let ask = async |accepted: &'static str| {
            let request = TestRequest::get().uri("/large").insert_header(("accept-encoding", accepted));
            let answer = call_service(&app, request.to_request()).await;
            let header = |name: &str| answer.headers().get(name).cloned();
            let (encoding, tag) = (header("content-encoding"), header("etag").unwrap());
            (encoding.map(|value| value.to_str().unwrap().to_owned()), tag, read_body(answer).await)
        };
        let plain = ask("identity").await;
        assert_eq!((&plain.0, plain.2.len()), (&None, 30_000));
        let mut tags = vec![plain.1.clone()];
        for name in ["br", "gzip"] {
            let busy = compressors.reserve();
            assert!(
                busy.is_some() && compressors.reserve().is_none(),
                "seven threads have one that compresses"
            );
            assert_eq!(ask(name).await, plain);
            drop(busy);
            let (encoding, tag, body) = ask(name).await;
            assert_eq!(encoding.as_deref(), Some(name));
            assert!(body.len() < 3_000 && !tags.contains(&tag));
            tags.push(tag);
        }
        assert!(compressors.reserve().is_some(), "each is free again");
    }
}
