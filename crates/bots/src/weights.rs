//! The parameters of `steady`, tuned by letting variants play each other.

/// The worth of cards, and how cautious a player is.
pub(super) struct Weights {
    /// By the number of unseen higher cards: the probability that a card of a side suit wins.
    pub top: [f32; 8],
    /// The same for a trump.
    pub trump_top: [f32; 8],
    /// The share of a high card's worth that remains without low cards to guard it.
    pub unguarded: f32,
    /// How often a player who could trump a side suit does.
    pub ruffs: f32,
    /// How often a low card wins when no other player has its suit.
    pub outlives: f32,
    /// The gain of a trump from a side suit of no, one or two cards.
    pub short: [f32; 3],
    /// The maximum gain from all of them.
    pub most_short: f32,
    /// The worth of a joker without a suit.
    pub joker: f32,
    /// By the number of cards in hand, from 1: how often the suit of one of them is led, or can be.
    pub led: [f32; 6],
    /// How often a later player who needs tricks plays a higher card.
    pub eager: f32,
    /// How often a later player who needs none does.
    pub sated: f32,
    /// How often a later player who can trump a trick does.
    pub ruffed: f32,
    /// The reduction of a hand's worth before it is called.
    pub modesty: f32,
    /// The weight of the tricks that are called by nobody, or by more than one player.
    pub crowd: f32,
    /// A worth below this is reduced to `zero` times itself, because taking nothing is easier than taking
    /// few.
    pub little: f32,
    /// See `little`.
    pub zero: f32,
    /// The tricks a bid may promise above the worth.
    pub hope: f32,
    /// The weight of winners that are not needed: they can still be thrown away.
    pub surplus: f32,
    /// The weight in play of the tricks the table needs beyond those left.
    pub pressure: f32,
    /// The weight of one step in rank between equally good cards.
    pub rank: f32,
}

pub(super) static WEIGHTS: Weights = Weights {
    top: [0.95, 0.74, 0.29, 0.14, 0.09, 0.08, 0.03, 0.05],
    trump_top: [1.0, 0.94, 0.72, 0.56, 0.38, 0.54, 0.38, 0.36],
    unguarded: 0.66,
    ruffs: 0.84,
    outlives: 0.26,
    short: [0.15, 0.16, 0.08],
    most_short: 1.0,
    joker: 0.95,
    led: [0.64, 0.61, 0.84, 0.84, 0.89, 0.97],
    eager: 0.53,
    sated: 1.0,
    ruffed: 0.34,
    modesty: 0.1,
    crowd: 0.11,
    little: 0.96,
    zero: 0.63,
    hope: 0.87,
    surplus: 0.74,
    pressure: 0.33,
    rank: 0.002,
};
