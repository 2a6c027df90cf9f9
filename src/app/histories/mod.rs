//! Histories: the record of a game handed out whole, to those who may have it, page by page.
//!
//! Owns who may have it, and the record of looks by an auditor's right. What is in it is the stored text,
//! untouched.

mod audit_accesses;
mod pages;

pub use audit_accesses::{AccessLine, AccessPage, AuditAccess};
pub use pages::History;
