//! The bots: lawful in every position, blind to what they cannot see, and sensible in plain ones.

mod arena;
mod budgets;
mod hidden;
mod judgement;
mod laws;
