DROP TABLE sealed_keys;
DROP TABLE checked_backups;
DROP TABLE presence;
DROP TABLE nodes;
DROP TABLE known_migrations;
