-- What the server makes of ended games: signed ends, packed logs, results and ratings. Each ended game gets a number
-- when it is signed, and is counted in the order of the numbers. The numbers have no gaps.

-- The signed ends of games: append-only.
CREATE TABLE ended_games (
    number BIGINT NOT NULL PRIMARY KEY CHECK (number >= 1),
    game_id TEXT COLLATE "C" NOT NULL,
    events BIGINT NOT NULL CHECK (events >= 1),
    head BYTEA NOT NULL CHECK (length(head) = 32),
    kid TEXT NOT NULL,
    signature BYTEA NOT NULL CHECK (length(signature) = 64),
    signed_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX ended_games_by_game ON ended_games (game_id);

CREATE TRIGGER ended_games_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ended_games
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE ended_games ENABLE ALWAYS TRIGGER ended_games_refuse_change;

-- Games that are over and whose end a node refused to sign, for the operator: deleted when the end is signed.
CREATE TABLE refused_games (
    game_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    -- A word that does not change, and what was found.
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    first_seen_at BIGINT NOT NULL
);

-- Packed logs of ended games: one compressed row each that restores every byte. Append-only.
CREATE TABLE packed_games (
    game_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    events BIGINT NOT NULL CHECK (events >= 1),
    head BYTEA NOT NULL CHECK (length(head) = 32),
    format INTEGER NOT NULL,
    body BYTEA NOT NULL,
    -- That of the last event.
    binding BYTEA CHECK (length(binding) = 41)
);
-- It is compressed already. CREATE TABLE can say so only from PostgreSQL 16 on.
ALTER TABLE packed_games ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TRIGGER packed_games_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON packed_games
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE packed_games ENABLE ALWAYS TRIGGER packed_games_refuse_change;

-- A log is packed once, after its end was signed, and while it is complete.
CREATE FUNCTION packed_games_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM ended_games
        WHERE game_id = NEW.game_id AND events = NEW.events AND head = NEW.head
    ) OR NOT EXISTS (
        SELECT 1 FROM game_events WHERE game_id = NEW.game_id AND seq = NEW.events AND hash = NEW.head
    ) OR NEW.events <> (SELECT count(*) FROM game_events WHERE game_id = NEW.game_id)
      OR NEW.events <> (SELECT max(seq) FROM game_events WHERE game_id = NEW.game_id)
    THEN
        RAISE EXCEPTION 'this is not the log of a signed game: packed_games is append-only'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER packed_games_check BEFORE INSERT ON packed_games
    FOR EACH ROW EXECUTE FUNCTION packed_games_check();
ALTER TABLE packed_games ENABLE ALWAYS TRIGGER packed_games_check;

-- The games counted for results, each exactly once.
CREATE TABLE counted_games (
    number BIGINT NOT NULL PRIMARY KEY CHECK (number >= 1),
    game_id TEXT COLLATE "C" NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('rated', 'unrated', 'no_result')),
    -- Which seats belonged to accounts that no longer existed when the game was counted, as bits. They were rated as
    -- new players.
    absent INTEGER NOT NULL,
    counted_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX counted_games_by_game ON counted_games (game_id);

-- Games that could not be counted in their turn. `counted_behind` is the number up to which games were settled when the
-- game was counted later.
CREATE TABLE passed_over_games (
    number BIGINT NOT NULL PRIMARY KEY CHECK (number >= 1),
    game_id TEXT COLLATE "C" NOT NULL,
    passed_over_at BIGINT NOT NULL,
    counted_behind BIGINT CHECK (counted_behind >= number)
);

CREATE INDEX passed_over_games_uncounted ON passed_over_games (number) WHERE counted_behind IS NULL;

-- Results of finished games per account. Personal data: deleted with the account.
CREATE TABLE results (
    game_id TEXT COLLATE "C" NOT NULL,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    ruleset TEXT NOT NULL,
    number BIGINT NOT NULL,
    seat INTEGER NOT NULL,
    rank INTEGER NOT NULL CHECK (rank >= 1),
    total INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    rounds_made INTEGER NOT NULL CHECK (rounds_made BETWEEN 0 AND rounds),
    forfeited BOOLEAN NOT NULL,
    ended_at BIGINT NOT NULL,
    PRIMARY KEY (game_id, account_id)
);

CREATE INDEX results_by_account ON results (account_id, ruleset, number);

-- Ratings, in millionths of a point: integers, so that both databases store and order the same numbers.
CREATE TABLE ratings (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    ruleset TEXT NOT NULL,
    mean BIGINT NOT NULL,
    deviation BIGINT NOT NULL CHECK (deviation > 0),
    ordinal BIGINT NOT NULL,
    games BIGINT NOT NULL CHECK (games >= 1),
    PRIMARY KEY (account_id, ruleset)
);

CREATE INDEX ratings_by_ordinal ON ratings (ruleset, ordinal DESC, account_id);
