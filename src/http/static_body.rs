//! Static bodies: compressed once for each encoding, at the first request for it, with a strong entity tag. A body of known
//! size is sent in pieces.

use std::borrow::Cow;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETag, EntityTag};
use actix_web::web::{Bytes, block};
use actix_web::{HttpRequest, HttpResponse};
use rapidhash::v3::rapidhash_v3;
use tokio::sync::OnceCell;

use super::caching::is_known;
use super::compression::{Coding, Effort, PLAIN, encoding};
use super::problem::Problem;

/// A body that is the same for every client as long as the program runs.
pub(super) struct StaticBody {
    media_type: String,
    plain: Representation,
    brotli: OnceCell<Representation>,
    gzip: OnceCell<Representation>,
}

/// The body in one encoding.
#[derive(Clone)]
struct Representation {
    bytes: Bytes,
    etag: EntityTag,
}

impl Representation {
    fn of(bytes: Bytes) -> Representation {
        let etag = EntityTag::new_strong(format!("{:016x}", rapidhash_v3(&bytes)));
        Representation { bytes, etag }
    }
}

impl StaticBody {
    pub(super) fn new(media_type: impl Into<String>, bytes: Bytes) -> StaticBody {
        StaticBody {
            media_type: media_type.into(),
            plain: Representation::of(bytes),
            brotli: OnceCell::new(),
            gzip: OnceCell::new(),
        }
    }

    /// A body from a file that is part of the program.
    pub(super) fn embedded(media_type: impl Into<String>, bytes: Cow<'static, [u8]>) -> StaticBody {
        let bytes = match bytes {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => bytes.into(),
        };
        StaticBody::new(media_type, bytes)
    }

    /// The uncompressed body.
    pub(super) fn bytes(&self) -> &Bytes {
        &self.plain.bytes
    }

    /// Answers in the encoding chosen for the request, or 304 if the client has the body.
    pub(super) async fn answer(
        &self,
        request: &HttpRequest,
        cache: &'static str,
    ) -> Result<HttpResponse, Problem> {
        let encoding = encoding(request.headers());
        let (representation, encoding) = match Coding::named(encoding).filter(|_| self.is_text()) {
            Some(coding) => (self.compressed(coding).await?, encoding),
            None => (&self.plain, PLAIN.1),
        };
        let is_known = is_known(request, &representation.etag);
        let mut answer = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        answer.insert_header((CACHE_CONTROL, cache)).insert_header(ETag(representation.etag.clone()));
        if is_known {
            return Ok(answer.finish());
        }
        Ok(answer
            .insert_header((CONTENT_TYPE, self.media_type.as_str()))
            .insert_header((CONTENT_ENCODING, encoding))
            .body(SizedPieces(representation.bytes.clone())))
    }

    /// Whether compression helps: images are already compressed.
    fn is_text(&self) -> bool {
        !self.media_type.starts_with("image/")
    }

    async fn compressed(&self, coding: Coding) -> Result<&Representation, Problem> {
        let cell = match coding {
            Coding::Brotli => &self.brotli,
            Coding::Gzip => &self.gzip,
        };
        let plain = self.plain.bytes.clone();
        let compress = move || {
            let compressed = coding.compress(&plain, Effort::High)?;
            Ok::<_, std::io::Error>(Representation::of(compressed.into()))
        };
        once(cell, compress).await
    }
}

/// What a cell has; the first request makes it, off the event loop.
///
/// # Errors
/// That of `make`, which the next request calls again.
pub(super) async fn once<T, E>(
    cell: &OnceCell<T>,
    make: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<&T, Problem>
where
    T: Send + 'static,
    E: ToString + Send + 'static,
{
    cell.get_or_try_init(|| async { block(make).await.map_err(Problem::defect)?.map_err(Problem::defect) })
        .await
}

/// Bytes handed to a connection at a time, which bounds what a slow reader costs.
const PIECE: usize = 32 * 1024;

/// A body of known size.
pub(super) struct SizedPieces(pub(super) Bytes);

impl MessageBody for SizedPieces {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.0.len() as u64)
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let length = self.0.len().min(PIECE);
        Poll::Ready((length > 0).then(|| Ok(self.0.split_to(length))))
    }
}
