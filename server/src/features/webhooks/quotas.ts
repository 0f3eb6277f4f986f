// Bounds on what an endpoint's owner may have sent to a URL that nobody has checked is the owner's.
import { sql } from "kysely";
import type { Address } from "viem";
import type { Tx } from "../../platform/db/db.ts";
import { chargeStored, type StoredQuota } from "../../platform/db/stored-quota.ts";
import { Problem } from "../../platform/errors.ts";
import type { Caller } from "../../platform/permission.ts";
import { countEndpoints } from "./store.ts";

const MAX_ENDPOINTS = 100;
/** Names this kind of lock among PostgreSQL's advisory locks. */
const LOCK_CLASS = 1_464_160_331;

const TESTS_OF_ENDPOINT: StoredQuota = {
  name: "webhook_tests",
  quota: 5,
  windowSeconds: 60,
  what: "tests of an endpoint",
};
const TESTS_BY_WALLET: StoredQuota = {
  name: "wallet_webhook_tests",
  quota: 20,
  windowSeconds: 60,
  what: "tests of endpoints by a wallet",
};
const REPLAYS_BY_WALLET: StoredQuota = {
  name: "wallet_replays",
  quota: 20,
  windowSeconds: 3600,
  what: "replays in bulk by a wallet",
};

/** Before an endpoint is made. Those of one wallet stand in line. @throws Problem `conflict` */
export async function holdEndpointLimit(tx: Tx, caller: Caller): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_CLASS}::integer, hashtext(${caller.wallet}))`.execute(tx);
  if ((await countEndpoints(tx, caller)) >= MAX_ENDPOINTS)
    throw new Problem("conflict", `You have ${MAX_ENDPOINTS} endpoints. Delete one first.`);
}

/** Before a test is sent. @throws Problem `rate_limited` */
export async function chargeTest(tx: Tx, wallet: Address, endpointId: string): Promise<void> {
  await chargeStored(tx, TESTS_BY_WALLET, wallet);
  await chargeStored(tx, TESTS_OF_ENDPOINT, endpointId);
}

/** Before up to 10,000 deliveries are sent again. @throws Problem `rate_limited` */
export async function chargeReplay(tx: Tx, wallet: Address): Promise<void> {
  await chargeStored(tx, REPLAYS_BY_WALLET, wallet);
}
