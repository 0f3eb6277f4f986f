// GET /audit/export: one block for each status code, and the three formats to the same values.
import { verifyExport } from "@vaultops/proof";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACTORS, apiEntry, chainEntry, VAULTS } from "../../../test/audit.ts";
import { type AuditApp, MAINTAINER, MANAGER, startAuditApp } from "../../../test/audit-app.ts";
import { createLogger } from "../../platform/log.ts";
import { record } from "../append/record.ts";
import { ZERO_ADDRESS } from "../entries/entries.ts";

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
}
const logsOf = (text: string): Entry[] => JSON.parse(text).logs;
const check = (text: string) => verifyExport(text, { keys: [] });

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
    const { text } = await get(query, CSV);
    expect(text.split("\r\n")).toEqual([expect.stringMatching(/^id,/), ""]);
    // It is the description's example.
    const description = (await t.app.inject({ url: "/openapi.json" })).json();
    const { content } = description.paths["/api/v1/audit/export"].get.responses[200];
    expect(Object.keys(content)).toEqual([JSON_TYPE, CSV, NDJSON]);
    expect([content[CSV].schema.type, content[CSV].schema.examples]).toEqual(["string", [text]]);
    expect(content[NDJSON].schema.type).toBe("string");
    const { AuditExport } = description.components.schemas;
    expect(content[JSON_TYPE].schema).toEqual({ $ref: "#/components/schemas/AuditExport" });
    expect(Object.keys(AuditExport.properties)).toEqual(["logs", "total", "checkpoint"]);
    expect((await check((await get(query, JSON_TYPE)).text)).failure).toBe(null);
  });

  it("HEAD says the same of it and copies nothing", async () => {
    const response = await fetch(`${t.url}/api/v1/audit/export`, {
      method: "HEAD",
      headers: t.as(MAINTAINER),
    });
    expect([response.status, response.headers.get("x-total-count")]).toEqual([200, String(SIZE)]);
    expect(await response.text()).toBe("");
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
