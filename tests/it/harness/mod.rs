pub mod client;
pub mod node;
pub mod table;
pub mod tls_server;
