// The SQL of tokens and their prices.
import { sql } from "kysely";
import type { Address } from "viem";
import { type Database, executeNamed } from "../../platform/db/db.ts";
import type { SqlReads } from "../../platform/db/replica.ts";
import type { ListedToken } from "./token-list.ts";

export interface TokenId {
  chainId: number;
  address: Address;
}

/** What a token's contract says of it; null where it says nothing usable. */
export interface TokenMetadata {
  symbol: string | null;
  name: string | null;
  decimals: number | null;
}

/** A price of the sources, or why there is none. */
export type PriceAnswer = { usdE18: bigint; updatedAt: number; source: string } | { unavailable: string };

export interface TokenRow {
  chain_id: number;
  address: Address;
  symbol: string | null;
  name: string | null;
  decimals: number | null;
  logo_uri: string | null;
  price_usd_e18: bigint | null;
  source: string | null;
  priced_at: string | null;
  unavailable_reason: string | null;
  checked_at: string | null;
  valid_until: string | null;
}

/** Tokens that vaults hold or pay upkeep with and that have no row yet, or whose contract said too little more than a day ago. */
export async function missingTokens(db: Pick<Database, "kysely">): Promise<TokenId[]> {
  const { rows } = await executeNamed(
    db.kysely,
    "tokens_missing",
    sql<{ chain_id: number; address: Address }>`
      select needed.chain_id, needed.address from (
        select chain_id, asset_address as address from vaults
        union
        select v.chain_id, s.upkeep_token from vaults v cross join lateral (
          select upkeep_token from vault_states s where s.chain_id = v.chain_id and s.vault_address = v.address
          order by s.block_number desc limit 1
        ) s where s.upkeep_token is not null
      ) needed
      left join tokens t on t.chain_id = needed.chain_id and t.address = needed.address
      where t.address is null
        or ((t.symbol is null or t.decimals is null) and t.updated_at < now() - interval '1 day')`,
  );
  return rows.map((row) => ({ chainId: row.chain_id, address: row.address }));
}

export async function saveTokens(
  db: Pick<Database, "kysely">,
  tokens: readonly (TokenId & TokenMetadata)[],
): Promise<void> {
  for (const { chainId, address, symbol, name, decimals } of tokens) {
    await sql`
      insert into tokens as t (chain_id, address, symbol, name, decimals)
      values (${chainId}, ${address}, ${symbol}, ${name}, ${decimals})
      on conflict (chain_id, address) do update set symbol = coalesce(excluded.symbol, t.symbol),
        name = coalesce(excluded.name, t.name), decimals = coalesce(excluded.decimals, t.decimals), updated_at = now()`.execute(
      db.kysely,
    );
  }
}

/** Adds what lists know to tokens that are there; of several lists the first that knows something decides. */
export async function saveListed(
  db: Pick<Database, "kysely">,
  listed: readonly ListedToken[],
): Promise<void> {
  if (listed.length === 0) return;
  await sql`
    update tokens t set logo_uri = coalesce(l.logo_uri, t.logo_uri), symbol = coalesce(t.symbol, l.symbol),
      name = coalesce(t.name, l.name), decimals = coalesce(t.decimals, l.decimals), updated_at = now()
    from (
      select distinct on (chain_id, address) * from unnest(
        ${listed.map((each) => each.chainId)}::bigint[], ${listed.map((each) => each.address)}::text[],
        ${listed.map((each) => each.logoUri)}::text[], ${listed.map((each) => each.symbol)}::text[],
        ${listed.map((each) => each.name)}::text[], ${listed.map((each) => each.decimals)}::smallint[]
      ) with ordinality as given (chain_id, address, logo_uri, symbol, name, decimals, place)
      order by chain_id, address, place
    ) l
    where t.chain_id = l.chain_id and t.address = l.address
      and (t.logo_uri is distinct from coalesce(l.logo_uri, t.logo_uri) or (t.symbol is null and l.symbol is not null)
        or (t.name is null and l.name is not null) or (t.decimals is null and l.decimals is not null))`.execute(
    db.kysely,
  );
}

export async function pricedTokens(db: Pick<Database, "kysely">): Promise<TokenId[]> {
  const { rows } = await sql<{ chain_id: number; address: Address }>`
    select chain_id, address from tokens order by chain_id, address`.execute(db.kysely);
  return rows.map((row) => ({ chainId: row.chain_id, address: row.address }));
}

export interface PriceCheck {
  /** Milliseconds since the Unix epoch. */
  checkedAtMs: number;
  /** How long a price that ages may be used without a new check. */
  validMs: number;
  /** Least time between two points of a token's price history, and how long one stands where none follows. */
  pointEveryMs: number;
  pointStandsMs: number;
}

/** Keeps the answers for tokens, and a point of history for those whose last is old enough. */
export async function savePrices(
  db: Pick<Database, "transaction">,
  answers: readonly (TokenId & { answer: PriceAnswer })[],
  { checkedAtMs, validMs, pointEveryMs, pointStandsMs }: PriceCheck,
): Promise<void> {
  const at = sql`to_timestamp(${checkedAtMs}::float8 / 1000)`;
  await db.transaction(async (tx) => {
    for (const { chainId, address, answer } of answers) {
      const price = "unavailable" in answer ? null : answer;
      const reason = "unavailable" in answer ? answer.unavailable : null;
      const validUntil = price && price.source !== "static" ? checkedAtMs + validMs : null;
      await sql`
        insert into token_prices
          (chain_id, address, price_usd_e18, source, priced_at, unavailable_reason, checked_at, valid_until)
        values (${chainId}, ${address}, ${price?.usdE18 ?? null}, ${price?.source ?? null},
          to_timestamp(${price?.updatedAt ?? null}::float8), ${reason}, ${at},
          to_timestamp(${validUntil}::float8 / 1000))
        on conflict (chain_id, address) do update set price_usd_e18 = excluded.price_usd_e18, source = excluded.source,
          priced_at = excluded.priced_at, unavailable_reason = excluded.unavailable_reason,
          checked_at = excluded.checked_at, valid_until = excluded.valid_until`.execute(tx);
      if (!price) continue;
      await sql`
        insert into price_points (chain_id, address, priced_at, stands_until, price_usd_e18, source)
        select ${chainId}::bigint, ${address}::text, ${at}, to_timestamp(${checkedAtMs + pointStandsMs}::float8 / 1000),
          ${price.usdE18}::numeric, ${price.source}::text
        where not exists (
          select from price_points p where p.chain_id = ${chainId} and p.address = ${address}
            and p.priced_at > ${at} - ${pointEveryMs}::float8 * interval '1 millisecond')
        on conflict do nothing`.execute(tx);
    }
  });
}

/** A token whose vaults have a past without prices: the blocks to look in, both inclusive. */
export interface UnpricedPast extends TokenId {
  fromBlock: number;
  toBlock: number;
}

/** Tokens whose vaults have older points than past prices were looked for. */
export async function unpricedPasts(db: Pick<Database, "kysely">): Promise<UnpricedPast[]> {
  const { rows } = await executeNamed(
    db.kysely,
    "tokens_unpriced_pasts",
    sql<{ chain_id: number; address: Address; from_block: number; to_block: number }>`
      select t.chain_id, t.address, first.block_number as from_block, coalesce(t.priced_from_block - 1, c.head_number) as to_block
      from tokens t
      join chains c on c.chain_id = t.chain_id
      cross join lateral (
        select min(p.block_number) as block_number from vaults v cross join lateral (
          select block_number from pps_points p where p.chain_id = v.chain_id and p.vault_address = v.address
          order by p.block_timestamp, p.block_number, p.log_index limit 1
        ) p where v.chain_id = t.chain_id and v.asset_address = t.address
      ) first
      where first.block_number < coalesce(t.priced_from_block, c.head_number)`,
  );
  return rows.map((row) => ({
    chainId: row.chain_id,
    address: row.address,
    fromBlock: row.from_block,
    toBlock: row.to_block,
  }));
}

export interface PastPrice {
  usdE18: bigint;
  /** Unix seconds. */
  updatedAt: number;
}

/** Keeps past prices of a token, and that they were looked for from `fromBlock` on. */
export async function savePast(
  db: Pick<Database, "transaction">,
  { chainId, address, fromBlock }: UnpricedPast,
  prices: readonly PastPrice[],
  past: { source: string; standsSeconds: number },
): Promise<void> {
  await db.transaction(async (tx) => {
    await sql`
      insert into price_points (chain_id, address, priced_at, stands_until, price_usd_e18, source)
      select ${chainId}, ${address}, to_timestamp(at), to_timestamp(at + ${past.standsSeconds}::float8), usd, ${past.source}
      from unnest(${prices.map((price) => price.updatedAt)}::float8[],
        ${prices.map((price) => price.usdE18.toString())}::numeric[]) as given (at, usd)
      on conflict do nothing`.execute(tx);
    await sql`
      update tokens set priced_from_block = ${fromBlock} where chain_id = ${chainId} and address = ${address}`.execute(
      tx,
    );
  });
}

/** Every token with its price, by chain, then address. */
export async function loadTokens(db: SqlReads): Promise<TokenRow[]> {
  const { rows } = await executeNamed(
    db.kysely,
    "tokens_all",
    sql<TokenRow>`
      select t.chain_id, t.address, t.symbol, t.name, t.decimals, t.logo_uri, p.price_usd_e18, p.source, p.priced_at,
        p.unavailable_reason, p.checked_at, p.valid_until
      from tokens t left join token_prices p on p.chain_id = t.chain_id and p.address = t.address
      order by t.chain_id, lower(t.address)`,
  );
  return rows;
}

export async function chainExists(db: Pick<Database, "kysely">, chainId: number): Promise<boolean> {
  const { rows } = await sql`select from chains where chain_id = ${chainId}`.execute(db.kysely);
  return rows.length === 1;
}
