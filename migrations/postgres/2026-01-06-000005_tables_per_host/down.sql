DROP INDEX games_by_host;
