/** A vault's assets at work: idle ones are allocated, sources are kept level with one another, and an emergency exit empties them. */
import { addressOf } from "../accounts.ts";
import type { TrioKey } from "../deployment.ts";
import * as flows from "../flows.ts";
import { readAsyncRows, type TrioState } from "../history-state.ts";
import { type Desk, readTrio } from "./desk.ts";
import { allocation, deallocation, pursue } from "./intents.ts";
import type { Outcome, VaultKey } from "./terms.ts";
import { transact } from "./transactions.ts";

const KEEPER = addressOf("redeemKeeper");
// Sources further apart than this part of all assets are brought nearer to one another.
const LEVEL_WITHIN_PERCENT = 10n;
// One swap in so many is made on a balance that was read too long ago: the source refuses it.
const OUTDATED_PERCENT = 3;
const EXIT_STEP_PERCENT = 34n;

/** Puts deposits to work: those requested from the ERC-7540 vault are fulfilled, idle assets of a trio are allocated. */
export async function fulfilDeposits(desk: Desk, key: VaultKey): Promise<Outcome> {
  if (key === "async") {
    const vault = desk.deployment.async;
    const rows = await readAsyncRows(desk.chain, vault.vault);
    const waiting = rows.filter((row) => row.pendingDeposit > 0n).map((row) => row.owner);
    if (waiting.length > 0)
      await transact(desk, flows.fulfilOnAsyncVault(vault, "fulfillDeposits", waiting, KEEPER));
    return "success";
  }
  if (desk.exits.has(key)) return "skipped";
  const { trio, state } = await readTrio(desk, key);
  const excess = flows.idleExcess(trio, state);
  if (state.isPaused) return "skipped";
  if (state.sourcesInUse.length === 0 || excess === 0n) return "success";
  const source = desk.random.pick(state.sourcesInUse);
  await pursue(desk, { key, action: "allocate", steps: [allocation(desk, trio, KEEPER, source, excess)] });
  return "success";
}

/** Exchanges shares of the fullest yield source for those of the emptiest, or leaves every source under an emergency exit. */
export async function fulfilSwaps(desk: Desk, key: VaultKey): Promise<Outcome> {
  if (key === "async") return "skipped";
  if (desk.exits.has(key)) return exit(desk, key);
  const { trio, state } = await readTrio(desk, key);
  if (state.isPaused) return "skipped";
  const used = sourcesOf(desk, key, state).sort((a, b) => (a.assets < b.assets ? -1 : 1));
  const [emptiest, fullest] = [used[0], used.at(-1)];
  if (!emptiest || !fullest || used.length < 2) return "success";
  const all = used.reduce((sum, { assets }) => sum + assets, 0n);
  const gap = fullest.assets - emptiest.assets;
  if (gap * 100n <= all * LEVEL_WITHIN_PERCENT) return "success";
  const isOutdated = desk.random.chance(OUTDATED_PERCENT);
  const amount = isOutdated ? fullest.assets * 2n : gap / 3n;
  await pursue(desk, {
    key,
    action: "rebalance",
    steps: [
      deallocation(desk, trio, KEEPER, fullest.source, amount),
      allocation(desk, trio, KEEPER, emptiest.source, amount),
    ],
  });
  return "success";
}

/** A part of the fullest source a time, so that it can be watched; resolves to skipped once nothing is left. */
async function exit(desk: Desk, key: TrioKey): Promise<Outcome> {
  const { trio, state } = await readTrio(desk, key);
  const held = state.allocated.reduce((sum, assets) => sum + assets, state.idle);
  const [fullest] = sourcesOf(desk, key, state).sort((a, b) => (a.assets > b.assets ? -1 : 1));
  if (!fullest || fullest.assets === 0n) return "skipped";
  const part = (held * EXIT_STEP_PERCENT) / 100n;
  const amount = fullest.assets < part ? fullest.assets : part;
  await pursue(desk, {
    key,
    action: "emergency_exit",
    steps: [deallocation(desk, trio, KEEPER, fullest.source, amount)],
  });
  return "success";
}

function sourcesOf(desk: Desk, key: TrioKey, state: TrioState) {
  const { yieldSources } = desk.deployment.trios[key];
  const inUse = new Set(state.sourcesInUse.map(BigInt));
  return yieldSources
    .map((source, index) => ({ source, assets: state.allocated[index] ?? 0n }))
    .filter(({ source }) => inUse.has(BigInt(source)));
}
