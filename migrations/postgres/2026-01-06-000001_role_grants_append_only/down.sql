DROP TRIGGER role_grants_refuse_change ON role_grants;
