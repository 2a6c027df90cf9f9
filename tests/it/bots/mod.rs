//! The bots: lawful in every position, blind to what they cannot see, and sensible in plain ones.

mod hidden;
mod laws;
