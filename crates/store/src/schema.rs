//! The tables, in the types both databases have: text, 32 and 64 bit integers, booleans, bytes.
//!
//! Written by hand; a test compares it with the migrated schema of each database. Ids and JSON are text,
//! times are milliseconds since 1970 in UTC, hashes are bytes.

macro_rules! tables {
    ($($(#[$about:meta])+ $table:ident ($($key:ident),+) { $($columns:tt)+ })+) => {
        $(diesel::table! { $(#[$about])+ $table ($($key),+) { $($columns)+ } })+
    };
}

tables! {
    /// Accounts of players, including guests.
    accounts (id) {
        /// UUIDv7.
        id -> Text,
        /// As the player typed it; null for guests, and for who signs in with an identity alone.
        username -> Nullable<Text>,
        /// Case-folded and unique.
        username_key -> Nullable<Text>,
        display_name -> Text,
        /// Argon2id in PHC form; null without a password.
        password_hash -> Nullable<Text>,
        /// The number of password changes.
        password_changes -> Integer,
        /// `full` or `guest`.
        kind -> Text,
        /// Permissions beyond playing.
        role -> Text,
        created_at -> BigInt,
        updated_at -> BigInt,
    }

    /// Applied and known migrations.
    known_migrations (version) {
        /// The digits at the start of the name.
        version -> Text,
        /// The name of the directory.
        name -> Text,
        /// Whether versions that do not know the migration must not run.
        breaking -> Bool,
    }

    /// Signed-in devices. Each is one family of refresh tokens.
    sessions (id) {
        /// UUIDv7.
        id -> Text,
        account_id -> Text,
        /// The client's name for itself.
        device -> Nullable<Text>,
        created_at -> BigInt,
        /// When one of its tokens was last used.
        last_used_at -> BigInt,
        /// The newest generation of which an access token was used.
        used_generation -> BigInt,
        /// Null while the session is active.
        ended_at -> Nullable<BigInt>,
        /// When it passed the second step; null for never.
        second_step_at -> Nullable<BigInt>,
        /// Raised by each change of what the session may do.
        authority -> BigInt,
    }

    /// Refresh tokens by hash. The tokens themselves are not stored.
    refresh_tokens (hash) {
        /// SHA-256 of the token.
        hash -> Binary,
        session_id -> Text,
        account_id -> Text,
        /// How many exchanges preceded it in its session.
        generation -> BigInt,
        issued_at -> BigInt,
        expires_at -> BigInt,
        /// When it was exchanged; null while it is unused.
        used_at -> Nullable<BigInt>,
        /// SHA-256 of the token issued in exchange.
        successor_hash -> Nullable<Binary>,
    }

    /// Recovery codes by a keyed hash. The codes themselves are not stored.
    recovery_codes (mac) {
        /// 32 bytes.
        mac -> Binary,
        account_id -> Text,
        created_at -> BigInt,
    }

    /// Second steps of sign-ins.
    second_steps (account_id) {
        account_id -> Text,
        /// 20 bytes, from which the secret is derived.
        salt -> Binary,
        /// Null until a code of the app confirmed it.
        confirmed_at -> Nullable<BigInt>,
        /// The newest time step of which a code was used.
        used_step -> BigInt,
    }

    /// Codes that replace a lost authenticator app.
    second_step_codes (mac) {
        /// 32 bytes.
        mac -> Binary,
        account_id -> Text,
    }

    /// Who issuers of OpenID Connect say that players are.
    identities (id) {
        /// UUIDv7.
        id -> Text,
        account_id -> Text,
        /// The issuer's URL.
        issuer -> Text,
        /// The issuer's name for the player.
        subject -> Text,
        /// The audience of the token.
        audience -> Text,
        /// The issuer's refresh token, encrypted.
        grant_token -> Nullable<Binary>,
        linked_at -> BigInt,
    }

    /// Nonces that were used, by hash.
    used_nonces (hash) {
        /// 32 bytes.
        hash -> Binary,
        expires_at -> BigInt,
    }

    /// Grants of deleted accounts that are to be revoked.
    revocations (id) {
        /// The id of the identity.
        id -> Text,
        issuer -> Text,
        audience -> Text,
        grant_token -> Binary,
        /// When to try next.
        next_at -> BigInt,
        created_at -> BigInt,
    }

    /// Verified email addresses.
    email_addresses (account_id) {
        account_id -> Text,
        address -> Text,
        /// In lower case.
        address_key -> Text,
        verified_at -> BigInt,
    }

    /// Links of mails, by hash.
    email_links (hash) {
        /// SHA-256 of the token.
        hash -> Binary,
        account_id -> Text,
        /// `verify`, `reset`, `access`, `stop` or `export`.
        purpose -> Text,
        /// The address to verify; null for others.
        address -> Nullable<Text>,
        /// The session that asked; null for others.
        session_id -> Nullable<Text>,
        works_at -> BigInt,
        expires_at -> BigInt,
    }

    /// Mails to send.
    mails (id) {
        /// UUIDv7.
        id -> Text,
        /// `verify`, `reset`, `changed`, `access` or `export`.
        kind -> Text,
        /// Null for a reset.
        account_id -> Nullable<Text>,
        /// The session that asked for a link; null for others.
        session_id -> Nullable<Text>,
        address -> Text,
        /// `en` or `ar`.
        language -> Text,
        /// When to try next.
        next_at -> BigInt,
        created_at -> BigInt,
    }

    /// Changes of the ways into accounts.
    account_changes (id) {
        /// UUIDv7.
        id -> Text,
        account_id -> Text,
        /// The session that made it.
        session_id -> Text,
        kind -> Text,
        changed_at -> BigInt,
    }

    /// The rows of lists of games.
    games (id) {
        /// UUIDv7: newest first is descending.
        id -> Text,
        /// `lobby`, `playing`, `finished` or `abandoned`.
        status -> Text,
        ruleset -> Text,
        /// `public` or `private`.
        visibility -> Text,
        /// The invitation code, unique.
        join_code -> Nullable<Text>,
        host -> Text,
        /// The number of players.
        players -> Integer,
        /// The number of occupied places.
        taken -> Integer,
        /// The game of which it is the rematch.
        rematch_of -> Nullable<Text>,
        created_at -> BigInt,
        updated_at -> BigInt,
        /// When a timer must run for the game; may be too early, never too late.
        wake_at -> Nullable<BigInt>,
        ended_at -> Nullable<BigInt>,
        /// When its end was signed.
        signed_at -> Nullable<BigInt>,
        /// The time of the entry of its end in the public log.
        logged_at -> Nullable<BigInt>,
        /// When its log was packed.
        packed_at -> Nullable<BigInt>,
    }

    /// Compressed logs of ended games: append-only.
    packed_games (game_id) {
        game_id -> Text,
        /// The number of events.
        events -> BigInt,
        /// The chain's hash at the last event, 32 bytes.
        head -> Binary,
        /// The format of `body`.
        format -> Integer,
        /// The stored texts of all events.
        body -> Binary,
        /// The keyed hash of the head, 41 bytes.
        binding -> Nullable<Binary>,
    }

    /// The signed ends of games: append-only.
    ended_games (number) {
        /// From 1, without gaps.
        number -> BigInt,
        game_id -> Text,
        /// The number of the game's events.
        events -> BigInt,
        /// The hash of the game's last event, 32 bytes.
        head -> Binary,
        /// The key that signed the game's end.
        kid -> Text,
        /// The signature over the game's end, 64 bytes.
        signature -> Binary,
        signed_at -> BigInt,
    }

    /// Games counted for results, each once, in the order of their numbers.
    counted_games (number) {
        /// The number of the signed end.
        number -> BigInt,
        game_id -> Text,
        /// `rated`, `unrated` or `abandoned`.
        kind -> Text,
        /// The seats whose accounts no longer existed, as bits.
        absent -> Integer,
        counted_at -> BigInt,
    }

    /// Games that are over and whose end a node refused to sign.
    refused_games (game_id) {
        game_id -> Text,
        /// A word that does not change.
        reason -> Text,
        /// What was found.
        detail -> Text,
        /// In milliseconds since 1970 in UTC.
        first_seen_at -> BigInt,
    }

    /// Games that could not be counted when it was their turn.
    passed_over_games (number) {
        /// The number of the signed end.
        number -> BigInt,
        game_id -> Text,
        passed_over_at -> BigInt,
        /// The number up to which games were settled when it was counted; null while it is not counted.
        counted_behind -> Nullable<BigInt>,
    }

    /// Results of finished games per account.
    results (game_id, account_id) {
        game_id -> Text,
        account_id -> Text,
        ruleset -> Text,
        /// The number of the game's signed end.
        number -> BigInt,
        /// The account's seat.
        seat -> Integer,
        /// From 1.
        rank -> Integer,
        /// The final total.
        total -> Integer,
        /// The number of rounds.
        rounds -> Integer,
        /// The number of rounds in which the account made its call.
        rounds_made -> Integer,
        /// Whether the account forfeited.
        forfeited -> Bool,
        ended_at -> BigInt,
    }

    /// Ratings, in millionths of a point.
    ratings (account_id, ruleset) {
        account_id -> Text,
        ruleset -> Text,
        /// The estimated strength.
        mean -> BigInt,
        /// The uncertainty of `mean`.
        deviation -> BigInt,
        /// The value for ranking: the mean less three deviations.
        ordinal -> BigInt,
        /// The number of rated games.
        games -> BigInt,
    }

    /// The matchmaking queue, with the table at which each account waits.
    matchmaking (account_id) {
        account_id -> Text,
        game_id -> Text,
        /// The match key, a hash of what is to be played; null once the game has begun.
        terms -> Nullable<Text>,
        /// The start of waiting.
        since -> BigInt,
        /// When the account accepts bots; null for never.
        bots_at -> Nullable<BigInt>,
        /// The table from which matchmaking moved the account, while its seat there is still taken.
        left_game_id -> Nullable<Text>,
    }

    /// What players broke off, as the logs say.
    break_offs (game_id, seq, account_id) {
        game_id -> Text,
        /// The number of the event.
        seq -> BigInt,
        account_id -> Text,
        /// `table_cancelled`, `opening_missed` or `game_left`.
        kind -> Text,
        /// The time of the event.
        at -> BigInt,
    }

    /// The auditor access log: append-only.
    looks (position) {
        /// Newer entries have greater positions.
        position -> BigInt,
        /// The auditor's account.
        account_id -> Text,
        game_id -> Text,
        /// The last event that was shown.
        version -> BigInt,
        looked_at -> BigInt,
    }

    /// The signed end of the auditor access log; at most one row.
    access_log_head (id) {
        /// Always 1.
        id -> Integer,
        /// The position of the last access that it covers.
        position -> BigInt,
        /// The number of accesses that it covers.
        accesses -> BigInt,
        /// The hash over them, 32 bytes.
        chain -> Binary,
        /// When the first head was signed.
        began_at -> BigInt,
        /// The key that signed the head.
        kid -> Text,
        /// 64 bytes.
        signature -> Binary,
    }

    /// The occupied places of each game.
    game_players (game_id, place) {
        game_id -> Text,
        /// In order of joining, from 0.
        place -> Integer,
        /// Null for a bot.
        account_id -> Nullable<Text>,
        /// `human` or `bot`.
        kind -> Text,
        /// By the database's clock.
        seated_at -> BigInt,
    }

    /// Bindings of heads whose own are under lost keys, and their entries in the public log.
    adopted_heads (game_id, seq) {
        game_id -> Text,
        /// The version of the head.
        seq -> BigInt,
        /// The keyed hash, 41 bytes.
        binding -> Binary,
        /// Canonical JSON, not sealed.
        entry -> Text,
        /// 32 bytes; null for an entry that is not sealed.
        salt -> Nullable<Binary>,
        /// What the log has.
        logged -> Text,
        /// Null while the entry waits.
        log -> Nullable<Integer>,
        /// Null while the entry waits.
        position -> Nullable<BigInt>,
    }

    /// Server seeds, in their own table.
    game_seeds (game_id) {
        game_id -> Text,
        /// 32 bytes.
        seed -> Binary,
    }

    /// The log of events: append-only.
    game_events (position) {
        /// The row's storage position. Not an order of events.
        position -> BigInt,
        game_id -> Text,
        /// The game's version after this event, from 1.
        seq -> BigInt,
        /// The chain's hash at this event, 32 bytes.
        hash -> Binary,
        /// The exact bytes that were hashed.
        body -> Text,
        /// The keyed hash of this head, 41 bytes; on the last event of each append only.
        binding -> Nullable<Binary>,
    }

    /// The newest snapshot of each game.
    game_snapshots (game_id) {
        game_id -> Text,
        /// The version of the snapshot.
        seq -> BigInt,
        /// The format of `state`.
        format -> Integer,
        /// The chain's hash at that version.
        hash -> Binary,
        /// The keyed hash that binds the row to the log, 41 bytes.
        binding -> Binary,
        state -> Text,
    }

    /// Outcomes of requests with an idempotency key.
    idempotency_keys (account_id, method, path, key) {
        /// The account of the request.
        account_id -> Text,
        method -> Text,
        path -> Text,
        /// The key chosen by the client.
        key -> Text,
        /// SHA-256 of the request body.
        body_hash -> Binary,
        /// The HTTP status of the response.
        status -> Integer,
        /// The changed game.
        game_id -> Nullable<Text>,
        /// The first event the request caused.
        first_seq -> Nullable<BigInt>,
        /// The last event the request caused.
        last_seq -> Nullable<BigInt>,
        /// The id of another resource the request created.
        resource -> Nullable<Text>,
        created_at -> BigInt,
    }

    /// Role changes: append-only.
    role_grants (id) {
        /// UUIDv7.
        id -> Text,
        /// The account whose role changed.
        account_id -> Text,
        role -> Text,
        /// The previous role.
        former_role -> Text,
        /// The admin's account; null for the command line.
        granted_by -> Nullable<Text>,
        created_at -> BigInt,
    }

    /// Rate-limit buckets.
    attempts (bucket) {
        /// SHA-256 of the limited action and its subject.
        bucket -> Binary,
        /// When the bucket will be empty.
        empty_at -> BigInt,
    }

    /// The encrypted key ring of all nodes.
    sealed_keys (id) {
        /// Always 1.
        id -> Integer,
        /// Incremented with every change.
        version -> BigInt,
        /// The encrypted ring.
        sealed -> Binary,
    }

    /// Entries of the public log that have no position yet.
    log_queue (number) {
        /// In order of insertion.
        number -> BigInt,
        /// Null for entries that belong to no game.
        game_id -> Nullable<Text>,
        /// `start`, `end`, `adopted` or `other`.
        kind -> Text,
        /// The bytes of the entry.
        entry -> Text,
        /// The time of the entry, in milliseconds since 1970 in UTC.
        entered_at -> BigInt,
        /// The keyed hash of the row, 41 bytes.
        binding -> Binary,
        /// When a node refused to enter it; null while it waits.
        refused_at -> Nullable<BigInt>,
    }

    /// The entries of the public log: append-only.
    log_entries (log, position) {
        /// The log's number, from 1.
        log -> Integer,
        /// From 0.
        position -> BigInt,
        /// The bytes of the entry.
        entry -> Text,
    }

    /// The tiles of the public log's Merkle tree, each in its newest form.
    log_tiles (log, level, number) {
        log -> Integer,
        level -> Integer,
        number -> BigInt,
        /// Up to 256 hashes of 32 bytes.
        hashes -> Binary,
    }

    /// The state of each public log. The newest one is in use.
    log_tree (id) {
        /// From 1.
        id -> Integer,
        origin -> Text,
        /// The record key from which the keys of the log are derived.
        kid -> Text,
        /// The number of entries.
        size -> BigInt,
        /// The root of the tree of `size` entries.
        root -> Binary,
        /// The time of the last entry, in milliseconds since 1970 in UTC; 0 without entries.
        entered_at -> BigInt,
        /// The size of the last signed checkpoint.
        signed_size -> BigInt,
        signed_at -> BigInt,
        /// The last checkpoint as a signed note; empty before the first.
        note -> Text,
    }

    /// The newest cosignature of each witness.
    log_cosignatures (log, witness) {
        log -> Integer,
        /// The name of the witness's key.
        witness -> Text,
        /// The size of the checkpoint.
        size -> BigInt,
        /// The line of the signed note.
        line -> Text,
    }

    /// The entries of each game in the public log, and what opens them.
    log_games (game_id) {
        game_id -> Text,
        /// The start entry, not sealed; null if the log has no start of the game.
        start_entry -> Nullable<Text>,
        /// 32 bytes for a private game.
        start_salt -> Nullable<Binary>,
        /// The log that has the start.
        start_log -> Nullable<Integer>,
        start_position -> Nullable<BigInt>,
        /// The leaf hash of the start's entry.
        leaf -> Nullable<Binary>,
        /// The latest time of the first checkpoint with the entry.
        promised_by -> Nullable<BigInt>,
        promise_kid -> Nullable<Text>,
        /// The signature of the promise, 64 bytes.
        promise -> Nullable<Binary>,
        /// The end entry, not sealed.
        end_entry -> Nullable<Text>,
        end_salt -> Nullable<Binary>,
        /// The log that has the end.
        end_log -> Nullable<Integer>,
        end_position -> Nullable<BigInt>,
    }

    /// The salts of pseudonyms in the public log.
    log_pseudonyms (game_id, account_id) {
        game_id -> Text,
        account_id -> Text,
        /// 32 bytes.
        salt -> Binary,
    }

    /// Running nodes with their last heartbeat.
    nodes (id) {
        /// A UUID that each node draws at its start.
        id -> Text,
        /// By the database's clock.
        seen_at -> BigInt,
        version -> Text,
        /// The newest format of games that it knows.
        format -> Integer,
        started_at -> BigInt,
        /// `ready`, or why the node is not.
        state -> Text,
        /// How long the oldest change waits to be written, in milliseconds.
        waits -> BigInt,
    }

    /// Backups that were restored and audited, and sound.
    checked_backups (id) {
        /// UUIDv7.
        id -> Text,
        /// `sqlite` or `postgres`.
        kind -> Text,
        /// The time of the state that the backup restores.
        made_at -> BigInt,
        checked_at -> BigInt,
        games -> BigInt,
        /// The number of entries of the public log.
        log_size -> BigInt,
    }

    /// The formats of games, where they are not the first.
    game_formats (game_id) {
        game_id -> Text,
        format -> Integer,
    }

    /// The accounts that use each node.
    presence (account_id, node_id) {
        account_id -> Text,
        node_id -> Text,
        /// Whether it has an open stream or poll, or a call of the last seconds.
        online -> Bool,
        /// Whether it has an open stream or poll.
        streaming -> Bool,
        /// Whether it has a call of the last minute.
        called -> Bool,
    }

    /// Notices, one row for each destination.
    notifications (id, destination) {
        /// A UUID that follows from what the notice is about.
        id -> Text,
        /// `webhook`, or the session of a push subscription.
        destination -> Text,
        account_id -> Text,
        kind -> Text,
        game_id -> Nullable<Text>,
        /// The version of the game when the notice became due.
        version -> Nullable<BigInt>,
        /// When what it tells of began.
        since -> BigInt,
        /// When it is of no use any more; null for never.
        expires_at -> Nullable<BigInt>,
        /// Attempts that failed.
        failures -> Integer,
        /// When to send it; null once it has an outcome.
        next_at -> Nullable<BigInt>,
        /// Until when a node sends it.
        taken_until -> Nullable<BigInt>,
        /// `delivered`, `dropped` or `parked`; null while it is open.
        outcome -> Nullable<Text>,
        created_at -> BigInt,
        settled_at -> Nullable<BigInt>,
    }

    /// What accounts chose about notices.
    notification_choices (account_id) {
        account_id -> Text,
        /// JSON.
        choices -> Text,
        updated_at -> BigInt,
    }

    /// Where browsers take pushes.
    push_subscriptions (session_id) {
        session_id -> Text,
        account_id -> Text,
        /// The URL of the push service.
        endpoint -> Text,
        /// The browser's public key, 65 bytes.
        p256dh -> Binary,
        /// The browser's authentication secret, 16 bytes.
        auth -> Binary,
        created_at -> BigInt,
        /// When the last push went; 0 before the first.
        pushed_at -> BigInt,
    }

    /// What accounts want of each other.
    relations (account_id, kind, other_id) {
        account_id -> Text,
        /// `block`, `mute`, `request` or `friend`.
        kind -> Text,
        other_id -> Text,
        since -> BigInt,
    }

    /// How others may find accounts.
    people_settings (account_id) {
        account_id -> Text,
        shows_presence -> Bool,
        found_by_name -> Bool,
        takes_requests -> Bool,
        friend_code -> Nullable<Text>,
    }

    /// Invitations of friends to tables.
    invitations (id) {
        /// UUIDv7.
        id -> Text,
        game_id -> Text,
        sender_id -> Text,
        recipient_id -> Text,
        created_at -> BigInt,
    }

    /// Tables with reactions off.
    silent_tables (game_id) {
        game_id -> Text,
    }

    /// What players said at tables.
    reactions (game_id, account_id, at) {
        game_id -> Text,
        account_id -> Text,
        at -> BigInt,
        reaction -> Text,
    }

    /// Reports about players, and appeals.
    reports (id) {
        /// UUIDv7.
        id -> Text,
        /// Null once the reporter's account was deleted.
        reporter_id -> Nullable<Text>,
        subject_id -> Text,
        /// Empty for no game.
        game_id -> Text,
        /// `player_name`, `conduct`, `play` or `appeal`.
        about -> Text,
        words -> Text,
        /// JSON.
        evidence -> Text,
        created_at -> BigInt,
        /// `upheld` or `dismissed`; null while it is open.
        decision -> Nullable<Text>,
        reason -> Nullable<Text>,
        decided_at -> Nullable<BigInt>,
        /// The moderator who looks into it.
        taken_by -> Nullable<Text>,
        taken_at -> Nullable<BigInt>,
    }

    /// Until when accounts may not talk, not play, and not come back.
    standings (account_id) {
        account_id -> Text,
        muted_until -> Nullable<BigInt>,
        suspended_until -> Nullable<BigInt>,
        banned_until -> Nullable<BigInt>,
    }

    /// What moderators did. Append-only.
    moderation_acts (id) {
        /// UUIDv7.
        id -> Text,
        /// Null for an act about a game.
        account_id -> Nullable<Text>,
        /// Null for an act about an account.
        game_id -> Nullable<Text>,
        act -> Text,
        until_at -> Nullable<BigInt>,
        reason -> Text,
        /// How to appeal.
        appeal -> Nullable<Text>,
        /// JSON.
        changes -> Text,
        report_id -> Nullable<Text>,
        /// Null for an act by the command line.
        acted_by -> Nullable<Text>,
        /// Why the person is not told.
        untold -> Nullable<Text>,
        created_at -> BigInt,
        /// From 1, without a gap.
        number -> BigInt,
        /// Binds the number and the columns above.
        binding -> Binary,
    }

    /// Keyed hashes of what identified banned accounts that were deleted.
    banned_identities (mac) {
        mac -> Binary,
        until_at -> BigInt,
    }
}

diesel::allow_tables_to_appear_in_same_query!(
    accounts,
    games,
    game_players,
    matchmaking,
    relations,
    invitations,
    standings,
);
diesel::allow_tables_to_appear_in_same_query!(accounts, people_settings);
diesel::allow_tables_to_appear_in_same_query!(sessions, standings, second_steps);
diesel::allow_tables_to_appear_in_same_query!(accounts, second_steps);
diesel::allow_tables_to_appear_in_same_query!(moderation_acts, game_players);
diesel::allow_tables_to_appear_in_same_query!(sessions, refresh_tokens);
diesel::allow_tables_to_appear_in_same_query!(accounts, sessions);
diesel::allow_tables_to_appear_in_same_query!(nodes, presence);
diesel::allow_tables_to_appear_in_same_query!(sessions, push_subscriptions);
diesel::allow_tables_to_appear_in_same_query!(adopted_heads, log_queue);
diesel::allow_tables_to_appear_in_same_query!(ended_games, games);
diesel::allow_tables_to_appear_in_same_query!(games, log_games, log_tree, log_queue);
