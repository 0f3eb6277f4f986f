-- A sampled price to eighteen digits more than the asset has. The price of one share in an asset of two or six decimals moves by whole
-- units of the last place, which is more than a yield earns in days. null: sampled before this migration, not answered, or
-- a stored price, which is exact as it stands.
alter table pps_points add column pps_e18 numeric(78,0);
