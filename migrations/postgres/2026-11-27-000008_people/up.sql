-- People: who has to do with whom, what is said at tables, reports, and what moderators did about them.

-- What an account wants of another one. A friendship has two rows. Personal data: deleted with either account.
CREATE TABLE relations (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('block', 'mute', 'request', 'friend')),
    other_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    since BIGINT NOT NULL,
    PRIMARY KEY (account_id, kind, other_id),
    CHECK (account_id <> other_id)
);

CREATE INDEX relations_by_other ON relations (other_id, kind, account_id);

-- How others may find an account, and the code by which they ask for friendship. Without a row: friends see no presence,
-- nobody finds the account by name, everybody who meets the player may ask.
CREATE TABLE people_settings (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    -- Whether friends see when the player is online.
    shows_presence BOOLEAN NOT NULL,
    -- Whether the exact display name finds the player.
    found_by_name BOOLEAN NOT NULL,
    -- Whether others may ask for friendship without the code.
    takes_requests BOOLEAN NOT NULL,
    friend_code TEXT COLLATE "C"
);

CREATE UNIQUE INDEX people_settings_by_code ON people_settings (friend_code);

-- Search by exact display name, of those who allow it.
CREATE INDEX accounts_by_display_name ON accounts (display_name, id);

-- Invitations of friends to a table in the lobby.
CREATE TABLE invitations (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    game_id TEXT COLLATE "C" NOT NULL,
    sender_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    recipient_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX invitations_by_game ON invitations (game_id, recipient_id);
CREATE INDEX invitations_by_recipient ON invitations (recipient_id, id);
CREATE INDEX invitations_by_sender ON invitations (sender_id, id);

-- Tables with reactions off.
CREATE TABLE silent_tables (
    game_id TEXT COLLATE "C" NOT NULL PRIMARY KEY
);

-- What players said at tables, for 30 days: evidence for reports. The record of a game does not have it.
CREATE TABLE reactions (
    game_id TEXT COLLATE "C" NOT NULL,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    reaction TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (game_id, account_id, at)
);

CREATE INDEX reactions_by_account ON reactions (account_id, at);
CREATE INDEX reactions_by_age ON reactions (at);

-- Reports about players, and appeals of players against what moderators did. A report stays without its reporter.
CREATE TABLE reports (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    reporter_id TEXT COLLATE "C" REFERENCES accounts (id) ON DELETE SET NULL,
    subject_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Empty for a report about no game, so that the index below compares it.
    game_id TEXT COLLATE "C" NOT NULL,
    about TEXT COLLATE "C" NOT NULL CHECK (about IN ('player_name', 'conduct', 'play', 'appeal')),
    words TEXT NOT NULL,
    -- What the reporter could see: JSON.
    evidence TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    decision TEXT COLLATE "C" CHECK (decision IN ('upheld', 'dismissed')),
    reason TEXT,
    decided_at BIGINT,
    -- The moderator who looks into it. No key: an account that is deleted stays here as an id that identifies nobody.
    taken_by TEXT COLLATE "C",
    taken_at BIGINT,
    CHECK ((decision IS NULL) = (decided_at IS NULL) AND (decision IS NULL) = (reason IS NULL))
);

-- One report of a player about a player and a game.
CREATE UNIQUE INDEX reports_once ON reports (reporter_id, subject_id, game_id) WHERE about <> 'appeal';
-- One open appeal of a player.
CREATE UNIQUE INDEX reports_open_appeal ON reports (subject_id) WHERE about = 'appeal' AND decision IS NULL;
CREATE INDEX reports_open ON reports (id) WHERE decision IS NULL;
CREATE INDEX reports_by_subject ON reports (subject_id, id);
CREATE INDEX reports_by_reporter ON reports (reporter_id, id);
CREATE INDEX reports_decided ON reports (decided_at) WHERE decided_at IS NOT NULL;

-- Until when an account may not talk, not play, and not come back. No row for an account in good standing.
CREATE TABLE standings (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    muted_until BIGINT,
    suspended_until BIGINT,
    banned_until BIGINT
);

-- What moderators did: append-only. Acts about deleted accounts stay, with the names that a moderator replaced.
CREATE TABLE moderation_acts (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    -- Null for an act about a game.
    account_id TEXT COLLATE "C",
    -- Null for an act about an account.
    game_id TEXT COLLATE "C",
    act TEXT COLLATE "C" NOT NULL,
    until_at BIGINT,
    reason TEXT NOT NULL,
    -- How to appeal.
    appeal TEXT,
    -- What it changed: JSON, a list of fields with their values before and after.
    changes TEXT NOT NULL,
    report_id TEXT COLLATE "C",
    -- Null for an act by the command line.
    acted_by TEXT COLLATE "C",
    -- Why the person is not told; null if the person is.
    untold TEXT,
    created_at BIGINT NOT NULL,
    -- From 1, without a gap.
    number BIGINT NOT NULL,
    -- Binds the number and everything above.
    binding BYTEA NOT NULL,
    CHECK ((account_id IS NULL) <> (game_id IS NULL))
);

CREATE UNIQUE INDEX moderation_acts_by_number ON moderation_acts (number);
CREATE INDEX moderation_acts_by_account ON moderation_acts (account_id, id);
CREATE INDEX moderation_acts_by_game ON moderation_acts (game_id, id);

CREATE TRIGGER moderation_acts_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON moderation_acts
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE moderation_acts ENABLE ALWAYS TRIGGER moderation_acts_refuse_change;

-- Keyed hashes of the usernames, email addresses and identities of banned accounts that were deleted, until the ban ends.
CREATE TABLE banned_identities (
    mac BYTEA NOT NULL PRIMARY KEY,
    until_at BIGINT NOT NULL
);

CREATE INDEX banned_identities_by_end ON banned_identities (until_at);
