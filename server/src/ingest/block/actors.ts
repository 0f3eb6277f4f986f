// Actors: who did what a log tells (docs/decisions/0016, actors): whom the event itself names; else the contract wallet through
// which a manager acted, be it a Safe or a timelock that says so after it, the transaction's target, or the sender of an ERC-4337 user
// operation; else the transaction's sender. Every log's transaction is fetched, many at once: its sender is told beside who acted.
import { type Address, zeroAddress } from "viem";
import type { BlockWithTransactions, ChainClient, TxSummary } from "../../chain/client/client.ts";
import { type ActingWallet, actingIn } from "../../chain/controllers/acting.ts";
import type { Directory } from "../../chain/directory.ts";
import type { Decoded } from "../../chain/families/family/family.ts";
import { ChainFault } from "../../chain/rpc/fault.ts";
import type { Logger } from "../../platform/log.ts";
import type { ControlBook } from "../control/book.ts";
import { type Gap, orGap } from "./gaps.ts";
import type { ManagerBook } from "./managers.ts";
import type { Patience } from "./patience.ts";

interface ActorContext {
  client: ChainClient;
  patience: Patience;
  log: Logger;
}

/** What the transactions of some logs tell; the actors follow from it once the managers at each block are known. */
export interface Transactions {
  byHash: ReadonlyMap<string, TxSummary>;
  /** The contract wallets that acted in those transactions that may have gone through some, in the order in which they ended. */
  acting: ReadonlyMap<string, readonly ActingWallet[]>;
}

/**
 * Fetches what `actorOf` needs to know for these logs.
 * @throws ChainFault `inconsistent` when a block holds a log of a transaction that it does not hold, until patience is over
 */
export async function fetchTransactions(
  context: ActorContext,
  decoded: readonly Decoded[],
  directory: Directory,
  gaps: Gap[],
): Promise<Transactions> {
  const { client } = context;
  const logOf = new Map<string, Decoded["log"]>();
  /** Those in which some log does not say itself who acted. */
  const nameless = new Set<string>();
  for (const { actor, log } of decoded) {
    if (isSystemTransaction(log.txHash)) continue;
    logOf.set(log.txHash, log);
    if (actor === null) nameless.add(log.txHash);
  }
  if (logOf.size === 0) return { byHash: new Map(), acting: new Map() };

  const byHash = new Map<string, TxSummary>(
    await client.transactions([...logOf.values()].map((log) => log.txHash)),
  );
  // Nodes that index only recent transactions by hash still serve them with their block.
  for (const log of logOf.values()) {
    if (byHash.has(log.txHash)) continue;
    const place = { blockNumber: log.blockNumber, subject: log.txHash, lacks: "transaction" } as const;
    const block = await orGap(
      context,
      gaps,
      place,
      () => blockWith(client, log),
      () => null,
    );
    for (const transaction of block?.transactions ?? []) {
      if (logOf.has(transaction.hash)) byHash.set(transaction.hash, transaction);
    }
  }

  // A call straight to one of the followed contracts goes through no wallet; any other call may.
  const acting = new Map<string, readonly ActingWallet[]>();
  const indirect = [...byHash.values()].filter(
    ({ hash, to, input }) =>
      nameless.has(hash) && to !== null && input !== "0x" && !directory.contract(to.toLowerCase()),
  );
  await Promise.all(
    indirect.map(async ({ hash }) => {
      const { blockNumber } = logOf.get(hash)!;
      const place = { blockNumber, subject: hash, lacks: "user_operations" } as const;
      acting.set(
        hash,
        await orGap(
          context,
          gaps,
          place,
          async () => actingIn(await client.logsOfTransaction(hash)),
          () => [],
        ),
      );
    }),
  );
  return { byHash, acting };
}

/** The block of a log, which must hold the log's transaction. */
async function blockWith(client: ChainClient, log: Decoded["log"]): Promise<BlockWithTransactions> {
  const block = await client.blockWithTransactions(log.blockHash);
  if (block.transactions.some(({ hash }) => hash === log.txHash)) return block;
  throw new ChainFault(
    "inconsistent",
    `block ${log.blockNumber} does not hold the transaction of its own log`,
  );
}

/** Who manages what, and who stands behind it. */
interface Known {
  managers: Pick<ManagerBook, "manages">;
  control: Pick<ControlBook, "isBehind">;
  directory: Directory;
}

export function actorOf(
  decoded: Decoded,
  { byHash, acting }: Transactions,
  { managers, control, directory }: Known,
): Address {
  if (decoded.actor !== null) return decoded.actor;
  const { log, vaultAddress } = decoded;
  const transaction = byHash.get(log.txHash);
  if (!transaction) return zeroAddress;
  const isManager = (wallet: Address) =>
    vaultAddress !== null &&
    (managers.manages(wallet, vaultAddress, log.blockNumber) || control.isBehind(wallet, vaultAddress));
  const isOfVault = (target: string) =>
    target === log.address || directory.contract(target)?.vault?.address === vaultAddress;
  const wallet = acting.get(log.txHash)?.find(({ wallet, logIndex, kind, target }) => {
    if (logIndex < log.logIndex) return false;
    if (kind === "operation") return true;
    return isManager(wallet) && (target === null || isOfVault(target.toLowerCase()));
  });
  if (wallet && wallet.kind !== "operation") return wallet.wallet;
  if (transaction.to !== null && isManager(transaction.to)) return transaction.to;
  return wallet?.wallet ?? transaction.from;
}

/** Who sent the transaction of that log; null where there is none. */
export function senderOf({ log }: Decoded, transactions: Transactions): Address | null {
  return transactions.byHash.get(log.txHash)?.from ?? null;
}

/** Some L2s put logs of their own doing under a hash of zeros, for which there is no transaction and nobody who acted. */
function isSystemTransaction(txHash: string): boolean {
  return /^0x0+$/.test(txHash);
}
