// GET /audit/stream: each status code, resuming, rights that end, clients that are slow or gone.
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { ACTORS, apiEntry, chainEntry, VAULTS } from "../../../test/audit.ts";
import { type AuditApp, MAINTAINER, MANAGER, STRANGER, startAuditApp } from "../../../test/audit-app.ts";
import { asSuperuser } from "../../../test/test-server.ts";
import { record } from "../append/record.ts";
import { ZERO_ADDRESS } from "../entries/entries.ts";

let t: AuditApp;
let n = 0;
const write = (count: number) =>
  t.database.db.transaction((tx) =>
    record(
      tx,
      Array.from({ length: count }, () => chainEntry(n++)),
    ),
  );

beforeAll(async () => {
  t = await startAuditApp({ times: { heartbeatMs: 150, rightsMs: 100, stallMs: 5000 } });
  await write(30);
});
afterAll(() => t.close());

interface Stream {
  response: IncomingMessage;
  ids: string[];
  seqs: number[];
  text: string;
  ended: Promise<void>;
  /** Resolves when the stream holds that many entries, or ends. */
  until(count: number): Promise<void>;
  close(): void;
}

function open(query: string, headers: Record<string, string>): Promise<Stream> {
  return new Promise((resolve, reject) => {
    // On a connection of its own, never on one that an earlier request left open.
    const options = { headers, agent: false };
    const request = httpRequest(`${t.url}/api/v1/audit/stream${query}`, options, (response) => {
      let rest = "";
      const ended = new Promise<void>((done) => response.on("close", done));
      const waiting: { count: number; done: () => void }[] = [];
      const stream: Stream = {
        response,
        ids: [],
        seqs: [],
        text: "",
        ended,
        until: (count) =>
          stream.seqs.length >= count
            ? Promise.resolve()
            : Promise.race([ended, new Promise<void>((done) => waiting.push({ count, done }))]),
        close: () => request.destroy(),
      };
      response.on("error", () => {});
      response.setEncoding("utf8").on("data", (chunk: string) => {
        stream.text += chunk;
        const events = (rest + chunk).split("\n\n");
        rest = events.pop()!;
        for (const event of events) {
          const match = /^id: (\S+)\ndata: (.*)$/.exec(event);
          if (match === null) continue;
          stream.ids.push(match[1]!);
          stream.seqs.push(Number(JSON.parse(match[2]!).seq));
        }
        for (const { count, done } of waiting) if (stream.seqs.length >= count) done();
      });
      resolve(stream);
    });
    request.on("error", reject);
    request.end();
  });
}

const size = async () =>
  Number((await t.database.db.pool.query("select max(seq) as size from audit_entries")).rows[0].size);
const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i + 1);

describe("GET /audit/stream 200", () => {
  it("sends the entries of audit/logs from now on, each with its cursor, and comment lines between", async () => {
    const before = await size();
    const stream = await open("", t.as(MAINTAINER));
    expect(stream.response.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(stream.response.headers["cache-control"]).toContain("no-store");
    await write(3);
    await write(2);
    await stream.until(5);
    expect(stream.seqs).toEqual(upTo(before, before + 5));
    const list = await t.app.inject({ url: "/api/v1/audit/logs?limit=1", headers: t.as(MAINTAINER) });
    expect(stream.ids.at(-1)).toBe(list.json().live_cursor);
    expect(stream.text).toContain(`data: ${JSON.stringify(list.json().logs[0])}\n\n`);
    while (!stream.text.includes("\n:\n\n")) await new Promise((resolve) => setTimeout(resolve, 20));
    stream.close();
  });

  it("resumes after Last-Event-ID, or a cursor, and begins at the start, without a gap or a repetition", async () => {
    const first = await open("?cursor=start", t.as(MAINTAINER));
    await write(700);
    const end = await size();
    await first.until(end);
    expect(first.seqs).toEqual(upTo(0, end));
    const resumed = await open("?cursor=start", { ...t.as(MAINTAINER), "last-event-id": first.ids[99]! });
    const byCursor = await open(`?cursor=${first.ids[end - 3]}`, t.as(MAINTAINER));
    await write(1);
    await resumed.until(end - 99);
    await byCursor.until(3);
    expect(resumed.seqs).toEqual(upTo(100, end + 1));
    expect(byCursor.seqs).toEqual(upTo(end - 2, end + 1));
    for (const stream of [first, resumed, byCursor]) stream.close();
  });

  it("sends what its filter means and what its caller may see", async () => {
    const own = await open("?cursor=start", t.as(MANAGER));
    const vault = await open(
      `?cursor=start&chain_id=8453&vault_address=${VAULTS[0]!.vault_address}&action_type=deposit`,
      t.as(MANAGER),
    );
    const entries = [
      apiEntry(MANAGER, { chain_id: 0, vault_address: ZERO_ADDRESS }),
      apiEntry(ACTORS[1]!, { chain_id: 0, vault_address: ZERO_ADDRESS }),
      chainEntry(n++, { vault: 0, action: "deposit" }),
    ];
    await t.database.db.transaction((tx) => record(tx, entries));
    const listed = async (query: string) => {
      const { logs } = (
        await t.app.inject({ url: `/api/v1/audit/logs?limit=1000&${query}`, headers: t.as(MANAGER) })
      ).json();
      return logs.map((entry: { seq: string }) => Number(entry.seq)).sort((a: number, b: number) => a - b);
    };
    for (const [stream, query] of [
      [own, ""],
      [vault, `chain_id=8453&vault_address=${VAULTS[0]!.vault_address}&action_type=deposit`],
    ] as const) {
      const expected = await listed(query);
      await stream.until(expected.length);
      expect(stream.seqs).toEqual(expected);
      stream.close();
    }
  });
});

it("however many listen, one session of the database hears for them all", async () => {
  const streams = await Promise.all(Array.from({ length: 60 }, () => open("", t.as(MAINTAINER))));
  const before = await size();
  await write(1);
  await Promise.all(streams.map((stream) => stream.until(1)));
  for (const stream of streams) expect(stream.seqs).toEqual([before + 1]);
  const { rows } = await t.database.db.pool.query(
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'vaultops notifications'",
  );
  expect(rows[0].n).toBe(1);
  for (const stream of streams) stream.close();
});

describe("a stream goes on", () => {
  it("without a gap or a repetition while the database cuts every session off, again and again", async () => {
    const before = await size();
    const stream = await open("", t.as(MAINTAINER));
    const late = await open(`?cursor=start`, t.as(MAINTAINER));
    const database = new URL(t.database.url).pathname.slice(1);
    for (let round = 0; round < 5; round += 1) {
      await write(40);
      if (round === 0) await stream.until(40);
      await asSuperuser(inject("testServer"), (client) =>
        client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [database]),
      );
      // The first statements over a session that is gone fail.
      while (
        !(await write(3).then(
          () => true,
          () => false,
        ))
      );
    }
    const end = await size();
    await stream.until(end - before);
    expect(stream.seqs).toEqual(upTo(before, end));
    stream.close();
    // One that was still catching up may have been cut off with the session that read for it, but has nothing twice or left out.
    await late.until(end);
    expect(late.seqs).toEqual(upTo(0, late.seqs.length));
    late.close();
  });
});

describe("GET /audit/stream, its other answers", () => {
  const status = async (query: string, headers: Record<string, string>) => {
    const stream = await open(query, headers);
    stream.close();
    return stream.response.statusCode;
  };
  it("400: a bad Last-Event-ID or cursor, and parameters that a stream has not", async () => {
    expect(await status("", { ...t.as(MAINTAINER), "last-event-id": "7" })).toBe(400);
    expect(await status("?cursor=7", t.as(MAINTAINER))).toBe(400);
    expect(await status("?from_timestamp=2026-01-01", t.as(MAINTAINER))).toBe(400);
  });
  it("401: without a token", async () => {
    expect(await status("", {})).toBe(401);
  });
  it("403: a vault on which the caller has no role", async () => {
    expect(await status(`?vault_address=${VAULTS[3]!.vault_address}`, t.as(MANAGER))).toBe(403);
  });
  it("429: more streams than a wallet may have open, or all together; one that ends makes room", async () => {
    const { limits } = t;
    const fit = [await open("", t.as(MANAGER)), await open("", t.as(MANAGER))];
    limits.perWallet = 2;
    const beyond = await open("", t.as(MANAGER));
    expect(beyond.response.statusCode).toBe(429);
    expect(Number(beyond.response.headers["retry-after"])).toBeGreaterThan(0);
    await beyond.ended;
    expect(JSON.parse(beyond.text).code).toBe("rate_limited");
    // A contract at the wallet's address takes none of its room.
    for (const headers of [t.as(MAINTAINER), t.as(MANAGER, 3600, 8453)]) fit.push(await open("", headers));
    expect(fit.map(({ response }) => response.statusCode)).toEqual([200, 200, 200, 200]);
    limits.total = 4;
    expect(await status("", t.as(STRANGER))).toBe(429);
    for (const stream of fit) stream.close();
    while ((await status("", t.as(MANAGER))) !== 200);
    Object.assign(limits, { perWallet: 200, total: 2000 });
  });
  it("404: a chain that is not followed", async () => {
    expect(await status("?chain_id=777", t.as(MANAGER))).toBe(404);
  });
});

describe("a stream ends", () => {
  it("with its token", async () => {
    const stream = await open("", t.as(MANAGER, 1));
    await stream.ended;
    expect(stream.response.complete).toBe(true);
  });

  it("with its token's signing key, when the issuer withdraws it", async () => {
    const stream = await open("", t.as(MANAGER));
    const other = await open("", t.as(MAINTAINER));
    t.withdrawn.add(MANAGER);
    await stream.ended;
    expect(stream.response.complete).toBe(true);
    t.withdrawn.delete(MANAGER);
    await write(1);
    await other.until(1);
    other.close();
  });

  it("with the role, and not before", async () => {
    const stream = await open("", t.as(MANAGER));
    const before = stream.seqs.length;
    await t.database.db.transaction((tx) => record(tx, [chainEntry(n++, { vault: 1 })]));
    await stream.until(before + 1);
    expect(stream.seqs.length).toBe(before + 1);
    const { chain_id, vault_address } = VAULTS[1]!;
    await t.database.owner.pool.query("delete from vault_roles where chain_id = $1 and vault_address = $2", [
      chain_id,
      vault_address,
    ]);
    await stream.ended;
    const again = await open("", t.as(MANAGER));
    expect(again.response.statusCode).toBe(200);
    again.close();
  });

  it("for a client that takes nothing, while the others get everything", async () => {
    const connected = once(t.app.server, "connection");
    const slow = await open("?cursor=start", t.as(MAINTAINER));
    slow.response.pause();
    const [socket] = (await connected) as [Socket];
    const fast = await open("?cursor=now", t.as(MAINTAINER));
    const before = await size();
    const note = "x".repeat(500_000);
    // As much as the sockets on the way can hold, and a megabyte. Between the writes nothing waits for the fast one, so that it is not
    // taken for slow where this process, which is client and service at once, stood still.
    let written = 0;
    while (!socket.destroyed) {
      if (socket.writableLength > 1_000_000) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      await t.database.db.transaction((tx) => record(tx, [apiEntry(MANAGER, VAULTS[0]!, note)]));
      written += 1;
      await fast.until(written);
    }
    expect(fast.seqs).toEqual(upTo(before, before + written));
    slow.response.resume();
    await slow.ended;
    expect(slow.seqs).toEqual(upTo(0, slow.seqs.length));
    expect(slow.seqs.length).toBeLessThan(before + written);
    fast.close();
  });
});
