//! A body of known size, sent in pieces.

use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use actix_web::web::Bytes;

/// Bytes handed to a connection at a time, which bounds what a slow reader costs.
const PIECE: usize = 32 * 1024;

pub(super) struct Pieces(pub(super) Bytes);

impl MessageBody for Pieces {
    type Error = std::convert::Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.0.len() as u64)
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let length = self.0.len().min(PIECE);
        Poll::Ready((length > 0).then(|| Ok(self.0.split_to(length))))
    }
}
