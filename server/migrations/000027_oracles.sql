-- Price oracles that a governor has named over time: whoever follows a chain loads them, and their events are followed.
CREATE INDEX facts_oracles ON facts (chain_id, block_number)
  WHERE kind = 'other' AND data ->> 'event' IN ('ActivePPSOracleSet', 'ActivePPSOracleChanged');
