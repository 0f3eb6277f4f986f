// Applies reported events of intents. A batch costs a handful of statements however many events it holds: what is known of its
// intents is loaded, the events are folded in memory, and the result is written set by set.
import { sql } from "kysely";
import { executeNamed, type Tx } from "../../platform/db/db.ts";
import type { Rejection, Report, ReportHandler } from "../../reports/handler.ts";
import type { VaultColumns } from "../../vault.ts";
import { foldEvents, type IntentEvent, type IntentFold, isTerminal, standing } from "./fold.ts";

type EventReport = Report<"vaultops.intent.event">;

/** An intent at hand: as it is stored, and its events, all of them where `isWhole`, else those of the batch. */
interface Held {
  place: VaultColumns;
  stored: IntentFold | null;
  events: Map<number, IntentEvent>;
  isWhole: boolean;
  isOver: boolean;
  /** Events to be written, by seq. */
  fresh: Set<number>;
}

export const intentEventHandler: ReportHandler<"vaultops.intent.event"> = {
  type: "vaultops.intent.event",

  async apply(tx, reports) {
    const held = await loadHeld(tx, reports);
    const rejections = reports.map((report) => take(held, report));
    const changed = [...held]
      .filter(([, each]) => each.fresh.size > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, each]) => ({ id, held: each, fold: foldOf(each) }));
    if (changed.length === 0) return rejections;

    const written = await writeIntents(tx, changed);
    const owned = changed.filter(({ id }) => written.has(id));
    await writeEvents(
      tx,
      owned.flatMap(({ held: { events, fresh } }) => [...fresh].map((seq) => events.get(seq) as IntentEvent)),
    );
    await writeCounts(tx, owned);
    // Of an intent that another vault's report has made known at this very moment nothing was written.
    return rejections.map((rejection, index) =>
      rejection === null &&
      !written.has(intentOf(reports[index])) &&
      held.get(intentOf(reports[index]))?.fresh.size
        ? otherVault(intentOf(reports[index]))
        : rejection,
    );
  },
};

function intentOf(report: EventReport | undefined): string {
  return report?.data.intent_id ?? "";
}

/** The refusal of a report about an intent that belongs to another vault. */
export function otherVault(intentId: string): Rejection {
  return {
    code: "intent_conflict",
    detail: `Intent ${JSON.stringify(intentId)} was reported for another vault. Intent ids are unique among all vaults.`,
  };
}

/** Takes one report into what is held. */
function take(held: Map<string, Held>, report: EventReport): Rejection | null {
  const place = placeOf(report);
  const event = eventOf(report);
  const own = held.get(event.intent_id) ?? newlyHeld(place);
  if (own.place.chain_id !== place.chain_id || own.place.vault_address !== place.vault_address)
    return otherVault(event.intent_id);
  if (isTerminal(event.state) && own.isOver) {
    return {
      code: "intent_terminal",
      detail: `The intent has ended already; ${event.state} with seq ${event.seq} is not accepted.`,
    };
  }
  held.set(event.intent_id, own);
  own.isOver ||= isTerminal(event.state);
  const before = own.events.get(event.seq);
  const stands = before === undefined ? event : standing(before, event);
  if (stands === before) return null;
  own.events.set(event.seq, stands);
  own.fresh.add(event.seq);
  return null;
}

function newlyHeld(place: VaultColumns): Held {
  return { place, stored: null, events: new Map(), isWhole: true, isOver: false, fresh: new Set() };
}

/** From all events, or, where every event is new and later than those stored, from what they made before. */
function foldOf({ stored, events, isWhole }: Held): IntentFold {
  return foldEvents(events.values(), isWhole ? null : stored) as IntentFold;
}

function placeOf({ vault }: EventReport): VaultColumns {
  if (vault === null) throw new Error("an intent's event names no vault");
  return { chain_id: vault.chainId, vault_address: vault.vaultAddress };
}

function eventOf({ data, time, id }: EventReport): IntentEvent {
  return {
    intent_id: data.intent_id,
    seq: data.seq,
    state: data.state,
    event_time: time,
    event_id: id,
    execution_id: data.execution_id ?? null,
    correlation_id: data.correlation_id ?? null,
    strategy_id: data.strategy_id ?? null,
    action: data.action || null,
    error_code: data.error_code || null,
    error_message: data.error_message ?? null,
    total_amount_in: data.total_amount_in ?? null,
    total_amount_out: data.total_amount_out ?? null,
    gas_used_total: data.gas_used_total ?? null,
    tx_hash: data.tx_hash?.toLowerCase() ?? null,
  };
}

const CARRIED = sql.raw(
  "execution_id, correlation_id, strategy_id, action, error_code, error_message, total_amount_in::text, total_amount_out::text, gas_used_total::text",
);

/** The batch's intents as stored; with their events, where the batch may reach back among these. */
async function loadHeld(tx: Tx, reports: readonly EventReport[]): Promise<Map<string, Held>> {
  const lowest = new Map<string, number>();
  for (const { data } of reports)
    lowest.set(data.intent_id, Math.min(data.seq, lowest.get(data.intent_id) ?? data.seq));
  const { rows } = await executeNamed(
    tx,
    "engine_intents_held",
    sql<IntentFold & VaultColumns & { intent_id: string }>`
    select intent_id, chain_id, vault_address, state, last_event_seq, created_at, acked_at, executing_at, completed_at, terminal_at,
      ${CARRIED}
    from intents where intent_id = any(${[...lowest.keys()]}::text[])`,
  );
  const held = new Map<string, Held>();
  const reached: string[] = [];
  for (const { intent_id: id, chain_id, vault_address, ...stored } of rows) {
    const isWhole = (lowest.get(id) as number) <= stored.last_event_seq;
    if (isWhole) reached.push(id);
    held.set(id, {
      ...newlyHeld({ chain_id, vault_address }),
      stored,
      isWhole,
      isOver: stored.terminal_at !== null,
    });
  }
  if (reached.length === 0) return held;
  const events = await executeNamed(
    tx,
    "engine_intent_events_held",
    sql<IntentEvent>`
    select intent_id, seq, state, event_time, event_id, ${CARRIED}, tx_hash
    from intent_events where intent_id = any(${reached}::text[])`,
  );
  for (const event of events.rows) held.get(event.intent_id)?.events.set(event.seq, event);
  return held;
}

interface Changed {
  id: string;
  held: Held;
  fold: IntentFold;
}

const FOLDED = [
  "execution_id",
  "correlation_id",
  "strategy_id",
  "action",
  "state",
  "error_code",
  "error_message",
  "total_amount_in",
  "total_amount_out",
  "gas_used_total",
  "last_event_seq",
  "created_at",
  "acked_at",
  "executing_at",
  "completed_at",
  "terminal_at",
];

/** Writes the intents; the ids of those that are the vault's own. Fills that came before an intent's first event are counted. */
async function writeIntents(tx: Tx, changed: readonly Changed[]): Promise<Set<string>> {
  const rows = changed.map(({ id, held, fold }) => ({ intent_id: id, ...held.place, ...fold }));
  const { rows: written } = await executeNamed(
    tx,
    "engine_intents",
    sql<{ intent_id: string }>`
    insert into intents as held (intent_id, chain_id, vault_address, fills_count, ${sql.raw(FOLDED.join(", "))})
    select intent_id, chain_id, vault_address, (
        select count(*) from intent_fills f
        where f.vault_chain_id = given.chain_id and f.vault_address = given.vault_address and f.intent_id = given.intent_id
      ), ${sql.raw(FOLDED.join(", "))}
    from json_populate_recordset(null::intents, ${JSON.stringify(rows)}::json) given
    order by intent_id
    on conflict (intent_id) do update set ${sql.raw(FOLDED.map((name) => `${name} = excluded.${name}`).join(", "))}
      where held.chain_id = excluded.chain_id and held.vault_address = excluded.vault_address
    returning intent_id`,
  );
  return new Set(written.map((row) => row.intent_id));
}

async function writeEvents(tx: Tx, events: readonly IntentEvent[]): Promise<void> {
  if (events.length === 0) return;
  const told = [
    "state",
    "event_time",
    "event_id",
    "execution_id",
    "correlation_id",
    "strategy_id",
    "action",
    "error_code",
    "error_message",
    "total_amount_in",
    "total_amount_out",
    "gas_used_total",
    "tx_hash",
  ];
  await executeNamed(
    tx,
    "engine_intent_events",
    sql`
    insert into intent_events (intent_id, seq, ${sql.raw(told.join(", "))})
    select intent_id, seq, ${sql.raw(told.join(", "))}
    from json_populate_recordset(null::intent_events, ${JSON.stringify(events)}::json)
    on conflict (intent_id, seq) do update set ${sql.raw(told.map((name) => `${name} = excluded.${name}`).join(", "))}`,
  );
}

/** Moves the changed intents from the kind that they were of to the one that they are of now. */
async function writeCounts(tx: Tx, changed: readonly Changed[]): Promise<void> {
  const moves = new Map<
    string,
    VaultColumns & Record<"strategy_id" | "action" | "state", string> & { n: number }
  >();
  const add = (place: VaultColumns, fold: IntentFold, n: number) => {
    const kind = { strategy_id: fold.strategy_id ?? "", action: fold.action ?? "", state: fold.state };
    const key = JSON.stringify([
      place.chain_id,
      place.vault_address,
      kind.strategy_id,
      kind.action,
      kind.state,
    ]);
    moves.set(key, { ...place, ...kind, n: (moves.get(key)?.n ?? 0) + n });
  };
  for (const { held, fold } of changed) {
    if (held.stored !== null) add(held.place, held.stored, -1);
    add(held.place, fold, 1);
  }
  const rows = [...moves.values()].filter(({ n }) => n !== 0);
  if (rows.length === 0) return;
  await executeNamed(
    tx,
    "engine_intent_counts",
    sql`
    insert into intent_counts as c (chain_id, vault_address, strategy_id, action, state, n)
    select chain_id, vault_address, strategy_id, action, state, n
    from json_populate_recordset(null::intent_counts, ${JSON.stringify(rows)}::json)
    order by 1, 2, 3, 4, 5
    on conflict (chain_id, vault_address, strategy_id, action, state) do update set n = c.n + excluded.n`,
  );
}
