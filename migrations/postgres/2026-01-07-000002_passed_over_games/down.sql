DROP TABLE passed_over_games;
