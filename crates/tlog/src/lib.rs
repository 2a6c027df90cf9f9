//! The formats of C2SP transparency logs: tiles, proofs, signed notes, checkpoints and cosignatures.
//!
//! It is pure: bytes in, bytes or errors out. It reads no clock, no file and no network, and holds no private
//! key: callers pass a closure that signs. Every parser accepts exactly the bytes that the formatter writes.
//!
//! Specifications: `c2sp.org/signed-note`, `tlog-checkpoint`, `tlog-tiles`, `tlog-cosignature`, `tlog-witness`,
//! `tlog-proof`, RFC 6962 and RFC 9162.

#![warn(missing_docs)]

pub mod checkpoint;
mod decimal;
mod entries;
mod hash;
mod key;
pub mod note;
mod path;
pub mod proof;
mod proof_file;
mod resource;
mod tile;
pub mod tree;
mod tree_reader;
pub mod witness;

pub use checkpoint::Checkpoint;
pub use entries::{BadBundle, BundleId, MAX_ENTRY, decode_entries, encode_entries};
pub use hash::{BadHash, Hash};
pub use key::{BadKey, KeyName, KeyType, VerifierKey};
pub use note::{Note, SignatureLine};
pub use path::{BadPath, TILE_WIDTH};
pub use proof_file::{BadProofFile, ProofFile};
pub use resource::Resource;
pub use tile::{BadTile, Tile, TileId};
pub use tree::RightEdge;
pub use tree_reader::{TileSource, TreeError};
