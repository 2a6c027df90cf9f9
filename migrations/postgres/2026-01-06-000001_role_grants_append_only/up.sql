-- Role changes are append-only, like the log and the transparency log.
-- Per statement, because TRUNCATE fires no row trigger; ALWAYS, because replication roles skip the others.
CREATE TRIGGER role_grants_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON role_grants
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE role_grants ENABLE ALWAYS TRIGGER role_grants_refuse_change;
