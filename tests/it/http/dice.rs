//! Chance for tests: repeatable, and no relation of the service's.

use serde_json::Value;

/// A stream of numbers that follows from a seed (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        &among[self.below(among.len())]
    }

    /// One of the commands listed: first a kind of command, then one of that kind, so that a pass is not
    /// drowned by forty bids.
    pub fn command(&mut self, legal: &[Value]) -> Value {
        let mut kinds: Vec<&str> = legal.iter().filter_map(|command| command["type"].as_str()).collect();
        kinds.dedup();
        let kind = *self.pick(&kinds);
        let of_kind: Vec<&Value> = legal.iter().filter(|command| command["type"] == kind).collect();
        (*self.pick(&of_kind)).clone()
    }
}
