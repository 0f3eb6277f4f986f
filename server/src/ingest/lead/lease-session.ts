// The leases of chains as PostgreSQL keeps them, over one connection of their own: a pool that is busy must not cost a lead.
// Every moment is told by the database's clock.
import { hostname } from "node:os";
import pg from "pg";
import { clientConfig, openSession } from "../../platform/db/session.ts";

/** How long a lease stands without being renewed. */
export const LEASE_MS = 6_000;
/** How often leases are renewed, and looked for by those who wait. */
export const ROUND_MS = 1_000;
/** An answer that takes longer means that the connection is lost. */
const ANSWER_MS = 4_000;
const CHANNEL = "chain_leases";

/** Someone else's lease. */
export interface Holder {
  chainId: number;
  name: string;
  /** ISO time of the database. */
  since: string;
}

export interface LeaseSession {
  /** Prolongs the leases of these chains that this holder has. Returns their tokens, by chain. */
  renew(chainIds: readonly number[]): Promise<Map<number, number>>;
  /** Takes those of the chains' leases that are free. Returns their tokens, by chain. */
  acquire(chainIds: readonly number[]): Promise<Map<number, number>>;
  /** Who else holds the chains' leases. */
  holders(chainIds: readonly number[]): Promise<Holder[]>;
  /** Gives a lease back, if it still is this holder's, and tells those who wait. */
  release(chainId: number, token: number): Promise<void>;
  close(): Promise<void>;
}

export interface LeaseSessionOptions {
  url: string;
  /** A UUID. */
  holder: string;
  /** How long a lease stands without being renewed. */
  leaseMs: number;
  /** A lease was given back. */
  onFree(): void;
  /** The connection has ended otherwise than by `close`. */
  onLost(error: Error): void;
}

export async function openLeaseSession(options: LeaseSessionOptions): Promise<LeaseSession> {
  const { holder, leaseMs } = options;
  const settings = { url: options.url, applicationName: "vaultops leases", statementTimeoutMs: ANSWER_MS };
  const client = new pg.Client({ ...clientConfig(settings), query_timeout: ANSWER_MS });
  let isClosing = false;
  const lost = (error: Error) => {
    if (!isClosing) options.onLost(error);
  };
  client.on("error", lost);
  client.on("end", () => lost(new Error("Connection terminated")));
  client.on("notification", () => options.onFree());
  await openSession(client, settings);
  await client.query(`listen ${CHANNEL}`);
  const tokens = async (text: string, values: unknown[]) => {
    if ((values[0] as unknown[]).length === 0) return new Map<number, number>();
    const { rows } = await client.query<{ chain_id: number; token: number }>(text, values);
    return new Map(rows.map(({ chain_id, token }) => [chain_id, token]));
  };

  return {
    renew: (chainIds) => tokens(RENEW, [chainIds, holder, leaseMs / 1000]),
    acquire: (chainIds) =>
      tokens(ACQUIRE, [chainIds, holder, `${hostname()}:${process.pid}`, leaseMs / 1000]),
    async holders(chainIds) {
      if (chainIds.length === 0) return [];
      const { rows } = await client.query<Holder>(HOLDERS, [chainIds, holder]);
      return rows;
    },
    async release(chainId, token) {
      await client.query(RELEASE, [chainId, holder, token]);
    },
    async close() {
      isClosing = true;
      const stream = client.connection.stream;
      const cutOff = setTimeout(() => stream.destroy(), ANSWER_MS);
      await client.end().catch(() => {});
      clearTimeout(cutOff);
    },
  };
}

const RENEW = `
  update chain_leases set renewed_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => $3)
   where chain_id = any($1::bigint[]) and holder = $2::uuid and expires_at > clock_timestamp()
  returning chain_id, token`;

/** Other processes' sessions of the same role are seen whole; of another role's only that they are there. */
const IS_FREE = `(l.holder is null or l.expires_at <= clock_timestamp() or not exists (
  select from sessions s where s.pid = l.session_pid and (s.backend_start = l.session_start or s.backend_start is null)))`;

/**
 * A lease is taken and everything that its last holder may still try to write is refused (chains.revision), or neither. A chain whose
 * row is locked, for a write of the last holder is still under way, is left for the next round; the server ends that write's
 * session when nothing more comes from it (see ChainStore).
 */
const ACQUIRE = `
  with sessions as materialized (select pid, backend_start from pg_stat_activity),
  free as (
    select l.chain_id from chain_leases l join chains c on c.chain_id = l.chain_id
     where l.chain_id = any($1::bigint[]) and ${IS_FREE}
       for no key update of l, c skip locked),
  fenced as (
    update chains c set revision = c.revision + 1 from free where c.chain_id = free.chain_id returning c.chain_id)
  update chain_leases l
     set token = l.token + 1, holder = $2::uuid, holder_name = $3, session_pid = pg_backend_pid(),
         session_start = (select backend_start from sessions where pid = pg_backend_pid()),
         acquired_at = clock_timestamp(), renewed_at = clock_timestamp(),
         expires_at = clock_timestamp() + make_interval(secs => $4)
    from fenced where l.chain_id = fenced.chain_id
  returning l.chain_id, l.token`;

const HOLDERS = `
  with sessions as materialized (select pid, backend_start from pg_stat_activity)
  select l.chain_id as "chainId", l.holder_name as name, l.acquired_at as since from chain_leases l
   where l.chain_id = any($1::bigint[]) and l.holder <> $2::uuid and not ${IS_FREE}`;

const RELEASE = `
  with released as (
    update chain_leases set holder = null, session_pid = null, session_start = null, expires_at = null
     where chain_id = $1 and holder = $2::uuid and token = $3 returning chain_id)
  select pg_notify('${CHANNEL}', chain_id::text) from released`;
