/**
 * Makes the demo's 60 days of history, or takes up the chain where it was left.
 *
 * The market moves in steps of six hours; each is one block with all that happened then, and what is scripted
 * (`history-events.ts`) stands in blocks between. Addresses, amounts and times are the same for the same start; block
 * hashes are not, as the node draws a random number for each block. The state of old blocks can be asked for as long as
 * the node that made them runs; a node that reloads them has their headers, logs and receipts, and state from there on.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { hexToBytes } from "viem";
import { depositors } from "../accounts.ts";
import * as flows from "../actors/flows.ts";
import { createRandom } from "../actors/market.ts";
import { type Anvil, AnvilError, startAnvil } from "../anvil.ts";
import { connectChain, type DemoChain } from "../chain.ts";
import { raiseCurated } from "../curated/raise.ts";
import {
  ASSETS,
  type AssetKey,
  CURATED_FAMILIES,
  DEMO_CHAIN_ID,
  type DeployedTrio,
  TRIO_KEYS,
  TRIOS,
  type TrioKey,
} from "../deployment.ts";
import { type DemoDeployment, FORMAT_VERSION, loadDeployment, saveDeployment } from "../saved/deployment.ts";
import { CURATED_FROM_DAY } from "./curated-days.ts";
import { approveAll, fundEveryone, layFoundation, openTrio, raiseTrio } from "./setup.ts";
import { SCRIPT, type Scene } from "./special-events.ts";
import { type Build, fillUpkeep, runStep, STEPS_PER_DAY } from "./steps.ts";
import { createTimeline } from "./timeline.ts";

export const HISTORY_DAYS = 60;
const DAY_SECONDS = 86_400;
const STEP_SECONDS = DAY_SECONDS / STEPS_PER_DAY;
const STATE_INTERVAL_SECONDS = 60;
/** Of a node that dies, who asks it hears before its end is told. */
const ENDS_WITHIN_MS = 500;
const SEED = 20_260_509;

export interface PrepareOptions {
  /** A folder for the chain alone: its state and what is deployed on it. */
  readonly dataDir: string;
  /** The node's port; a free one where left out. */
  readonly port?: number;
  /** Begins anew, whatever is in the folder. */
  readonly fresh?: boolean;
  readonly blockTimeSeconds?: number;
}

export interface PreparedChain {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly deployment: DemoDeployment;
  /** True where the history was made now, false where a chain was taken up again. */
  readonly isFresh: boolean;
  readonly anvil: Anvil;
  stop(): Promise<void>;
}

/** The demo's chain, running and mining: made now, or loaded from the folder that an earlier start kept it in. */
export async function prepareDemoChain(options: PrepareOptions): Promise<PreparedChain> {
  const dir = options.dataDir;
  const statePath = join(dir, "state.json");
  const deploymentPath = join(dir, "deployment.json");
  if (options.fresh) await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });

  const known = await loadDeployment(deploymentPath);
  if (known) {
    const blockTimeSeconds = options.blockTimeSeconds ?? 2;
    const anvil = await start(options, { statePath, blockTimeSeconds });
    const code = await (await connectChain(anvil.rpcUrl)).client.getCode({
      address: known.system.aggregator,
    });
    if (code !== undefined) return prepared(anvil, known, false);
    await anvil.stop();
    throw new AnvilError(
      "state_unreadable",
      `the chain in ${dir} lacks what was deployed on it: start again with --fresh`,
    );
  }

  // Half a history from a start that was cut short is of no use.
  await rm(statePath, { force: true });
  await rm(`${statePath}.last`, { force: true });
  const startTimestamp = Math.floor(Date.now() / 1000) - HISTORY_DAYS * DAY_SECONDS;
  const anvil = await start(options, { statePath, genesisTimestamp: startTimestamp });
  try {
    const chain = await connectChain(anvil.rpcUrl);
    const deployment = await buildHistory({ ...chain, isScripted: true }, startTimestamp);
    await chain.client.setIntervalMining({ interval: options.blockTimeSeconds ?? 2 });
    await dumpState(chain, statePath);
    await saveDeployment(deploymentPath, deployment);
    return prepared(anvil, deployment, true);
  } catch (error) {
    const hasEnded = await Promise.race([anvil.exited.then(() => true), sleep(ENDS_WITHIN_MS, false)]);
    await anvil.stop();
    if (!hasEnded) throw error;
    throw new AnvilError("failed", `the chain's node (process ${anvil.pid}) has ended`);
  }
}

function start(
  options: PrepareOptions,
  more: { statePath: string; genesisTimestamp?: number; blockTimeSeconds?: number },
): Promise<Anvil> {
  const port = options.port === undefined ? {} : { port: options.port };
  return startAnvil({
    chainId: DEMO_CHAIN_ID,
    stateIntervalSeconds: STATE_INTERVAL_SECONDS,
    ...port,
    ...more,
  });
}

function prepared(anvil: Anvil, deployment: DemoDeployment, isFresh: boolean): PreparedChain {
  return { rpcUrl: anvil.rpcUrl, chainId: anvil.chainId, deployment, isFresh, anvil, stop: anvil.stop };
}

/** Writes the state at once, and as the last good one: from here on no death of the node can undo the history. */
async function dumpState(chain: DemoChain, statePath: string): Promise<void> {
  const dump = await chain.client.dumpState();
  const json = gunzipSync(hexToBytes(dump));
  await writeFile(`${statePath}.last`, json);
  await writeFile(statePath, json);
}

/** Makes the history on a new node whose clock stands at its start, and leaves the clock at the real time. */
async function buildHistory(chain: DemoChain, startTimestamp: number): Promise<DemoDeployment> {
  const timeline = await createTimeline(chain, startTimestamp);
  // Its blocks stand a second apart as well, however long they take: what follows has times of its own.
  const foundation = await timeline.at(startTimestamp + 1, () => layFoundation(chain));
  const random = createRandom(SEED);
  const scene: Scene = { chain, foundation, trios: new Map() };
  const flow: flows.Flow = { random, submit: timeline.queue };
  const feedAnswers = Object.fromEntries(
    (Object.keys(ASSETS) as AssetKey[]).map((key) => [key, ASSETS[key].usdE8]),
  ) as Record<AssetKey, bigint>;
  const build: Build = {
    timeline,
    scene,
    flow,
    random,
    curatedRandom: createRandom(SEED + 1),
    startTimestamp,
    feedAnswers,
    unsettled: new Set(),
  };

  await fundEveryone(timeline, foundation, startTimestamp + 180);
  const script = [...SCRIPT];
  const steps = HISTORY_DAYS * STEPS_PER_DAY;
  for (let step = 1; step <= steps; step++) {
    const time = startTimestamp + step * STEP_SECONDS;
    await raiseDueTrios(build, (step - 1) / STEPS_PER_DAY);
    if (step === CURATED_FROM_DAY * STEPS_PER_DAY) await raiseCuratedVaults(build);
    while (script[0] && script[0].day * DAY_SECONDS < step * STEP_SECONDS) {
      const event = script.shift();
      if (!event) break;
      await timeline.at(startTimestamp + Math.round(event.day * DAY_SECONDS), async (time) => {
        await event.run(scene, time);
      });
    }
    // The last step ends the history a little before now, so that the present begins after it.
    await runStep(build, step, step === steps ? time - 60 : time);
  }
  await fillUpkeep(build);
  await timeline.flush(timeline.time() + 12);
  await timeline.finish();
  return describe(build);
}

async function raiseDueTrios(build: Build, day: number): Promise<void> {
  const { timeline, scene, startTimestamp } = build;
  for (const key of TRIO_KEYS) {
    if (scene.trios.has(key) || TRIOS[key].deployedOnDay > day) continue;
    const time = Math.max(
      timeline.time() + 60,
      startTimestamp + TRIOS[key].deployedOnDay * DAY_SECONDS + 600,
    );
    await timeline.at(time, async () => {
      const trio = await raiseTrio(scene.chain, scene.foundation, key);
      await openTrio(scene.chain, scene.foundation, key, trio);
      scene.trios.set(key, trio);
    });
    const trio = scene.trios.get(key);
    if (!trio) continue;
    await approveAll(timeline, trio);
    for (const depositor of depositors().slice(0, 3)) await flows.depositSome(build.flow, trio, depositor);
    await timeline.flush(timeline.time() + 60);
  }
}

async function raiseCuratedVaults({ timeline, scene }: Build): Promise<void> {
  await timeline.at(timeline.time() + 60, async () => {
    scene.curated = await raiseCurated(scene.chain, scene.foundation);
  });
  for (const family of CURATED_FAMILIES) if (scene.curated) await approveAll(timeline, scene.curated[family]);
  await timeline.flush(timeline.time() + 60);
}

function describe(build: Build): DemoDeployment {
  const { foundation, trios, chain, curated } = build.scene;
  if (!curated) throw new Error("the curated vaults were not made");
  const { system, tokens, feeds, walletFactory, plain, async } = foundation;
  return {
    formatVersion: FORMAT_VERSION,
    chainId: chain.chainId,
    startTimestamp: build.startTimestamp,
    system,
    tokens,
    feeds,
    walletFactory,
    trios: Object.fromEntries(trios) as Record<TrioKey, DeployedTrio>,
    plain,
    async,
    curated,
  };
}
