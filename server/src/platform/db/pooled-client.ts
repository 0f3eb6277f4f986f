// A client for what may lead through a pooler in transaction mode, where each transaction may have another of the server's sessions. Works with
// PgBouncer from 1.18 on, with its own defaults.
//
// Guarantee: nothing is left behind in a session, and nothing is expected in it. No prepared statement has a name, and no setting is
// made but by those start-up parameters that PgBouncer takes and carries from session to session.
import pg from "pg";

/** What pg's client has beside its published types. */
interface Inner {
  getStartupConf(): Record<string, string>;
  query(config: unknown, ...rest: unknown[]): unknown;
}

const Client = pg.Client as unknown as new (config?: pg.ClientConfig) => Inner;

class Pooled extends Client {
  override getStartupConf() {
    return { ...super.getStartupConf(), TimeZone: "UTC", DateStyle: "ISO" };
  }

  override query(config: unknown, ...rest: unknown[]) {
    return super.query(isNamed(config) ? { ...config, name: undefined } : config, ...rest);
  }
}

export const PooledClient = Pooled as unknown as typeof pg.Client;

/** A statement, not one of the driver's own objects that submit themselves. */
function isNamed(config: unknown): config is { name: string } {
  return typeof config === "object" && config !== null && "name" in config && !("submit" in config);
}

export interface SessionLimits {
  /** Milliseconds; 0: none. */
  statementMs: number;
  idleInTransactionMs: number;
  /** Whether something stands between the client and the server. */
  isThroughPooler: boolean;
}

/** What the sessions of a pool have, as the server says. */
export async function readLimits(pool: pg.Pool): Promise<SessionLimits> {
  const client = (await pool.connect()) as pg.PoolClient & { processID: number };
  try {
    const { rows } = await client.query(LIMITS_SQL);
    const { pid, statement, idle } = rows[0];
    // A pooler tells its clients a number of its own making.
    return {
      statementMs: statement,
      idleInTransactionMs: idle,
      isThroughPooler: pid !== client.processID,
    };
  } finally {
    client.release();
  }
}

const LIMITS_SQL = `select pg_backend_pid() as pid,
  (select setting::integer from pg_settings where name = 'statement_timeout') as statement,
  (select setting::integer from pg_settings where name = 'idle_in_transaction_session_timeout') as idle`;

/** What an operator should mend. `isSaid`: whether the configuration says that a pooler may be there. */
export function poolerWarnings(limits: SessionLimits, isSaid: boolean): string[] {
  if (!isSaid)
    return limits.isThroughPooler
      ? [
          "database.url leads through a pooler: unless that gives each client a session of its own, database.listen_url must lead past it",
        ]
      : [];
  const missing = [
    ...(limits.statementMs === 0 ? ["statement_timeout"] : []),
    ...(limits.idleInTransactionMs === 0 ? ["idle_in_transaction_session_timeout"] : []),
  ];
  return missing.map(
    (setting) =>
      `the database's role has no ${setting}, which is not set through a pooler: ALTER ROLE … SET ${setting} = '60s'`,
  );
}
