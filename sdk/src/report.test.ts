import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type CloudEvent, createReporter, type Reporter, type ReporterOptions } from "./report.ts";

type Answer = (
  events: CloudEvent[],
) => { status: number; headers?: Record<string, string>; body?: string } | "reset" | "hang" | "cut off";

/** Longer than a busy machine stands still: a request that is given up meanwhile is sent again, and what it brought arrives twice. */
const PATIENCE_MS = 120_000;
const VAULT = "8453:0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698";
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

describe("the reporter", () => {
  it("sends what it took, in order, as one CloudEvents batch", async () => {
    const service = await receiver();
    const reporter = await start(service.url);
    for (let n = 0; n < 250; n += 1) report(reporter, n);
    expect(await reporter.flush(PATIENCE_MS)).toBe(true);
    expect(service.values()).toEqual(range(250));
    expect(service.requests[0]?.authorization).toBe("Bearer secret-token");
    expect(service.requests[0]?.contentType).toBe("application/cloudevents-batch+json");
    const ids = service.accepted.map((event) => event.id);
    expect([...ids].sort()).toEqual(ids);
    expect(service.accepted[0]).toMatchObject({
      specversion: "1.0",
      source: "/engine/test",
      subject: VAULT,
      type: "vaultops.pps.report",
    });
    expect(reporter.stats()).toMatchObject({ sent: 250, rejected: 0, dropped: 0, waitingBytes: 0 });
  });

  it("turns bigint amounts into decimal strings", async () => {
    const service = await receiver();
    const reporter = await start(service.url);
    reporter.report("vaultops.pps.report", {
      vault: VAULT,
      data: { value: 2n ** 255n, at: "2026-05-09T10:00:00Z" },
    });
    expect(await reporter.flush(PATIENCE_MS)).toBe(true);
    expect(service.accepted[0]?.data).toHaveProperty("value", (2n ** 255n).toString());
  });

  it("loses nothing while the service is away, refuses, resets or answers rubbish", async () => {
    const faults: ReturnType<Answer>[] = [
      "reset",
      { status: 503, headers: { "retry-after": "0" } },
      { status: 429, headers: { "retry-after": "0" }, body: "{}" },
      { status: 200, body: "<html>" },
      { status: 200, body: '{"results":[]}' },
      { status: 401, body: '{"code":"invalid_token","detail":"no"}', headers: { "retry-after": "0" } },
      { status: 302, headers: { location: "http://127.0.0.1:1/" } },
    ];
    const count = faults.length;
    const service = await receiver(() => faults.shift() ?? null);
    const errors: string[] = [];
    const reporter = await start(service.url, { onError: (error) => errors.push(error.message) });
    for (let n = 0; n < 20; n += 1) report(reporter, n);
    expect(await reporter.flush(PATIENCE_MS)).toBe(true);
    expect(service.values()).toEqual(range(20));
    expect(errors).toHaveLength(count);
    expect(errors.join()).not.toContain("secret-token");
  });

  it("sends again what the service took and left without an answer, or with half of one", async () => {
    const faults: ReturnType<Answer>[] = ["hang", "cut off"];
    const service = await receiver(() => faults.shift() ?? null);
    const errors: string[] = [];
    const reporter = await start(service.url, {
      requestTimeoutMs: 1000,
      onError: (error) => errors.push(error.message),
    });
    for (let n = 0; n < 20; n += 1) report(reporter, n);
    expect(await reporter.flush(PATIENCE_MS)).toBe(true);
    // On a slow machine other requests take too long as well, and what they brought comes once more.
    expect([...new Set(service.values())]).toEqual(range(20));
    expect(faults).toEqual([]);
    expect(errors.length).toBeGreaterThanOrEqual(2);
    for (const error of errors) expect(error).toMatch(/^VaultOps cannot be reached: /);
  });

  it("waits as long as Retry-After says", async () => {
    let refused = false;
    const service = await receiver(() => {
      if (refused) return null;
      refused = true;
      return { status: 429, headers: { "retry-after": "1" } };
    });
    const reporter = await start(service.url);
    report(reporter, 1);
    expect(await reporter.flush(PATIENCE_MS)).toBe(true);
    const [first, second] = service.requests;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it("tells of each refused report and goes on with the others", async () => {
    const service = await receiver((events) => ({
      status: 200,
      body: JSON.stringify({
        results: events.map(({ source, id, data }) =>
          (data as { value: string }).value === "1"
            ? {
                source,
                id,
                status: "rejected",
                problem: { code: "not_permitted", detail: "another's vault" },
              }
            : { source, id, status: "accepted" },
        ),
      }),
    }));
    const rejected: [string, string][] = [];
    const reporter = await start(service.url, {
      onRejected: ({ data }, { code }) => rejected.push([(data as { value: string }).value, code]),
    });
    for (let n = 0; n < 3; n += 1) report(reporter, n);
    expect(await reporter.flush(PATIENCE_MS)).toBe(true);
    expect(rejected).toEqual([["1", "not_permitted"]]);
    expect(reporter.stats()).toMatchObject({ sent: 2, rejected: 1 });
  });

  it("halves a batch that is too large for the service, and gives up only a single report that is", async () => {
    const service = await receiver((events) =>
      events.some(({ data }) => (data as { value: string }).value === "7") || events.length > 4
        ? problem(413, "batch_too_large")
        : null,
    );
    const rejected: string[] = [];
    const reporter = await start(service.url, {
      onRejected: ({ data }) => rejected.push((data as { value: string }).value),
    });
    for (let n = 0; n < 16; n += 1) report(reporter, n);
    expect(await reporter.flush(PATIENCE_MS)).toBe(true);
    expect(rejected).toEqual(["7"]);
    expect(service.values()).toEqual(range(16).filter((n) => n !== 7));
  });

  it.each([
    [
      "400 in HTML",
      { status: 400, headers: { "content-type": "text/html" }, body: "<html>Bad Request</html>" },
    ],
    [
      "413 in HTML",
      { status: 413, headers: { "content-type": "text/html" }, body: "<html>Too Large</html>" },
    ],
    ["400 in JSON", { status: 400, body: JSON.stringify({ code: "invalid_json", detail: "a gateway's" }) }],
    ["413 without a body", { status: 413 }],
    ["a problem document of another code", problem(400, "tenant_suspended")],
    [
      "200 with as many results of another kind",
      { status: 200, body: JSON.stringify({ results: [{}, {}, {}] }) },
    ],
  ])("gives nothing up for %s, which is not the service's word", async (_, answer) => {
    let left = 6;
    const service = await receiver(() => (left-- > 0 ? answer : null));
    const rejected: string[] = [];
    const reporter = await start(service.url, { onRejected: (_event, { code }) => rejected.push(code) });
    for (let n = 0; n < 3; n += 1) report(reporter, n);
    expect(await reporter.flush(PATIENCE_MS)).toBe(true);
    expect(service.values()).toEqual(range(3));
    expect(rejected).toEqual([]);
  });

  it("sends ever fewer at a time where something between takes only small requests", async () => {
    const service = await receiver((events) => (events.length > 2 ? { status: 413, body: "<html>" } : null));
    const reporter = await start(service.url);
    for (let n = 0; n < 9; n += 1) report(reporter, n);
    expect(await reporter.flush(PATIENCE_MS)).toBe(true);
    expect(service.values()).toEqual(range(9));
    expect(reporter.stats()).toMatchObject({ sent: 9, rejected: 0 });
  });

  it("offers again what the service may take later, holds nothing up for it, and keeps it over a restart", async () => {
    const isUnknown = ({ data }: CloudEvent) => (data as { value: string }).value === "1";
    const refused = {
      status: "rejected",
      retry: true,
      problem: { code: "vault_not_found", detail: "none yet" },
    };
    let isIndexed = false;
    const seen: string[] = [];
    const service = await receiver((events) => {
      const taken = events.filter((event) => isIndexed || !isUnknown(event));
      seen.push(...taken.map(({ data }) => (data as { value: string }).value));
      return results(events, (event) => (taken.includes(event) ? null : refused));
    });
    const spoolDir = folder();
    const first = await start(service.url, { spoolDir });
    for (let n = 0; n < 4; n += 1) report(first, n);
    await until(() => first.stats().sent === 3);
    expect(first.stats().waitingBytes).toBeGreaterThan(0);
    await first.stop();

    const second = await start(service.url, { spoolDir });
    report(second, 4);
    await until(() => second.stats().sent === 1);
    isIndexed = true;
    expect(await second.flush(PATIENCE_MS)).toBe(true);
    expect(seen).toEqual(["0", "2", "3", "4", "1"]);
    expect(second.stats()).toMatchObject({ sent: 2, rejected: 0, waitingBytes: 0 });
  });

  it("gives up what the service still refuses when its time is over", async () => {
    const refused = { status: "rejected", retry: true, problem: { code: "vault_not_found", detail: "none" } };
    const service = await receiver((events) => results(events, () => refused));
    const rejected: string[] = [];
    const reporter = await start(service.url, {
      unknownVaultMs: 200,
      onRejected: (_event, { code }) => rejected.push(code),
    });
    report(reporter, 1);
    expect(await reporter.flush(PATIENCE_MS)).toBe(true);
    expect(rejected).toEqual(["vault_not_found"]);
    expect(service.requests.length).toBeGreaterThan(1);
  });

  it("leaves out a line that the disk has spoilt, and says so", async () => {
    const spoolDir = folder();
    writeFileSync(join(spoolDir, "00000001.ndjson"), '{"specversion":"1.0","id":\0\0\n');
    const service = await receiver((events) => (events.length === 0 ? problem(400, "invalid_json") : null));
    const errors: string[] = [];
    const reporter = await start(service.url, { spoolDir, onError: ({ message }) => errors.push(message) });
    report(reporter, 1);
    expect(await reporter.flush(PATIENCE_MS)).toBe(true);
    expect(service.values()).toEqual([1]);
    expect(errors).toHaveLength(1);
  });

  it("takes up after a crash what an earlier process left, the line it tore off aside", async () => {
    const spoolDir = folder();
    const line = (n: number) =>
      JSON.stringify({
        specversion: "1.0",
        id: `id-${n}`,
        source: "/engine/test",
        type: "vaultops.pps.report",
        time: "2026-05-09T10:00:00Z",
        data: { value: String(n) },
      });
    writeFileSync(join(spoolDir, "00000001.ndjson"), `${line(0)}\n${line(1)}\n`);
    writeFileSync(join(spoolDir, "00000002.ndjson"), `${line(2)}\n${line(3).slice(0, 40)}`);
    writeFileSync(join(spoolDir, "place.json"), JSON.stringify({ segment: 1, offset: line(0).length + 1 }));
    writeFileSync(join(spoolDir, "lock"), "999999999");
    const service = await receiver();
    const reporter = await start(service.url, { spoolDir });
    report(reporter, 4);
    expect(await reporter.flush(PATIENCE_MS)).toBe(true);
    expect(service.values()).toEqual([1, 2, 4]);
  });

  it("keeps what it could not send for the next start", async () => {
    const spoolDir = folder();
    const away = await start("http://127.0.0.1:1", { spoolDir });
    for (let n = 0; n < 5; n += 1) report(away, n);
    await away.stop(100);
    const service = await receiver();
    const reporter = await start(service.url, { spoolDir });
    expect(await reporter.flush(PATIENCE_MS)).toBe(true);
    expect(service.values()).toEqual(range(5));
  });

  it("drops the oldest at the bound, counts them, and keeps the newest", async () => {
    const reporter = await start("http://127.0.0.1:1", { maxSpoolBytes: 9 * 2 ** 20 });
    const padding = "x".repeat(100_000);
    for (let n = 0; n < 200; n += 1) {
      reporter.report("vaultops.action", {
        vault: VAULT,
        data: {
          action_type: "emergency_exit_arm",
          actor_wallet: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
          details: { n, padding },
        },
      });
      if (n % 20 === 19) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await until(() => reporter.stats().dropped > 0 && reporter.stats().waitingBytes <= 9 * 2 ** 20);
    const { dropped, waitingBytes } = reporter.stats();
    expect(dropped * 100_000 + waitingBytes).toBeGreaterThan(19_000_000);
  });

  it("refuses a folder that another living process uses, and leaves no file behind when all is sent", async () => {
    const spoolDir = folder();
    writeFileSync(join(spoolDir, "lock"), "1");
    await expect(
      createReporter({ url: "http://127.0.0.1:1", token: "t", source: "/s", spoolDir }),
    ).rejects.toThrow("in use by process 1");
    const service = await receiver();
    const used = folder();
    const reporter = await start(service.url, { spoolDir: used });
    report(reporter, 1);
    await reporter.stop(PATIENCE_MS);
    expect(readdirSync(used).filter((name) => name === "lock")).toEqual([]);
  });
});

/** As the service refuses a request as a whole. */
function problem(status: number, code: string) {
  return {
    status,
    headers: { "content-type": "application/problem+json; charset=utf-8" },
    body: JSON.stringify({ status, code, detail: "no" }),
  };
}

/** Answers of the service in which the events of some are refused. */
function results(events: CloudEvent[], refused: (event: CloudEvent) => object | null) {
  const body = events.map((event) => ({
    source: event.source,
    id: event.id,
    ...(refused(event) ?? { status: "accepted" }),
  }));
  return { status: 200, body: JSON.stringify({ results: body }) };
}

function report(reporter: Reporter, n: number): void {
  reporter.report("vaultops.pps.report", {
    vault: VAULT,
    data: { value: String(n), at: "2026-05-09T10:00:00Z" },
  });
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function folder(): string {
  return mkdtempSync(join(tmpdir(), "vaultops-spool-"));
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < PATIENCE_MS; waited += 20)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(holds()).toBe(true);
}

async function start(url: string, options: Partial<ReporterOptions> = {}): Promise<Reporter> {
  const reporter = await createReporter({
    url,
    token: "secret-token",
    source: "/engine/test",
    spoolDir: folder(),
    lingerMs: 5,
    maxBackoffMs: 50,
    requestTimeoutMs: PATIENCE_MS,
    ...options,
  });
  open.push({ close: () => reporter.stop(0) });
  return reporter;
}

/** None for what is no JSON, which the service refuses as a whole. */
function parsed(body: string): CloudEvent[] {
  try {
    return JSON.parse(body);
  } catch {
    return [];
  }
}

/** A service that accepts every report, unless `answer` says otherwise for a request. */
async function receiver(answer: (events: CloudEvent[]) => ReturnType<Answer> | null = () => null) {
  const accepted: CloudEvent[] = [];
  const requests: { at: number; authorization: string | undefined; contentType: string | undefined }[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const events = parsed(Buffer.concat(chunks).toString());
      requests.push({
        at: performance.now(),
        authorization: request.headers.authorization,
        contentType: request.headers["content-type"],
      });
      const given = answer(events);
      if (given === "reset") return request.socket.destroy();
      if (given === "hang") return;
      if (given === "cut off") {
        response.writeHead(200, { "content-length": "1000" }).write('{"results":[');
        return response.destroy();
      }
      if (given) {
        response.writeHead(given.status, given.headers);
        return response.end(given.body);
      }
      accepted.push(...events);
      response.end(
        JSON.stringify({ results: events.map(({ source, id }) => ({ source, id, status: "accepted" })) }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    requests,
    values: () => accepted.map(({ data }) => Number((data as { value: string }).value)),
  };
}
