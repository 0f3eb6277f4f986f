-- compatible-from: 0.1.0
-- Who managed a vault when it was described, of whom no event of it may tell: contract wallets among them are known by it as who acted.
alter table vaults add column described_managers text[];
