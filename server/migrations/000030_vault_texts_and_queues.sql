-- The symbol of its asset is known with the vault.
alter table vaults add column asset_symbol text;
-- ERC-7575: the token that the shares are of, where it is not the vault itself. Its mints and burns are followed.
alter table vaults add column share_address text;

-- Requests to redeem are told apart by their id (ERC-7540); what is pending of each can be read from the contract. `reading`: the contract
-- says that something else is pending than the events do, since a settlement need not announce itself.
alter table redeem_flows add column request_id numeric(78,0);
alter table redeem_flows drop constraint redeem_flows_kind_check;
alter table redeem_flows add constraint redeem_flows_kind_check
  check (kind in ('request', 'claimable', 'claim', 'cancel', 'cancel_claim', 'reading')) not valid;
