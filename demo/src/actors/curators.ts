/** Those who go on with the curated vaults: holders, the keepers and the Safe that settle and report, and curators who change their minds. */
import { depositors } from "../accounts.ts";
import { read, simulate, type Transaction } from "../chain.ts";
import { capOfStrategy } from "../curated/euler.ts";
import { CURATED_FAMILIES } from "../deployment.ts";
import type { ActorContext } from "./actor-context.ts";
import {
  moveCurated,
  readCurated,
  reportCurated,
  settleCurated,
  shiftCurated,
  yieldCurated,
} from "./curated-life.ts";
import type { Flow } from "./flows.ts";
import { growthPerStep } from "./market.ts";

export const CURATORS_EVERY_MS = 60_000;
const TURNS_PER_YEAR = (365 * 86_400_000) / CURATORS_EVERY_MS;
const RAISED_CAP = 1_500n * 10n ** 18n;

/** A holder moves; what caps or liquidity do not allow just now is left. */
export async function useCurated(context: ActorContext): Promise<void> {
  const { chain, deployment, random, reserved } = context;
  if (reserved.has("curated")) return;
  const { curated } = deployment;
  const state = await readCurated(chain, curated, random.pick(depositors()));
  await moveCurated(ifPossible(context), curated, random.pick(CURATED_FAMILIES), state);
}

/** Interest arrives, the Safe settles, strategies report, and an allocator may shift a little. */
export async function keepCurated(context: ActorContext): Promise<void> {
  const { chain, deployment, random, reserved, flow } = context;
  if (reserved.has("curated")) return;
  const { curated } = deployment;
  const state = await readCurated(chain, curated, random.pick(depositors()));
  await yieldCurated(flow, curated, state, (apyBps) => growthPerStep(apyBps, TURNS_PER_YEAR));
  await settleCurated(chain, flow, curated, state);
  if (random.chance(30)) await reportCurated(flow, curated);
  if (random.chance(30)) {
    const ifAllowed = ifPossible(context);
    for (const shift of shiftCurated(chain, curated, state, random.chance(50))) await ifAllowed.submit(shift);
  }
}

/** The curator of the Euler Earn vault asks for a wider cap; before it could be accepted, the guardian takes it back. */
export async function governCurated({ chain, deployment, flow, reserved }: ActorContext): Promise<void> {
  if (reserved.has("curated")) return;
  const euler = deployment.curated.euler_earn;
  const view = {
    contract: "EulerEarn",
    address: euler.vault,
    functionName: "pendingCap",
    args: [euler.side],
  };
  const [, validAt] = await read<readonly [bigint, bigint]>(chain, view);
  const { submit, revoke } = capOfStrategy(euler, RAISED_CAP);
  await flow.submit(validAt === 0n ? submit : revoke);
}

function ifPossible(context: ActorContext): Flow {
  const submit = async (transaction: Transaction) => {
    if (await isPossible(context, transaction)) await context.flow.submit(transaction);
  };
  return { ...context.flow, submit };
}

function isPossible({ chain }: ActorContext, transaction: Transaction): Promise<boolean> {
  return simulate(chain, transaction).then(
    () => true,
    () => false,
  );
}
