/** The curated vaults' past: what happens there every two days, in one block, and what their curators and owners did once. */
import { addressOf, depositors } from "../accounts.ts";
import {
  moveCurated,
  readCurated,
  reportCurated,
  settleCurated,
  shiftCurated,
  yieldCurated,
} from "../actors/curated-life.ts";
import type { Flow } from "../actors/flows.ts";
import { growthPerStep, type Random } from "../actors/market.ts";
import { type DemoChain, execute } from "../chain.ts";
import {
  addSigner,
  byCouncil,
  byDesk,
  COUNCIL_DELAY_SECONDS,
  executeAll,
  removeSigner,
} from "../curated/council.ts";
import { capOfStrategy } from "../curated/euler.ts";
import { capOfSide } from "../curated/metamorpho.ts";
import { capRaise } from "../curated/morpho.ts";
import type { CuratedVaults } from "../curated/raise.ts";
import { limitDebt } from "../curated/yearn.ts";
import { CURATED_FAMILIES } from "../deployment.ts";
import { callTo, timelockOperation } from "../families/controllers.ts";

/** Day of the history on which they are made. */
export const CURATED_FROM_DAY = 9;

const OWNER = addressOf("primaryManager");
const SECOND = addressOf("secondaryManager");
const FORMER = addressOf("formerManager");
const TEMPORARY = addressOf("temporaryManager");
const USDC = 10n ** 6n;
const ETHER = 10n ** 18n;

/** What a block of theirs stands for. */
export const CURATED_EVERY_DAYS = 2;

/** Two days of all of them, queued. Chance is their own, so that the other vaults' past is the same without them. */
export async function curatedDays(
  chain: DemoChain,
  flow: Flow,
  random: Random,
  curated: CuratedVaults,
  day: number,
): Promise<void> {
  const own = { ...flow, random };
  const state = await readCurated(chain, curated, random.pick(depositors()));
  await yieldCurated(own, curated, state, (apyBps) =>
    growthPerStep(apyBps, Math.floor(365 / CURATED_EVERY_DAYS)),
  );
  if (day % 4 === 0) await settleCurated(chain, own, curated, state);
  if (day % 8 === 0) await reportCurated(own, curated);
  if (day % 6 === 0) {
    const isBack = day % 12 === 0;
    for (const transaction of shiftCurated(chain, curated, state, isBack)) await own.submit(transaction);
  }
  for (const family of CURATED_FAMILIES) {
    if (random.chance(80)) await moveCurated(own, curated, family, state);
  }
}

type Act = (chain: DemoChain, curated: CuratedVaults) => Promise<unknown>;

/** By day; the last ones are still to wait when the history ends. */
export const CURATED_SCRIPT: readonly { readonly day: number; readonly act: Act }[] = [
  {
    day: 12.15,
    act: (chain, { morpho_vault_v2: vault }) => run(chain, capRaise(chain, vault, 2_000_000n * USDC).submit),
  },
  {
    day: 15.35,
    act: (chain, { morpho_vault_v2: vault }) => run(chain, capRaise(chain, vault, 2_000_000n * USDC).accept),
  },
  { day: 18.15, act: (chain, curated) => nameSentinel(chain, curated) },
  { day: 21.15, act: (chain, curated) => scheduleFee(chain, curated, (ETHER * 12n) / 100n) },
  {
    day: 22.35,
    act: (chain, curated) => run(chain, feeOperation(chain, curated, (ETHER * 12n) / 100n).execute),
  },
  { day: 24.15, act: async (chain, curated) => executeAll(chain, await addSigner(chain, curated)) },
  { day: 31.15, act: async (chain, curated) => executeAll(chain, await removeSigner(chain, curated)) },
  {
    day: 28.15,
    act: (chain, { metamorpho }) => run(chain, capOfSide(metamorpho, 1_800_000n * ETHER).submit),
  },
  {
    day: 29.35,
    act: (chain, { metamorpho }) => run(chain, capOfSide(metamorpho, 1_800_000n * ETHER).accept),
  },
  {
    day: 33.15,
    act: (chain, { euler_earn: euler }) => run(chain, capOfStrategy(euler, 1_500n * ETHER).submit),
  },
  {
    day: 33.45,
    act: (chain, { euler_earn: euler }) => run(chain, capOfStrategy(euler, 1_500n * ETHER).revoke),
  },
  { day: 38.15, act: (chain, curated) => yearnRole(chain, curated, "add_role") },
  { day: 44.15, act: (chain, curated) => yearnRole(chain, curated, "remove_role") },
  {
    day: 41.15,
    act: (chain, { yearn_v3: yearn }) => run(chain, limitDebt(yearn, yearn.side, 800_000n * ETHER)),
  },
  { day: 46.15, act: (chain, curated) => raiseDeskCap(chain, curated) },
  { day: 50.15, act: (chain, { euler_earn: euler }) => writeOff(chain, euler.main) },
  {
    day: 59.35,
    act: (chain, { metamorpho }) => run(chain, capOfSide(metamorpho, 2_500_000n * ETHER).submit),
  },
  {
    day: 59.72,
    act: (chain, { morpho_vault_v2: vault }) => run(chain, capRaise(chain, vault, 2_600_000n * USDC).submit),
  },
  { day: 59.85, act: (chain, curated) => scheduleFee(chain, curated, (ETHER * 15n) / 100n) },
  {
    day: 59.9,
    act: (chain, { euler_earn: { vault } }) =>
      run(chain, {
        contract: "EulerEarn",
        address: vault,
        functionName: "submitGuardian",
        args: [FORMER],
        from: OWNER,
      }),
  },
];

const run = execute;

async function nameSentinel(chain: DemoChain, curated: CuratedVaults): Promise<void> {
  const { vault } = curated.morpho_vault_v2;
  const call = callTo(chain, "MorphoVaultV2", vault, "setIsSentinel", [FORMER, true]);
  await executeAll(chain, await byCouncil(chain, curated, call));
}

function feeOperation(chain: DemoChain, { timelock, metamorpho }: CuratedVaults, fee: bigint) {
  const call = callTo(chain, "MetaMorphoV1_1", metamorpho.vault, "setFee", [fee]);
  return timelockOperation(chain, timelock, call, COUNCIL_DELAY_SECONDS);
}

async function scheduleFee(chain: DemoChain, curated: CuratedVaults, fee: bigint): Promise<void> {
  const { schedule } = feeOperation(chain, curated, fee);
  await executeAll(chain, await byCouncil(chain, curated, schedule));
}

function yearnRole(chain: DemoChain, { yearn_v3: { vault } }: CuratedVaults, functionName: string) {
  const REPORTING_MANAGER = 1n << 5n;
  const args = [TEMPORARY, REPORTING_MANAGER];
  return execute(chain, { contract: "YearnVault", address: vault, functionName, args, from: OWNER });
}

async function raiseDeskCap(chain: DemoChain, curated: CuratedVaults): Promise<void> {
  const call = callTo(chain, "LagoonVaultV6", curated.lagoon.vault, "updateMaxCap", [25_000_000n * USDC]);
  await executeAll(chain, await byDesk(chain, curated, call));
}

/** A small loan is lost; the vault keeps count of it. */
function writeOff(chain: DemoChain, strategy: `0x${string}`) {
  const args = [ETHER / 2n];
  return execute(chain, {
    contract: "LendingStrategy",
    address: strategy,
    functionName: "writeOff",
    args,
    from: SECOND,
  });
}
