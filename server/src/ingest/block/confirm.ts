// Confirm: the audit entries of blocks that are deep enough, written in one transaction with the mark that says so.
import type { Address } from "viem";
import { type ConfirmedFact, type StoredFact, toStored, type VaultFact } from "../../chain/facts.ts";
import type { Tx } from "../../platform/db/db.ts";
import { type Gap, loadGaps } from "./gaps.ts";
import { loadStoredFacts } from "./rows.ts";
import type { ChainStore } from "./store.ts";

/** The door to the audit log. What writes does so in the given transaction and is called last in it. */
export interface Recorder {
  /**
   * Makes the entries of confirmed facts, before the transaction, and returns what records them in it, in the given order. Of many it makes
   * some at a time, so that what the database answers meanwhile is taken up.
   */
  facts(facts: readonly ConfirmedFact[]): Promise<(tx: Tx) => Promise<void>>;
  /** Records facts of confirmed blocks that were missed when it was their turn. Returns how many entries came of them. */
  late(tx: Tx, facts: readonly ConfirmedFact[]): Promise<number>;
  /** Records of facts of confirmed blocks that are told in other words than before what does not stand in the log yet. Returns how many entries. */
  missing(tx: Tx, facts: readonly ConfirmedFact[]): Promise<number>;
  /** Records that the entries of the blocks above `ancestor` were undone. Returns how many there were. */
  reverts(tx: Tx, chainId: number, ancestor: number): Promise<number>;
}

/** Tells whether a fact is history; unknown vaults' are not. */
export type IsHistory = (vault: Address | null, blockTimestamp: number) => boolean;

const MAX_FACTS = 2_000;

/**
 * Records every block up to `target`, which must not lie above the head. Blocks go one by one or many together, each
 * whole; a crash in between loses nothing, for the mark moves with the entries.
 */
export async function confirmUpTo(
  store: ChainStore,
  target: number,
  recorder: Recorder,
  isHistory: IsHistory,
): Promise<void> {
  while (store.confirmed < target) {
    const facts = await loadFacts(store, target, isHistory);
    if (facts.length === 0) {
      await store.commitAlone({ confirmed: target }, null);
      return;
    }
    const upTo = facts.length < MAX_FACTS ? target : facts.at(-1)!.blockNumber;
    await store.commit({ confirmed: upTo }, await recorder.facts(facts));
  }
}

/** The facts as they are stored and recorded. */
export function confirmedFactsOf(
  facts: readonly VaultFact[],
  gaps: readonly Gap[],
  isHistory: IsHistory,
): ConfirmedFact[] {
  return marked(
    facts.map((fact) => ({ ...fact, body: toStored(fact.body) })),
    gaps,
    isHistory,
  );
}

function marked(
  facts: readonly StoredFact[],
  gaps: readonly Pick<Gap, "blockNumber" | "subject" | "lacks">[],
  isHistory: IsHistory,
): ConfirmedFact[] {
  const lacking = Map.groupBy(gaps, placeOf);
  const lacksOf = (fact: StoredFact) => {
    const { blockNumber } = fact;
    const own = [String(fact.logIndex), fact.txHash].flatMap(
      (subject) => lacking.get(placeOf({ blockNumber, subject })) ?? [],
    );
    return [...new Set(own.map((gap) => gap.lacks))].sort();
  };
  return facts.map((fact) => {
    const lacks = gaps.length > 0 ? lacksOf(fact) : [];
    return {
      ...fact,
      isHistory: isHistory(fact.vaultAddress, fact.blockTimestamp),
      ...(lacks.length > 0 && { lacks }),
    };
  });
}

function placeOf({ blockNumber, subject }: { blockNumber: number; subject: string }): string {
  return `${blockNumber} ${subject}`;
}

/** Facts of unconfirmed blocks up to `target`, in order: at least MAX_FACTS of them or all, the last block whole. */
async function loadFacts(store: ChainStore, target: number, isHistory: IsHistory): Promise<ConfirmedFact[]> {
  const { chainId, confirmed, db } = store;
  const range = { above: confirmed, upTo: target };
  const facts = await loadStoredFacts(db.kysely, { chainId }, range, MAX_FACTS);
  return marked(facts, await loadGaps(db.kysely, chainId, range), isHistory);
}
