// That an export flows: at the client's speed, gone with the client that goes, and never whole when it was cut short.
import { once } from "node:events";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { apiEntry } from "../../test/audit.ts";
import { type AuditApp, MAINTAINER, MANAGER, startAuditApp } from "../../test/audit-app.ts";
import { asSuperuser } from "../../test/test-server.ts";
import { ZERO_ADDRESS } from "./entries.ts";
import { record } from "./record.ts";

let t: AuditApp;
const NOWHERE = { chain_id: 0, vault_address: ZERO_ADDRESS };
const NDJSON = "application/x-ndjson";

beforeAll(async () => {
  t = await startAuditApp();
});
afterAll(() => t.close());

describe("an export flows", () => {
  const sessions = (what: string) =>
    asSuperuser(inject("testServer"), async (client) => {
      const { rows } = await client.query(
        `select ${what} from pg_stat_activity where query ilike 'copy (%' and state = 'active' and datname = $1`,
        [new URL(t.database.url).pathname.slice(1)],
      );
      return rows.length;
    });

  /** Begins an export and stops reading after its first bytes. */
  const begin = () =>
    new Promise<{ request: ClientRequest; response: IncomingMessage }>((resolve, reject) => {
      const headers = { ...t.as(MAINTAINER), accept: NDJSON };
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
    while ((await sessions("pid")) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const again = await fetch(`${t.url}/api/v1/audit/export?action_type=deposit`, {
      headers: t.as(MAINTAINER),
    });
    expect(again.status).toBe(200);
  });

  it("and leaves sessions of the pool to everybody else, however many are asked for", async () => {
    const most = Math.floor(t.database.db.pool.options.max * 0.6);
    const begun = await Promise.all(Array.from({ length: most }, begin));
    const ask = () =>
      fetch(`${t.url}/api/v1/audit/export?action_type=deposit`, { headers: t.as(MAINTAINER) });
    const refused = await ask();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(await refused.json()).toMatchObject({ code: "service_unavailable" });
    const head = await fetch(`${t.url}/api/v1/audit/export`, { method: "HEAD", headers: t.as(MAINTAINER) });
    expect(head.status).toBe(200);
    for (const { request } of begun) {
      request.on("error", () => {});
      request.destroy();
    }
    while ((await sessions("pid")) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await ask()).status).toBe(200);
  });

  it("and ends without its last chunk when the database fails in the middle", async () => {
    const { response } = await begin();
    expect(await sessions("pg_terminate_backend(pid)")).toBe(1);
    await expect(textOf(response)).rejects.toThrow(/aborted/);
  });

  it("and ends in a reset where a client of HTTP/1.0 has no last chunk to miss", async () => {
    // Those that other tests have ended may not have gone yet.
    while ((await sessions("pid")) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
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
