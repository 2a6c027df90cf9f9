//! The audit: real histories pass, and whatever is changed in them is found where it was changed.

mod document;
mod hostile;
pub(crate) mod made;
mod outside;
mod packed;
mod second;
mod served;
mod skipped_games;
mod sound;
mod tampering;

use estimation_record::verify::{Audit, Piece, Report, read};

use made::trust;

/// What an audit says of some pieces.
fn audited(pieces: &[Piece]) -> Report {
    let trust = trust();
    let mut audit = Audit::new(&trust);
    pieces.iter().cloned().for_each(|piece| audit.piece(piece));
    audit.finish()
}

/// What an audit says of a text.
fn audited_text(text: impl AsRef<[u8]>) -> Report {
    let trust = trust();
    let mut audit = Audit::new(&trust);
    read(text.as_ref(), &mut audit);
    audit.finish()
}
