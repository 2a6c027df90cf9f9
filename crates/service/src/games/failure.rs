//! What failures say about a game.

use crate::base::failure::{Failure, StoreError};

impl Failure {
    /// Whether the failure concerns one game only, not the database, the keys or the moment.
    pub(crate) fn is_of_one_game(&self) -> bool {
        match self {
            Failure::Store(StoreError::Migration { .. }) | Failure::Keys(_) | Failure::GameBusy => false,
            Failure::Store(error) => !error.is_unavailable(),
            _ => true,
        }
    }

    /// The failure without what is stored, which may be a card.
    pub(crate) fn public_reason(&self) -> String {
        match self {
            Failure::UnreadableLog { seq, .. } => format!("its log cannot be read at event {seq}"),
            Failure::UnsoundLog { .. } => "its log does not verify".to_owned(),
            Failure::Store(StoreError::Corrupt { .. }) => "a stored row is damaged".to_owned(),
            Failure::Store(_) | Failure::Defect(_) => "the database or the program failed".to_owned(),
            failure => failure.to_string(),
        }
    }

    /// Whether the stored game cannot be read, or is not what its log makes.
    pub fn is_unreadable(&self) -> bool {
        matches!(
            self,
            Failure::UnreadableLog { .. }
                | Failure::UnsoundLog { .. }
                | Failure::Store(StoreError::Corrupt { .. })
        )
    }
}
