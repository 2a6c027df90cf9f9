//! The tables, in the types both databases have: text, 32 and 64 bit integers, bytes.
//!
//! Written by hand; a test compares it with what the migrations make on each database.
//! Ids and JSON are text, times are milliseconds since 1970 in UTC, hashes are bytes.

diesel::table! {
    /// People who may sign in, guests included.
    accounts (id) {
        /// UUIDv7.
        id -> Text,
        /// As the person wrote it; null for guests.
        username -> Nullable<Text>,
        /// The case-folded username: unique.
        username_key -> Nullable<Text>,
        /// The name others see.
        display_name -> Text,
        /// Argon2id in PHC form; null for guests.
        password_hash -> Nullable<Text>,
        /// `full` or `guest`.
        kind -> Text,
        /// What the account may do beyond playing.
        role -> Text,
        /// When it was made.
        created_at -> BigInt,
        /// When it was last changed.
        updated_at -> BigInt,
        /// How often its password was changed.
        password_changes -> Integer,
    }
}

diesel::table! {
    /// The names of the migrations that were applied.
    known_migrations (version) {
        /// The digits at the beginning of the name.
        version -> Text,
        /// The name of the folder.
        name -> Text,
        /// 1 where versions of the program that do not know it must not run.
        breaking -> Integer,
    }
}

diesel::table! {
    /// One device signed in: a family of refresh tokens.
    sessions (id) {
        /// UUIDv7.
        id -> Text,
        /// Whose it is.
        account_id -> Text,
        /// What the client calls itself.
        device -> Nullable<Text>,
        /// When it began.
        created_at -> BigInt,
        /// When a token of it was last used.
        last_used_at -> BigInt,
        /// When it was ended; null while it lives.
        ended_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    /// Refresh tokens by their hash; the tokens themselves are nowhere.
    refresh_tokens (hash) {
        /// SHA-256 of the token.
        hash -> Binary,
        /// The session it belongs to.
        session_id -> Text,
        /// Whose it is.
        account_id -> Text,
        /// When it was given out.
        issued_at -> BigInt,
        /// When it stops working.
        expires_at -> BigInt,
        /// When it was exchanged; null while it is unused.
        used_at -> Nullable<BigInt>,
        /// SHA-256 of the token it was exchanged for.
        successor_hash -> Nullable<Binary>,
    }
}

diesel::table! {
    /// What lists of games show.
    games (id) {
        /// UUIDv7: newest first is descending.
        id -> Text,
        /// `lobby`, `playing`, `finished` or `abandoned`.
        status -> Text,
        /// The ruleset's id.
        ruleset -> Text,
        /// Who may find it.
        visibility -> Text,
        /// The invitation code, while there is one: unique.
        join_code -> Nullable<Text>,
        /// The host's account id.
        host -> Text,
        /// How many play.
        players -> Integer,
        /// How many places are taken.
        taken -> Integer,
        /// When it was made.
        created_at -> BigInt,
        /// When this row last changed.
        updated_at -> BigInt,
        /// When it was finished or abandoned.
        ended_at -> Nullable<BigInt>,
        /// When it was put on the list of ended games.
        listed_at -> Nullable<BigInt>,
        /// When the service has to look at it by itself: early, never late.
        wake_at -> Nullable<BigInt>,
        /// Which game it is the rematch of.
        rematch_of -> Nullable<Text>,
        /// When its log was packed.
        packed_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    /// Logs of games that are over, compressed: append-only.
    packed_games (game_id) {
        /// The game.
        game_id -> Text,
        /// How many events it has.
        events -> BigInt,
        /// The chain's hash at the last of them, 32 bytes.
        head -> Binary,
        /// How `body` is written.
        format -> Integer,
        /// The stored texts of all events.
        body -> Binary,
    }
}

diesel::table! {
    /// The list of ended games, chained: append-only.
    ended_games (position) {
        /// Its place on the list, from 1.
        position -> BigInt,
        /// The game.
        game_id -> Text,
        /// How many events it has.
        events -> BigInt,
        /// The hash of the last of them, 32 bytes.
        head -> Binary,
        /// The list's chain at it, 32 bytes.
        chain -> Binary,
        /// The key its end was signed with.
        kid -> Text,
        /// The signature over its end, 64 bytes.
        signature -> Binary,
        /// When it was listed.
        listed_at -> BigInt,
    }
}

diesel::table! {
    /// Which games of the list have been counted: in its order, each once.
    counted_games (position) {
        /// The game's place on the list of ended games.
        position -> BigInt,
        /// The game.
        game_id -> Text,
        /// `rated`, `unrated` or `abandoned`.
        kind -> Text,
        /// When it was counted.
        counted_at -> BigInt,
    }
}

diesel::table! {
    /// Games on the list of ended games that could not be counted when their turn came.
    passed_over_games (position) {
        /// The game's place on the list of ended games.
        position -> BigInt,
        /// The game.
        game_id -> Text,
        /// When it was passed over.
        passed_over_at -> BigInt,
        /// The place up to which games had been settled when it was counted; null while it is not.
        counted_behind -> Nullable<BigInt>,
    }
}

diesel::table! {
    /// What a finished game counts for an account.
    results (game_id, account_id) {
        /// The game.
        game_id -> Text,
        /// The account.
        account_id -> Text,
        /// The ruleset's id.
        ruleset -> Text,
        /// The game's place on the list of ended games.
        position -> BigInt,
        /// Where the account sat.
        seat -> Integer,
        /// Its rank, from 1.
        rank -> Integer,
        /// The seat's final total.
        total -> Integer,
        /// How many rounds it played.
        rounds -> Integer,
        /// In how many of them it made its call.
        rounds_made -> Integer,
        /// 1 if it gave the game up, otherwise 0.
        forfeited -> Integer,
        /// When the game ended.
        ended_at -> BigInt,
    }
}

diesel::table! {
    /// How strong an account is in a ruleset, in millionths of a point.
    ratings (account_id, ruleset) {
        /// The account.
        account_id -> Text,
        /// The ruleset's id.
        ruleset -> Text,
        /// The estimate of its strength.
        mean -> BigInt,
        /// How uncertain that is.
        deviation -> BigInt,
        /// What it is ranked by: the mean less three deviations.
        ordinal -> BigInt,
        /// How many rated games it has played.
        games -> BigInt,
    }
}

diesel::table! {
    /// Who waits to be seated with strangers, and at which table they sit meanwhile.
    matchmaking (account_id) {
        /// Who.
        account_id -> Text,
        /// The table.
        game_id -> Text,
        /// What is to be played, as a hash; null once it has begun.
        terms -> Nullable<Text>,
        /// Since when.
        since -> BigInt,
        /// From when the account agrees to bots; null for never.
        bots_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    /// Looks by an auditor's right: append-only.
    looks (position) {
        /// Newer looks have greater positions.
        position -> BigInt,
        /// Who looked.
        account_id -> Text,
        /// At which game.
        game_id -> Text,
        /// Up to which event.
        version -> BigInt,
        /// When.
        looked_at -> BigInt,
    }
}

diesel::table! {
    /// Who sits at which place.
    game_players (game_id, place) {
        /// The game.
        game_id -> Text,
        /// The order of sitting down, from 0.
        place -> Integer,
        /// The person; null for a bot.
        account_id -> Nullable<Text>,
        /// `human` or `bot`.
        kind -> Text,
        /// When they sat down, by the database's clock; null for what an earlier version wrote.
        seated_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    /// Server seeds, in a table of their own.
    game_seeds (game_id) {
        /// The game.
        game_id -> Text,
        /// 32 bytes.
        seed -> Binary,
    }
}

diesel::table! {
    /// The log: append-only.
    game_events (position) {
        /// Where the row lies; orders nothing.
        position -> BigInt,
        /// The game.
        game_id -> Text,
        /// The game's version after this event, from 1.
        seq -> BigInt,
        /// The chain's hash at this event, 32 bytes.
        hash -> Binary,
        /// The bytes that were hashed.
        body -> Text,
    }
}

diesel::table! {
    /// The newest stored state of each game.
    game_snapshots (game_id) {
        /// The game.
        game_id -> Text,
        /// The version it is the state of.
        seq -> BigInt,
        /// How `state` is written.
        format -> Integer,
        /// The chain's hash at that version.
        hash -> Binary,
        /// The state.
        state -> Text,
    }
}

diesel::table! {
    /// What requests with an idempotency key did.
    idempotency_keys (account_id, method, path, key) {
        /// Who asked.
        account_id -> Text,
        /// The HTTP method.
        method -> Text,
        /// The request path.
        path -> Text,
        /// The key the client chose.
        key -> Text,
        /// SHA-256 of the request body.
        body_hash -> Binary,
        /// The answer's HTTP status.
        status -> Integer,
        /// The game it changed.
        game_id -> Nullable<Text>,
        /// The first event it caused.
        first_seq -> Nullable<BigInt>,
        /// The last event it caused.
        last_seq -> Nullable<BigInt>,
        /// What else it made, by id.
        resource -> Nullable<Text>,
        /// When.
        created_at -> BigInt,
    }
}

diesel::table! {
    /// Who was given which role: append-only.
    role_grants (id) {
        /// UUIDv7.
        id -> Text,
        /// Whose role changed.
        account_id -> Text,
        /// The role since.
        role -> Text,
        /// The role before.
        former_role -> Text,
        /// The admin's account; null for the command line.
        granted_by -> Nullable<Text>,
        /// When.
        created_at -> BigInt,
    }
}

diesel::table! {
    /// How often something that is limited was attempted lately.
    attempts (bucket) {
        /// SHA-256 of what is limited and for whom.
        bucket -> Binary,
        /// When the bucket will have run empty.
        empty_at -> BigInt,
    }
}

diesel::table! {
    /// The key ring of all nodes, encrypted.
    sealed_keys (id) {
        /// Always 1.
        id -> Integer,
        /// Raised with every change.
        version -> BigInt,
        /// The ring under the secret.
        sealed -> Binary,
    }
}

diesel::table! {
    /// The nodes that run, and when the database last saw each.
    nodes (id) {
        /// A UUID that a node draws at its start.
        id -> Text,
        /// By the database's clock.
        seen_at -> BigInt,
    }
}

diesel::table! {
    /// Who is connected to which node.
    presence (account_id, node_id) {
        /// The account.
        account_id -> Text,
        /// The node.
        node_id -> Text,
    }
}

diesel::allow_tables_to_appear_in_same_query!(accounts, games, game_players, matchmaking);
diesel::allow_tables_to_appear_in_same_query!(sessions, refresh_tokens);
diesel::allow_tables_to_appear_in_same_query!(accounts, sessions);
diesel::allow_tables_to_appear_in_same_query!(nodes, presence);
