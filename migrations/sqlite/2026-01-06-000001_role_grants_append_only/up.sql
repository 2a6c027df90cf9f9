-- Role changes are append-only, like the log and the transparency log.
CREATE TRIGGER role_grants_refuse_update BEFORE UPDATE ON role_grants
BEGIN
    SELECT RAISE(ABORT, 'role_grants is append-only');
END;

CREATE TRIGGER role_grants_refuse_delete BEFORE DELETE ON role_grants
BEGIN
    SELECT RAISE(ABORT, 'role_grants is append-only');
END;

-- INSERT OR REPLACE deletes first, and not every outsider's connection fires triggers for that.
CREATE TRIGGER role_grants_refuse_replace BEFORE INSERT ON role_grants
WHEN EXISTS (SELECT 1 FROM role_grants WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'role_grants is append-only');
END;
