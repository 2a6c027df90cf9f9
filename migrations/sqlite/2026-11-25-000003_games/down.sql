DROP TABLE matchmaking;
DROP TABLE idempotency_keys;
DROP TABLE game_snapshots;
DROP TABLE adopted_heads;
DROP TABLE game_events;
DROP TABLE game_seeds;
DROP TABLE game_players;
DROP TABLE games;
