// Receivers as they are in the field: away for long, slow, full of errors, killed in the middle. Every entry arrives, in order, and what is held and
// sent at once stays bounded.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ACTORS, apiEntry, chainEntry, VAULTS } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { type Receiver, startReceiver, status } from "../../../test/receiver.ts";
import { noteStreams } from "../../features/alerts/judge/system-notes.ts";
import { createEgress, type Egress } from "../../platform/egress/egress.ts";
import { silentLogger } from "../../platform/log.ts";
import { record } from "../append/record.ts";
import { createForwarder, type RoundOutcome } from "./forward.ts";
import type { StreamPlace } from "./settings.ts";
import { readStates } from "./store.ts";
import { troublesOf } from "./streams.ts";

const ENTRIES = 3_000;
const HOUR_MS = 3_600_000;
const TOKEN = "token-that-nobody-repeats";

let t: TestDatabase;
let receiver: Receiver;
let egress: Egress;
let nowMs = Date.parse("2026-11-29T00:00:00Z");
const clock = { now: () => nowMs };
let count = 0;
let token = TOKEN;
/** How long a receiver may take; undefined: as long as it does in the service. */
let timeoutMs: number | undefined;
/** A stream of its own for each test. */
let place: StreamPlace;
let round: () => Promise<RoundOutcome>;

beforeAll(async () => {
  t = await createTestDatabase();
  receiver = await startReceiver();
  egress = createEgress({ allowedNetworks: [], allowHttp: false });
  await write(0, ENTRIES);
});
afterAll(async () => {
  await egress.close();
  await receiver.close();
  await t.drop();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = status(204);
  token = TOKEN;
  timeoutMs = undefined;
  use("http_ndjson");
});

async function write(first: number, length: number): Promise<void> {
  const entries = Array.from({ length }, (_, i) => chainEntry(first + i));
  await t.db.transaction((tx) => record(tx, entries));
}

function use(type: StreamPlace["type"]): void {
  place = { name: `stream ${++count}`, type, url: receiver.url, token: () => token };
  round = another();
}

/** As another process, or this one started again. */
function another(): () => Promise<RoundOutcome> {
  const { request } = egress;
  const run = createForwarder(
    {
      db: t.db,
      request,
      clock,
      log: silentLogger(),
      acknowledgementPollMs: 1,
      ...(timeoutMs && { timeoutMs }),
    },
    place,
  );
  return () => run(new AbortController().signal);
}

const state = async () => (await readStates(t.db.kysely, [place.name]))[0]!;
const size = async () => Number((await t.db.pool.query("select max(seq) as n from audit_entries")).rows[0].n);
const linesOf = (body: Buffer): { seq: string; event?: { seq: string } }[] =>
  body
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
const seqsOf = (body: Buffer) => linesOf(body).map(({ seq, event }) => Number(event?.seq ?? seq));

/** What a receiver keeps: of each batch that it says it took. */
function keeping(answer: (taken: number[], n: number) => number | "reset" | object) {
  const kept: number[] = [];
  let n = 0;
  receiver.answer = (response, { body }) => {
    const seqs = seqsOf(body);
    const given = answer(seqs, ++n);
    if (given === "reset") return response.socket?.destroy();
    if (typeof given === "number") {
      if (given < 300) kept.push(...seqs);
      return response.writeHead(given, given === 429 ? { "retry-after": "600" } : {}).end("{not json");
    }
    if ((given as { code?: number }).code === 0) kept.push(...seqs);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(given));
  };
  return kept;
}

const inOrder = (length: number) => Array.from({ length }, (_, i) => i + 1);

/** Until all has been taken, the clock moved on by each pause. */
async function drain(): Promise<number> {
  for (let rounds = 1; rounds < 200; rounds++) {
    const outcome = await round();
    if (outcome === "up to date" || outcome === "nothing") return rounds;
    expect(outcome).toMatch(/paused|busy/);
    nowMs += 60_000;
  }
  throw new Error("it is never up to date");
}

describe("every entry arrives, in order", () => {
  it("byte for byte, in bounded batches, one at a time, and new ones from where it stood", async () => {
    let [open, most] = [0, 0];
    receiver.answer = (response) => {
      most = Math.max(most, ++open);
      setImmediate(() => {
        open--;
        response.writeHead(204).end();
      });
    };
    expect(await round()).toBe("up to date");
    const { rows } = await t.db.pool.query("select body from audit_entries order by seq");
    expect(Buffer.concat(receiver.received.map(({ body }) => body)).toString()).toBe(
      rows.map(({ body }) => `${body}\n`).join(""),
    );
    expect(most).toBe(1);
    expect(Math.max(...receiver.received.map(({ body }) => body.length))).toBeLessThanOrEqual(1_048_576);
    expect(Math.max(...receiver.received.map(({ body }) => linesOf(body).length))).toBeLessThanOrEqual(1_000);
    expect(receiver.received[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);

    receiver.received.length = 0;
    expect(await round()).toBe("nothing");
    const before = await size();
    await write(before + 1_000_000, 3);
    expect(await another()()).toBe("up to date");
    expect(receiver.received.flatMap(({ body }) => seqsOf(body))).toEqual([
      before + 1,
      before + 2,
      before + 3,
    ]);
  });

  it.each<[string, (n: number) => number | "reset"]>([
    ["that resets connections", (n) => (n % 3 === 0 ? 204 : "reset")],
    ["that answers 5xx", (n) => [500, 502, 204, 503, 504, 204][n % 6]!],
    ["that answers 429 with Retry-After", (n) => (n % 2 === 0 ? 204 : 429)],
    ["that has all of it", (n) => [204, 429, "reset" as const, 204, 500, 408][n % 6]!],
  ])("to a receiver %s", async (_, answer) => {
    const kept = keeping((_seqs, n) => answer(n));
    await drain();
    expect(kept).toEqual(inOrder(await size()));
  });

  it("to one that takes what is small enough: 413 halves, and larger batches come back by and by", async () => {
    const kept = keeping((seqs) => (seqs.length > 100 ? 413 : 204));
    expect(await round()).toBe("up to date");
    const total = await size();
    expect(kept).toEqual(inOrder(total));
    expect(receiver.received.length).toBeLessThan((total / 100) * 4);
    expect((await state()).omitted_count).toBe(0);
  });

  it("to one that is too slow for large batches: each that it does not answer in time comes again, smaller", async () => {
    timeoutMs = 500;
    round = another();
    const kept: number[] = [];
    receiver.answer = (response, { body }) => {
      if (body.length > 100_000) return;
      kept.push(...seqsOf(body));
      response.writeHead(204).end();
    };
    await drain();
    expect(kept).toEqual(inOrder(await size()));
    expect(Math.max(...receiver.received.map(({ body }) => body.length))).toBeGreaterThan(100_000);
  });

  it("to one that is away for a day, asked less and less, with nothing held meanwhile", async () => {
    keeping(() => "reset");
    for (const until = nowMs + 24 * HOUR_MS; nowMs < until; nowMs += 60_000) await round();
    expect(receiver.received.length).toBeLessThan(310);
    const troubles = troublesOf([await state()], clock);
    expect(troubles).toMatchObject([{ stream: place.name, kind: "failing" }]);
    const kept = keeping(() => 204);
    nowMs += 300_000;
    expect(await another()()).toBe("up to date");
    expect(kept).toEqual(inOrder(await size()));
    expect(troublesOf([await state()], clock)).toEqual([]);
  });

  it("after the process was killed in the middle of a batch, from the last one that was taken", async () => {
    let arrived: () => void = () => {};
    const second = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const kept = keeping(() => 204);
    const answer = receiver.answer;
    // The second is taken, and its answer never leaves.
    receiver.answer = (response, request) => {
      if (receiver.received.length < 2) return answer(response, request);
      kept.push(...seqsOf(request.body));
      arrived();
    };
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "test-forwarder.ts"), t.url, receiver.url, place.name],
      { stdio: "inherit" },
    );
    const ended = once(child, "exit");
    await second;
    child.kill("SIGKILL");
    await ended;
    receiver.answer = answer;
    expect(await round()).toBe("busy");
    await sql`update log_streams set claimed_until = now() - interval '1 second' where name = ${place.name}`.execute(
      t.db.kysely,
    );
    expect(await round()).toBe("up to date");
    expect([...new Set(kept)]).toEqual(inOrder(await size()));
    expect(kept.length).toBe((await size()) + 1_000);
  }, 60_000);
});

describe("pauses", () => {
  it("hold over all processes: nobody asks before Retry-After is over, at most an hour", async () => {
    receiver.answer = status(429, { "retry-after": "86400" });
    expect(await round()).toBe("paused");
    for (const each of [round, another()]) expect(await each()).toBe("busy");
    nowMs += HOUR_MS - 1;
    expect(await another()()).toBe("busy");
    expect(receiver.received.length).toBe(1);
    nowMs += 1;
    expect(await another()()).toBe("paused");
    expect(receiver.received.length).toBe(2);
  });

  it("grow from five seconds to five minutes", async () => {
    receiver.answer = status(503);
    const pauses: number[] = [];
    for (let n = 0; n < 9; n++) {
      expect(await round()).toBe("paused");
      const { rows } = await t.db.pool.query(
        "select (extract(epoch from not_before) * 1000)::float8 as ms from log_streams where name = $1",
        [place.name],
      );
      pauses.push((rows[0].ms - nowMs) / 1000);
      nowMs = rows[0].ms;
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });
});

describe("one process at a time", () => {
  it("sends, and one that lost the stream meanwhile moves nothing on", async () => {
    receiver.answer = (response) => {
      another()().then(async (outcome) => {
        expect(outcome).toBe("busy");
        await t.db.pool.query("update log_streams set holder = gen_random_uuid() where name = $1", [
          place.name,
        ]);
        response.writeHead(204).end();
      });
    };
    expect(await round()).toBe("busy");
    expect((await state()).taken_seq).toBe(0);
    expect(receiver.received.length).toBe(1);
  });
});

describe("what is final", () => {
  it("stops the stream and is told, until the next start or another token, and no message holds the token", async () => {
    receiver.answer = (response, { headers }) =>
      response.writeHead(headers.authorization === "Bearer new" ? 204 : 403).end(`no ${TOKEN}`);
    expect(await round()).toBe("stopped");
    expect(await round()).toBe("stopped");
    expect(receiver.received.length).toBe(1);
    const told = troublesOf([await state()], clock);
    expect(told).toMatchObject([
      {
        kind: "refused",
        message: `The stream ${place.name} of the audit log has stopped after entry 0: it answered 403.`,
      },
    ]);
    await noteStreams(t.db, told);
    const noted = await t.db.pool.query("select subject, message, details::text from system_findings");
    expect(noted.rows.map(({ subject }) => subject)).toEqual([`audit_stream:${place.name}`]);
    expect(JSON.stringify(noted.rows)).not.toContain(TOKEN);

    expect(await another()()).toBe("stopped");
    expect(receiver.received.length).toBe(2);
    token = "new";
    expect(await round()).toBe("up to date");
    await noteStreams(t.db, troublesOf([await state()], clock));
    expect((await t.db.pool.query("select from system_findings")).rowCount).toBe(0);
  });
});

describe("an entry that the receiver takes in no size", () => {
  it("goes by its place alone, with the others whole and an alert for a day", async () => {
    const large = (await size()) + 1;
    await t.db.transaction((tx) => record(tx, [apiEntry(ACTORS[0]!, VAULTS[0]!, "x".repeat(200_000))]));
    await write(5_000_000, 10);
    receiver.answer = (response, { body }) => response.writeHead(body.length > 150_000 ? 413 : 204).end();
    expect(await round()).toBe("up to date");
    const taken = receiver.received.filter(({ body }) => body.length <= 150_000);
    expect(taken.flatMap(({ body }) => seqsOf(body))).toEqual(inOrder(await size()));
    const found = taken.flatMap(({ body }) => linesOf(body)).filter((line) => "omitted" in line);
    expect(found).toEqual([
      { seq: String(large), id: expect.stringMatching(/^[0-9a-f-]{36}$/), omitted: true },
    ]);
    const told = troublesOf([await state()], clock);
    expect(told).toMatchObject([{ kind: "omitted", details: { omitted_seq: large, omitted_count: 1 } }]);
    await noteStreams(t.db, told);
    expect((await t.db.pool.query("select subject from system_findings")).rows).toEqual([
      { subject: `audit_stream_omitted:${place.name}` },
    ]);
    nowMs += 24 * HOUR_MS;
    expect(troublesOf([await state()], clock)).toEqual([]);
  });

  it("stops the stream where not even that is taken", async () => {
    receiver.answer = status(413);
    expect(await round()).toBe("stopped");
    expect(await state()).toMatchObject({ taken_seq: 0, trouble: "refused" });
  });
});

describe("Splunk", () => {
  beforeEach(() => use("splunk_hec"));

  it("has taken what it answers code 0 to, and nothing else", async () => {
    const kept = keeping((_, n) => [{ code: 0 }, 200, { code: 8 }, {}][n % 4]!);
    // What is kept at a bare 200 is not known to be kept, and comes again.
    await drain();
    expect([...new Set(kept)]).toEqual(inOrder(await size()));
    expect(receiver.received[0]?.path).toBe("/hook/services/collector/event");
    expect(receiver.received[0]?.headers.authorization).toBe(`Splunk ${TOKEN}`);
  });

  it("where it acknowledges, has taken what it acknowledged; what it lost is sent again", async () => {
    const kept: number[] = [];
    const pending = new Map<number, number[]>();
    let [ids, polls] = [0, 0];
    receiver.answer = (response, { path, body, headers }) => {
      expect(headers["x-splunk-request-channel"]).toMatch(/^[0-9a-f-]{36}$/);
      if (path.includes("/event")) {
        pending.set(++ids, seqsOf(body));
        return response.writeHead(200).end(JSON.stringify({ text: "Success", code: 0, ackId: ids }));
      }
      const [id] = (JSON.parse(body.toString()) as { acks: number[] }).acks as [number];
      // The first is lost for good; of the others every third asking is answered with true.
      const isStored = id > 1 && ++polls % 3 === 0;
      if (isStored) kept.push(...(pending.get(id) ?? []));
      response.writeHead(200).end(JSON.stringify({ acks: { [id]: isStored } }));
    };
    expect(await round()).toBe("paused");
    expect((await state()).message).toBe("it did not acknowledge what it took");
    await drain();
    expect(kept).toEqual(inOrder(await size()));
  });
});

it("lag is told in entries and in seconds, of streams that never sent, too", async () => {
  const fresh = await state();
  expect(fresh).toMatchObject({ taken_seq: 0, lag_entries: await size() });
  expect(fresh.lag_seconds).toBeGreaterThan(0);
  await round();
  expect(await state()).toMatchObject({ taken_seq: await size(), lag_entries: 0, lag_seconds: 0 });
});
