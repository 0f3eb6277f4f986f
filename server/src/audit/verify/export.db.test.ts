// Exported files, checked offline: what was not touched holds, at the depth that it says; whatever was changed does not, and is named.
import { verifyExport } from "@vaultops/proof";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACTORS, apiEntry, chainEntry } from "../../../test/audit.ts";
import { type AuditApp, MAINTAINER, MANAGER, startAuditApp } from "../../../test/audit-app.ts";
import { record } from "../append/record.ts";
import { ZERO_ADDRESS } from "../entries/entries.ts";

let t: AuditApp;
const SIZE = 700;

beforeAll(async () => {
  t = await startAuditApp();
  const entries = Array.from({ length: SIZE - 1 }, (_, n) => chainEntry(n, { isHistory: n % 4 === 0 }));
  const nowhere = { chain_id: 0, vault_address: ZERO_ADDRESS };
  const hostile = apiEntry(
    MANAGER,
    nowhere,
    'quotes " and \\ and\nline\r\ttabs, "logs":[{"total":1}],\r\n"};',
  );
  await t.database.db.transaction((tx) => record(tx, [...entries, hostile]));
});
afterAll(() => t.close());

async function get(query: string, accept: string) {
  const headers = { ...t.as(MAINTAINER), accept };
  const response = await fetch(`${t.url}/api/v1/audit/export${query}`, { headers });
  return { text: await response.text() };
}

const JSON_TYPE = "application/json";
const NDJSON = "application/x-ndjson";
const CSV = "text/csv";

interface Entry {
  seq: string;
  timestamp: string;
  details: Record<string, unknown>;
  proof?: unknown;
}
const logsOf = (text: string): Entry[] => JSON.parse(text).logs;
const check = (text: string, options: { checkpoint?: string; keys?: string[] } = {}) =>
  verifyExport(text, { keys: [], ...options });

describe("an exported file verifies offline", () => {
  const keyOf = async () => {
    const answer = await t.app.inject({ url: "/api/v1/audit/keys" });
    return answer.json<{ keys: { vkey: string }[] }>().keys[0]!.vkey;
  };

  it("a filtered one with proofs, entry by entry", async () => {
    for (const accept of [JSON_TYPE, NDJSON]) {
      const { text } = await get("?proofs=true&action_type=deposit", accept);
      const result = await check(text, { keys: [await keyOf()] });
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
    const keys = [await keyOf()];
    expect(await check(text, { keys })).toMatchObject({
      depth: "whole",
      entries: SIZE,
      unsigned: 0,
      failure: null,
    });
    expect(await check((await get("?order=asc", NDJSON)).text, { keys })).toMatchObject({
      depth: "whole",
      failure: null,
    });
    expect(await check((await get("?time_field=block", NDJSON)).text, { keys })).toMatchObject({
      depth: "whole",
      failure: null,
    });
    const csv = (await get("", CSV)).text;
    expect(await check(csv, { checkpoint, keys })).toMatchObject({ depth: "whole", failure: null });
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
    expect((await check(text, { keys: [vkey] })).failure!.reason).toContain("not signed");
    const forged = JSON.parse(text).checkpoint.replace(
      /\n[A-Za-z0-9+/]{43}=\n/,
      `\n${Buffer.alloc(32, 1).toString("base64")}\n`,
    );
    expect((await check(text, { checkpoint: forged, keys: [await keyOf()] })).failure!.reason).toContain(
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
      ["a proof that is null", (logs) => void Object.assign(logs[7]!, { proof: null })],
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

    it("a whole log without proofs from which entries were taken: the first that is missing", async () => {
      const { text } = await get("", JSON_TYPE);
      for (const places of [[0], [7], [SIZE - 1], [300, 20]]) {
        const file = JSON.parse(text);
        const gone = places.map((place) => file.logs[place] as Entry);
        file.logs = file.logs.filter((entry: Entry) => !gone.some(({ seq }) => seq === entry.seq));
        const first = Math.min(...gone.map(({ seq }) => Number(seq)));
        expect((await check(JSON.stringify(file))).failure!.seq).toBe(String(first));
      }
      // What a filter left out is not missing.
      const part = JSON.parse((await get("?action_type=deposit", JSON_TYPE)).text);
      part.logs.splice(3, 1);
      expect((await check(JSON.stringify(part))).failure!.seq).toBe(null);
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

function nextMicrosecond({ timestamp }: Entry): string {
  return timestamp.replace(/.Z$/, (end) => (end === "1Z" ? "2Z" : "1Z"));
}
