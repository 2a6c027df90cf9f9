DROP TABLE log_pseudonyms;
DROP TABLE log_games;
DROP TABLE log_cosignatures;
DROP TABLE log_tree;
DROP TABLE log_tiles;
DROP TABLE log_entries;
DROP TABLE log_queue;
