// One simulated world: a chain that lives and reorganises, a service that follows it through a node that goes wrong and is stopped,
// started, doubled and cut off from its database; all drawn from one seed. At its end what is stored must be what the node says.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { demoAccounts } from "../../../demo/src/accounts.ts";
import { read, send } from "../../../demo/src/chain.ts";
import type { Logger } from "../../src/platform/log.ts";
import type { TestDatabase } from "../database.ts";
import { type RunningIngest, startIngest, type TestChain } from "../ingest.ts";
import { CONTROL_OWED } from "./curated-verdict.ts";
import { Dice } from "./dice.ts";
import { CURATED, sourceOf } from "./every-family.ts";
import { Governance } from "./governance.ts";
import { type Laboratory, setSecondsBetweenBlocks } from "./laboratory.ts";
import { PROVIDER_LIMITS } from "./limits.ts";

const PATIENCE_MS = 2_000;
/** Long enough for a machine with much else to do. */
const GIVE_UP_MS = 300_000;
/** What no node told for long is asked for again an hour later at most. */
const PAUSES_ARE_OVER_MS = 3_600_000;

export interface World {
  seed: number;
  laboratory: Laboratory;
  database: TestDatabase;
  confirmations: number;
  /** What happened, in order, to be told when it fails. */
  trace: string[];
  /** Where the service tells what it does; nowhere where left out. */
  log?: Logger;
}

export function worldOf(seed: number, laboratory: Laboratory, database: TestDatabase): World {
  const confirmations = new Dice(`world ${seed}`).pick([0, 1, 2, 2, 3, 3, 5]);
  return { seed, laboratory, database, confirmations, trace: [] };
}

/** Lives through the seed's actions, then lets the weather calm down and everything settle. */
export async function live(world: World): Promise<void> {
  const life = new Life(world);
  try {
    await life.run();
  } finally {
    await life.end();
  }
}

class Life {
  readonly #world: World;
  readonly #dice: Dice;
  /** Of what came to be drawn later, so that the rest of a seed's life stays as it was. */
  readonly #more: Dice;
  readonly #governance: Governance;
  /** Whether the configuration names the plain vault and the curated ones yet that no factory announces. */
  #namesPlain: boolean;
  readonly #withoutPlain = new WeakSet<RunningIngest>();
  /** The one whose settling is waited for, and a second one beside it. */
  #first: RunningIngest | null = null;
  /** How far what pauses are measured by is ahead. */
  #aheadMs = 0;
  #second: RunningIngest | null = null;

  constructor(world: World) {
    this.#world = world;
    this.#dice = new Dice(`life ${world.seed}`);
    this.#more = new Dice(`more ${world.seed}`);
    this.#governance = new Governance(world.laboratory.curated, new Dice(`governance ${world.seed}`));
    this.#namesPlain = this.#more.chance(0.7);
  }

  async run(): Promise<void> {
    const dice = this.#dice;
    const { node } = this.#world.laboratory;
    if (dice.chance(0.5)) {
      const limit = dice.pick(PROVIDER_LIMITS);
      const size = dice.pick([3, 5, 10]);
      this.#tell(`provider: ${limit.name}, ${size}`);
      node.limit(limit, size);
    }
    const past = dice.pick([0, 3, 10, 30]);
    this.#tell(`past of ${past}`);
    for (let index = 0; index < past; index += 1) await this.#blocks(1);
    if (dice.chance(0.2)) await this.#empty(dice.pick([70, 140]));
    await this.#weather();
    this.#start();
    const steps = 8 + dice.below(10);
    for (let step = 0; step < steps; step += 1) await this.#act();
    await this.#settle();
  }

  async end(): Promise<void> {
    await Promise.all([this.#first?.stop(), this.#second?.stop()]);
  }

  async #act(): Promise<void> {
    const dice = this.#dice;
    await dice.weighted<() => Promise<unknown>>([
      [6, () => this.#blocks(1 + dice.below(4))],
      [2, () => this.#empty(1 + dice.below(5))],
      [0.4, () => this.#empty(dice.pick([70, 140, 600]))],
      [4, () => this.#reorg(1 + dice.below(this.#world.confirmations + 4))],
      [1, () => this.#twice()],
      [1, () => this.#acrossDeployment()],
      [1.5, () => this.#restart()],
      [1, () => this.#whileStopped()],
      [1, () => this.#doubled()],
      [1, () => this.#cutOff()],
      [1, () => this.#weather()],
      [0.7, () => this.#pace()],
      [2, () => this.#caughtUp()],
    ])();
    // Some of what comes next meets a service that is still busy with this, some one that has had a moment.
    if (dice.chance(0.5)) await sleep(dice.below(80));
  }

  async #blocks(count: number): Promise<void> {
    this.#tell(`${count} blocks`);
    for (let index = 0; index < count; index += 1) {
      if (this.#more.chance(0.3)) await this.#usePlain();
      await this.#governance.act(5);
      await this.#world.laboratory.activity.block(3);
    }
  }

  /** A deposit in the plain vault, or a withdrawal of what the holder has there; it stands in the next block. */
  async #usePlain(): Promise<void> {
    const { activity, plain } = this.#world.laboratory;
    if (this.#more.chance(0.6)) {
      await activity.deposit({ vault: plain, asset: activity.asset });
      return;
    }
    const from = demoAccounts()[10 + this.#more.below(4)]!.address;
    const vault = { contract: "Erc4626Vault", address: plain };
    const held = await read<bigint>(activity.chain, { ...vault, functionName: "balanceOf", args: [from] });
    if (held > 0n)
      await send(activity.chain, {
        ...vault,
        functionName: "redeem",
        args: [held / 2n + 1n, from, from],
        from,
      });
  }

  async #empty(count: number): Promise<void> {
    this.#tell(`${count} empty blocks`);
    await this.#world.laboratory.activity.chain.client.mine({ blocks: count });
  }

  async #reorg(wanted: number): Promise<void> {
    const { activity, base } = this.#world.laboratory;
    const above = Number(await activity.chain.client.getBlockNumber({ cacheTime: 0 })) - base;
    const depth = Math.min(wanted, above);
    if (depth === 0) return;
    this.#tell(`reorganisation of ${depth}`);
    await this.#world.laboratory.node.rememberSiblings();
    await this.#world.laboratory.activity.reorg(depth);
  }

  async #twice(): Promise<void> {
    await this.#reorg(1 + this.#dice.below(this.#world.confirmations + 2));
    await this.#reorg(1 + this.#dice.below(this.#world.confirmations + 4));
  }

  async #acrossDeployment(): Promise<void> {
    this.#tell("a vault is deployed and used");
    await this.#world.laboratory.activity.deployAndUse();
    await this.#world.laboratory.activity.mine();
    const more = this.#dice.below(3);
    await this.#blocks(more);
    if (this.#dice.chance(0.5)) await this.#caughtUp();
    if (this.#dice.chance(0.6)) await this.#reorg(more + 1 + this.#dice.below(2));
  }

  async #restart(): Promise<void> {
    this.#tell("restart");
    await this.#first?.stop();
    this.#start();
  }

  async #whileStopped(): Promise<void> {
    this.#tell("stop");
    await this.#first?.stop();
    this.#first = null;
    await this.#blocks(1 + this.#dice.below(3));
    if (this.#dice.chance(0.7)) await this.#reorg(1 + this.#dice.below(this.#world.confirmations + 5));
    if (this.#dice.chance(0.3)) await this.#empty(this.#dice.pick([20, 70, 140, 600]));
    this.#start();
  }

  /** A second process beside the first, or in its place. */
  async #doubled(): Promise<void> {
    if (this.#second === null) {
      this.#tell("a second process comes");
      this.#second = this.#startOne();
      return;
    }
    const isFirst = this.#dice.chance(0.5);
    this.#tell(isFirst ? "the first process goes" : "the second process goes");
    const going = isFirst ? this.#first : this.#second;
    if (isFirst) this.#first = this.#second;
    this.#second = null;
    await going?.stop();
  }

  /** Every connection of the service to its database is ended by the server. */
  async #cutOff(): Promise<void> {
    this.#tell("database connections are cut");
    // By a connection of its own: of the pool's, some may have ended just now.
    const client = new pg.Client({ connectionString: this.#world.database.url });
    await client.connect();
    try {
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`,
      );
    } finally {
      await client.end();
    }
  }

  async #weather(): Promise<void> {
    const dice = this.#dice;
    const exchanges = dice.pick([0, 0.02, 0.06]);
    const calls = dice.pick([0, 0.02, 0.06]);
    const lags = dice.pick([[], [0, 1], [0, 0, 3], [0, 0, 1, 6]]);
    this.#tell(`weather: ${exchanges} of requests, ${calls} of calls, lags ${JSON.stringify(lags)}`);
    const seed = `${this.#world.seed}/${this.#world.trace.length}`;
    this.#world.laboratory.node.storm({ seed, exchanges, calls, lags, hangMs: 600 });
  }

  /** Blocks of one second, of whole seconds, or hours apart. */
  async #pace(): Promise<void> {
    const seconds = this.#dice.pick([0, 0, 1, 12, 3600]);
    this.#tell(`blocks ${seconds} s apart`);
    await setSecondsBetweenBlocks(this.#world.laboratory.activity.chain.client, seconds);
  }

  /** Waits until the head is stored, or for a while: in bad weather it may take long. */
  async #caughtUp(): Promise<void> {
    if (this.#first === null) return;
    const head = await this.#head();
    const deadline = Date.now() + PATIENCE_MS;
    this.#tell(`time to catch up with ${head}`);
    await this.#untilStored((row) => row.head_hash === head || Date.now() > deadline);
  }

  async #settle(): Promise<void> {
    const { node } = this.#world.laboratory;
    node.calm();
    this.#aheadMs = PAUSES_ARE_OVER_MS;
    this.#tell("calm");
    this.#namesPlain = true;
    if (this.#first !== null && this.#withoutPlain.has(this.#first)) await this.#restart();
    if (this.#second !== null && this.#withoutPlain.has(this.#second)) {
      await this.#second.stop();
      this.#second = null;
    }
    if (this.#first === null) this.#start();
    // A deep reorganisation may have left the chain below what is held; a node that far behind undoes nothing.
    await this.#grow();
    const head = await this.#head();
    const { confirmations } = this.#world;
    const { activity } = this.#world.laboratory;
    const number = Number(await activity.chain.client.getBlockNumber({ cacheTime: 0 }));
    await this.#untilStored(
      (row) =>
        row.head_hash === head &&
        row.confirmed_number === Math.max(0, number - confirmations) &&
        row.behind === 0 &&
        row.unread === 0 &&
        row.owed === 0 &&
        row.lacking === 0,
    );
    await this.end();
    this.#first = this.#second = null;
  }

  async #grow(): Promise<void> {
    const { rows } = await this.#world.database.owner.pool.query<{ n: number | null }>(
      "select head_number as n from chains",
    );
    let round = 0;
    do {
      // Every vault is read at the newest block, here and by who reads the chain in one go.
      await this.#governance.touch(round++);
      await this.#world.laboratory.activity.mine();
    } while (
      Number(await this.#world.laboratory.activity.chain.client.getBlockNumber({ cacheTime: 0 })) <=
      (rows[0]?.n ?? 0)
    );
  }

  async #head(): Promise<string> {
    const block = await this.#world.laboratory.activity.chain.client.getBlock({ blockTag: "latest" });
    return block.hash;
  }

  async #untilStored(isSo: (row: StoredRow) => boolean): Promise<void> {
    const deadline = Date.now() + GIVE_UP_MS;
    for (;;) {
      const { rows } = await this.#world.database.owner.pool.query<StoredRow>(STORED);
      if (isSo(rows[0] ?? NOTHING)) return;
      if (Date.now() > deadline) {
        const status = [this.#first?.status(), this.#second?.status()];
        throw new Error(`does not get there: ${JSON.stringify({ stored: rows[0], status })}`);
      }
      await sleep(10);
    }
  }

  #start(): void {
    this.#first = this.#startOne();
  }

  #startOne(): RunningIngest {
    const dice = this.#dice;
    const { laboratory, confirmations, database } = this.#world;
    const { rpcUrl } = laboratory.anvil;
    const rpcUrls = dice.pick([[laboratory.node.url], [laboratory.node.url], [laboratory.node.url, rpcUrl]]);
    const logStep = dice.pick([undefined, 2, 3, 20]);
    const batchLimits = dice.pick([undefined, { facts: 5, ms: 20 }, { facts: 50, ms: 100 }]);
    this.#namesPlain ||= this.#more.chance(0.4);
    const skewMs = this.#more.pick([0, 0, 0, 86_400_000, -86_400_000]);
    this.#tell(
      `start: ${rpcUrls.length} URLs, step ${logStep}, batches of ${batchLimits?.facts}, plain vault ${this.#namesPlain ? "named" : "unknown"}, clock ${skewMs / 3_600_000} h off`,
    );
    const chain: TestChain = {
      rpcUrls,
      confirmations,
      sources: sourcesOf(laboratory, this.#namesPlain),
      ...(logStep ? { logStep } : {}),
    };
    const started = startIngest(database.db, [chain], {
      clock: { now: () => Date.now() + skewMs },
      nowMs: () => performance.now() + this.#aheadMs,
      ...(this.#world.log ? { log: this.#world.log } : {}),
      ...(batchLimits ? { batchLimits } : {}),
      client: {
        timeoutMs: 1_000,
        logsTimeoutMs: 1_000,
        settleMs: 400,
        deadlineMs: 5_000,
        backoffMs: { base: 5, max: 50 },
      },
    });
    if (!this.#namesPlain) this.#withoutPlain.add(started);
    return started;
  }

  #tell(what: string): void {
    this.#world.trace.push(what);
  }
}

/** What is followed of a laboratory's chain. */
export function sourcesOf(laboratory: Laboratory, namesPlain: boolean): TestChain["sources"] {
  const { activity, plain, curated } = laboratory;
  const named = ["euler_earn", "yearn_v3"] as const;
  return [
    { family: "supervault", aggregator: activity.system.aggregator },
    ...(namesPlain
      ? [
          { family: "erc4626" as const, vaults: [{ address: plain, primary_manager: null }] },
          ...named.map((family) => sourceOf(curated, family, true)),
        ]
      : []),
    ...CURATED.filter((family) => family !== "euler_earn" && family !== "yearn_v3").map((family) =>
      sourceOf(curated, family),
    ),
  ];
}

interface StoredRow {
  head_hash: string | null;
  confirmed_number: number | null;
  behind: number;
  unread: number;
  /** Of who stands behind roles. */
  owed: number;
  /** What the nodes did not tell. */
  lacking: number;
}

const NOTHING: StoredRow = {
  head_hash: null,
  confirmed_number: null,
  behind: 0,
  unread: 0,
  owed: 0,
  lacking: 0,
};

const STORED = `
  select head_hash, confirmed_number,
         (select count(*)::int from sources where next_block is not null) as behind,
         (select count(*)::int from vaults v where (select s.unread <> '{}' from vault_states s where s.vault_address = v.address
            order by s.block_number desc limit 1)) as unread,
         ${CONTROL_OWED} as owed,
         (select count(*)::int from chain_gaps where filled_at is null) as lacking
    from chains`;
