-- Who sent the transaction that a fact stands in: beside whoever acted, entries tell it. Null for facts stored before, and where no
-- transaction stands behind the log.
ALTER TABLE facts ADD COLUMN tx_from text;
