//! The words of the game as they are written in bodies.

use super::declare::names;

names! {
    /// A suit, in the order in which suits outbid each other.
    pub enum Suit {
        /// ♣
        Clubs = "clubs",
        /// ♦
        Diamonds = "diamonds",
        /// ♥
        Hearts = "hearts",
        /// ♠
        Spades = "spades",
    }

    /// What a round is played in, lowest bid first.
    pub enum Trump {
        /// ♣ is trump.
        Clubs = "clubs",
        /// ♦ is trump.
        Diamonds = "diamonds",
        /// ♥ is trump.
        Hearts = "hearts",
        /// ♠ is trump.
        Spades = "spades",
        /// No suit is trump.
        NoTrump = "no_trump",
    }

    /// Where a game stands.
    pub enum GameStatus {
        /// Waiting for players.
        Lobby = "lobby",
        /// Being played.
        Playing = "playing",
        /// Played to the end.
        Finished = "finished",
        /// Ended early.
        Abandoned = "abandoned",
    }

    /// Who may see that a game exists.
    pub enum Visibility {
        /// Listed in the lobby, open to anybody.
        Public = "public",
        /// Only for those who have the invitation.
        Private = "private",
    }

    /// What kind of round it is.
    pub enum RoundKind {
        /// Trump is turned up.
        Indicator = "indicator",
        /// Trump is bid for.
        Auction = "auction",
        /// Trump is fixed and everybody estimates.
        Fast = "fast",
    }

    /// What a round waits for.
    pub enum Phase {
        /// The choice of seats (`plain`).
        ChoosingSeats = "choosing_seats",
        /// The cut (`plain`).
        Cutting = "cutting",
        /// Somebody whose hand lacks a suit, to redeal or avoid.
        VoidCheck = "void_check",
        /// Somebody to declare a dash before the auction, or to enter it.
        BlindDash = "blind_dash",
        /// A bid, a pass or a dash call.
        Auction = "auction",
        /// An estimate.
        Estimates = "estimates",
        /// A card.
        Play = "play",
    }

    /// How a player came to be bound to a number of tricks.
    pub enum CallKind {
        /// The winning bid of an auction.
        Bid = "bid",
        /// An estimate.
        Estimate = "estimate",
        /// A dash call: 0, declared before trump was known.
        DashCall = "dash_call",
        /// A blind dash: 0, declared before the auction (`kabooot`).
        BlindDash = "blind_dash",
    }

    /// Who acted in a player's stead.
    pub enum By {
        /// A bot that sits there or stands in.
        Bot = "bot",
        /// The clock, because the turn ran out.
        Clock = "clock",
    }

    /// What a player is.
    pub enum PlayerKind {
        /// A person.
        Human = "human",
        /// A bot.
        Bot = "bot",
    }

    /// How well a bot plays.
    pub enum BotLevel {
        /// Lawful and simple.
        Easy = "easy",
        /// Counts cards and keeps to its call.
        Steady = "steady",
        /// Searches.
        Sharp = "sharp",
    }

    /// Why a game ended before its last round.
    pub enum AbandonReason {
        /// The host called it off before the start, or the last to sit there left.
        Cancelled = "cancelled",
        /// Everybody has left for good.
        Forfeited = "forfeited",
        /// Nothing happened for too long.
        Expired = "expired",
    }

    /// A way round the table, seen from above.
    pub enum Direction {
        /// As the hands of a clock go.
        Clockwise = "clockwise",
        /// The other way.
        Counterclockwise = "counterclockwise",
    }
}
