//! What players are told of.

estimation_engine::choices! {
    /// What a notice is about. More kinds are added over time.
    pub enum NoticeKind {
        /// The game has waited for the player for five seconds.
        YourTurn = "your_turn",
        /// The player's turn is about to run out.
        TurnEnding = "turn_ending",
        /// A game in which the player sits has started.
        GameStarted = "game_started",
        /// A game in which the player sat is over.
        GameFinished = "game_finished",
        /// The player is invited to a rematch.
        Invited = "invited",
        /// A way into the account was changed by another session. It cannot be muted.
        AccountChanged = "account_changed",
    }
}
