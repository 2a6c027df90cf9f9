//! Chance: the only source of shuffles, salts and the revealed seed for the engine.
//!
//! The engine makes no random choices. The application shuffles; a verifier passes the packs that the
//! revealed seeds prove.

use std::sync::Arc;

use super::card::Pack;
use super::game::Table;
use super::hex::{Hex, Salt};
use super::round::DealNumber;

/// Supplies the values that the engine cannot compute.
pub trait Chance {
    /// Shuffles a pack in canonical order (C8) for one deal. The same game and deal number always give the
    /// same order.
    fn shuffle(&mut self, deal: DealNumber, pack: &mut Pack);

    /// A new salt for an event with hidden parts: 128 bits, independent of the seed.
    fn salt(&mut self) -> Salt;

    /// The server seed after `openings` failed openings of client seeds. Called once, when the game is over and the seed
    /// becomes public.
    fn reveal(&mut self, openings: u32) -> Hex<32>;

    /// Called when a game starts, with its table: from now on its client seeds are final. Chance that does not depend
    /// on them ignores it.
    fn start(&mut self, _: &Arc<Table>) {}

    /// The commitment to the server seed after `openings` failed openings, which replaces the one before.
    fn recommit(&mut self, openings: u32) -> Hex<32>;
}

/// The shuffles of a function, and zeros for all else: for games that nobody has to believe.
pub struct Shuffles<F: FnMut(DealNumber, &mut Pack)>(pub F);

impl<F: FnMut(DealNumber, &mut Pack)> Chance for Shuffles<F> {
    fn shuffle(&mut self, deal: DealNumber, pack: &mut Pack) {
        (self.0)(deal, pack);
    }

    fn salt(&mut self) -> Salt {
        Hex([0; 16])
    }

    fn reveal(&mut self, _: u32) -> Hex<32> {
        Hex([0; 32])
    }

    fn recommit(&mut self, _: u32) -> Hex<32> {
        Hex([0; 32])
    }
}
