// Exact totals of the audit log at 10 million entries, as the service reads them, against count(*) of the same filter.
import { sql } from "kysely";
import type { ActionType } from "../../server/src/audit/entries/details.ts";
import { HEAD, timeConditions, totalSql } from "../../server/src/audit/read/counts.ts";
import type { AuditFilter, Branch } from "../../server/src/audit/read/filter.ts";
import { all, conditionsOf } from "../../server/src/audit/read/scan.ts";
import { type Database, executeNamedByText, openDatabase } from "../../server/src/platform/db/db.ts";
import { type AuditDatabase, filledDatabase } from "../support/audit-database.ts";
import { paceOf } from "../support/audit-fill.ts";
import { KEEPERS, operation, PLACES } from "../support/audit-log.ts";
import { MANAGED } from "../support/audit-served.ts";
import { type Figure, type FigureResult, median } from "../support/figure.ts";

const LIMIT_MS = 5;

export const figures: Figure[] = [
  {
    name: "audit: exact total of an action in the whole log",
    against: "count(*)",
    aim: 100,
    async run({ quick }) {
      const database = await filledDatabase(quick);
      return withReader(database, async (reader) => {
        const filter = filtersOf(database.size).get("an action")!;
        const ours = await timed(reader, totalOf(filter), quick ? 50 : 300);
        const limit = await timed(reader, countOf(filter), quick ? 5 : 3);
        return result(median(limit), median(ours), { p99_ms: percentile(ours, 0.99) });
      });
    },
  },
  {
    name: "audit: exact total of any filter, p99 of the slowest",
    against: `${LIMIT_MS} ms`,
    aim: 1,
    async run({ quick }) {
      const database = await filledDatabase(quick);
      return withReader(database, async (reader) => {
        const notes: Record<string, number> = {};
        for (const [name, filter] of filtersOf(database.size)) {
          notes[`${name}, p99 ms`] = percentile(await timed(reader, totalOf(filter), quick ? 50 : 300), 0.99);
        }
        return result(LIMIT_MS, Math.max(...Object.values(notes)), notes);
      });
    },
  },
];

function result(limit: number, ours: number, notes: Record<string, number>): FigureResult {
  return { ratio: limit / ours, ours, limit, unit: "ms", spread: 0, notes };
}

async function withReader<T>({ appUrl }: AuditDatabase, run: (reader: Database) => Promise<T>): Promise<T> {
  const reader = await openDatabase({
    url: appUrl,
    genericPlans: true,
    statementTimeoutMs: 0,
    maxConnections: 1,
  });
  try {
    return await run(reader);
  } finally {
    await reader.close();
  }
}

type Ask = (reader: Database) => Promise<unknown>;

function totalOf(filter: AuditFilter): Ask {
  return ({ kysely }) => executeNamedByText(kysely, "total", sql`with ${HEAD} select ${totalSql(filter)}`);
}

function countOf(filter: AuditFilter): Ask {
  const where = all([...conditionsOf(filter, filter.branches[0]!), ...timeConditions(filter)]);
  return ({ kysely }) => sql`select count(*) from audit_entries where ${where}`.execute(kysely);
}

/** Milliseconds of each of so many times, after as many that are not looked at. */
async function timed(reader: Database, ask: Ask, times: number): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < 2 * times; i += 1) {
    const startedAt = performance.now();
    await ask(reader);
    if (i >= times) took.push(performance.now() - startedAt);
  }
  return took;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Number(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!.toFixed(2));
}

/** One of every kind. Times begin and end within a bucket of the counts, at a quarter and three quarters of the log. */
function filtersOf(size: number): Map<string, AuditFilter> {
  const pace = paceOf(size, Math.floor(Date.now() / 1000));
  const timeAt = (part: number) =>
    `${new Date((pace.firstSecond + size * part * pace.secondsPerEntry) * 1000).toISOString().slice(0, -1)}456Z`;
  const listed = (all: readonly (typeof PLACES)[number][]) =>
    all.map((place) => ({ chainId: place.chain_id, vaultAddress: place.vault_address }));
  const places = listed(MANAGED);
  const user = operation(size - 1, pace).actor_wallet;
  const times = { from: timeAt(0.25), to: timeAt(0.75) };
  const filter = (branch: Partial<Branch>, rest: Partial<AuditFilter> = {}): AuditFilter => ({
    branches: [{ places: "all", actor: null, ...branch }],
    actions: null,
    from: null,
    to: null,
    timeField: "timestamp",
    ...rest,
  });
  const deposit: { actions: ActionType[] } = { actions: ["deposit"] };
  const eight: { actions: ActionType[] } = {
    actions: [
      "deposit",
      "fee_skim",
      "merkle_root_update",
      "pps_update",
      "vault_create",
      "vault_pause",
      "withdraw",
      "yield_source_add",
    ],
  };
  const several: { actions: ActionType[] } = { actions: ["deposit", "pps_update", "withdraw"] };
  return new Map([
    ["everything", filter({})],
    ["an action", filter({}, deposit)],
    ["a chain", filter({ places: { chainId: 8453 } })],
    ["a vault", filter({ places: [places[0]!] })],
    ["ten vaults", filter({ places })],
    ["ten vaults, three actions, a time", filter({ places }, { ...several, ...times })],
    ["forty vaults of two hundred, a time", filter({ places: listed(PLACES.slice(0, 40)) }, times)],
    ["two hundred vaults of as many, a time", filter({ places: listed(PLACES) }, times)],
    ["a chain, eight actions, a time", filter({ places: { chainId: 8453 } }, { ...eight, ...times })],
    ["a vault, an action, a time", filter({ places: [places[0]!] }, { ...deposit, ...times })],
    [
      "a chain, an action, a block time",
      filter({ places: { chainId: 1 } }, { ...deposit, ...times, timeField: "block" }),
    ],
    ["a time", filter({}, times)],
    ["a keeper", filter({ actor: KEEPERS[3]! })],
    ["a keeper, a time", filter({ actor: KEEPERS[3]! }, times)],
    ["a user", filter({ actor: user })],
    ["a user, an action, a time", filter({ actor: user }, { ...deposit, ...times })],
  ]);
}
