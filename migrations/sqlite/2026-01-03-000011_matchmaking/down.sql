DROP TABLE matchmaking;
