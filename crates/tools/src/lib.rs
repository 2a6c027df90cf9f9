//! What operators and engineers run beside the server: the load driver and the arena.

pub mod arena;
pub mod drive;
