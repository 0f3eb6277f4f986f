// The SQL behind the reads of intents. A page and its total come from one statement, so from one snapshot.

import type { Address } from "viem";
import type { Reads } from "../../platform/db/replica.ts";
import { type Scope, Statement } from "../../reports/reads.ts";
import { vaultIdOfRow } from "../../vault.ts";
import type { IntentCursor } from "./cursor.ts";
import { type IntentFilter, matching, pageQuery, sourceOf, totalQuery } from "./filter.ts";
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

/** Newest first. `hasMore` tells whether intents stand beyond the page. */
export async function listIntents(
  db: Reads,
  scope: Scope,
  filter: IntentFilter,
  { limit, offset, after }: Page,
): Promise<{ intents: Intent[]; total: number; hasMore: boolean }> {
  const statement = new Statement();
  const source = sourceOf(statement, scope, filter);
  const beyond =
    after === null
      ? "true"
      : `(i.created_at, i.intent_id) < (${statement.add(after.createdAt)}, ${statement.add(after.intentId)})`;
  // One more than the page tells whether there is more, whatever the total is counted from.
  const [most, skipped] = [statement.add(limit + 1), statement.add(offset)];
  const page = pageQuery(source, beyond, `${most}::bigint`, `${skipped}::bigint`);
  const { rows } = await db.pool.query<{ total: number } & (Intent | { intent_id: null })>({
    text: `
      with page as materialized (${page})
      select t.total, i.* from (${totalQuery(source)}) t
      left join (select ${INTENT} from page join intents i on i.intent_id = page.intent_id) i on true
      order by i.created_at desc, i.intent_id desc`,
    values: statement.values,
  });
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

export async function intentFacets(db: Reads, scope: Scope, filter: IntentFilter): Promise<Facets> {
  const statement = new Statement();
  const source = sourceOf(statement, scope, filter);
  const kinds = "chain_id, vault_address, strategy_id, action, state";
  const counts =
    source.counted === null
      ? `select i.chain_id, i.vault_address, coalesce(i.strategy_id, '') as strategy_id, coalesce(i.action, '') as action, i.state,
           count(*) as n from ${matching(source)} group by 1, 2, 3, 4, 5`
      : `select ${kinds.replace(/(\w+)/g, "c.$1")}, c.n from intent_counts c
           ${source.scope === null ? "" : `join (${source.scope}) v on v.chain_id = c.chain_id and v.vault_address = c.vault_address`}
           where c.n > 0 and ${source.counted}`;
  const { rows } = await db.pool.query<{
    facet: number;
    chain_id: number;
    vault_address: Address;
    strategy_id: string;
    action: string;
    state: IntentStateName;
    count: number;
  }>({
    text: `
      with counts as materialized (${counts})
      select grouping(${kinds}) as facet, ${kinds}, sum(n)::bigint as count from counts
      group by grouping sets ((), (state), (action), (chain_id), (chain_id, vault_address), (strategy_id))
      order by count desc, state, action, chain_id, vault_address, strategy_id`,
    values: statement.values,
  });
  const facet = <T>(mask: number, value: (row: (typeof rows)[number]) => T) =>
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

export async function findIntent(db: Reads, intentId: string): Promise<Intent | null> {
  const { rows } = await db.pool.query<Intent>({
    name: "intent",
    text: `select ${INTENT} from intents i where i.intent_id = $1`,
    values: [intentId],
  });
  return rows[0] ? withVaultId(rows[0]) : null;
}

/** The events of an intent in the order of `seq`, in the API's form. */
export async function listIntentEvents(
  db: Reads,
  intentId: string,
  page: { limit: number; offset: number },
): Promise<{ rows: unknown[]; total: number }> {
  return paged(db, "intent_events", EVENTS, [intentId, page.limit, page.offset]);
}

/** The fills of an intent, the earliest first, in the API's form. */
export async function listIntentFills(
  db: Reads,
  intent: Pick<Intent, "intent_id" | "chain_id" | "vault_address">,
  page: { limit: number; offset: number },
): Promise<{ rows: unknown[]; total: number }> {
  const values = [intent.intent_id, page.limit, page.offset, intent.chain_id, intent.vault_address];
  return paged(db, "intent_fills", FILLS, values);
}

async function paged(db: Reads, name: string, text: string, values: unknown[]) {
  const { rows } = await db.pool.query<{ total: number; is_row: true | null; [column: string]: unknown }>({
    name,
    text,
    values,
  });
  return {
    rows: rows.flatMap(({ total: _, is_row: isRow, ...row }) => (isRow === null ? [] : [row])),
    total: rows[0]?.total ?? 0,
  };
}

function withVaultId(row: Intent): Intent {
  return { ...row, vault_id: vaultIdOfRow(row) };
}

// In the order in which the API shows them; vault_id is filled in.
const INTENT = `
  i.intent_id, i.execution_id, i.correlation_id, i.strategy_id, '' as vault_id, i.chain_id, i.vault_address, i.action, i.state,
  i.error_code, i.error_message, i.total_amount_in::text, i.total_amount_out::text, i.gas_used_total::text, i.fills_count,
  i.last_event_seq, i.created_at, i.acked_at, i.executing_at, i.completed_at, i.terminal_at`;

const EVENTS = `
  select t.total, e.* from (select count(*) as total from intent_events where intent_id = $1) t
  left join (
    select true as is_row, intent_id, seq, state, event_time as time, execution_id, correlation_id, strategy_id, action, error_code,
      error_message, total_amount_in::text, total_amount_out::text, gas_used_total::text, tx_hash
    from intent_events where intent_id = $1 order by seq limit $2 offset $3
  ) e on true
  order by e.seq`;

const FILLS = `
  select t.total, f.* from (
    select count(*) as total from intent_fills where vault_chain_id = $4 and vault_address = $5 and intent_id = $1
  ) t
  left join (
    select true as is_row, fill_id, intent_id, chain_id, tx_hash, token_in, token_out, amount_in::text, amount_out::text,
      gas_used::text, venue, fill_time, onchain, block_number, is_reverted
    from intent_fills where vault_chain_id = $4 and vault_address = $5 and intent_id = $1
    order by intent_fills.fill_time, fill_id limit $2 offset $3
  ) f on true
  order by f.fill_time, f.fill_id`;
