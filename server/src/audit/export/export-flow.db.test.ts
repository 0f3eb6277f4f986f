// That an export flows: at the client's speed, gone with the client that goes, and never whole when it was cut short.
import { once } from "node:events";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { apiEntry } from "../../../test/audit.ts";
import { type AuditApp, MAINTAINER, MANAGER, STRANGER, startAuditApp } from "../../../test/audit-app.ts";
import { asSuperuser } from "../../../test/test-server.ts";
import { record } from "../append/record.ts";
import { ZERO_ADDRESS } from "../entries/entries.ts";

let t: AuditApp;
const NOWHERE = { chain_id: 0, vault_address: ZERO_ADDRESS };
const NDJSON = "application/x-ndjson";

beforeAll(async () => {
  t = await startAuditApp();
});
afterAll(() => t.close());

/** The answer once a place is free: that of an export whose client has gone is so when the service has heard of it. */
async function untilAllowed(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await ask();
    if (response.status !== 429 && response.status !== 503) return response;
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("an export flows", () => {
  const sessions = (what: string) =>
    asSuperuser(inject("testServer"), async (client) => {
      const { rows } = await client.query(
        `select ${what} from pg_stat_activity where query ilike 'copy (%' and state = 'active' and datname = $1`,
        [new URL(t.database.url).pathname.slice(1)],
      );
      return rows.length;
    });

  /** Those whose clients have gone, or have everything, may not have ended yet. */
  const noneUnderWay = async () => {
    while ((await sessions("pid")) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  /** Begins an export, once there is a place for it, and stops reading after its first bytes. */
  const begin = async (wallet = MAINTAINER) => {
    for (;;) {
      const begun = await tryToBegin(wallet);
      if (begun.response.statusCode === 200) return begun;
      begun.request.on("error", () => {});
      begun.request.destroy();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const tryToBegin = (wallet: typeof MAINTAINER) =>
    new Promise<{ request: ClientRequest; response: IncomingMessage }>((resolve, reject) => {
      const headers = { ...t.as(wallet), accept: NDJSON };
      const request = httpRequest(`${t.url}/api/v1/audit/export`, { headers }, (response) => {
        response.once("data", () => {
          response.pause();
          resolve({ request, response });
        });
      });
      request.on("error", reject);
      request.end();
    });

  // An eighth of a gigabyte: several times what sockets and streams on the way can hold, so that an export whose client does not
  // read is under way for as long as the test wants. Of one letter each, so that it costs the database little.
  beforeAll(async () => {
    const big = Array.from({ length: 256 }, () => apiEntry(MANAGER, NOWHERE, "x".repeat(524_288)));
    for (let i = 0; i < big.length; i += 64) {
      await t.database.db.transaction((tx) => record(tx, big.slice(i, i + 64)));
    }
  });

  it("to a client that goes away, and lets its database session go at once", async () => {
    const { request } = await begin();
    expect(await sessions("pid")).toBe(1);
    request.on("error", () => {});
    request.destroy();
    await noneUnderWay();
    const again = await fetch(`${t.url}/api/v1/audit/export?action_type=deposit`, {
      headers: t.as(MAINTAINER),
    });
    expect(again.status).toBe(200);
  });

  const places = () => Math.floor(t.database.db.pool.options.max * 0.6);
  const ask = (wallet = MAINTAINER, method = "GET") =>
    fetch(`${t.url}/api/v1/audit/export?action_type=deposit`, { method, headers: t.as(wallet) });
  const refusalOf = async (response: Response) => {
    const { code } = (await response.json()) as { code: string };
    return [response.status, code, response.headers.get("retry-after")];
  };

  it("and leaves sessions of the pool to everybody else, and places for exports to other wallets", async () => {
    const own = places() / 2;
    const begun = await Promise.all(Array.from({ length: own }, () => begin(MAINTAINER)));
    expect(await refusalOf(await ask(MAINTAINER))).toEqual([429, "rate_limited", "30"]);
    expect((await ask(MAINTAINER, "HEAD")).status).toBe(200);
    expect((await ask(STRANGER)).status).toBe(200);
    begun.push(...(await Promise.all(Array.from({ length: own }, () => begin(MANAGER)))));
    expect(await refusalOf(await ask(STRANGER))).toEqual([503, "service_unavailable", "30"]);
    expect((await ask(STRANGER, "HEAD")).status).toBe(200);
    for (const { request } of begun) {
      request.on("error", () => {});
      request.destroy();
    }
    await noneUnderWay();
    for (const wallet of [MAINTAINER, MANAGER])
      expect((await untilAllowed(() => ask(wallet))).status).toBe(200);
  });

  /** What happens to the place of an export that ends while the database keeps it from beginning. */
  describe("and gives its place back", () => {
    const waiting = (what: string) =>
      asSuperuser(inject("testServer"), async (client) => {
        const { rows } = await client.query(
          `select ${what} from pg_stat_activity where wait_event_type = 'Lock' and datname = $1`,
          [new URL(t.database.url).pathname.slice(1)],
        );
        return rows.length;
      });

    /** Runs while nobody can read the log. */
    async function whileLocked<T>(run: () => Promise<T>): Promise<T> {
      const client = await t.database.owner.pool.connect();
      await client.query("begin; lock table audit_entries in access exclusive mode");
      try {
        return await run();
      } finally {
        await client.query("rollback");
        client.release();
      }
    }

    it("when its client goes away before the first byte", async () => {
      for (let n = 0; n <= places(); n += 1) {
        await whileLocked(async () => {
          const gone = new AbortController();
          const asked = fetch(`${t.url}/api/v1/audit/export`, {
            headers: t.as(MAINTAINER),
            signal: gone.signal,
          });
          while ((await waiting("pid")) === 0) await new Promise((resolve) => setTimeout(resolve, 10));
          gone.abort();
          await expect(asked).rejects.toThrow(/abort/);
        });
        expect((await untilAllowed(ask)).status).toBe(200);
      }
    });

    it("when the database refuses to count it", async () => {
      for (let n = 0; n <= places(); n += 1) {
        const refused = await whileLocked(async () => {
          let answer: Response | null = null;
          const asked = ask().then((response) => {
            answer = response;
          });
          // Without a checkpoint it would go out all the same: whatever is asked of the database fails.
          while (answer === null) await waiting("pg_terminate_backend(pid)");
          await asked;
          return answer as Response;
        });
        expect(refused.status).toBeGreaterThanOrEqual(500);
      }
      expect((await ask()).status).toBe(200);
    });
  });

  it("and ends without its last chunk when the database fails in the middle", async () => {
    await noneUnderWay();
    const { response } = await begin();
    expect(await sessions("pg_terminate_backend(pid)")).toBe(1);
    await expect(textOf(response)).rejects.toThrow(/aborted/);
  });

  it("and ends in a reset where a client of HTTP/1.0 has no last chunk to miss", async () => {
    await noneUnderWay();
    const socket = connect(Number(new URL(t.url).port), "127.0.0.1");
    const failed = once(socket, "error");
    failed.catch(() => {});
    const { authorization } = t.as(MAINTAINER);
    socket.write(`GET /api/v1/audit/export HTTP/1.0\r\nauthorization: ${authorization}\r\n\r\n`);
    const [first] = await once(socket, "data");
    socket.pause();
    expect(String(first)).toMatch(/^HTTP\/1\.1 200 /);
    expect(String(first)).not.toContain("chunked");
    expect(await sessions("pg_terminate_backend(pid)")).toBe(1);
    socket.resume();
    expect((await failed)[0]).toMatchObject({ code: "ECONNRESET" });
  });
});
