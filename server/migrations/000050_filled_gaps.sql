-- A block whose logs the nodes did not tell is stored without them (lacks: logs), and filled in once they do; the row stays and says when.
alter table chain_gaps add column filled_at timestamptz;
