// Foretelling: what calls would do to a vault, by the code that does it when they are mined. Their logs become facts, facts and readings become
// rows, in a transaction that always rolls back; in it the record is read, and the monitors judge.
//
// The chain is simulated twice, a while apart, in one request of the node: what differs between the two moves with time.
import { sql } from "kysely";
import type { Address } from "viem";
import { foretoldEntries } from "../audit/append/foretold.ts";
import type { ChainClient } from "../chain/client/client.ts";
import { type ForetoldBlock, foretold } from "../chain/client/foretold-client.ts";
import type { SimulatedBlock, SimulationBlock } from "../chain/client/simulate.ts";
import type { Source } from "../chain/directory.ts";
import { createFamilies } from "../chain/families/registry.ts";
import { ChainFault } from "../chain/rpc/fault.ts";
import type { BlockRef, Call } from "../chain/rpc/raw.ts";
import type { Config } from "../config/load.ts";
import type {
  AskedCalls,
  Attempt,
  Foreteller,
  Foretelling,
  ForetoldLog,
  Moment,
  Standing,
  Times,
} from "../features/actions/prepare/foreteller.ts";
import { findingsIn } from "../features/alerts/judge/foretold.ts";
import { keyOf, type Signal } from "../features/alerts/state/signal.ts";
import { keptOf, recordIn } from "../features/vaults/foretold.ts";
import { type Foretold, foretellBlock, writeForetold } from "../ingest/foretell/block.ts";
import { type ForetellParts, type Ground, loadGround } from "../ingest/foretell/ground.ts";
import { heldTooLong, holdChain } from "../ingest/foretell/hold.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, isDatabaseUnavailable, type Tx } from "../platform/db/db.ts";
import type { Logger } from "../platform/log.ts";
import { executionBy } from "./foretold-safe.ts";
import { PROJECTIONS } from "./indexer.ts";

export interface ForetellingParts {
  config: Pick<Config, "chains"> & { alerts: Pick<Config["alerts"], "rules"> };
  db: Database;
  clients: ReadonlyMap<number, ChainClient>;
  clock: Clock;
  log: Logger;
}

/** How much later the calls are simulated once more. */
const LATER_SECONDS = 3_600;
const RELATED_MS = 600_000;

export function createForeteller({ config, db, clients, clock, log }: ForetellingParts): Foreteller {
  const families = createFamilies(log);
  const related = relatedLately(families, clients, clock);
  return {
    codeAt: async (chainId, address) => (await clients.get(chainId)?.getCode(address, "latest")) ?? "0x",
    async stand(chainId, address) {
      const settings = config.chains.find((chain) => chain.chain_id === chainId);
      const client = clients.get(chainId);
      const kept = await keptOf(db, chainId, address);
      if (settings === undefined || client === undefined || kept === null) return null;
      const parts: ForetellParts = {
        db,
        client,
        families,
        settings,
        projections: PROJECTIONS,
        related: (source, at) => related(chainId, source, at),
        log,
      };
      const ground = await loadGround(parts, address, kept);
      return ground && standingOf(parts, ground, { rules: config.alerts.rules, clock });
    },
  };
}

interface Judging {
  rules: Config["alerts"]["rules"];
  clock: Clock;
}

function standingOf(parts: ForetellParts, ground: Ground, judging: Judging): Standing {
  const { family, vault, base, reading, tracked, controllers, roles } = ground;
  return {
    family,
    vault,
    block: { number: base.number, hash: base.hash, timestamp: base.timestamp },
    reading,
    tracked,
    controllers,
    roles,
    multicall: parts.client.multicall,
    attempt: (asked, signal) => attempt(parts, ground, judging, asked, signal),
    foretell: (asked, signal) => foretell(parts, ground, judging, asked, signal),
  };
}

/** Without the method that tries several calls, one can still be asked about. */
async function attempt(
  { client }: ForetellParts,
  { base }: Ground,
  { clock }: Judging,
  { from, calls }: Pick<AskedCalls, "from" | "calls">,
  signal: AbortSignal,
): Promise<Attempt> {
  const at = { number: base.number, hash: base.hash };
  const timestamp = Math.max(base.timestamp + 1, Math.floor(clock.now() / 1000));
  const own = calls.map((call) => ({ from, ...call }));
  const [answer] = await client.simulate(
    [[{ number: base.number + 1, timestamp, calls: own, views: [] }]],
    at,
    signal,
  );
  if (answer && "blocks" in answer) {
    const outcomes = answer.blocks[0]!.calls;
    const call = outcomes.findIndex(({ success }) => !success);
    return {
      method: "eth_simulateV1",
      reverted: call < 0 ? null : { call, data: outcomes[call]!.data },
    };
  }
  const [only, ...more] = calls;
  if (only === undefined || more.length > 0)
    throw new ChainFault("refused", "the node does not simulate several calls");
  const result = await client.call({ from, to: only.to, data: only.data }, at);
  if (result.isUnread) throw new ChainFault("unread", "the node did not answer the call");
  return { method: "eth_call", reverted: result.success ? null : { call: 0, data: result.data } };
}

async function foretell(
  parts: ForetellParts,
  ground: Ground,
  judging: Judging,
  asked: AskedCalls,
  signal: AbortSignal,
): Promise<Foretelling> {
  const { base } = ground;
  const at = { number: base.number, hash: base.hash };
  const time = Math.max(base.timestamp + 1, Math.floor(judging.clock.now() / 1000));
  const runs = [time, time + LATER_SECONDS].map((begin) => blocksOf(asked, ground, begin));
  const simulate = async (some: readonly (readonly SimulationBlock[])[]) => {
    const answers = await parts.client.simulate(some, at, signal);
    return answers.map((answer) => ("refused" in answer ? null : answer.blocks));
  };
  const [sooner, later] = await simulate(runs);
  if (!sooner) {
    const [first] = asked.calls;
    const { to, data } = first!;
    const result = await parts.client.call({ from: asked.from, to, data }, at);
    if (result.isUnread) throw new ChainFault("unread", "the node did not answer the call");
    return { method: "eth_call", moment: { number: at.number, timestamp: base.timestamp }, ...result };
  }
  const again = async (run: readonly SimulationBlock[], views: readonly Call[]) => {
    const [more] = await simulate([run.map((block) => ({ ...block, views }))]);
    if (!more) throw new ChainFault("refused", "the node does not simulate any more");
    return more;
  };
  const told = await Promise.all(
    [sooner, later ?? null].map(
      (simulated, index) =>
        simulated &&
        tell(parts, ground, asked, runs[index]!, simulated, (views) => again(runs[index]!, views)),
    ),
  );
  return await judged(parts, ground, judging, runs, [told[0]!, told[1] ?? null], signal);
}

/** A block with the calls, and where they wait one with what makes them come true. */
function blocksOf(
  { from, calls, execution }: AskedCalls,
  { base, views }: Ground,
  time: number,
): SimulationBlock[] {
  const first = {
    number: base.number + 1,
    timestamp: time,
    calls: calls.map((call) => ({ from, ...call })),
    views,
  };
  if (execution === null) return [first];
  const sender = execution.from ?? from;
  return [
    first,
    {
      number: base.number + 2,
      timestamp: time + Math.max(1, execution.delaySeconds),
      calls: execution.calls.map((call) => ({ from: sender, ...call })),
      views,
    },
  ];
}

/** A run as far as its calls succeed. */
interface Told {
  blocks: Foretold[];
  /** In the block after those. */
  reverted: Moment["reverted"];
  events: ForetoldLog[];
}

async function tell(
  parts: ForetellParts,
  ground: Ground,
  asked: AskedCalls,
  run: readonly SimulationBlock[],
  simulated: readonly SimulatedBlock[],
  again: (views: readonly Call[]) => Promise<readonly SimulatedBlock[]>,
): Promise<Told> {
  const isContract = (sender: Address) => asked.isContract && sender === asked.from;
  const { client, blocks } = foretold({
    client: parts.client,
    base: ground.base,
    blocks: run,
    simulated,
    again,
    isContract,
    executionBy: (sender, calls, hash) =>
      asked.isSafe && sender === asked.from ? executionBy(sender, calls, hash) : null,
  });
  const world = await ground.world();
  const done: Foretold[] = [];
  for (const [index, block] of blocks.entries()) {
    const call = simulated[index]!.calls.findIndex(({ success }) => !success);
    if (call >= 0) {
      const { data } = simulated[index]!.calls[call]!;
      return {
        blocks: done,
        reverted: { call, data },
        events: eventsOf(asked, blocks[0]!, done.length > 0, world),
      };
    }
    done.push(await foretellBlock(parts, ground, world, client, block));
  }
  return { blocks: done, reverted: null, events: eventsOf(asked, blocks[0]!, true, world) };
}

/** The events of the calls themselves that contracts made which are followed; not what the sender says of having made them. */
function eventsOf(
  { isSafe, from }: AskedCalls,
  block: ForetoldBlock,
  isDone: boolean,
  { directory, control }: Awaited<ReturnType<Ground["world"]>>,
): ForetoldLog[] {
  if (!isDone) return [];
  return block.logs
    .filter(({ address }) => !(isSafe && address === from.toLowerCase()))
    .filter(({ address }) => directory.contract(address) !== undefined || control.followed.has(address))
    .map(({ address, topics, data }) => ({ address, topics, data }));
}

/** Thrown at the end of the transaction, so that nothing of it stays. */
class RolledBack extends Error {
  readonly value: unknown;

  constructor(value: unknown) {
    super("what was foretold is not kept");
    this.value = value;
  }
}

async function judged(
  parts: ForetellParts,
  ground: Ground,
  judging: Judging,
  runs: readonly SimulationBlock[][],
  [sooner, later]: [Told, Told | null],
  signal: AbortSignal,
): Promise<Foretelling> {
  return await rolledBack(parts.db, signal, async (tx) => {
    const place = { chainId: parts.settings.chain_id, address: ground.vault.address };
    const found = (ms: number, own = tx) => findingsIn(own, { ...place, defaults: judging.rules }, ms);
    const times = runs[0]!.map(({ timestamp }) => Math.max(timestamp * 1000, judging.clock.now()));
    const before: Signal[][] = [];
    for (const ms of times) before.push(await found(ms));
    // Nobody waits any more: then nobody is held up either.
    signal.throwIfAborted();
    const { head, held } = await holdChain(tx, place.chainId);
    const record = (ms: number) => recordIn(held, place, ms) as Promise<Record<string, unknown>>;
    const recordBefore = await record(times[0]!);
    const number = Math.max(head, ground.base.number) + 1;

    const momentsOf = async (
      told: Told,
      run: readonly SimulationBlock[],
      withAlerts: boolean,
    ): Promise<Moment[]> => {
      const moments: Moment[] = [];
      for (const [index, { timestamp, number: own }] of run.entries()) {
        const block = told.blocks[index];
        if (block === undefined) {
          const reverted = told.blocks.length === index ? told.reverted : null;
          if (reverted)
            moments.push({
              number: own,
              timestamp,
              reverted,
              record: recordBefore,
              hashes: [],
              entries: [],
              alerts: [],
            });
          break;
        }
        const facts = await writeForetold(held, parts, block, number + index);
        const ms = Math.max(timestamp * 1000, judging.clock.now());
        moments.push({
          number: own,
          timestamp,
          reverted: null,
          entries: await foretoldEntries(held, facts),
          record: await record(ms),
          hashes: told.blocks.slice(0, index + 1).flatMap((each) => hashesOf(each.block)),
          alerts: withAlerts ? opened(before[index]!, await found(ms, held)) : [],
        });
      }
      return moments;
    };
    await sql`savepoint foretold`.execute(held);
    const first = await momentsOf(sooner, runs[0]!, true);
    await sql`rollback to savepoint foretold`.execute(held);
    const second = later === null ? [] : await momentsOf(later, runs[1]!, false);
    const timesOf = (index: number): Times | null => {
      const moment = first[index];
      const other = second[index];
      return moment === undefined
        ? null
        : {
            before: recordBefore,
            sooner: moment,
            later: other === undefined || other.reverted ? null : other,
          };
    };
    return {
      method: "eth_simulateV1",
      now: timesOf(0)!,
      atExecution: timesOf(1),
      events: sooner.events,
      laterEvents: later?.events ?? null,
    };
  });
}

/** Runs it in a transaction that is always rolled back; again where its session was lost, for it is given little time. */
async function rolledBack<T>(db: Database, signal: AbortSignal, fn: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await db.transaction(async (tx) => {
        throw new RolledBack(await fn(tx));
      });
    } catch (error) {
      if (error instanceof RolledBack) return error.value as T;
      if (isTooSlow(error) && attempt === ATTEMPTS) throw heldTooLong();
      if (attempt === ATTEMPTS || !isSessionLost(error)) throw error;
    }
  }
}

const ATTEMPTS = 3;

function isSessionLost(error: unknown): boolean {
  return isTooSlow(error) || isDatabaseUnavailable(error);
}

/** Of a transaction that stood still PostgreSQL ends the session; and what waits, or works, for too long is ended too. */
function isTooSlow(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "25P03" || code === "55P03" || code === "57014";
}

function hashesOf({ hash, transactions }: ForetoldBlock): string[] {
  return [hash, ...transactions.map((transaction) => transaction.hash)];
}

/** What was not found before, or was less bad. */
function opened(before: readonly Signal[], after: readonly Signal[]) {
  const known = new Map(before.map((signal) => [keyOf(signal), signal.severity]));
  return after
    .filter((signal) => known.get(keyOf(signal)) !== signal.severity)
    .map(({ category, severity, title, message }) => ({ category, severity, title, message }));
}

/** The governor and oracles of a source, asked for once in a while. */
function relatedLately(
  families: ReturnType<typeof createFamilies>,
  clients: ReadonlyMap<number, ChainClient>,
  clock: Clock,
) {
  const known = new Map<
    string,
    { untilMs: number; related: Promise<Pick<Source, "governor" | "oracles">> }
  >();
  return (chainId: number, source: Source, at: BlockRef): Promise<Pick<Source, "governor" | "oracles">> => {
    const key = `${chainId}:${source.family}:${source.address}`;
    const kept = known.get(key);
    if (kept && kept.untilMs > clock.now()) return kept.related;
    const related = families[source.family].related(clients.get(chainId)!, source, at);
    known.set(key, { untilMs: clock.now() + RELATED_MS, related });
    related.catch(() => known.delete(key));
    return related;
  };
}
