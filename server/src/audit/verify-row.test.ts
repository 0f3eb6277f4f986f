// One entry against itself: whatever of a column or of the text beside the details is changed is found, and said.
import { describe, expect, it } from "vitest";
import { apiEntry, chainEntry } from "../../test/audit.ts";
import { ZERO_ADDRESS } from "./entries.ts";
import { finish, prepare } from "./render.ts";
import { microsecondsOf } from "./times.ts";
import { faultOfRow } from "./verify-row.ts";
import { RowReader } from "./verify-rows.ts";

interface Columns {
  action_type: string;
  vault_address: string;
  chain_id: number;
  actor_wallet: string;
  seq: number;
  id: string;
  timestamp: number;
  recorded_at: number;
  occurred_at: number;
  body: Buffer;
}

const NOW = Date.UTC(2026, 10, 28, 23, 59, 59) * 1000 + 999_999;

function columnsOf(input: Parameters<typeof prepare>[0], seq: number): Columns {
  const [id, timestamp, recorded, occurred, action, vault, chain, actor, body] = finish(
    prepare(input),
    new Map(),
    seq,
    NOW,
  ) as [string, string, string, string, string, string, string, string, string];
  return {
    action_type: action,
    vault_address: vault,
    chain_id: Number(chain),
    actor_wallet: actor,
    seq,
    id,
    timestamp: microsecondsOf(timestamp),
    recorded_at: microsecondsOf(recorded),
    occurred_at: microsecondsOf(occurred),
    body: Buffer.from(body),
  };
}

/** What is wrong with the row as PostgreSQL would send it. */
function faultOf(columns: Columns): string | null {
  const bigint = (value: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(BigInt(value));
    return bytes;
  };
  const time = (value: number) => bigint(value - Date.UTC(2000, 0, 1) * 1000);
  const fields = [
    Buffer.from(columns.action_type),
    Buffer.from(columns.vault_address),
    bigint(columns.chain_id),
    Buffer.from(columns.actor_wallet),
    bigint(columns.seq),
    Buffer.from(columns.id.replaceAll("-", ""), "hex"),
    time(columns.timestamp),
    time(columns.recorded_at),
    time(columns.occurred_at),
    columns.body,
  ].flatMap((value) => [Buffer.from([0, 0, value.length >> 8, value.length & 255]), value]);
  const header = Buffer.concat([Buffer.from("PGCOPY\n\xff\r\n\0", "latin1"), Buffer.alloc(8)]);
  let fault: string | null | undefined;
  new RowReader().read(Buffer.concat([header, Buffer.from([0, 10]), ...fields]), (row) => {
    fault = faultOfRow(row);
    return true;
  });
  if (fault === undefined) throw new Error("no row was read");
  return fault;
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
  "an operation": columnsOf(chainEntry(3), 1),
  "an operation of history": columnsOf(chainEntry(4, { isHistory: true }), 9_999_999),
  "an action of the API": columnsOf(
    apiEntry(ZERO_ADDRESS, { chain_id: 0, vault_address: ZERO_ADDRESS }, 'n° "block_timestamp":" é'),
    10,
  ),
  "an engine's report that names a block time": columnsOf(REPORTED, 11),
};

describe.each(Object.entries(ENTRIES))("%s", (_, entry) => {
  it("holds as it was written", () => {
    expect(faultOf(entry)).toBe(null);
  });

  it.each([
    ["action_type", { action_type: "vault_create" }],
    ["vault_address", { vault_address: entry.vault_address.replace(/.$/, "7") }],
    ["vault_address", { vault_address: entry.vault_address.slice(0, -1) }],
    ["chain_id", { chain_id: entry.chain_id + 1 }],
    ["actor_wallet", { actor_wallet: entry.actor_wallet.replace(/.$/, "7") }],
    ["actor_wallet", { actor_wallet: `${entry.actor_wallet}0` }],
    ["seq", { seq: entry.seq + 1 }],
    ["seq", { seq: entry.seq * 10 }],
    ["id", { id: entry.id.replace(/.$/, (last) => (last === "0" ? "1" : "0")) }],
    ["timestamp", { timestamp: entry.timestamp + 1 }],
    ["recorded_at", { recorded_at: entry.recorded_at - 1 }],
    ["occurred_at", { occurred_at: entry.occurred_at + 1 }],
    ["occurred_at", { occurred_at: -8e17 }],
  ])("its column %s is held to its text: %j", (column, changed) => {
    expect(faultOf({ ...entry, ...changed })).toMatch(
      new RegExp(`column (${column}|timestamp) differs|its timestamp is neither`),
    );
  });

  it("no byte of its text before and after the details can be another, be missing or be one too many", () => {
    const { body } = entry;
    const details = body.indexOf('"details":{') + '"details":{'.length;
    const after = body.lastIndexOf('},"id":"');
    const places = Array.from({ length: body.length }, (_, at) => at).filter(
      (at) => at < details || at >= after,
    );
    for (const at of places) {
      const [before, rest] = [body.subarray(0, at), body.subarray(at)];
      const changed = Buffer.from(body);
      changed[at]! ^= 1;
      const texts = [changed, Buffer.concat([before, rest.subarray(1)])];
      // In front of the brace it would be one of the details', for the tree to find.
      if (at !== after) texts.push(Buffer.concat([before, Buffer.from("0"), rest]));
      for (const text of texts) expect(faultOf({ ...entry, body: text })).toMatch(/\w/);
    }
  });

  it("what happened off the chain is held to when it was recorded, whatever time its details name", () => {
    const at = (time: string) => microsecondsOf(time);
    const { occurred_at } = entry;
    for (const time of entry.body.toString().match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [])
      expect(faultOf({ ...entry, occurred_at: at(time) }) === null).toBe(at(time) === occurred_at);
  });

  it("a text that is cut off, or none, is no entry", () => {
    for (let length = 0; length < entry.body.length; length += 1) {
      expect(faultOf({ ...entry, body: entry.body.subarray(0, length) })).toMatch(/\w/);
    }
  });
});
