//! The list of ended games: what is over is signed and put on the list, in the background, by one node at a
//! time. Owns the job, and the list on its way out.

mod job;
mod published;

pub use published::{ListPage, published};
