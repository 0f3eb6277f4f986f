// GET /audit/export: one block for each status code, the three formats to the same values, verification of what was exported,
// and that it flows: constant memory, gone with the client that goes.
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { ACTORS, apiEntry, chainEntry, VAULTS } from "../../test/audit.ts";
import { type AuditApp, MAINTAINER, MANAGER, startAuditApp } from "../../test/audit-app.ts";
import { asSuperuser } from "../../test/test-server.ts";
import { createLogger } from "../platform/log.ts";
import { ZERO_ADDRESS } from "./entries.ts";
import { record } from "./record.ts";
import { verifyFile } from "./verify-file.ts";

let t: AuditApp;
/** Lines of the service's log. */
const logged: string[] = [];
const SIZE = 700;
const NOWHERE = { chain_id: 0, vault_address: ZERO_ADDRESS };

beforeAll(async () => {
  const log = createLogger({ destination: { write: (line) => void logged.push(line) } });
  t = await startAuditApp({ log });
  const entries = Array.from({ length: SIZE - 4 }, (_, n) => chainEntry(n, { isHistory: n % 4 === 0 }));
  const notes = [
    '=HYPERLINK("http://x";"y")',
    "+1;=1+1;@a;-b",
    'quotes " and \\ and\nline\r\ttabs',
    "ünïcödé 🏦 \u202e",
  ];
  const api = notes.map((note) => apiEntry(MANAGER, NOWHERE, note));
  await t.database.db.transaction((tx) => record(tx, [...entries, ...api]));
});
afterAll(() => t.close());

async function get(query: string, accept: string | null, wallet = MAINTAINER) {
  const response = await fetch(`${t.url}/api/v1/audit/export${query}`, {
    headers: { ...t.as(wallet), ...(accept !== null && { accept }) },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const JSON_TYPE = "application/json";
const NDJSON = "application/x-ndjson";
const CSV = "text/csv";

interface Entry {
  id: string;
  seq: string;
  timestamp: string;
  chain_id: number;
  vault_address: string;
  details: Record<string, unknown>;
  proof?: unknown;
}
const logsOf = (text: string): Entry[] => JSON.parse(text).logs;
const check = (text: string, options: { checkpoint?: string; vkeys?: string[] } = {}) =>
  verifyFile({
    file: Readable.from([Buffer.from(text)]),
    checkpoint: options.checkpoint ?? null,
    vkeys: options.vkeys ?? [],
  });

function rowsOf(csv: string): Entry[] {
  const rows: Record<string, string>[] = parse(csv, {
    columns: true,
    record_delimiter: "\r\n",
    relax_quotes: false,
  });
  return rows.map(
    ({ chain_id, details, ...row }) =>
      ({ ...row, chain_id: Number(chain_id), details: JSON.parse(details!) }) as never,
  );
}

describe("GET /audit/export 200", () => {
  it("JSON, NDJSON and CSV hold the same entries, the ones of audit/logs, in its order", async () => {
    const list = await t.app.inject({ url: "/api/v1/audit/logs?limit=1000", headers: t.as(MAINTAINER) });
    const expected = list.json().logs;
    const json = await get("", JSON_TYPE);
    expect(logsOf(json.text)).toEqual(expected);
    const { logs, total, checkpoint, ...others } = JSON.parse(json.text);
    expect([logs.length, total, others]).toEqual([SIZE, SIZE, {}]);
    expect(checkpoint).toContain("vaultops.test/audit\n700\n");
    const lines = (await get("", NDJSON)).text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.pop()).toEqual({ total: SIZE, checkpoint });
    expect(lines).toEqual(expected);
    expect(rowsOf((await get("", CSV)).text)).toEqual(expected);
  });

  it("says its type, its count in a header and in the file's name", async () => {
    for (const [accept, type, extension] of [
      [null, JSON_TYPE, "json"],
      ["*/*", JSON_TYPE, "json"],
      [CSV, CSV, "csv"],
      [NDJSON, NDJSON, "ndjson"],
      ["text/*", CSV, "csv"],
      ["text/csv;q=0.5, application/x-ndjson;q=0.9, */*;q=0.1", NDJSON, "ndjson"],
      ["application/json;q=0, */*", CSV, "csv"],
      ["text/html, application/xhtml+xml, */*;q=0.8", JSON_TYPE, "json"],
    ] as const) {
      const { headers } = await get("?action_type=deposit", accept);
      expect(headers.get("content-type")).toBe(`${type}; charset=utf-8`);
      const count = headers.get("x-total-count");
      expect(headers.get("content-disposition")).toBe(
        `attachment; filename="audit-log-${count}-entries.${extension}"`,
      );
      expect(headers.get("vary")).toContain("accept");
    }
  });

  it("CSV is RFC 4180 in UTF-8 with CRLF, header and rows alone, and no cell that a spreadsheet would run", async () => {
    const { text } = await get("", CSV);
    const lines = text.split("\r\n");
    expect(lines[0]).toBe(
      "id,seq,timestamp,recorded_at,action_type,vault_address,chain_id,actor_wallet,details",
    );
    expect(lines.length).toBe(SIZE + 2);
    expect(lines.at(-1)).toBe("");
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    // Also where a spreadsheet of another locale cuts cells at semicolons.
    expect(text).not.toContain(";");
    const cells: string[][] = parse(text, { record_delimiter: "\r\n" });
    for (const cell of cells.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    expect(text).toContain("\\u003b");
  });

  it("holds what its filter means and what its caller may see, no more", async () => {
    const own = await get("", JSON_TYPE, MANAGER);
    const list = await t.app.inject({ url: "/api/v1/audit/logs?limit=1000", headers: t.as(MANAGER) });
    expect(logsOf(own.text)).toEqual(list.json().logs);
    const { vault_address, chain_id } = VAULTS[1]!;
    for (const query of [
      `?vault_address=${vault_address}&chain_id=${chain_id}`,
      "?action_type=deposit,withdraw&order=asc",
      `?actor_wallet=${ACTORS[1]}`,
      "?chain_id=0",
      `?time_field=block&from_timestamp=${logsOf(own.text).at(-5)!.timestamp}&chain_id=1`,
    ]) {
      const filtered = await t.app.inject({
        url: `/api/v1/audit/logs${query}&limit=1000`,
        headers: t.as(MANAGER),
      });
      const text = (await get(query, NDJSON, MANAGER)).text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(text.pop().total).toBe(filtered.json().total);
      expect(text).toEqual(filtered.json().logs);
    }
  });

  it("an empty result is whole in every format", async () => {
    const query = "?action_type=vault_create";
    expect(JSON.parse((await get(query, JSON_TYPE)).text)).toMatchObject({ logs: [], total: 0 });
    expect((await get(query, NDJSON)).text.trimEnd().split("\n").length).toBe(1);
    expect((await get(query, CSV)).text.split("\r\n")).toEqual([expect.stringMatching(/^id,/), ""]);
    expect((await check((await get(query, JSON_TYPE)).text)).failure).toBe(null);
  });

  it("an export is logged with who asked and for what, and is no audit entry", async () => {
    const size = async () =>
      (await t.app.inject({ url: "/api/v1/audit/logs?limit=1", headers: t.as(MAINTAINER) })).json().total;
    const before = await size();
    const first = logged.length;
    await get("?action_type=deposit&order=asc", CSV);
    expect(await size()).toBe(before);
    const lines = logged.slice(first).map((line) => JSON.parse(line));
    expect(lines.find(({ msg }) => msg === "audit export")).toMatchObject({
      wallet: MAINTAINER,
      query: { action_type: ["deposit"], order: "asc" },
      format: "csv",
      size: SIZE,
    });
  });
});

describe("GET /audit/export, its other answers", () => {
  it.each(["?limit=5", "?cursor=start", "?proofs=maybe", "?action_type=deposits"])(
    "400: %s",
    async (query) => {
      expect((await get(query, JSON_TYPE)).status).toBe(400);
    },
  );
  it("400: proofs with CSV", async () => {
    expect((await get("?proofs=true", CSV)).status).toBe(400);
  });
  it("401: without a token", async () => {
    expect((await fetch(`${t.url}/api/v1/audit/export`)).status).toBe(401);
  });
  it("403: a vault on which the caller has no role", async () => {
    expect((await get(`?vault_address=${VAULTS[5]!.vault_address}`, JSON_TYPE, MANAGER)).status).toBe(403);
  });
  it("404: a chain that is not followed", async () => {
    expect((await get("?chain_id=777", JSON_TYPE)).status).toBe(404);
  });
  it.each(["application/xml", "text/html", "application/json;q=0", "image/*"])(
    "406: Accept %s",
    async (accept) => {
      const { status, text } = await get("", accept);
      expect([status, JSON.parse(text).code]).toEqual([406, "not_acceptable"]);
      expect(text).toContain("text/csv");
    },
  );
});

describe("an exported file verifies offline", () => {
  const keyOf = async () => {
    const answer = await t.app.inject({ url: "/api/v1/audit/keys" });
    return answer.json<{ keys: { vkey: string }[] }>().keys[0]!.vkey;
  };

  it("a filtered one with proofs, entry by entry", async () => {
    for (const accept of [JSON_TYPE, NDJSON]) {
      const { text } = await get("?proofs=true&action_type=deposit", accept);
      const result = await check(text, { vkeys: [await keyOf()] });
      expect(result).toMatchObject({
        depth: "proofs",
        failure: null,
        checkpoint: { size: SIZE, signedBy: "vaultops.test/audit" },
      });
      expect(result.entries).toBeGreaterThan(100);
    }
  });

  it("a whole log without proofs against the root, in any format and order", async () => {
    const { text } = await get("", JSON_TYPE);
    const { checkpoint } = JSON.parse(text);
    const vkeys = [await keyOf()];
    expect(await check(text, { vkeys })).toMatchObject({
      depth: "whole",
      entries: SIZE,
      unsigned: 0,
      failure: null,
    });
    expect(await check((await get("?order=asc", NDJSON)).text, { vkeys })).toMatchObject({
      depth: "whole",
      failure: null,
    });
    expect(await check((await get("?time_field=block", NDJSON)).text, { vkeys })).toMatchObject({
      depth: "whole",
      failure: null,
    });
    const csv = (await get("", CSV)).text;
    expect(await check(csv, { checkpoint, vkeys })).toMatchObject({ depth: "whole", failure: null });
    expect(await check(csv)).toMatchObject({ depth: "order", failure: null, entries: SIZE });
    // Laid out by another program, it is the same.
    expect(await check(JSON.stringify(JSON.parse(text), null, 2))).toMatchObject({
      depth: "whole",
      failure: null,
    });
  });

  it("anything else for order and count alone, and says so", async () => {
    const { text } = await get("?action_type=deposit", JSON_TYPE);
    expect(await check(text)).toMatchObject({ depth: "order", failure: null });
  });

  it("does not verify with another key, or by a checkpoint of another log", async () => {
    const { text } = await get("?proofs=true&action_type=deposit", JSON_TYPE);
    const vkey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    expect((await check(text, { vkeys: [vkey] })).failure!.reason).toContain("not signed");
    const forged = JSON.parse(text).checkpoint.replace(
      /\n[A-Za-z0-9+/]{43}=\n/,
      `\n${Buffer.alloc(32, 1).toString("base64")}\n`,
    );
    expect((await check(text, { checkpoint: forged, vkeys: [await keyOf()] })).failure!.reason).toContain(
      "wrong",
    );
    expect((await check(text, { checkpoint: forged })).failure!.seq).toBe(logsOf(text)[0]!.seq);
  });

  describe("names the first entry that does not hold", () => {
    const changes: [string, (logs: Entry[]) => void][] = [
      ["a detail changed", (logs) => void Object.assign(logs[7]!.details, { assets: "1" })],
      ["a detail added", (logs) => void Object.assign(logs[7]!.details, { more: true })],
      ["an actor changed", (logs) => void Object.assign(logs[7]!, { actor_wallet: ACTORS[3] })],
      [
        "a time changed by a microsecond",
        (logs) => void Object.assign(logs[7]!, { timestamp: nextMicrosecond(logs[7]!) }),
      ],
      ["a seq changed", (logs) => void Object.assign(logs[7]!, { seq: "699999" })],
      ["a proof taken from another", (logs) => void Object.assign(logs[7]!, { proof: logs[8]!.proof })],
      ["a proof taken away", (logs) => void delete logs[7]!.proof],
    ];
    it.each(changes)("with proofs: %s", async (_, change) => {
      const file = JSON.parse((await get("?proofs=true&action_type=deposit", JSON_TYPE)).text);
      change(file.logs);
      const { failure } = await check(JSON.stringify(file));
      expect(failure!.seq).toBe(file.logs[7].seq);
    });

    const rearrangements: [string, (logs: Entry[]) => void][] = [
      ["one deleted, the total left", (logs) => void logs.splice(7, 1)],
      ["two swapped", (logs) => void logs.splice(7, 2, logs[8]!, logs[7]!)],
      ["one twice", (logs) => void logs.splice(7, 0, logs[7]!)],
    ];
    it.each(rearrangements)("in every file: %s", async (_, change) => {
      for (const query of ["?action_type=deposit", "?proofs=true&action_type=deposit", ""]) {
        const file = JSON.parse((await get(query, JSON_TYPE)).text);
        change(file.logs);
        expect((await check(JSON.stringify(file))).failure).not.toBe(null);
      }
    });

    it("a whole log with one deleted and the total adjusted: the one that is missing", async () => {
      const file = JSON.parse((await get("?order=asc", JSON_TYPE)).text);
      const [gone] = file.logs.splice(7, 1);
      file.total -= 1;
      const { failure } = await check(JSON.stringify(file));
      expect(failure === null || failure.seq === gone.seq).toBe(true);
      file.total += 1;
      expect((await check(JSON.stringify(file))).failure).not.toBe(null);
    });

    it("a whole log with a nested detail changed, without proofs: that it is not what was signed", async () => {
      const file = JSON.parse((await get("", JSON_TYPE)).text);
      file.logs[300].details.note = "x";
      expect((await check(JSON.stringify(file))).failure!.reason).toContain("signed");
    });
  });

  it("is known to be cut short wherever it is cut", async () => {
    for (const accept of [JSON_TYPE, NDJSON]) {
      const { text } = await get("?action_type=deposit", accept);
      for (const length of [
        0,
        5,
        40,
        1000,
        text.length - 3000,
        text.length - 400,
        text.length - 20,
        text.length - 3,
      ]) {
        expect((await check(text.slice(0, length))).failure, `${accept} cut at ${length}`).not.toBe(null);
      }
    }
  });
});

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
    expect((await get("?action_type=deposit", CSV)).status).toBe(200);
  });

  it("and ends without its last chunk when the database fails in the middle", async () => {
    const { response } = await begin();
    expect(await sessions("pg_terminate_backend(pid)")).toBe(1);
    await expect(textOf(response)).rejects.toThrow(/aborted/);
  });
});

function nextMicrosecond({ timestamp }: Entry): string {
  return timestamp.replace(/.Z$/, (end) => (end === "1Z" ? "2Z" : "1Z"));
}
