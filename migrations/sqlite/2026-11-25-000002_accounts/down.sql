DROP TABLE recovery_codes;
DROP TABLE attempts;
DROP TABLE role_grants;
DROP TABLE refresh_tokens;
DROP TABLE sessions;
DROP TABLE accounts;
