DROP TABLE presence;
DROP TABLE nodes;
