// Complete facts: those of a block of which something was not told when they were stored become what the nodes tell of them now.
//
// Guarantee: each is answered once, also where nothing of it changed, for its entry says that something was not told: so doing it again
// records nothing again.
import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import type { Address } from "viem";
import type { ConfirmedFact } from "../../chain/facts.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { Gap } from "../block/gaps.ts";

interface StoredRow {
  log_index: number;
  kind: string;
  vault_address: Address | null;
  actor_wallet: Address;
  tx_from: Address | null;
  data: object;
}

/** Answers those that are others than they were, or of which no entry says yet that all was told, each with what was told of it. */
export async function completeFacts(
  tx: Tx,
  chainId: number,
  facts: readonly ConfirmedFact[],
  {
    blockNumber,
    closed,
  }: { blockNumber: number; closed: readonly (Pick<Gap, "subject" | "lacks"> & { isTold: boolean })[] },
): Promise<ConfirmedFact[]> {
  const bySubject = Map.groupBy(closed, ({ subject }) => subject);
  const concerned = facts.flatMap((fact) => {
    if (fact.blockNumber !== blockNumber) return [];
    const told = [String(fact.logIndex), fact.txHash].flatMap((subject) => bySubject.get(subject) ?? []);
    const toldLater = [...new Set(told.map(({ lacks }) => lacks))].sort();
    return toldLater.length === 0
      ? []
      : [{ fact: { ...fact, toldLater }, isTold: told.every(({ isTold }) => isTold) }];
  });
  if (concerned.length === 0) return [];
  const { rows } = await sql<StoredRow>`
    select log_index, kind, vault_address, actor_wallet, tx_from, data from facts
     where chain_id = ${chainId} and block_number = ${blockNumber}`.execute(tx);
  const stored = new Map(rows.map((row) => [row.log_index, row]));
  const answered: ConfirmedFact[] = [];
  for (const { fact, isTold } of concerned) {
    const row = stored.get(fact.logIndex);
    // What was not stored before has just been, and is new.
    if (row === undefined) continue;
    const isChanged = !isSame(fact, row);
    if (isChanged) await update(tx, chainId, fact);
    if (isChanged || !isTold) answered.push(fact);
  }
  return answered;
}

async function update(
  tx: Tx,
  chainId: number,
  { blockNumber, logIndex, vaultAddress, actorWallet, txFrom, body }: ConfirmedFact,
): Promise<void> {
  const { kind: _, ...data } = body;
  await sql`
    update facts set vault_address = coalesce(vault_address, ${vaultAddress}), actor_wallet = ${actorWallet},
           tx_from = ${txFrom}, data = ${JSON.stringify(data)}::jsonb
     where chain_id = ${chainId} and block_number = ${blockNumber} and log_index = ${logIndex}`.execute(tx);
}

function isSame({ vaultAddress, actorWallet, txFrom, body }: ConfirmedFact, row: StoredRow): boolean {
  const { kind: _, ...data } = body;
  return (
    (vaultAddress === null || row.vault_address === vaultAddress) &&
    row.actor_wallet === actorWallet &&
    row.tx_from === txFrom &&
    isDeepStrictEqual(JSON.parse(JSON.stringify(data)), row.data)
  );
}
