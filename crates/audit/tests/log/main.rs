//! `estimation-audit watch` and `verify`, as programs: exit status and output, against logs that a test server shows.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test that cannot go on should fail, and tests sign with the present time"
)]

mod attacks;
mod bundles;
mod corpus;
mod damage;
mod games;
mod prelude;
mod program;
mod proofs;
mod saved;
mod server;
mod watching;
