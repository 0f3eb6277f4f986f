// A session on the database, in the pool or outside of it: how it is opened and what is set in it.
//
// Nothing of this is sent as start-up `options`, which PgBouncer refuses or drops: a session begins with one statement that sets all, so
// that what is read does not depend on the settings of the server or the role, and that is refused where the server only reads. Through a
// pooler in transaction mode nothing is set, for the session is another's a moment later: see pooled-client.ts.
import type pg from "pg";
import { typeParsers } from "./postgres-values.ts";

export interface SessionOptions {
  /** postgres://user:password@host:port/database?sslmode=… */
  url: string;
  applicationName?: string;
  /**
   * The longest that one statement may take, 60,000 ms unless told. 0 = no limit. A long export or verification says
   * `set local statement_timeout = 0` in its own transaction.
   */
  statementTimeoutMs?: number;
  /** The longest that a session may take to be had, 10,000 ms unless told. */
  connectTimeoutMs?: number;
  /** The URL may lead through a pooler in transaction mode. The client must then be a `PooledClient`. */
  isPooled?: boolean;
  /** A replica, which only reads. */
  isReplica?: boolean;
  /** For statements of which one plan is right for all values, and planning again for each costs more than they do. Not through a pooler. */
  genericPlans?: boolean;
}

/** SQLSTATE of what is refused because the server, or the transaction, only reads. */
export const READ_ONLY = "25006";

export function clientConfig(options: SessionOptions): pg.ClientConfig {
  return {
    connectionString: parseUrl(options.url).toString(),
    application_name: options.applicationName ?? "vaultops",
    connectionTimeoutMillis: connectTimeoutMs(options),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: typeParsers,
  };
}

/** A session outside the pool, ready for use. The client must have been made with `clientConfig`. */
export async function openSession(client: pg.Client, options: SessionOptions): Promise<void> {
  await client.connect();
  try {
    await beginSession(client, options);
  } catch (error) {
    await client.end();
    throw error;
  }
}

/**
 * Sets what every session has.
 * @throws with code READ_ONLY where the server only reads: a standby, or one that was demoted
 */
export async function beginSession(client: pg.Client, options: SessionOptions): Promise<void> {
  const statement = { text: beginning(options), query_timeout: connectTimeoutMs(options) };
  // Several statements have several results.
  const results = [(await client.query(statement)) as pg.QueryResult<Beginning>].flat();
  const { time_zone: timeZone, only_reads: onlyReads } = results.at(-1)!.rows[0]!;
  if (timeZone !== "UTC")
    throw new Error(
      `the pooler gives sessions of the time zone ${timeZone}: it must carry the clients' TimeZone along, as PgBouncer does`,
    );
  if (onlyReads === "on" && options.isReplica !== true)
    throw Object.assign(new Error("the database server only reads"), { code: READ_ONLY });
}

interface Beginning {
  time_zone: string;
  only_reads: string;
}

function beginning({ isPooled, genericPlans, statementTimeoutMs = 60_000 }: SessionOptions): string {
  const settings = `set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'iso_8601'; set extra_float_digits = 1;
    set statement_timeout = ${statementTimeoutMs}; set idle_in_transaction_session_timeout = 60000;
    ${genericPlans === true ? "set plan_cache_mode = force_generic_plan;" : ""}`;
  return `${isPooled === true ? "" : settings}
    select current_setting('TimeZone') as time_zone, current_setting('transaction_read_only') as only_reads`;
}

/** Calls back, once, when the server of a session that has begun turns out to only read. */
export function onReadOnly(client: pg.Client, callback: () => void): void {
  let isTold = false;
  const tell = () => {
    if (!isTold) callback();
    isTold = true;
  };
  // Servers report these of themselves from version 14 on; behind a pooler there is the refusal of a write.
  client.connection.on("parameterStatus", ({ parameterName, parameterValue }: ParameterStatus) => {
    if (parameterValue === "on" && REPORTED.has(parameterName)) tell();
  });
  client.connection.on("errorMessage", ({ code }: { code?: string }) => {
    if (code === READ_ONLY) tell();
  });
}

interface ParameterStatus {
  parameterName: string;
  parameterValue: string;
}

const REPORTED = new Set(["in_hot_standby", "default_transaction_read_only"]);

function connectTimeoutMs({ connectTimeoutMs = 10_000 }: SessionOptions): number {
  return connectTimeoutMs;
}

/** Node's own error would show the URL, and with it the password. */
function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new Error("the database URL is not of the form postgres://user:password@host:port/database");
  }
  return url;
}
