// Three workers and one database, killed with -9 and restarted in the middle of incidents, at moments that follow from a seed: every firing
// and every end arrives.
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { alertEvent, type ChannelGround, openChannelGround, testAlert } from "../../../../test/channels.ts";
import type { Received } from "../../../../test/provider-receiver.ts";
import { startRestartablePostgres } from "../../../../test/restartable-postgres.ts";
import type { DomainEvent } from "../../../events/types.ts";

const WORKER = fileURLToPath(new URL("./test-process.ts", import.meta.url));
const INCIDENTS = process.env.VAULTOPS_FULL ? 1000 : 20;
/** What happens one after the other, each at so many messages more. */
const BLOWS: readonly ("kill" | "restart")[] = process.env.VAULTOPS_FULL
  ? [
      "kill",
      "kill",
      "restart",
      "kill",
      "kill",
      "restart",
      "kill",
      "kill",
      "kill",
      "restart",
      "kill",
      "kill",
      "kill",
    ]
  : ["kill", "restart"];
const PROVIDERS = ["pagerduty", "opsgenie", "webhook"] as const;

test(`${INCIDENTS} incidents: each firing and each end arrives at every channel, in order, and a blow doubles at most one message of each`, async ({
  signal,
}) => {
  const postgres = await startRestartablePostgres();
  const ground = await openChannelGround({ database: postgres });
  const { receiver } = ground;
  const workers: ChildProcess[] = [];
  const isUp: boolean[] = [];
  const fallen: (number | null)[] = [];
  const start = (place: number) => {
    const worker = spawn(process.execPath, [WORKER, postgres.url, ground.secretKey], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    workers[place] = worker;
    isUp[place] = false;
    worker.stdout?.once("data", () => {
      if (!worker.killed) isUp[place] = true;
    });
    worker.once("exit", (code) => fallen.push(code));
  };
  try {
    for (const provider of PROVIDERS) await ground.channel(provider);
    await ground.channel("slack");
    for (const place of [0, 1, 2]) start(place);
    const alerts = Array.from({ length: INCIDENTS }, () => testAlert());
    const expected = INCIDENTS * 2;
    const incidents = (async () => {
      for (const alert of alerts) {
        await emitOnce(ground, alertEvent("alert.firing", alert), signal);
        await emitOnce(ground, alertEvent("alert.resolved", alert), signal);
      }
    })();
    for (const [index, blow] of BLOWS.entries()) {
      const after = Math.floor((expected * (index + 1)) / (BLOWS.length + 1));
      const seen = () => receiver.taken("pagerduty").length;
      await expect.poll(seen, { timeout: 300_000, interval: 5 }).toBeGreaterThanOrEqual(after);
      if (blow === "restart") {
        // One that begins while the database is away ends, as a service does; whoever runs it starts it again.
        await expect.poll(() => isUp.every(Boolean), { timeout: 300_000 }).toBe(true);
        await postgres.restart();
      }
      // Whichever is at work: all three.
      else
        for (const [place, worker] of workers.entries()) {
          worker.removeAllListeners("exit");
          worker.once("exit", () => start(place));
          isUp[place] = false;
          worker.kill("SIGKILL");
        }
    }
    await incidents;
    for (const provider of PROVIDERS) {
      const distinct = () => new Set(receiver.taken(provider).map(keyOf)).size;
      await expect.poll(distinct, { timeout: 300_000, interval: 100 }).toBe(expected);
    }
    const open = async () =>
      (await postgres.db.pool.query("select count(*) as n from deliveries where status <> 'delivered'"))
        .rows[0].n;
    await expect.poll(open, { timeout: 300_000, interval: 100 }).toBe(0);

    for (const provider of PROVIDERS) {
      const keys = receiver.taken(provider).map(keyOf);
      expect(keys.length - expected, `doubled at ${provider}`).toBeLessThanOrEqual(BLOWS.length);
      for (const { id } of alerts)
        expect(keys.indexOf(`firing ${id}`)).toBeLessThan(keys.indexOf(`end ${id}`));
    }
    // No worker fell but by our hand: a database that is away is waited for.
    expect(fallen).toEqual([]);
    expect((await postgres.db.pool.query("select from channel_alerts")).rows).toEqual([]);
    expect((await postgres.db.pool.query("select from channel_sent")).rows).toEqual([]);
  } finally {
    for (const worker of workers) {
      worker.removeAllListeners("exit");
      worker.kill("SIGKILL");
    }
    await ground.close();
  }
}, 1_800_000);

/** Puts an event on the spine once, though the database goes away: a commit whose answer was lost may have been made. */
async function emitOnce(ground: ChannelGround, event: DomainEvent, signal: AbortSignal): Promise<void> {
  const { pool } = ground.database.db;
  const { id } = event.data as { id: string };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const made = "select from events where type = $1 and data::jsonb ->> 'id' = $2";
      const isMade = attempt > 1 && (await pool.query(made, [event.type, id])).rowCount !== 0;
      if (!isMade) await ground.emit(event);
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      await sleep(50);
    }
  }
}

/** What a message says of which alert, whatever the provider. */
function keyOf({ provider, path, body }: Received): string {
  switch (provider) {
    case "pagerduty":
      return `${body.event_action === "trigger" ? "firing" : "end"} ${body.dedup_key}`;
    case "opsgenie": {
      const closed = /alerts\/([^/]+)\/close/.exec(path)?.[1];
      return closed === undefined ? `firing ${body.alias}` : `end ${closed}`;
    }
    default:
      return `${body.event_type === "alert.firing" ? "firing" : "end"} ${body.data.id}`;
  }
}
