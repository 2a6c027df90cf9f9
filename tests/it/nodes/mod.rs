//! Nodes as the processes they are, one or several on a database: nothing acknowledged is lost, nothing
//! happens twice, everybody at a table sees the same, and whatever dies comes back.

mod audit;
mod client;
mod dice;
mod frames;
mod node;
mod races;
mod site;
mod table;
