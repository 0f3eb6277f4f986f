// One entry against itself: whatever of a column or of the text beside the details is changed is found, and said.
import { describe, expect, it } from "vitest";
import { apiEntry, chainEntry } from "../../../test/audit.ts";
import { microsecondsOf, timestampOfMicroseconds } from "../../platform/http/time.ts";
import { finish, prepare } from "../append/render.ts";
import { ZERO_ADDRESS } from "../entries/entries.ts";
import { faultOfRow, type StoredRow } from "./row.ts";

const NOW = Date.UTC(2026, 10, 28, 23, 59, 59) * 1000 + 999_999;

function rowOf(input: Parameters<typeof prepare>[0], seq: number): StoredRow {
  const columns = finish(prepare(input), new Map(), seq, NOW);
  const names = ["id", "timestamp", "recorded_at", "occurred_at", "action_type", "vault_address", "chain_id"];
  names.push("actor_wallet", "body");
  return { seq: String(seq), ...Object.fromEntries(names.map((name, i) => [name, columns[i]])) } as never;
}

function later(time: string, microseconds: number): string {
  return timestampOfMicroseconds(microsecondsOf(time) + microseconds);
}

/** As release 0.1 wrote what an engine reported: its words beside the service's. */
const REPORTED = {
  action_type: "emergency_exit_arm",
  vault_address: ZERO_ADDRESS,
  chain_id: 1,
  actor_wallet: ZERO_ADDRESS,
  details: { block_timestamp: "2020-01-01T00:00:00.000000Z", source: "/engine", reported: true },
} as unknown as Parameters<typeof prepare>[0];

const ENTRIES = {
  "an operation": rowOf(chainEntry(3), 1),
  "an operation of history": rowOf(chainEntry(4, { isHistory: true }), 9_999_999),
  "an action of the API": rowOf(
    apiEntry(ZERO_ADDRESS, { chain_id: 0, vault_address: ZERO_ADDRESS }, 'n° "block_timestamp":" é'),
    10,
  ),
  "an engine's report that names a block time": rowOf(REPORTED, 11),
};

describe.each(Object.entries(ENTRIES))("%s", (_, entry) => {
  it("holds as it was written", () => {
    expect(faultOfRow(entry)).toBe(null);
  });

  it.each([
    ["action_type", { action_type: "vault_create" }],
    ["vault_address", { vault_address: entry.vault_address.replace(/.$/, "7") }],
    ["vault_address", { vault_address: entry.vault_address.slice(0, -1) }],
    ["chain_id", { chain_id: String(Number(entry.chain_id) + 1) }],
    ["chain_id", { chain_id: `9${entry.chain_id}000000000000000000` }],
    ["actor_wallet", { actor_wallet: entry.actor_wallet.replace(/.$/, "7") }],
    ["actor_wallet", { actor_wallet: `${entry.actor_wallet}0` }],
    ["seq", { seq: String(Number(entry.seq) + 1) }],
    ["seq", { seq: `${entry.seq}0` }],
    ["id", { id: entry.id.replace(/.$/, (last) => (last === "0" ? "1" : "0")) }],
    ["timestamp", { timestamp: later(entry.timestamp, 1) }],
    ["recorded_at", { recorded_at: later(entry.recorded_at, -1) }],
    ["occurred_at", { occurred_at: later(entry.occurred_at, 1) }],
    ["occurred_at", { occurred_at: "-infinity" }],
    ["occurred_at", { occurred_at: null as never }],
  ])("its column %s is held to its text: %j", (column, changed) => {
    expect(faultOfRow({ ...entry, ...changed })).toMatch(
      new RegExp(`column (${column}|timestamp) differs|its timestamp is neither`),
    );
  });

  it("no byte of its text before and after the details can be another, be missing or be one too many", () => {
    const { body } = entry;
    const details = body.indexOf('"details":{') + '"details":{'.length;
    const after = body.lastIndexOf('},"id":"');
    for (let at = 0; at < body.length; at += 1) {
      if (at >= details && at < after) continue;
      const [before, letter, rest] = [body.slice(0, at), body.charCodeAt(at), body.slice(at + 1)];
      for (const other of [String.fromCharCode(letter ^ 1), "", `0${body[at]}`])
        expect(faultOfRow({ ...entry, body: before + other + rest })).toMatch(/\w/);
    }
  });

  it("no other text stands for it, though it says the same", () => {
    const details = '"details":{';
    for (const [from, to] of [
      [details, '"details": {'],
      [details, `${details}"source":"before it, of one name","z":0,"z":0,`],
      ['"action_type":', '"action_\\u0074ype":'],
      ['{"action_type":', '{"action_type":"another","action_type":'],
      ['{"action_type":', '{"a":null,"action_type":'],
      [`"chain_id":${entry.chain_id}`, `"chain_id":${entry.chain_id}.0`],
      [/$/, "\n"],
    ] as const) {
      const body = entry.body.replace(from, to);
      expect(body).not.toBe(entry.body);
      expect(faultOfRow({ ...entry, body })).toBe("its text is not in canonical form");
    }
  });

  it("details that are no object are no entry's", () => {
    for (const details of ["null", "[]", '"text"', "7", `${'{"a":'.repeat(20_000)}0${"}".repeat(20_000)}`]) {
      const body = entry.body.replace(/"details":\{.*\},"id"/, () => `"details":${details},"id"`);
      expect(faultOfRow({ ...entry, body })).toMatch(/\w/);
    }
  });

  it("what happened off the chain is held to when it was recorded, whatever time its details name", () => {
    const { occurred_at } = entry;
    for (const time of entry.body.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [])
      expect(faultOfRow({ ...entry, occurred_at: time }) === null).toBe(time === occurred_at);
  });

  it("a text that is cut off, or none, is no entry", () => {
    for (let length = 0; length < entry.body.length; length += 1)
      expect(faultOfRow({ ...entry, body: entry.body.slice(0, length) })).toMatch(/\w/);
    for (const body of ["null", "7", "[]", "{}", null as never])
      expect(faultOfRow({ ...entry, body })).toMatch(/\w/);
  });
});
