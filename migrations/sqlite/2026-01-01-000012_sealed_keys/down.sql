DROP TABLE sealed_keys;
