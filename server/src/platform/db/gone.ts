// Sessions of a pool on a server that is gone without a word: a machine that lost its power, an address that leads elsewhere since. The
// network tells of it after a quarter of an hour, and until then whoever waits for an answer holds a session that nobody else gets.
//
// Guarantee: a session that is waited for in silence is ended as soon as another one, opened the same way, has reached a server that does
// not know it. One that is only slow, or on a server that nobody reaches, is left alone.
import type { Socket } from "node:net";
import pg from "pg";

const SILENT_MS = 5_000;

/** `config`: by which the pool opens its own. */
export function leaveServersThatAreGone(pool: pg.Pool, config: pg.ClientConfig): void {
  const inUse = new Set<pg.PoolClient>();
  pool.on("acquire", (client) => inUse.add(client));
  pool.on("release", (_error, client) => inUse.delete(client));
  pool.on("remove", (client) => inUse.delete(client));
  pool.on("connect", (client) => {
    const stream = client.connection.stream as Socket;
    stream.on("timeout", async () => {
      if (inUse.has(client) && (await isUnknown(client as Numbered, config))) stream.destroy();
      else stream.setTimeout(SILENT_MS);
    });
    stream.setTimeout(SILENT_MS);
  });
}

type Numbered = pg.PoolClient & { processID: number };

async function isUnknown({ processID }: Numbered, config: pg.ClientConfig): Promise<boolean> {
  const settings = { ...config, connectionTimeoutMillis: SILENT_MS, query_timeout: SILENT_MS };
  const probe = new pg.Client(settings) as pg.Client & { processID: number };
  probe.on("error", () => {});
  try {
    await probe.connect();
    const { rows } = await probe.query<{ own: number; is_known: boolean }>(
      "select pg_backend_pid() as own, exists (select from pg_stat_activity where pid = $1) as is_known",
      [processID],
    );
    // A pooler of sessions tells its clients numbers of its own making.
    return rows[0]!.own === probe.processID && !rows[0]!.is_known;
  } catch {
    return false;
  } finally {
    probe.end().catch(() => {});
  }
}
