pub mod client;
pub mod node;
pub mod table;
