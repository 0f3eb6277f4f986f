-- compatible-from: 0.1.0
-- What a wallet holds on a vault's contract is part of what is kept in memory of its roles, so a change of it is told like theirs.
create trigger tell_of_roles after insert or update or delete on vault_controllers for each row execute function tell_of_roles();
