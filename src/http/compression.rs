//! Compression: brotli or gzip, as the client prefers. Event streams are never compressed: the length of a frame would tell
//! of the cards in it.
//!
//! The middleware chooses the encoding before anything else reads the request, so that entity tags can cover it. A client
//! that accepts no known encoding gets the plain bytes, not a refusal. [`super::large_answers`] compresses large answers,
//! and actix the others.

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

/// Brotli's window: 4 MiB, as a power of two.
const WINDOW: u32 = 22;
/// Brotli's buffer, in bytes.
const BLOCK: usize = 64 * 1024;

/// The header that keeps an answer from being compressed. The middleware removes it from the answer.
pub(super) const PLAIN: (&str, &str) = ("content-encoding", "identity");

/// Chooses the encoding before the compressor reads the request, and corrects the headers of the answer after it.
pub(super) async fn choose_encoding(
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
    // The compressor adds a second `Vary`.
    if let Some(vary) = headers.get(VARY).cloned() {
        headers.insert(VARY, vary);
    }
    Ok(answer)
}

/// The encoding that the client prefers.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Coding {
    Brotli,
    Gzip,
}

/// How much time a compressed body is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// For a body that is compressed while a client waits.
    Low,
    /// For a static body, which is sent often.
    High,
}

impl Effort {
    /// Brotli's quality. Quality 11 takes ten times as long as 9 and saves 5 %.
    fn quality(self) -> u32 {
        match self {
            Effort::Low => 4,
            Effort::High => 9,
        }
    }

    fn level(self) -> Compression {
        match self {
            Effort::Low => Compression::default(),
            Effort::High => Compression::best(),
        }
    }
}

impl Coding {
    pub(super) fn named(name: &str) -> Option<Coding> {
        match name {
            "br" => Some(Coding::Brotli),
            "gzip" => Some(Coding::Gzip),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Coding::Brotli => "br",
            Coding::Gzip => "gzip",
        }
    }

    /// Slow: do not call it on an event loop.
    pub(super) fn compress(self, plain: &[u8], effort: Effort) -> std::io::Result<Vec<u8>> {
        match self {
            Coding::Brotli => {
                let mut packer = brotli::CompressorWriter::new(Vec::new(), BLOCK, effort.quality(), WINDOW);
                packer.write_all(plain)?;
                Ok(packer.into_inner())
            }
            Coding::Gzip => {
                let mut packer = GzEncoder::new(Vec::new(), effort.level());
                packer.write_all(plain)?;
                packer.finish()
            }
        }
    }
}

/// The encoding chosen for a request.
pub(super) fn encoding(headers: &HeaderMap) -> &str {
    headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("identity")
}
