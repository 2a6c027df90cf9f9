use serde_json::Value;

/// A deterministic random generator (SplitMix64).
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound as u64) as usize
    }

    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// A legal command of a view: first draws a kind, then one of that kind, so that one pass is as likely as
    /// forty bids.
    pub fn command(&mut self, legal: &[Value]) -> Value {
        let mut kinds: Vec<&str> = legal.iter().filter_map(|command| command["type"].as_str()).collect();
        kinds.dedup();
        let kind = *self.pick(&kinds);
        let of_kind: Vec<&Value> = legal.iter().filter(|command| command["type"] == kind).collect();
        (*self.pick(&of_kind)).clone()
    }
}
