// Facts about managers, and blocks of them applied to the roles, for tests that move the chain beneath what they test.
import type { Address } from "viem";
import { rolesProjection } from "../src/auth/roles.ts";
import type { FactBody, VaultFact } from "../src/chain/facts.ts";
import type { VaultReading } from "../src/chain/reading.ts";
import type { Database } from "../src/platform/db/db.ts";
import type { VaultRef } from "../src/vault.ts";
import { GENESIS_SECONDS, testAddress, testHash } from "./chain-rows.ts";

const SOMEBODY = testAddress(9);

export const deployed = (primaryManager: Address, ...secondaryManagers: Address[]): FactBody => ({
  kind: "vault_deployed",
  vault: SOMEBODY,
  strategy: SOMEBODY,
  escrow: SOMEBODY,
  asset: SOMEBODY,
  name: "",
  symbol: "",
  nonce: 0n,
  primaryManager,
  secondaryManagers,
});

/** With a fee recipient, as the current aggregator has it; null for the older event. */
export const changed = (
  oldManager: Address,
  newManager: Address,
  feeRecipient: Address | null = SOMEBODY,
): FactBody => ({ kind: "primary_manager_changed", oldManager, newManager, feeRecipient });

export const added = (manager: Address): FactBody => ({ kind: "secondary_manager_added", manager });
export const removed = (manager: Address): FactBody => ({ kind: "secondary_manager_removed", manager });
export const transferred = (previousOwner: Address, newOwner: Address): FactBody => ({
  kind: "ownership_transferred",
  previousOwner,
  newOwner,
});

export function blockOf(chainId: number, number: number) {
  return {
    chainId,
    number,
    hash: testHash(chainId, number),
    parentHash: testHash(chainId, number - 1),
    timestamp: GENESIS_SECONDS + number * 12,
  };
}

export function factOf(
  { chainId, vaultAddress }: VaultRef,
  blockNumber: number,
  logIndex: number,
  body: FactBody,
): VaultFact {
  const { hash, timestamp } = blockOf(chainId, blockNumber);
  const place = {
    chainId,
    blockNumber,
    blockHash: hash,
    blockTimestamp: timestamp,
    txHash: hash,
    txIndex: 0,
    logIndex,
  };
  return { ...place, vaultAddress, actorWallet: SOMEBODY, txFrom: null, body };
}

/** A reading of which only the managers matter. */
export function readingsOf(managers: Record<Address, VaultReading["managers"]>): Map<Address, VaultReading> {
  return new Map(
    Object.entries(managers).map(([vault, found]) => [vault as Address, { managers: found } as VaultReading]),
  );
}

/** Applies facts of one vault, in this order, as one block. */
export async function applyRoles(
  db: Database,
  vault: VaultRef,
  number: number,
  bodies: FactBody[],
  managers: Record<Address, VaultReading["managers"]> = {},
): Promise<void> {
  const facts = bodies.map((body, logIndex) => factOf(vault, number, logIndex, body));
  const block = blockOf(vault.chainId, number);
  await db.transaction((tx) => rolesProjection.apply(tx, [{ block, facts, readings: readingsOf(managers) }]));
}
