-- Accounts with their sessions, refresh tokens and roles, and the limits of attempts.

CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY,
    username TEXT,
    username_key TEXT,
    display_name TEXT NOT NULL,
    password_hash TEXT,
    -- A change of the password invalidates older device tokens.
    password_changes INT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('full', 'guest')),
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX accounts_by_username_key ON accounts (username_key);
-- The few accounts that may grant roles.
CREATE INDEX accounts_admins ON accounts (id) WHERE role = 'admin';

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    device TEXT,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    -- The newest generation of which an access token was used; 0 also if none was.
    used_generation INTEGER NOT NULL,
    ended_at INTEGER,
    -- When it passed the second step; null for never.
    second_step_at INTEGER,
    -- Raised by each change of what the session may do. A write on the account's behalf asserts it.
    authority INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_account ON sessions (account_id, id);

-- Each refresh of a session begins a generation of tokens. The predecessor of a refresh token works until a token of
-- the next generation was used.
CREATE TABLE refresh_tokens (
    hash BLOB NOT NULL PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    issued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER,
    successor_hash BLOB
) STRICT, WITHOUT ROWID;

CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

-- Recovery codes, by a keyed hash: each signs in once. New ones replace the old.
CREATE TABLE recovery_codes (
    mac BLOB NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX recovery_codes_by_account ON recovery_codes (account_id);

-- Second steps of sign-ins. The secret of the authenticator app is derived from the salt under a key that the database
-- does not hold in clear. Not in force until a code of the app confirmed it.
CREATE TABLE second_steps (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    salt BLOB NOT NULL,
    confirmed_at INTEGER,
    -- The newest time step of which a code was used: each works once.
    used_step INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Codes that replace a lost authenticator app, by a keyed hash: each works once.
CREATE TABLE second_step_codes (
    mac BLOB NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES second_steps (account_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX second_step_codes_by_account ON second_step_codes (account_id);

-- Who an issuer of OpenID Connect says that a player is: the issuer and its subject, never an email address.
CREATE TABLE identities (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    -- The audience of the token: how the issuer knows the app.
    audience TEXT NOT NULL,
    -- The issuer's refresh token, encrypted. It revokes the grant when the account is deleted.
    grant_token BLOB,
    linked_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX identities_by_subject ON identities (issuer, subject);
CREATE INDEX identities_by_account ON identities (account_id, id);

-- Nonces that were used, until they expire. A nonce itself shows that the server gave it out.
CREATE TABLE used_nonces (
    hash BLOB NOT NULL PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX used_nonces_by_expiry ON used_nonces (expires_at);

-- Grants of deleted accounts, until their issuers have revoked them. The id is that of the identity.
CREATE TABLE revocations (
    id TEXT NOT NULL PRIMARY KEY,
    issuer TEXT NOT NULL,
    audience TEXT NOT NULL,
    grant_token BLOB NOT NULL,
    -- When to try next. A node that tries moves it first, so that no other does.
    next_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX revocations_due ON revocations (next_at);

-- Verified email addresses: a way back for those who want one. Several accounts may have the same.
CREATE TABLE email_addresses (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    address TEXT NOT NULL,
    -- The address in lower case, by which it is found.
    address_key TEXT NOT NULL,
    verified_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX email_addresses_by_key ON email_addresses (address_key, account_id);

-- Links of mails, and the one that a moderator gives to a player, by the hash of their token: each works once.
CREATE TABLE email_links (
    hash BLOB NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    purpose TEXT NOT NULL CHECK (purpose IN ('verify', 'reset', 'access', 'stop', 'export')),
    -- The address to verify; null for others.
    address TEXT,
    -- The session that asked; null for others.
    session_id TEXT,
    -- Before this it does not work yet.
    works_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX email_links_by_account ON email_links (account_id);
CREATE INDEX email_links_by_expiry ON email_links (expires_at);

-- Mails to send. That of a reset has no account: it is asked for by address, whether an account has it or not.
CREATE TABLE mails (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('verify', 'reset', 'changed', 'access', 'export')),
    account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
    session_id TEXT,
    address TEXT NOT NULL,
    language TEXT NOT NULL,
    -- When to try next. A node that tries moves it first, so that no other does.
    next_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX mails_due ON mails (next_at);
CREATE INDEX mails_by_account ON mails (account_id);

-- Changes of the ways into an account, for all its sessions to see.
CREATE TABLE account_changes (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- The session that made it.
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX account_changes_by_account ON account_changes (account_id, id);
CREATE INDEX account_changes_by_age ON account_changes (changed_at);

-- Role changes: append-only. Ids of deleted accounts stay; they identify nobody.
CREATE TABLE role_grants (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL,
    role TEXT NOT NULL,
    former_role TEXT NOT NULL,
    -- Null for a grant by the command line.
    granted_by TEXT,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX role_grants_by_account ON role_grants (account_id, id);

CREATE TRIGGER role_grants_refuse_update BEFORE UPDATE ON role_grants
BEGIN
    SELECT RAISE(ABORT, 'role_grants is append-only');
END;

CREATE TRIGGER role_grants_refuse_delete BEFORE DELETE ON role_grants
BEGIN
    SELECT RAISE(ABORT, 'role_grants is append-only');
END;

-- INSERT OR REPLACE deletes first, and not every outsider's connection fires triggers for that.
CREATE TRIGGER role_grants_refuse_replace BEFORE INSERT ON role_grants
WHEN EXISTS (SELECT 1 FROM role_grants WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'role_grants is append-only');
END;

-- Rate-limit buckets, by a hash of the limited action and its subject. `empty_at` is when the bucket will be empty, the
-- whole state of a generic cell rate algorithm.
CREATE TABLE attempts (
    bucket BLOB NOT NULL PRIMARY KEY,
    empty_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX attempts_by_age ON attempts (empty_at);
