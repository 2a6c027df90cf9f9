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
        /// The player is invited to a rematch, or a friend invites the player to a table.
        Invited = "invited",
        /// Somebody asks the player for friendship.
        FriendRequest = "friend_request",
        /// Somebody accepted the player's request for friendship.
        FriendAccepted = "friend_accepted",
        /// A report or an appeal of the player was decided. It cannot be muted.
        ReportDecided = "report_decided",
        /// A moderator did something to the account. It cannot be muted.
        StandingChanged = "standing_changed",
        /// A way into the account was changed by another session. It cannot be muted.
        AccountChanged = "account_changed",
    }
}
