-- Accounts with their sessions, refresh tokens and roles, and the limits of attempts.

CREATE TABLE accounts (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    username TEXT,
    username_key TEXT COLLATE "C",
    display_name TEXT NOT NULL,
    password_hash TEXT,
    -- A change of the password invalidates older device tokens.
    password_changes INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('full', 'guest')),
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX accounts_by_username_key ON accounts (username_key);
-- The few accounts that may grant roles.
CREATE INDEX accounts_admins ON accounts (id) WHERE role = 'admin';

CREATE TABLE sessions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    device TEXT,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    -- The newest generation of which an access token was used; 0 also if none was.
    used_generation BIGINT NOT NULL,
    ended_at BIGINT,
    -- When it passed the second step; null for never.
    second_step_at BIGINT,
    -- Raised by each change of what the session may do. A write on the account's behalf asserts it.
    authority BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX sessions_by_account ON sessions (account_id, id);

-- Each refresh of a session begins a generation of tokens. The predecessor of a refresh token works until a token of
-- the next generation was used.
CREATE TABLE refresh_tokens (
    hash BYTEA NOT NULL PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    account_id TEXT COLLATE "C" NOT NULL,
    generation BIGINT NOT NULL,
    issued_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    successor_hash BYTEA
);

CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

-- Recovery codes, by a keyed hash: each signs in once. New ones replace the old.
CREATE TABLE recovery_codes (
    mac BYTEA NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL
);

CREATE INDEX recovery_codes_by_account ON recovery_codes (account_id);

-- Second steps of sign-ins. The secret of the authenticator app is derived from the salt under a key that the database
-- does not hold in clear. Not in force until a code of the app confirmed it.
CREATE TABLE second_steps (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    salt BYTEA NOT NULL,
    confirmed_at BIGINT,
    -- The newest time step of which a code was used: each works once.
    used_step BIGINT NOT NULL
);

-- Codes that replace a lost authenticator app, by a keyed hash: each works once.
CREATE TABLE second_step_codes (
    mac BYTEA NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES second_steps (account_id) ON DELETE CASCADE
);

CREATE INDEX second_step_codes_by_account ON second_step_codes (account_id);

-- Who an issuer of OpenID Connect says that a player is: the issuer and its subject, never an email address.
CREATE TABLE identities (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    issuer TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    -- The audience of the token: how the issuer knows the app.
    audience TEXT COLLATE "C" NOT NULL,
    -- The issuer's refresh token, encrypted. It revokes the grant when the account is deleted.
    grant_token BYTEA,
    linked_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX identities_by_subject ON identities (issuer, subject);
CREATE INDEX identities_by_account ON identities (account_id, id);

-- Nonces that were used, until they expire. A nonce itself shows that the server gave it out.
CREATE TABLE used_nonces (
    hash BYTEA NOT NULL PRIMARY KEY,
    expires_at BIGINT NOT NULL
);

CREATE INDEX used_nonces_by_expiry ON used_nonces (expires_at);

-- Grants of deleted accounts, until their issuers have revoked them. The id is that of the identity.
CREATE TABLE revocations (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    issuer TEXT COLLATE "C" NOT NULL,
    audience TEXT COLLATE "C" NOT NULL,
    grant_token BYTEA NOT NULL,
    -- When to try next. A node that tries moves it first, so that no other does.
    next_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX revocations_due ON revocations (next_at);

-- Verified email addresses: a way back for those who want one. Several accounts may have the same.
CREATE TABLE email_addresses (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    address TEXT COLLATE "C" NOT NULL,
    -- The address in lower case, by which it is found.
    address_key TEXT COLLATE "C" NOT NULL,
    verified_at BIGINT NOT NULL
);

CREATE INDEX email_addresses_by_key ON email_addresses (address_key, account_id);

-- Links of mails, and the one that a moderator gives to a player, by the hash of their token: each works once.
CREATE TABLE email_links (
    hash BYTEA NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    purpose TEXT COLLATE "C" NOT NULL CHECK (purpose IN ('verify', 'reset', 'access', 'stop', 'export')),
    -- The address to verify; null for others.
    address TEXT COLLATE "C",
    -- The session that asked; null for others.
    session_id TEXT COLLATE "C",
    -- Before this it does not work yet.
    works_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX email_links_by_account ON email_links (account_id);
CREATE INDEX email_links_by_expiry ON email_links (expires_at);

-- Mails to send. That of a reset has no account: it is asked for by address, whether an account has it or not.
CREATE TABLE mails (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('verify', 'reset', 'changed', 'access', 'export')),
    account_id TEXT COLLATE "C" REFERENCES accounts (id) ON DELETE CASCADE,
    session_id TEXT COLLATE "C",
    address TEXT COLLATE "C" NOT NULL,
    language TEXT COLLATE "C" NOT NULL,
    -- When to try next. A node that tries moves it first, so that no other does.
    next_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX mails_due ON mails (next_at);
CREATE INDEX mails_by_account ON mails (account_id);

-- Changes of the ways into an account, for all its sessions to see.
CREATE TABLE account_changes (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- The session that made it.
    session_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    changed_at BIGINT NOT NULL
);

CREATE INDEX account_changes_by_account ON account_changes (account_id, id);
CREATE INDEX account_changes_by_age ON account_changes (changed_at);

-- Role changes: append-only. Ids of deleted accounts stay; they identify nobody.
CREATE TABLE role_grants (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL,
    role TEXT NOT NULL,
    former_role TEXT NOT NULL,
    -- Null for a grant by the command line.
    granted_by TEXT COLLATE "C",
    created_at BIGINT NOT NULL
);

CREATE INDEX role_grants_by_account ON role_grants (account_id, id);

CREATE TRIGGER role_grants_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON role_grants
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE role_grants ENABLE ALWAYS TRIGGER role_grants_refuse_change;

-- Rate-limit buckets, by a hash of the limited action and its subject. `empty_at` is when the bucket will be empty, the
-- whole state of a generic cell rate algorithm.
CREATE TABLE attempts (
    bucket BYTEA NOT NULL PRIMARY KEY,
    empty_at BIGINT NOT NULL
);

CREATE INDEX attempts_by_age ON attempts (empty_at);
