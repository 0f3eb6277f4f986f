// The database as the rest of the service sees it: one pool, Kysely over it, and transactions that are retried when
// PostgreSQL asks for it. Values arrive as the API shows them (see postgres-values.ts), whatever the server's or the
// role's own settings are, and a server that goes away is an error of the current query, never of the process.
import { hash } from "node:crypto";
import {
  type CompiledQuery,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type QueryExecutorProvider,
  type QueryResult,
  type RawBuilder,
  type Transaction,
} from "kysely";
import pg from "pg";
import type { Logger } from "../log.ts";
import { leaveServersThatAreGone } from "./gone.ts";
import { PooledClient } from "./pooled-client.ts";
import { beginSession, clientConfig, onReadOnly, READ_ONLY, type SessionOptions } from "./session.ts";

export type Tx = Transaction<unknown>;

interface TransactionOptions {
  isolation?: "read committed" | "repeatable read" | "serializable";
  readOnly?: boolean;
}

export interface Database {
  pool: pg.Pool;
  kysely: Kysely<unknown>;
  url: string;
  /** Leads to the server itself: for notices, and for what a session holds. */
  directUrl: string;
  /**
   * Runs `fn` in one transaction; it commits when `fn` resolves and rolls back when it throws. `fn` is run again, up to
   * five times in all, when PostgreSQL reports a serialization failure or a deadlock, so it must have no effect outside `tx`.
   */
  transaction<T>(fn: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseOptions extends Omit<SessionOptions, "isPooled"> {
  /** Leads past the pooler that `url` may lead through, in transaction mode. Left out: `url` leads to the server itself. */
  directUrl?: string | undefined;
  maxConnections?: number;
  log?: Logger;
}

/**
 * Opens a pool on the server and proves it with one query; that on a replica, which may be away, proves itself when it is read from.
 * @throws what the driver throws when the server is away or refuses; see isDatabaseUnavailable
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const isPooled = options.directUrl !== undefined;
  const session = { ...options, isPooled };
  const pool = new pg.Pool({
    ...clientConfig(session),
    ...(isPooled ? { Client: PooledClient } : {}),
    max: options.maxConnections ?? 10,
    idleTimeoutMillis: 30_000,
    onConnect: (client) => beginSession(client as unknown as pg.Client, session),
  });
  // Both listeners are needed: one hears idle clients, the other those that are checked out and between two statements.
  pool.on("error", (error) => options.log?.warn({ err: error }, "an idle database connection was lost"));
  pool.on("connect", (client) => client.on("error", () => {}));
  if (options.isReplica !== true) {
    leaveReadOnlyServers(pool);
    // The address of replicas may lead to another one each time.
    if (!isPooled) leaveServersThatAreGone(pool, clientConfig(session));
  }
  const kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  let closing: Promise<void> | undefined;
  const database: Database = {
    pool,
    kysely,
    url: options.url,
    directUrl: options.directUrl ?? options.url,
    transaction: (fn, transactionOptions) => retried(() => runTransaction(kysely, fn, transactionOptions)),
    close: () => (closing ??= kysely.destroy().then(() => (pool.ended ? undefined : pool.end()))),
  };
  try {
    if (options.isReplica !== true) await pool.query("select 1");
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** Kysely for single statements, each of which `query` sends where it likes; a transaction would not hold together. */
export function kyselyOver({ query }: { query: unknown }): Kysely<unknown> {
  const session = { query, release() {} };
  const pool = { connect: async () => session, end: async () => {}, options: {} } as unknown as PostgresPool;
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
}

/**
 * Runs a statement of a fixed text under a name, so that each connection parses and plans it once: for what runs with every request.
 * Two texts under one name are an error.
 */
export function executeNamed<T>(
  db: QueryExecutorProvider,
  name: string,
  query: RawBuilder<T>,
): Promise<QueryResult<T>> {
  return executeUnder(db, query.compile(db), () => name);
}

/**
 * The same for a statement whose form depends on what is asked for, where the forms are few: each goes by a name made of its text. What of the
 * request is no form is a value.
 */
export function executeNamedByText<T>(
  db: QueryExecutorProvider,
  prefix: string,
  query: RawBuilder<T>,
): Promise<QueryResult<T>> {
  return executeUnder(db, query.compile(db), (text) => `${prefix}_${hash("sha1", text, "base64url")}`);
}

function executeUnder<T>(
  db: QueryExecutorProvider,
  compiled: CompiledQuery<T>,
  nameOf: (text: string) => string,
): Promise<QueryResult<T>> {
  // Kysely hands the text on as it is, and the driver takes one that has a name.
  const text = { name: nameOf(compiled.sql), text: compiled.sql } as unknown as string;
  return db.getExecutor().executeQuery<T>({ ...compiled, sql: text } as CompiledQuery<T>);
}

/**
 * True for errors that say the server is away, full or refusing new work, so that the caller should come back later
 * (503 `database_unavailable`), and false for errors that a statement earned by itself.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (UNAVAILABLE_CODES.has(code) || UNAVAILABLE_CLASSES.has(sqlStateClass(code))) return true;
  if (UNAVAILABLE_MESSAGES.some((text) => error.message.includes(text))) return true;
  if (error instanceof AggregateError && error.errors.some(isDatabaseUnavailable)) return true;
  return error.cause !== undefined && error.cause !== error && isDatabaseUnavailable(error.cause);
}

/**
 * After a failover the old server may live on and only read. When one session sees that, none of those that stand is used again: new
 * ones lead to where the address leads by then, and are refused while that only reads (503).
 */
function leaveReadOnlyServers(pool: pg.Pool): void {
  const open = new Set<pg.PoolClient>();
  const left = new WeakSet<pg.PoolClient>();
  pool.on("connect", (client) => {
    open.add(client);
    onReadOnly(client as unknown as pg.Client, () => {
      for (const one of open) {
        left.add(one);
        // The pool drops an idle client that reports an error; one at work is dropped below.
        one.emit("error", new Error("the database server only reads"));
      }
    });
  });
  pool.on("remove", (client) => open.delete(client));
  // The pool keeps no client that is ending.
  pool.on("release", (_error, client) => {
    if (left.has(client)) (client as unknown as pg.Client).end().catch(() => {});
  });
}

async function runTransaction<T>(
  kysely: Kysely<unknown>,
  fn: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  let builder = kysely.transaction();
  if (options.isolation !== undefined) builder = builder.setIsolationLevel(options.isolation);
  if (options.readOnly === true) builder = builder.setAccessMode("read only");
  return builder.execute(fn);
}

const MAX_ATTEMPTS = 5;

async function retried<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isRetryable(error)) throw error;
      // Two that met in a deadlock must not meet again: the pauses differ.
      await new Promise((resolve) => setTimeout(resolve, 2 ** attempt * 5 * (0.5 + Math.random())));
    }
  }
}

function isRetryable(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "40001" || error.code === "40P01");
}

function sqlStateClass(code: string): string {
  return /^[0-9A-Z]{5}$/.test(code) ? code.slice(0, 2) : "";
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const UNAVAILABLE_CLASSES = new Set([
  "08", // connection exception
  "53", // insufficient resources: disk full, out of memory, too many connections
  "58", // system error: I/O
]);
const UNAVAILABLE_CODES = new Set([
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "57P05", // idle_session_timeout
  READ_ONLY, // connected to a server that has been demoted
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "ENOTFOUND",
  "ENOENT",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "EAI_AGAIN",
]);
// What pg and pg-pool throw without a code.
const UNAVAILABLE_MESSAGES = [
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "connection error and is not queryable",
  "Client was closed and is not queryable",
  "after calling end on the pool",
  "Query read timeout",
];
