// Bounds on what channels cost others: how many a wallet may have, how often it may send a message that no alert calls for.
import { sql } from "kysely";
import type { Address } from "viem";
import type { Tx } from "../../../platform/db/db.ts";
import { chargeStored, type StoredQuota } from "../../../platform/db/stored-quota.ts";
import { Problem } from "../../../platform/errors.ts";

const MAX_CHANNELS = 50;
/** Names this kind of lock among PostgreSQL's advisory locks. */
const LOCK_CLASS = 1_128_808_782;

const TESTS_OF_CHANNEL: StoredQuota = {
  name: "channel_tests",
  quota: 5,
  windowSeconds: 60,
  what: "tests of a channel",
};
const TESTS_BY_WALLET: StoredQuota = {
  name: "wallet_tests",
  quota: 20,
  windowSeconds: 60,
  what: "tests of channels by a wallet",
};
const ASKED_BY_WALLET: StoredQuota = {
  name: "wallet_confirmations",
  quota: 20,
  windowSeconds: 3600,
  what: "mails that ask for confirmation, by a wallet,",
};
const ASKED_OF_ADDRESS: StoredQuota = {
  name: "address_confirmations",
  quota: 5,
  windowSeconds: 86_400,
  what: "mails that ask an address for confirmation",
};
/** However many wallets there are: where making a vault is free, wallets are. */
const ASKED_IN_ALL: StoredQuota = {
  name: "all_confirmations",
  quota: 200,
  windowSeconds: 3600,
  what: "mails that ask for confirmation, of all wallets together,",
};

/** Before a channel is made. Those of one wallet stand in line. @throws Problem `channel_limit` */
export async function holdChannelLimit(tx: Tx, wallet: Address): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_CLASS}::integer, hashtext(${wallet}))`.execute(tx);
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from notification_channels where created_by = ${wallet}`.execute(tx);
  if ((rows[0]?.n ?? 0) >= MAX_CHANNELS)
    throw new Problem("channel_limit", `You have ${MAX_CHANNELS} notification channels. Delete one first.`);
}

/** Before a test is sent. @throws Problem `rate_limited` */
export async function chargeTest(tx: Tx, wallet: Address, channelId: string): Promise<void> {
  await chargeStored(tx, TESTS_BY_WALLET, wallet);
  await chargeStored(tx, TESTS_OF_CHANNEL, channelId);
}

/** Before addresses are asked whether they want mail. @throws Problem `rate_limited` */
export async function chargeConfirmations(
  tx: Tx,
  wallet: Address,
  addresses: readonly string[],
): Promise<void> {
  if (addresses.length === 0) return;
  await chargeStored(tx, ASKED_BY_WALLET, wallet, addresses.length);
  for (const address of addresses.toSorted()) await chargeStored(tx, ASKED_OF_ADDRESS, address);
  await chargeStored(tx, ASKED_IN_ALL, "", addresses.length);
}
