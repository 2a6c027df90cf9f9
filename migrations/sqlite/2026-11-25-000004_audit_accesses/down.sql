DROP TABLE access_log_head;
DROP TABLE looks;
