//! Compression: brotli or gzip, whichever the client prefers, and never on streams of events.
//!
//! What is chosen is settled before anything else looks at the request, so that entity tags can cover it. A
//! client that accepts nothing known gets the plain bytes rather than a refusal.

use std::io::Write;

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    ACCEPT_ENCODING, AcceptEncoding, CONTENT_ENCODING, Encoding, Header, HeaderMap, HeaderValue, VARY,
};
use actix_web::middleware::Next;
use flate2::Compression;
use flate2::write::GzEncoder;

/// How thoroughly brotli compresses static bodies: from 11 on it takes ten times as long for a twentieth less.
const QUALITY: u32 = 9;
/// How far back brotli looks for repetitions: 4 MiB, as a power of two.
const WINDOW: u32 = 22;
/// How much brotli takes in at once, in bytes.
const BLOCK: usize = 64 * 1024;

/// The header that keeps an answer from being compressed. It is taken off again before the answer leaves.
pub(super) const PLAIN: (&str, &str) = ("content-encoding", "identity");

/// Settles the encoding before the compressor sees the request, and tidies the answer after it.
pub(super) async fn settled(
    mut request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let value = HeaderValue::from_static(chosen(&request));
    request.headers_mut().insert(ACCEPT_ENCODING, value);
    let mut answer = next.call(request).await?;
    let headers = answer.headers_mut();
    if headers.get(CONTENT_ENCODING).is_some_and(|value| value == PLAIN.1) {
        headers.remove(CONTENT_ENCODING);
    }
    // The compressor says again what the answer depends on.
    if let Some(vary) = headers.get(VARY).cloned() {
        headers.insert(VARY, vary);
    }
    Ok(answer)
}

/// The encoding that the client likes best of those on offer.
fn chosen(request: &ServiceRequest) -> &'static str {
    if !request.headers().contains_key(ACCEPT_ENCODING) {
        return "identity";
    }
    let Ok(accepted) = AcceptEncoding::parse(request) else { return "identity" };
    let offered = [Encoding::brotli(), Encoding::gzip(), Encoding::identity()];
    match accepted.negotiate(offered.iter()) {
        Some(best) if best == Encoding::brotli() => "br",
        Some(best) if best == Encoding::gzip() => "gzip",
        _ => "identity",
    }
}

/// A way to compress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// `br`.
    Brotli,
    /// `gzip`.
    Gzip,
}

impl Coding {
    /// The coding of a name.
    pub(super) fn named(name: &str) -> Option<Coding> {
        match name {
            "br" => Some(Coding::Brotli),
            "gzip" => Some(Coding::Gzip),
            _ => None,
        }
    }

    /// Compresses once what is sent often: more thoroughly than what is compressed for one answer.
    pub(super) fn compress(self, plain: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Coding::Brotli => {
                let mut packer = brotli::CompressorWriter::new(Vec::new(), BLOCK, QUALITY, WINDOW);
                packer.write_all(plain)?;
                packer.flush()?;
                Ok(packer.into_inner())
            }
            Coding::Gzip => {
                let mut packer = GzEncoder::new(Vec::new(), Compression::best());
                packer.write_all(plain)?;
                packer.finish()
            }
        }
    }
}

/// The encoding that was settled for a request.
pub(super) fn encoding(headers: &HeaderMap) -> &str {
    headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("identity")
}
