/** A vault's assets at work: idle ones are allocated, sources are kept level with one another, and an emergency exit empties them. */
import { addressOf } from "../accounts.ts";
import * as flows from "../actors/flows.ts";
import { readAsyncRows, type TrioState } from "../actors/vault-state.ts";
import type { TrioKey } from "../deployment.ts";
import { type EngineContext, readTrio } from "./engine-context.ts";
import { allocation, deallocation, pursue } from "./intents.ts";
import { transact } from "./transactions.ts";
import type { Outcome, VaultKey } from "./types.ts";

const KEEPER = addressOf("redeemKeeper");
// Sources further apart than this part of all assets are brought nearer to one another.
const LEVEL_WITHIN_PERCENT = 10n;
// One swap in so many is made on a balance that was read too long ago: the source refuses it.
const OUTDATED_PERCENT = 3;
const EXIT_STEP_PERCENT = 34n;

/** Puts deposits to work: those requested from the ERC-7540 vault are fulfilled, idle assets of a trio are allocated. */
export async function fulfilDeposits(context: EngineContext, key: VaultKey): Promise<Outcome> {
  if (key === "async") {
    const vault = context.deployment.async;
    const rows = await readAsyncRows(context.chain, vault.vault);
    const waiting = rows.filter((row) => row.pendingDeposit > 0n).map((row) => row.owner);
    if (waiting.length > 0)
      await transact(context, flows.fulfilOnAsyncVault(vault, "fulfillDeposits", waiting, KEEPER));
    return "success";
  }
  if (context.exits.has(key)) return "skipped";
  const { trio, state } = await readTrio(context, key);
  const excess = flows.idleExcess(trio, state);
  if (state.isPaused) return "skipped";
  if (state.sourcesInUse.length === 0 || excess === 0n) return "success";
  const source = context.random.pick(state.sourcesInUse);
  await pursue(context, {
    key,
    action: "allocate",
    steps: [allocation(context, trio, KEEPER, source, excess)],
  });
  return "success";
}

/** Exchanges shares of the fullest yield source for those of the emptiest, or leaves every source under an emergency exit. */
export async function fulfilSwaps(context: EngineContext, key: VaultKey): Promise<Outcome> {
  if (key === "async") return "skipped";
  if (context.exits.has(key)) return exit(context, key);
  const { trio, state } = await readTrio(context, key);
  if (state.isPaused) return "skipped";
  const used = sourcesOf(context, key, state).sort((a, b) => (a.assets < b.assets ? -1 : 1));
  const [emptiest, fullest] = [used[0], used.at(-1)];
  if (!emptiest || !fullest || used.length < 2) return "success";
  const all = used.reduce((sum, { assets }) => sum + assets, 0n);
  const gap = fullest.assets - emptiest.assets;
  if (gap * 100n <= all * LEVEL_WITHIN_PERCENT) return "success";
  const isOutdated = context.random.chance(OUTDATED_PERCENT);
  const amount = isOutdated ? fullest.assets * 2n : gap / 3n;
  await pursue(context, {
    key,
    action: "rebalance",
    steps: [
      deallocation(context, trio, KEEPER, fullest.source, amount),
      allocation(context, trio, KEEPER, emptiest.source, amount),
    ],
  });
  return "success";
}

/** A part of the fullest source a time, so that it can be watched; resolves to skipped once nothing is left. */
async function exit(context: EngineContext, key: TrioKey): Promise<Outcome> {
  const { trio, state } = await readTrio(context, key);
  const held = state.allocated.reduce((sum, assets) => sum + assets, state.idle);
  const [fullest] = sourcesOf(context, key, state).sort((a, b) => (a.assets > b.assets ? -1 : 1));
  if (!fullest || fullest.assets === 0n) return "skipped";
  const part = (held * EXIT_STEP_PERCENT) / 100n;
  const amount = fullest.assets < part ? fullest.assets : part;
  await pursue(context, {
    key,
    action: "emergency_exit",
    steps: [deallocation(context, trio, KEEPER, fullest.source, amount)],
  });
  return "success";
}

function sourcesOf(context: EngineContext, key: TrioKey, state: TrioState) {
  const { yieldSources } = context.deployment.trios[key];
  const inUse = new Set(state.sourcesInUse.map(BigInt));
  return yieldSources
    .map((source, index) => ({ source, assets: state.allocated[index] ?? 0n }))
    .filter(({ source }) => inUse.has(BigInt(source)));
}
