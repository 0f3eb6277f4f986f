// The SQL behind the reads of intents. A page and its total come from one statement, so from one snapshot.

import { type RawBuilder, sql } from "kysely";
import type { Address } from "viem";
import { executeNamed } from "../../platform/db/db.ts";
import type { SqlReads } from "../../platform/db/replica.ts";
import type { Scope } from "../../reports/reads.ts";
import { vaultIdOfRow } from "../../vault.ts";
import type { IntentCursor } from "./cursor.ts";
import { countsOf, type IntentFilter, matching, pageQuery, sourceOf, totalQuery } from "./filter.ts";
import type { IntentStateName } from "./fold.ts";

/** An intent in the API's form. */
export interface Intent {
  intent_id: string;
  execution_id: string | null;
  correlation_id: string | null;
  strategy_id: string | null;
  vault_id: string;
  chain_id: number;
  vault_address: Address;
  action: string | null;
  state: IntentStateName;
  error_code: string | null;
  error_message: string | null;
  total_amount_in: string | null;
  total_amount_out: string | null;
  gas_used_total: string | null;
  fills_count: number;
  last_event_seq: number;
  created_at: string;
  acked_at: string | null;
  executing_at: string | null;
  completed_at: string | null;
  terminal_at: string | null;
}

export interface Page {
  limit: number;
  offset: number;
  after: IntentCursor | null;
}

type Cut = Pick<Page, "limit" | "offset">;
type IntentPlace = Pick<Intent, "intent_id" | "chain_id" | "vault_address">;

/** Newest first. `hasMore` tells whether intents stand beyond the page. */
export async function listIntents(
  db: SqlReads,
  scope: Scope,
  filter: IntentFilter,
  { limit, offset, after }: Page,
): Promise<{ intents: Intent[]; total: number; hasMore: boolean }> {
  const source = sourceOf(scope, filter);
  const beyond =
    after === null ? sql`true` : sql`(i.created_at, i.intent_id) < (${after.createdAt}, ${after.intentId})`;
  // One more than the page tells whether there is more, whatever the total is counted from.
  const page = pageQuery(source, beyond, { limit: limit + 1, offset });
  const { rows } = await sql<{ total: number } & (Intent | { intent_id: null })>`
    with page as materialized (${page})
    select t.total, i.* from (${totalQuery(source)}) t
    left join (select ${INTENT} from page join intents i on i.intent_id = page.intent_id) i on true
    order by i.created_at desc, i.intent_id desc`.execute(db.kysely);
  const intents = rows.flatMap(({ total: _, ...row }) => (row.intent_id === null ? [] : [row]));
  return {
    intents: intents.slice(0, limit).map(withVaultId),
    total: rows[0]?.total ?? 0,
    hasMore: intents.length > limit,
  };
}

/** How many intents there are of each kind. The value of what names none is null; the most frequent come first. */
export interface Facets {
  total: number;
  state: Facet<IntentStateName>[];
  action: Facet<string | null>[];
  chain: Facet<number>[];
  vault: Facet<string>[];
  strategy: Facet<string | null>[];
}
export interface Facet<T> {
  value: T;
  count: number;
}

interface FacetRow {
  facet: number;
  chain_id: number;
  vault_address: Address;
  strategy_id: string;
  action: string;
  state: IntentStateName;
  count: number;
}

export async function intentFacets(db: SqlReads, scope: Scope, filter: IntentFilter): Promise<Facets> {
  const source = sourceOf(scope, filter);
  const kinds = sql`chain_id, vault_address, strategy_id, action, state`;
  const counts =
    source.counted === null
      ? sql`select i.chain_id, i.vault_address, coalesce(i.strategy_id, '') as strategy_id, coalesce(i.action, '') as action, i.state,
              count(*) as n from ${matching(source)} group by 1, 2, 3, 4, 5`
      : sql`select c.chain_id, c.vault_address, c.strategy_id, c.action, c.state, c.n from ${countsOf(source.scope)}
            where c.n > 0 and ${source.counted}`;
  const { rows } = await sql<FacetRow>`
    with counts as materialized (${counts})
    select grouping(${kinds}) as facet, ${kinds}, sum(n)::bigint as count from counts
    group by grouping sets ((), (state), (action), (chain_id), (chain_id, vault_address), (strategy_id))
    order by count desc, state, action, chain_id, vault_address, strategy_id`.execute(db.kysely);
  const facet = <T>(mask: number, value: (row: FacetRow) => T) =>
    rows.filter((row) => row.facet === mask).map((row) => ({ value: value(row), count: row.count }));
  return {
    total: rows.find((row) => row.facet === 0b11111)?.count ?? 0,
    state: facet(0b11110, (row) => row.state),
    action: facet(0b11101, (row) => row.action || null),
    chain: facet(0b01111, (row) => row.chain_id),
    vault: facet(0b00111, vaultIdOfRow),
    strategy: facet(0b11011, (row) => row.strategy_id || null),
  };
}

export async function findIntent(db: SqlReads, intentId: string): Promise<Intent | null> {
  const { rows } = await executeNamed(
    db.kysely,
    "intent",
    sql<Intent>`select ${INTENT} from intents i where i.intent_id = ${intentId}`,
  );
  return rows[0] ? withVaultId(rows[0]) : null;
}

/** The events of an intent in the order of `seq`, in the API's form. */
export async function listIntentEvents(
  db: SqlReads,
  intentId: string,
  page: Cut,
): Promise<{ rows: unknown[]; total: number }> {
  return paged(db, "intent_events", eventsOf(intentId, page));
}

/** The fills of an intent, the earliest first, in the API's form. */
export async function listIntentFills(
  db: SqlReads,
  intent: IntentPlace,
  page: Cut,
): Promise<{ rows: unknown[]; total: number }> {
  return paged(db, "intent_fills", fillsOf(intent, page));
}

/** A row of a page, or the total alone where the page is empty. */
type PageRow = { total: number; is_row: true | null; [column: string]: unknown };

async function paged(db: SqlReads, name: string, page: RawBuilder<PageRow>) {
  const { rows } = await executeNamed(db.kysely, name, page);
  return {
    rows: rows.flatMap(({ total: _, is_row: isRow, ...row }) => (isRow === null ? [] : [row])),
    total: rows[0]?.total ?? 0,
  };
}

function withVaultId(row: Intent): Intent {
  return { ...row, vault_id: vaultIdOfRow(row) };
}

// In the order in which the API shows them; vault_id is filled in.
const INTENT = sql`
  i.intent_id, i.execution_id, i.correlation_id, i.strategy_id, '' as vault_id, i.chain_id, i.vault_address, i.action, i.state,
  i.error_code, i.error_message, i.total_amount_in::text, i.total_amount_out::text, i.gas_used_total::text, i.fills_count,
  i.last_event_seq, i.created_at, i.acked_at, i.executing_at, i.completed_at, i.terminal_at`;

const eventsOf = (intentId: string, { limit, offset }: Cut) => sql<PageRow>`
  select t.total, e.* from (select count(*) as total from intent_events where intent_id = ${intentId}) t
  left join (
    select true as is_row, intent_id, seq, state, event_time as time, execution_id, correlation_id, strategy_id, action, error_code,
      error_message, total_amount_in::text, total_amount_out::text, gas_used_total::text, tx_hash
    from intent_events where intent_id = ${intentId} order by seq limit ${limit} offset ${offset}
  ) e on true
  order by e.seq`;

const fillsOf = (intent: IntentPlace, { limit, offset }: Cut) => sql<PageRow>`
  select t.total, f.* from (
    select count(*) as total from intent_fills where vault_chain_id = ${intent.chain_id} and vault_address = ${intent.vault_address} and intent_id = ${intent.intent_id}
  ) t
  left join (
    select true as is_row, fill_id, intent_id, chain_id, tx_hash, token_in, token_out, amount_in::text, amount_out::text,
      gas_used::text, venue, fill_time, onchain, block_number, is_reverted
    from intent_fills where vault_chain_id = ${intent.chain_id} and vault_address = ${intent.vault_address} and intent_id = ${intent.intent_id}
    order by intent_fills.fill_time, fill_id limit ${limit} offset ${offset}
  ) f on true
  order by f.fill_time, f.fill_id`;
