//! Tools to run beside the server: the load driver and the arena.

pub mod arena;
pub mod drive;
