-- Tells whoever keeps roles in memory that they have changed, in the transaction that changes them, whoever makes it: blocks that come
-- and go, a replay, a manager who lets somebody see a vault, an operator by hand.

create function tell_of_roles() returns trigger language plpgsql as $$
begin
  perform pg_notify('vaultops_roles', '');
  return null;
end $$;

create trigger tell_of_roles after insert or update or delete on vault_roles for each row execute function tell_of_roles();
create trigger tell_of_roles after insert or update or delete on members for each row execute function tell_of_roles();
-- A role counts from when its vault is there.
create trigger tell_of_roles after insert or delete on vaults for each row execute function tell_of_roles();
