DROP TABLE known_migrations;
