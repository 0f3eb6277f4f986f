// Many writers in many processes that are killed at random, and many readers at the same time: what is promised of the log's
// order holds, and every poller and every stream saw every entry once. Scaled down unless VAULTOPS_FULL is set.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { get as httpGet, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { verifyInclusion } from "@vaultops/proof";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileStore, pollAuditLog } from "../../../../sdk/src/audit-log.ts";
import { type AuditApp, MAINTAINER, startAuditApp } from "../../../test/audit-app.ts";
import { readSize } from "../read/query.ts";
import { TileReader } from "../tree/tiles.ts";
import { leafHash } from "../tree/tree.ts";
import { verifyLog } from "../verify/log.ts";

const IS_FULL = process.env.VAULTOPS_FULL !== undefined;
const PROCESSES = IS_FULL ? 6 : 3;
const WRITERS = IS_FULL ? 50 : 12;
const SECONDS = IS_FULL ? 60 : 4;
const READERS = IS_FULL ? 20 : 5;
const WRITER = fileURLToPath(new URL("./test-writer.ts", import.meta.url));

let t: AuditApp;
let directory: string;
beforeAll(async () => {
  t = await startAuditApp();
  directory = await mkdtemp(join(tmpdir(), "vaultops-append-"));
});
afterAll(async () => {
  await t.close();
  await rm(directory, { recursive: true, force: true });
});

/** Follows the stream as a browser's EventSource does: connects again with the last id whenever it is cut off. */
async function follow(seen: number[], signal: AbortSignal): Promise<void> {
  let last: string | null = null;
  while (!signal.aborted) {
    const headers = { ...t.as(MAINTAINER), ...(last !== null && { "last-event-id": last }) };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      httpGet(`${t.url}/api/v1/audit/stream?cursor=start`, { headers, signal }, resolve).on("error", reject);
    }).catch(() => null);
    if (response === null) continue;
    // Now and then a listener loses its connection.
    const cut = setTimeout(() => response.destroy(), 200 + Math.random() * 3000);
    let rest = "";
    try {
      for await (const chunk of response.setEncoding("utf8")) {
        const events = (rest + chunk).split("\n\n");
        rest = events.pop()!;
        for (const event of events) {
          const match = /^id: (\S+)\ndata: (.*)$/.exec(event);
          if (match === null) continue;
          last = match[1]!;
          seen.push(Number(JSON.parse(match[2]!).seq));
        }
      }
    } catch {
      // Cut off.
    }
    clearTimeout(cut);
  }
}

describe("concurrent appends", () => {
  it(
    `of ${WRITERS} writers in ${PROCESSES} processes, killed at random, are one line that every reader sees whole`,
    async () => {
      const { pool, kysely } = t.database.db;
      const children = new Map<number, ChildProcess>();
      const writing = new Set<number>();
      let launched = 0;
      const launch = (place: number) => {
        const args = [WRITER, t.database.url, String(Math.ceil(WRITERS / PROCESSES)), String(launched++)];
        const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
        child.stdout.once("data", () => writing.add(place));
        children.set(place, child);
      };
      for (let place = 0; place < PROCESSES; place++) launch(place);

      const stop = new AbortController();
      const polled: number[][] = Array.from({ length: READERS }, () => []);
      const streamed: number[][] = Array.from({ length: READERS }, () => []);
      const readers = [
        ...polled.map((seen, i) =>
          pollAuditLog({
            baseUrl: t.url,
            token: t.as(MAINTAINER).authorization.slice("Bearer ".length),
            store: fileStore(join(directory, `place-${i}`)),
            handle: (entries) => void seen.push(...entries.map((entry) => Number(entry.seq))),
            intervalMs: 20 + i * 10,
            limit: 100 + i * 40,
            signal: stop.signal,
          }),
        ),
        ...streamed.map((seen) => follow(seen, stop.signal)),
      ];

      const end = Date.now() + SECONDS * 1000;
      for (let kills = 0; kills < 2 * PROCESSES || Date.now() < end || (await readSize(kysely)) < 200; ) {
        await sleep(Math.random() * 200 * (SECONDS / PROCESSES));
        const place = Math.floor(Math.random() * PROCESSES);
        if (!writing.delete(place)) continue;
        children.get(place)!.kill("SIGKILL");
        launch(place);
        kills += 1;
        if (kills % 2 === 0) await t.feature.checkpoints.sign();
      }
      await Promise.all(
        [...children.values()].map((child) => {
          child.kill("SIGTERM");
          return child.exitCode === null && new Promise((resolve) => child.once("exit", resolve));
        }),
      );

      const { rows } = await pool.query("select seq, id, recorded_at, body from audit_entries order by seq");
      const size = rows.length;
      rows.forEach((row, i) => {
        expect(row.seq).toBe(i + 1);
        if (i > 0) expect(row.recorded_at > rows[i - 1].recorded_at).toBe(true);
      });
      const isBehind = () => [...polled, ...streamed].some((seen) => seen.length < size);
      while (isBehind()) await sleep(50);
      await sleep(300);
      stop.abort();
      await Promise.all(readers);
      const expected = rows.map((row) => row.seq);
      for (const seen of [...polled, ...streamed]) expect(seen).toEqual(expected);

      const checkpoint = await t.feature.checkpoints.sign();
      const tiles = new TileReader(kysely);
      for (const row of rows) {
        const proof = await tiles.inclusionProof(row.seq - 1, size);
        const place = { index: row.seq - 1, size, hashes: proof };
        expect(verifyInclusion(leafHash(row.body), place, checkpoint.root)).toBe(true);
      }
      const checked = await verifyLog({ pool, folder: t.folder });
      expect(checked).toMatchObject({ size, failure: null });
    },
    IS_FULL ? 900_000 : 300_000,
  );
});
