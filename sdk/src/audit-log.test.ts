import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AuditEntry, fileStore, type PollOptions, pollAuditLog } from "./audit-log.ts";
import { type ApiError, ApiUnreachable } from "./client.ts";
import { retryAfterOf, waitOf } from "./pause.ts";

/** A service with a log of its own: walks by cursor as documented, and fails when it is told to. */
let server: Server;
let baseUrl: string;
let log: AuditEntry[];
let requests: IncomingMessage[];
let failNext: { status: number; headers?: Record<string, string>; body?: object }[];
/** Every connection ends without an answer. */
let isAway: boolean;
let directory: string;

beforeEach(async () => {
  log = [];
  requests = [];
  failNext = [];
  isAway = false;
  directory = await mkdtemp(join(tmpdir(), "vaultops-poll-"));
  server = createServer((request, response) => {
    if (isAway) return request.socket.destroy();
    requests.push(request);
    const failure = failNext.shift();
    response.setHeader("content-type", "application/json");
    if (failure !== undefined) {
      if (failure.status >= 400)
        response.setHeader("content-type", "application/problem+json; charset=utf-8");
      response.writeHead(failure.status, failure.headers).end(JSON.stringify(failure.body ?? {}));
      return;
    }
    const query = new URL(request.url!, "http://x").searchParams;
    const cursor = query.get("cursor")!;
    const after = cursor === "start" ? 0 : cursor === "now" ? log.length : Number(cursor.slice(1));
    const limit = Number(query.get("limit"));
    const logs = log.slice(after, after + limit);
    const next = after + logs.length;
    response.end(
      JSON.stringify({ logs, total: log.length, has_more: next < log.length, next_cursor: `c${next}` }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true });
});

function write(count: number): void {
  for (let i = 0; i < count; i++)
    log.push({ id: `id-${log.length}`, seq: String(log.length + 1) } as AuditEntry);
}

/** Polls until `count` entries came, then stops. */
async function pollFor(count: number, options: Partial<PollOptions> = {}): Promise<string[]> {
  const stop = new AbortController();
  const seen: string[] = [];
  const own = options.handle;
  await pollAuditLog({
    baseUrl,
    token: "jwt",
    store: fileStore(join(directory, "place")),
    intervalMs: 5,
    // A request that is given up while the machine stands still would be one error more than the service made.
    timeoutMs: 120_000,
    signal: stop.signal,
    ...options,
    async handle(entries) {
      await own?.(entries);
      seen.push(...entries.map((entry) => entry.seq));
      if (seen.length >= count) stop.abort();
    },
  });
  return seen;
}

const seqs = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => String(from + i));

describe("the poller", () => {
  it("hands over every entry once, in order, page by page, and goes on as more are written", async () => {
    write(25);
    let isGrown = false;
    const seen = await pollFor(40, {
      limit: 10,
      handle: () => {
        if (!isGrown) write(15);
        isGrown = true;
      },
    });
    expect(seen).toEqual(seqs(1, 40));
  });

  it("goes on where it was, in another run", async () => {
    write(10);
    expect(await pollFor(10)).toEqual(seqs(1, 10));
    write(5);
    expect(await pollFor(5)).toEqual(seqs(11, 15));
  });

  it("begins after what was there, from now on, when asked to, and keeps that place", async () => {
    write(10);
    const stop = new AbortController();
    const store = fileStore(join(directory, "place"));
    const polling = pollAuditLog({
      baseUrl,
      token: "jwt",
      store,
      from: "now",
      handle: () => {},
      intervalMs: 5,
      signal: stop.signal,
    });
    while ((await store.load()) === null) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await polling;
    write(2);
    expect(await pollFor(2, { from: "now" })).toEqual(seqs(11, 12));
  });

  it("hands a page over again when the handler failed, or the program died before it was saved", async () => {
    write(6);
    let attempts = 0;
    const errors: Error[] = [];
    const seen = await pollFor(6, {
      limit: 3,
      handle: () => {
        attempts += 1;
        if (attempts === 2) throw new Error("the handler failed");
      },
      onError: (error) => errors.push(error),
    });
    expect(seen).toEqual(seqs(1, 6));
    expect(errors.map((error) => error.message)).toEqual(["the handler failed"]);
    expect(attempts).toBe(3);
  });

  it("passes over nothing when the service fails, and waits as long as it is told", async () => {
    write(3);
    failNext = [
      { status: 503, headers: { "retry-after": "0" } },
      { status: 429, headers: { "retry-after": "0" }, body: { code: "rate_limited", detail: "slow down" } },
      { status: 500 },
      { status: 401, body: { code: "invalid_token", detail: "expired" } },
    ];
    const errors: ApiError[] = [];
    expect(await pollFor(3, { onError: (error) => errors.push(error as ApiError) })).toEqual(seqs(1, 3));
    expect(errors.map((error) => [error.status, error.code])).toEqual([
      [503, null],
      [429, "rate_limited"],
      [500, null],
      [401, "invalid_token"],
    ]);
    expect(errors[0]!.retryAfterMs).toBe(0);
  });

  it("takes nothing for a page that is none, whoever answered, and is put off for five minutes at most", async () => {
    write(3);
    const headers = { "retry-after": "0" };
    failNext = [
      { status: 200, headers, body: {} },
      { status: 200, headers, body: { logs: [], has_more: false, next_cursor: null } },
      { status: 200, headers, body: { logs: [], has_more: false } },
      {
        status: 502,
        headers: { ...headers, "content-type": "application/json" },
        body: { code: "upstream" },
      },
    ];
    const errors: Error[] = [];
    expect(await pollFor(3, { onError: (error) => errors.push(error) })).toEqual(seqs(1, 3));
    expect(errors.map((error) => error instanceof ApiUnreachable)).toEqual([true, true, true, false]);
    expect(errors[3]).toMatchObject({ name: "ApiError", status: 502, code: null });
    expect(await readFile(join(directory, "place"), "utf8")).toBe("c3\n");
    const long = retryAfterOf(new Response("", { headers: { "retry-after": "99999999999" } }));
    expect(waitOf(long)).toBe(300_000);
  });

  it("goes on when the service is away for a time", async () => {
    write(2);
    isAway = true;
    let failures = 0;
    const onError = () => {
      failures += 1;
      if (failures === 3) isAway = false;
    };
    expect(await pollFor(2, { onError })).toEqual(seqs(1, 2));
    expect(failures).toBe(3);
  });

  it("asks for a token before every request, and sends its filter", async () => {
    write(4);
    let count = 0;
    await pollFor(4, {
      limit: 2,
      token: async () => `jwt-${++count}`,
      filter: { chain_id: 8453, vault_address: "0xabc", action_type: ["deposit", "withdraw"] },
    });
    expect(requests.slice(0, 2).map((request) => request.headers.authorization)).toEqual([
      "Bearer jwt-1",
      "Bearer jwt-2",
    ]);
    const query = new URL(requests[0]!.url!, "http://x").searchParams;
    expect(query.getAll("action_type")).toEqual(["deposit", "withdraw"]);
    query.delete("action_type");
    expect(Object.fromEntries(query)).toEqual({
      chain_id: "8453",
      vault_address: "0xabc",
      limit: "2",
      cursor: "start",
    });
  });

  it("gives a request up that takes too long, and ends at once when told", async () => {
    server.removeAllListeners("request");
    server.on("request", () => {});
    const stop = new AbortController();
    const errors: Error[] = [];
    const polling = pollAuditLog({
      baseUrl,
      token: "jwt",
      store: { load: async () => null, save: async () => {} },
      handle: () => {},
      timeoutMs: 20,
      intervalMs: 60_000,
      onError: (error) => {
        errors.push(error);
        stop.abort();
      },
      signal: stop.signal,
    });
    await polling;
    expect(errors[0]).toBeInstanceOf(ApiUnreachable);
    expect(errors[0]!.message).toContain("0.02 s");
  });

  it("keeps its place in a file that is whole at every moment", async () => {
    write(1);
    await pollFor(1);
    expect(await readFile(join(directory, "place"), "utf8")).toBe("c1\n");
    expect(await readdir(directory)).toEqual(["place"]);
  });
});
