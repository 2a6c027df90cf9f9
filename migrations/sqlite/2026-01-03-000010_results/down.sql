DROP TABLE ratings;
DROP TABLE results;
DROP TABLE counted_games;
