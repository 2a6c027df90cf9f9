-- People: who has to do with whom, what is said at tables, reports, and what moderators did about them.

-- What an account wants of another one. A friendship has two rows. Personal data: deleted with either account.
CREATE TABLE relations (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('block', 'mute', 'request', 'friend')),
    other_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    since INTEGER NOT NULL,
    PRIMARY KEY (account_id, kind, other_id),
    CHECK (account_id <> other_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX relations_by_other ON relations (other_id, kind, account_id);

-- How others may find an account, and the code by which they ask for friendship. Without a row: friends see no presence,
-- nobody finds the account by name, everybody who meets the player may ask.
CREATE TABLE people_settings (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    -- Whether friends see when the player is online.
    shows_presence INT NOT NULL CHECK (shows_presence IN (0, 1)),
    -- Whether the exact display name finds the player.
    found_by_name INT NOT NULL CHECK (found_by_name IN (0, 1)),
    -- Whether others may ask for friendship without the code.
    takes_requests INT NOT NULL CHECK (takes_requests IN (0, 1)),
    friend_code TEXT
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX people_settings_by_code ON people_settings (friend_code);

-- Search by exact display name, of those who allow it.
CREATE INDEX accounts_by_display_name ON accounts (display_name, id);

-- Invitations of friends to a table in the lobby.
CREATE TABLE invitations (
    id TEXT NOT NULL PRIMARY KEY,
    game_id TEXT NOT NULL,
    sender_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    recipient_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX invitations_by_game ON invitations (game_id, recipient_id);
CREATE INDEX invitations_by_recipient ON invitations (recipient_id, id);
CREATE INDEX invitations_by_sender ON invitations (sender_id, id);

-- Tables with reactions off.
CREATE TABLE silent_tables (
    game_id TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- What players said at tables, for 30 days: evidence for reports. The record of a game does not have it.
CREATE TABLE reactions (
    game_id TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    reaction TEXT NOT NULL,
    PRIMARY KEY (game_id, account_id, at)
) STRICT, WITHOUT ROWID;

CREATE INDEX reactions_by_account ON reactions (account_id, at);
CREATE INDEX reactions_by_age ON reactions (at);

-- Reports about players, and appeals of players against what moderators did. A report stays without its reporter.
CREATE TABLE reports (
    id TEXT NOT NULL PRIMARY KEY,
    reporter_id TEXT REFERENCES accounts (id) ON DELETE SET NULL,
    subject_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Empty for a report about no game, so that the index below compares it.
    game_id TEXT NOT NULL,
    about TEXT NOT NULL CHECK (about IN ('player_name', 'conduct', 'play', 'appeal')),
    words TEXT NOT NULL,
    -- What the reporter could see: JSON.
    evidence TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    decision TEXT CHECK (decision IN ('upheld', 'dismissed')),
    reason TEXT,
    decided_at INTEGER,
    -- The moderator who looks into it. No key: an account that is deleted stays here as an id that identifies nobody.
    taken_by TEXT,
    taken_at INTEGER,
    CHECK ((decision IS NULL) = (decided_at IS NULL) AND (decision IS NULL) = (reason IS NULL))
) STRICT, WITHOUT ROWID;

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
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    muted_until INTEGER,
    suspended_until INTEGER,
    banned_until INTEGER
) STRICT, WITHOUT ROWID;

-- What moderators did: append-only. Acts about deleted accounts stay, with the names that a moderator replaced.
CREATE TABLE moderation_acts (
    id TEXT NOT NULL PRIMARY KEY,
    -- Null for an act about a game.
    account_id TEXT,
    -- Null for an act about an account.
    game_id TEXT,
    act TEXT NOT NULL,
    until_at INTEGER,
    reason TEXT NOT NULL,
    -- How to appeal.
    appeal TEXT,
    -- What it changed: JSON, a list of fields with their values before and after.
    changes TEXT NOT NULL,
    report_id TEXT,
    -- Null for an act by the command line.
    acted_by TEXT,
    -- Why the person is not told; null if the person is.
    untold TEXT,
    created_at INTEGER NOT NULL,
    -- From 1, without a gap.
    number INTEGER NOT NULL,
    -- Binds the number and everything above.
    binding BLOB NOT NULL,
    CHECK ((account_id IS NULL) <> (game_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX moderation_acts_by_number ON moderation_acts (number);
CREATE INDEX moderation_acts_by_account ON moderation_acts (account_id, id);
CREATE INDEX moderation_acts_by_game ON moderation_acts (game_id, id);

CREATE TRIGGER moderation_acts_refuse_update BEFORE UPDATE ON moderation_acts
BEGIN
    SELECT RAISE(ABORT, 'moderation_acts is append-only');
END;

CREATE TRIGGER moderation_acts_refuse_delete BEFORE DELETE ON moderation_acts
BEGIN
    SELECT RAISE(ABORT, 'moderation_acts is append-only');
END;

-- INSERT OR REPLACE deletes first, and not every outsider's connection fires triggers for that.
CREATE TRIGGER moderation_acts_refuse_replace BEFORE INSERT ON moderation_acts
WHEN EXISTS (SELECT 1 FROM moderation_acts WHERE id = NEW.id OR number = NEW.number)
BEGIN
    SELECT RAISE(ABORT, 'moderation_acts is append-only');
END;

-- Keyed hashes of the usernames, email addresses and identities of banned accounts that were deleted, until the ban ends.
CREATE TABLE banned_identities (
    mac BLOB NOT NULL PRIMARY KEY,
    until_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX banned_identities_by_end ON banned_identities (until_at);
