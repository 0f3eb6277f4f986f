// One row an event, with who acted and where it stands: what a log of operations needs at the least.
import { onchainTable, type PgColumnsBuilders } from "ponder";

const place = (t: PgColumnsBuilders) => ({
  id: t.text().primaryKey(),
  blockNumber: t.bigint().notNull(),
  blockTimestamp: t.bigint().notNull(),
  transactionHash: t.hex().notNull(),
  actor: t.hex().notNull(),
});

export const vault = onchainTable("vault", (t) => ({
  address: t.hex().primaryKey(),
  strategy: t.hex().notNull(),
  name: t.text().notNull(),
}));
export const price = onchainTable("price", (t) => ({
  ...place(t),
  strategy: t.hex().notNull(),
  pps: t.bigint().notNull(),
}));
export const flow = onchainTable("flow", (t) => ({
  ...place(t),
  kind: t.text().notNull(),
  vault: t.hex().notNull(),
  account: t.hex().notNull(),
  assets: t.bigint(),
  shares: t.bigint().notNull(),
}));
