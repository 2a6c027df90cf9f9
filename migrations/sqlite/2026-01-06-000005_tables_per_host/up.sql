-- The tables of each host in the lobby, for counting them and for listing the newest.
CREATE INDEX games_by_host ON games (host, id) WHERE status = 'lobby';
