//! The application: services and their shared handles. It knows no HTTP and no SQL.

pub mod accounts;
pub mod auth;
mod background;
pub mod base;
pub mod calculator;
pub mod database_audit;
pub mod endings;
pub mod games;
pub mod histories;
pub mod identities;
pub mod mail;
pub mod matchmaking;
pub mod moderation;
pub mod monitoring;
pub mod nodes;
pub mod notifications;
pub mod outbound;
pub mod people;
pub mod players;
pub mod public_log;
pub mod readiness;
pub mod rulesets;
pub mod services;
pub mod talk;
mod timers;
pub mod vocabulary;
pub mod watch;
