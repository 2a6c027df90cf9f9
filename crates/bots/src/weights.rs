//! The numbers in which the judgement of `steady` is laid down, found by having variants play each other.

/// What cards are worth and how cautious a player is.
pub(super) struct Weights {
    /// By the number of higher cards that are out: how often a side suit's card wins.
    pub top: [f32; 8],
    /// The same of a trump.
    pub trump_top: [f32; 8],
    /// What is left of a high card's worth without enough low cards to guard it.
    pub unguarded: f32,
    /// How often a player who could trump a side suit does.
    pub ruffs: f32,
    /// How often a low card wins once nobody else has its suit.
    pub outlives: f32,
    /// What a trump gains by a side suit of no, one, two cards.
    pub short: [f32; 3],
    /// What it gains by all of them at most.
    pub most_short: f32,
    /// What a joker without a suit takes.
    pub joker: f32,
    /// By the number of cards in hand, from 1: how often the suit of one of them is led, or can be.
    pub led: [f32; 6],
    /// How often a higher card of a player who needs tricks is played over one's own.
    pub eager: f32,
    /// How often that of a player who needs none is.
    pub sated: f32,
    /// How often a trick is trumped by one who plays later and can.
    pub ruffed: f32,
    /// What is taken off a hand's worth before it is called.
    pub modesty: f32,
    /// How much of the tricks that nobody, or more than one, has called counts for a caller.
    pub crowd: f32,
    /// A worth below this is called as if it were `zero` of itself: nothing is easier than some.
    pub little: f32,
    /// See `little`.
    pub zero: f32,
    /// What a bid may lack of the tricks it promises.
    pub hope: f32,
    /// How much winners that are not needed count: they can still be thrown away.
    pub surplus: f32,
    /// How much it counts in play that the table needs more tricks than there are.
    pub pressure: f32,
    /// What a step in rank counts between cards that are equally good.
    pub rank: f32,
}

/// The weights.
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
