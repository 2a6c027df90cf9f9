//! Full accounts and guests.

estimation_engine::choices! {
    /// The kind of an account.
    pub enum AccountKind {
        /// The account has a username and a password.
        Full = "full",
        /// The account has no username and no password, and lasts as long as its sessions.
        Guest = "guest",
    }
}
