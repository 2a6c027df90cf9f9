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
    top: [0.97, 0.66, 0.36, 0.18, 0.09, 0.05, 0.03, 0.01],
    trump_top: [1.0, 0.85, 0.66, 0.52, 0.43, 0.37, 0.33, 0.25],
    unguarded: 0.6,
    ruffs: 0.7,
    outlives: 0.7,
    short: [0.28, 0.16, 0.05],
    most_short: 0.6,
    joker: 0.95,
    led: [0.45, 0.65, 0.8, 0.88, 0.93, 0.97],
    eager: 0.9,
    sated: 0.7,
    ruffed: 0.75,
    modesty: 0.3,
    crowd: 0.1,
    little: 0.9,
    zero: 0.5,
    hope: 0.35,
    surplus: 0.9,
    pressure: 0.1,
    rank: 0.002,
};
