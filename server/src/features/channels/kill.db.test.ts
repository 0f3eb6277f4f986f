// Three workers, killed with -9 at moments drawn at random in the middle of incidents and started again: every firing and every end arrives.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { alertEvent, openChannelGround, testAlert } from "../../../test/channels.ts";
import type { Received } from "../../../test/provider-receiver.ts";

const WORKER = fileURLToPath(new URL("../../../test/channel-process.ts", import.meta.url));
const INCIDENTS = process.env.VAULTOPS_FULL ? 1000 : 60;
const KILLS = process.env.VAULTOPS_FULL ? 10 : 2;
const PROVIDERS = ["pagerduty", "opsgenie", "webhook"] as const;

test("each firing and each end arrives at every channel, in order, and a kill doubles at most one message of each channel", async () => {
  const ground = await openChannelGround();
  const { receiver } = ground;
  const workers: ChildProcess[] = [];
  const start = (place: number) => {
    const worker = spawn(process.execPath, [WORKER, ground.database.url, ground.secretKey], {
      stdio: ["pipe", "inherit", "inherit"],
    });
    workers[place] = worker;
  };
  let kills = 0;
  try {
    for (const provider of PROVIDERS) await ground.channel(provider);
    await ground.channel("slack");
    for (const place of [0, 1, 2]) start(place);
    const alerts = Array.from({ length: INCIDENTS }, () => testAlert());
    const expected = INCIDENTS * 2;
    const seen = () => receiver.taken("pagerduty").length;
    const incidents = (async () => {
      for (const alert of alerts) {
        await ground.emit(alertEvent("alert.firing", alert));
        await ground.emit(alertEvent("alert.resolved", alert));
      }
    })();
    const progress = () => new Set(receiver.taken("pagerduty").map(keyOf)).size;
    for (let count = 1; count <= KILLS; count += 1) {
      const after = Math.floor((expected * count) / (KILLS + 1));
      await expect.poll(seen, { timeout: 120_000, interval: 5 }).toBeGreaterThanOrEqual(after);
      // Whichever is at work: all three.
      for (const [place, worker] of workers.entries()) {
        worker.once("exit", () => start(place));
        worker.kill("SIGKILL");
      }
      kills += 1;
    }
    await incidents;
    for (const provider of PROVIDERS) {
      const distinct = () => new Set(receiver.taken(provider).map(keyOf)).size;
      await expect.poll(distinct, { timeout: 120_000, interval: 100 }).toBe(expected);
    }
    const open = async () =>
      (
        await ground.database.db.pool.query(
          "select count(*) as n from deliveries where status <> 'delivered'",
        )
      ).rows[0].n;
    await expect.poll(open, { timeout: 120_000, interval: 100 }).toBe(0);

    expect(progress()).toBe(expected);
    for (const provider of PROVIDERS) {
      const keys = receiver.taken(provider).map(keyOf);
      expect(keys.length - expected, `doubled at ${provider}`).toBeLessThanOrEqual(kills);
      for (const { id } of alerts)
        expect(keys.indexOf(`firing ${id}`)).toBeLessThan(keys.indexOf(`end ${id}`));
    }
    expect((await ground.database.db.pool.query("select from channel_alerts")).rows).toEqual([]);
    expect((await ground.database.db.pool.query("select from channel_sent")).rows).toEqual([]);
  } finally {
    for (const worker of workers) {
      worker.removeAllListeners("exit");
      worker.kill("SIGKILL");
    }
    await ground.close();
  }
}, 600_000);

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
