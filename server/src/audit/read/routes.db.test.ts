// GET /audit/logs and /audit/logs/{id}: one block for each status code, and what each caller sees.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACTORS, apiEntry, chainEntry, VAULTS } from "../../../test/audit.ts";
import { type AuditApp, MAINTAINER, MANAGER, STRANGER, startAuditApp } from "../../../test/audit-app.ts";
import { record } from "../append/record.ts";
import { ACTION_TYPES } from "../entries/details.ts";
import { ZERO_ADDRESS } from "../entries/entries.ts";

let t: AuditApp;
const NOWHERE = { chain_id: 0, vault_address: ZERO_ADDRESS };

beforeAll(async () => {
  t = await startAuditApp();
  const entries = Array.from({ length: 80 }, (_, n) => chainEntry(n, { isHistory: n < 20 }));
  await t.database.db.transaction((tx) =>
    record(tx, [...entries, apiEntry(MANAGER, NOWHERE), apiEntry(STRANGER, NOWHERE)]),
  );
});
afterAll(() => t.close());

interface Entry {
  id: string;
  seq: string;
  timestamp: string;
  recorded_at: string;
  action_type: string;
  vault_address: string;
  chain_id: number;
  actor_wallet: string;
  details: Record<string, unknown>;
}
interface Answer {
  logs: Entry[];
  total: number;
  has_more: boolean;
  next_cursor: string | null;
  live_cursor: string | null;
  code?: string;
  errors?: { path: string }[];
}

async function get(path: string, wallet = MAINTAINER, headers: Record<string, string> = {}) {
  const response = await t.app.inject({
    url: `/api/v1/audit/logs${path}`,
    headers: { ...t.as(wallet), ...headers },
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    body: response.payload === "" ? null : response.json<Answer>(),
  };
}

describe("GET /audit/logs 200", () => {
  it("has the documented shape: exactly the entry's nine fields, newest first", async () => {
    const { status, body, headers } = await get("?limit=2");
    expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
    expect(Object.keys(body!).sort()).toEqual(["has_more", "live_cursor", "logs", "next_cursor", "total"]);
    expect(Object.keys(body!.logs[0]!).sort()).toEqual(
      [
        "id",
        "seq",
        "timestamp",
        "recorded_at",
        "action_type",
        "vault_address",
        "chain_id",
        "actor_wallet",
        "details",
      ].sort(),
    );
    expect(body!.logs.map((entry) => entry.seq)).toEqual(["82", "81"]);
    expect([body!.total, body!.has_more]).toEqual([82, true]);
  });

  it("shows a caller his vaults and his own actions that concern none, a maintainer everything", async () => {
    const { body: own } = await get("?limit=1000", MANAGER);
    const places = new Set(own!.logs.map((entry) => `${entry.chain_id} ${entry.vault_address}`));
    expect(places).toEqual(
      new Set([VAULTS[0]!, VAULTS[1]!, NOWHERE].map((place) => `${place.chain_id} ${place.vault_address}`)),
    );
    expect(own!.total).toBe(21);
    expect(own!.logs.filter((entry) => entry.chain_id === 0).map((entry) => entry.actor_wallet)).toEqual([
      MANAGER,
    ]);
    expect((await get("", MAINTAINER)).body!.total).toBe(82);
    expect((await get("", ACTORS[1]!)).body).toMatchObject({ logs: [], total: 0, has_more: false });
  });

  it("chain_id=0 is what concerns no vault: one's own, for a maintainer all", async () => {
    expect((await get("?chain_id=0", MANAGER)).body!.total).toBe(1);
    expect((await get(`?chain_id=0&vault_address=${ZERO_ADDRESS}`, MANAGER)).body!.total).toBe(1);
    expect((await get("?chain_id=0", MAINTAINER)).body!.total).toBe(2);
    expect((await get(`?chain_id=0&actor_wallet=${STRANGER}`, MANAGER)).body!.total).toBe(0);
  });

  it("finds an address in any case", async () => {
    const { vault_address } = VAULTS[0]!;
    expect((await get(`?vault_address=${vault_address.toUpperCase().replace("0X", "0x")}`)).body!.total).toBe(
      10,
    );
  });

  it("takes several actions, repeated or comma-separated", async () => {
    const one = (await get("?action_type=deposit")).body!.total;
    const two = (await get("?action_type=withdraw")).body!.total;
    expect((await get("?action_type=deposit,withdraw")).body!.total).toBe(one + two);
    expect((await get("?action_type=deposit&action_type=withdraw&action_type=deposit")).body!.total).toBe(
      one + two,
    );
  });

  it("serves the specification's polling request", async () => {
    const { vault_address, chain_id } = VAULTS[0]!;
    const since = (await get("?limit=1&offset=30")).body!.logs[0]!.timestamp;
    const query = `?from_timestamp=${since}&vault_address=${vault_address}&chain_id=${chain_id}&limit=100`;
    const { status, body } = await get(query, MANAGER);
    expect(status).toBe(200);
    expect(body!.logs.every((entry) => entry.timestamp >= since)).toBe(true);
  });

  it("pages without skipping or repeating, has_more true to the last page", async () => {
    const seen: string[] = [];
    for (let offset = 0; ; offset += 7) {
      const { body } = await get(`?limit=7&offset=${offset}&order=asc`);
      seen.push(...body!.logs.map((entry) => entry.seq));
      expect(body!.has_more).toBe(seen.length < 82);
      if (!body!.has_more) break;
    }
    expect(new Set(seen).size).toBe(82);
    const beyond = (await get("?offset=500")).body!;
    expect([beyond.logs, beyond.total, beyond.has_more]).toEqual([[], 82, false]);
  });

  it("by offset has no next_cursor, so that who follows it reads nothing wrong; by cursor it always has one", async () => {
    for (const query of ["?limit=10", "?limit=10&offset=70", "?limit=10&offset=500"]) {
      const page = (await get(query)).body!;
      expect([page.next_cursor, typeof page.live_cursor]).toEqual([null, "string"]);
    }
    for (const cursor of ["start", "now"]) {
      const page = (await get(`?limit=10&cursor=${cursor}`)).body!;
      expect([typeof page.next_cursor, page.live_cursor]).toEqual(["string", null]);
    }
  });

  it("walks by cursor from the start, from a page's live_cursor, and waits at the end", async () => {
    const seen: string[] = [];
    let cursor = "start";
    for (;;) {
      const { body } = await get(`?limit=10&cursor=${cursor}`, MANAGER);
      seen.push(...body!.logs.map((entry) => entry.seq));
      cursor = body!.next_cursor!;
      if (!body!.has_more) break;
    }
    expect(seen.length).toBe(21);
    expect(seen.map(Number)).toEqual([...seen.map(Number)].sort((a, b) => a - b));
    expect((await get(`?cursor=${cursor}`, MANAGER)).body).toMatchObject({
      logs: [],
      has_more: false,
      next_cursor: cursor,
    });
    const { live_cursor } = (await get("?limit=1", MANAGER)).body!;
    expect(live_cursor).toBe(cursor);
    expect((await get("?cursor=now", MANAGER)).body).toMatchObject({ logs: [], next_cursor: live_cursor });
  });

  it("time_field=block filters and sorts by the block's time", async () => {
    const { body } = await get("?time_field=block&order=asc&limit=82");
    const times = body!.logs.map((entry) => (entry.details.block_timestamp as string) ?? entry.recorded_at);
    expect(times).toEqual([...times].sort());
    const before = (await get(`?time_field=block&to_timestamp=${times[10]}`)).body!;
    expect(before.total).toBe(10);
  });

  it("history has the block's time as its timestamp, everything else the time of recording", async () => {
    const { body } = await get("?cursor=start&limit=100");
    for (const entry of body!.logs) {
      const isHistory = Number(entry.seq) <= 20;
      expect(entry.timestamp).toBe(isHistory ? entry.details.block_timestamp : entry.recorded_at);
    }
  });
});

describe("GET /audit/logs 304", () => {
  it("while nothing was written, and not once something was", async () => {
    const first = await get("?limit=5", MANAGER);
    const etag = first.headers.etag as string;
    const again = await get("?limit=5", MANAGER, { "if-none-match": etag });
    expect([again.status, again.body]).toEqual([304, null]);
    expect((await get("?limit=6", MANAGER, { "if-none-match": etag })).status).toBe(200);
    expect((await get("?limit=5", MAINTAINER, { "if-none-match": etag })).status).toBe(200);
    await t.database.db.transaction((tx) => record(tx, [apiEntry(STRANGER, NOWHERE)]));
    expect((await get("?limit=5", MANAGER, { "if-none-match": etag })).status).toBe(200);
  });
});

describe("GET /audit/logs 400", () => {
  it.each([
    ["?vault=0x00", "invalid_request", "vault"],
    ["?limit=0", "invalid_request", "limit"],
    ["?limit=1001", "invalid_request", "limit"],
    ["?limit=1e2", "invalid_request", "limit"],
    ["?offset=-1", "invalid_request", "offset"],
    ["?limit=5&limit=6", "invalid_request", "limit"],
    ["?actor_wallet=", "invalid_request", "actor_wallet"],
    ["?chain_id=x", "invalid_request", "chain_id"],
    ["?order=newest", "invalid_request", "order"],
    ["?cursor=start&offset=0", "invalid_request", "offset"],
    ["?cursor=start&order=asc", "invalid_request", "order"],
    ["?cursor=7", "invalid_request", "cursor"],
    ["?cursor=YWZ0ZXI6OTk5OTk5", "invalid_request", "cursor"],
    ["?cursor=YWZ0ZXI6MDE", "invalid_request", "cursor"],
    ["?vault_address=0x123", "invalid_address", "vault_address"],
    ["?from_timestamp=yesterday", "invalid_timestamp", "from_timestamp"],
    ["?from_timestamp=2026-05-02&to_timestamp=2026-05-01", "invalid_timestamp", "from_timestamp"],
  ])("%s: %s at %s", async (query, code, path) => {
    const { status, body } = await get(query);
    expect([status, body!.code]).toEqual([400, code]);
    expect(body!.errors!.map((error) => error.path)).toContain(path);
  });

  it("an unknown action lists the known ones", async () => {
    const { status, body } = await get("?action_type=deposits");
    expect(status).toBe(400);
    for (const action of ACTION_TYPES) expect(JSON.stringify(body!.errors)).toContain(action);
  });
});

describe("GET /audit/logs 401", () => {
  it("without a token", async () => {
    const response = await t.app.inject({ url: "/api/v1/audit/logs" });
    expect([response.statusCode, response.json().code]).toEqual([401, "invalid_token"]);
    expect(response.headers["www-authenticate"]).toContain("Bearer");
  });
});

describe("GET /audit/logs 403", () => {
  it("for a vault on which the caller has no role, named with or without its chain", async () => {
    const { chain_id, vault_address } = VAULTS[3]!;
    for (const query of [
      `?vault_address=${vault_address}&chain_id=${chain_id}`,
      `?vault_address=${vault_address}`,
    ]) {
      const { status, body } = await get(query, MANAGER);
      expect([status, body!.code]).toEqual([403, "insufficient_role"]);
    }
  });
});

describe("GET /audit/logs 404", () => {
  it("for a chain or vault that does not exist", async () => {
    const unknown = `0x${"12".repeat(20)}`;
    expect((await get("?chain_id=777", MANAGER)).body!.code).toBe("chain_not_found");
    expect((await get(`?chain_id=1&vault_address=${unknown}`, MANAGER)).body!.code).toBe("vault_not_found");
    expect((await get(`?chain_id=0&vault_address=${unknown}`)).body!.code).toBe("vault_not_found");
    expect((await get("?chain_id=14", MANAGER)).body).toMatchObject({ logs: [], total: 0 });
  });
});

describe("GET /audit/logs/{id}", () => {
  it("200: the entry, the same bytes as in the list", async () => {
    const list = await t.app.inject({ url: "/api/v1/audit/logs?limit=30", headers: t.as(MANAGER) });
    for (const entry of list.json<Answer>().logs) {
      const response = await t.app.inject({ url: `/api/v1/audit/logs/${entry.id}`, headers: t.as(MANAGER) });
      expect(response.statusCode).toBe(200);
      expect(list.payload).toContain(response.payload);
      expect(response.json()).toEqual(entry);
    }
  });

  it("304: an entry never changes", async () => {
    const { body } = await get("?limit=1");
    const url = `/api/v1/audit/logs/${body!.logs[0]!.id}`;
    const { etag } = (await t.app.inject({ url, headers: t.as(MAINTAINER) })).headers;
    const again = await t.app.inject({
      url,
      headers: { ...t.as(MAINTAINER), "if-none-match": etag as string },
    });
    expect(again.statusCode).toBe(304);
  });

  it("400: what is no UUID", async () => {
    expect((await get("/7")).status).toBe(400);
  });

  it("401: without a token", async () => {
    const response = await t.app.inject({ url: "/api/v1/audit/logs/019dbb3b-0000-7000-8000-000000000000" });
    expect(response.statusCode).toBe(401);
  });

  it("404: none with that id, and another tenant's alike", async () => {
    const { body } = await get("?limit=1000");
    const foreign = body!.logs.find((entry) => entry.vault_address === VAULTS[3]!.vault_address)!;
    const others = body!.logs.find((entry) => entry.chain_id === 0 && entry.actor_wallet === STRANGER)!;
    for (const id of [foreign.id, others.id, "019dbb3b-0000-7000-8000-000000000000"]) {
      const { status, body: problem } = await get(`/${id}`, MANAGER);
      expect([status, problem!.code]).toEqual([404, "not_found"]);
    }
  });
});

describe("GET /audit/logs asked again and again", () => {
  it("is the log as it stands each time: whatever was committed before is in it, and nobody else's", async () => {
    const page = async (query: string, wallet = MAINTAINER) => (await get(`?limit=2${query}`, wallet)).body!;
    const before = await page("");
    const others = await page("", STRANGER);
    const start = (await page("&cursor=now")).next_cursor;
    for (let n = 1; n <= 20; n += 1) {
      await t.database.db.transaction((tx) => record(tx, [apiEntry(MANAGER, VAULTS[0]!, `again ${n}`)]));
      // Several at once, so that they share what is read.
      for (const { total, logs } of await Promise.all(Array.from({ length: 5 }, () => page("")))) {
        expect([total, logs[0]!.seq]).toEqual([before.total + n, String(before.total + n)]);
      }
      const walked = await page(`&cursor=${start}`);
      expect([walked.logs.length, walked.has_more]).toEqual([Math.min(n, 2), n > 2]);
      expect((await page("", STRANGER)).total).toBe(others.total);
    }
  });
});
