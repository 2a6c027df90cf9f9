//! What the tests of the service share: the program as a process, one HTTP client, and tables of players.

pub mod client;
pub mod node;
pub mod table;
