/** The engine's services: what each does, for which vaults, and how often. */
import { LIVE_TRIOS } from "../deployment.ts";
import { fulfilDeposits, fulfilSwaps } from "./assets.ts";
import type { EngineContext } from "./engine-context.ts";
import { EngineFault } from "./fault.ts";
import { publishHookRoots } from "./merkle.ts";
import { topUpUpkeep, updatePrices } from "./prices.ts";
import { cleanUp, fulfilClaims, fulfilRedeems, lookOverQueue } from "./redeems.ts";
import { keepSessionKeys } from "./session-keys.ts";
import type { Outcome, Outcomes, VaultKey } from "./types.ts";

export interface Service {
  readonly name: string;
  readonly title: string;
  readonly scheduleSeconds: number;
  readonly vaults: readonly VaultKey[];
  /** Sends transactions that build on a vault's state, so a run waits for its turn. */
  readonly takesTurn: boolean;
  readonly run:
    | { readonly each: (context: EngineContext, key: VaultKey) => Promise<Outcome> }
    /** One run for all of its vaults: its end is that of each, or told vault by vault. */
    | { readonly together: (context: EngineContext) => Promise<Outcome | Outcomes> };
}

const WITH_REQUESTS: readonly VaultKey[] = [...LIVE_TRIOS, "async"];
const STUCK_AFTER_MS = 30_000;

export const SERVICES: readonly Service[] = [
  {
    name: "redemption_queue_engine",
    title: "Redemption queue",
    scheduleSeconds: 15,
    vaults: LIVE_TRIOS,
    takesTurn: false,
    run: { each: lookOverQueue },
  },
  {
    name: "update_pps",
    title: "Update price per share",
    scheduleSeconds: 45,
    vaults: LIVE_TRIOS,
    takesTurn: true,
    run: { together: updatePrices },
  },
  {
    name: "fulfill_redeems",
    title: "Fulfill redeems",
    scheduleSeconds: 20,
    vaults: WITH_REQUESTS,
    takesTurn: true,
    run: { each: fulfilRedeems },
  },
  {
    name: "fulfill_claims",
    title: "Fulfill claims",
    scheduleSeconds: 25,
    vaults: WITH_REQUESTS,
    takesTurn: true,
    run: { each: fulfilClaims },
  },
  {
    name: "fulfill_deposits",
    title: "Fulfill deposits",
    scheduleSeconds: 30,
    vaults: WITH_REQUESTS,
    takesTurn: true,
    run: { each: fulfilDeposits },
  },
  {
    name: "fulfill_swaps",
    title: "Fulfill swaps",
    scheduleSeconds: 40,
    vaults: LIVE_TRIOS,
    takesTurn: true,
    run: { each: fulfilSwaps },
  },
  {
    name: "cleanup_processed_redeems",
    title: "Clean up processed redeems",
    scheduleSeconds: 60,
    vaults: LIVE_TRIOS,
    takesTurn: true,
    run: { each: cleanUp },
  },
  {
    name: "publish_hook_roots",
    title: "Publish hook roots",
    scheduleSeconds: 60,
    vaults: LIVE_TRIOS,
    takesTurn: true,
    run: { each: publishHookRoots },
  },
  {
    name: "top_up_upkeep",
    title: "Top up upkeep",
    scheduleSeconds: 60,
    vaults: LIVE_TRIOS,
    takesTurn: true,
    run: { each: topUpUpkeep },
  },
  {
    name: "rotate_session_keys",
    title: "Rotate session keys",
    scheduleSeconds: 30,
    vaults: LIVE_TRIOS,
    takesTurn: false,
    run: { each: keepSessionKeys },
  },
  {
    name: "tx_manager",
    title: "Transaction manager",
    scheduleSeconds: 10,
    vaults: WITH_REQUESTS,
    takesTurn: false,
    run: { together: manageTransactions },
  },
];

/** Looks for what was sent and not seen in a block; fails while anything has been waiting for too long. */
async function manageTransactions(context: EngineContext): Promise<Outcome> {
  await context.chain.client.getBlockNumber();
  const stuck: string[] = [];
  for (const [hash, { title, sentAtMs }] of context.outstanding) {
    if (Date.now() - sentAtMs < STUCK_AFTER_MS) continue;
    const receipt = await context.chain.client.getTransactionReceipt({ hash }).catch(() => undefined);
    const known = receipt ?? (await context.chain.client.getTransaction({ hash }).catch(() => undefined));
    if (receipt || !known) context.outstanding.delete(hash);
    if (!receipt) stuck.push(`${title} (${hash})`);
  }
  if (stuck.length > 0) throw new EngineFault("NOT_MINED", `not mined after 30 s: ${stuck.join(", ")}`);
  return "success";
}
