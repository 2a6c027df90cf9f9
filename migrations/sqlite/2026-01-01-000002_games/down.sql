DROP TABLE game_seeds;
DROP TABLE game_players;
DROP TABLE games;
