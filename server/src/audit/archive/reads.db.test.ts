// What the API serves of a log whose beginning is archived, held to what it served before: everything is as it was, but for the texts that left,
// and what is said of them. Then a reorganisation that reaches into what is archived, and all of it back.
import { mkdtemp, rm } from "node:fs/promises";
import { get as httpGet, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyBundle, verifyExport } from "@vaultops/proof";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACTORS, apiEntry, chainEntry, VAULTS } from "../../../test/audit.ts";
import { type AuditApp, MAINTAINER, MANAGER, STRANGER, startAuditApp } from "../../../test/audit-app.ts";
import { startWitness, type TestWitness } from "../../../test/witnesses.ts";
import { auditArchiveCommand, auditRestoreCommand } from "../../cli/audit/archive.ts";
import { createEgress } from "../../platform/egress/egress.ts";
import { silentLogger } from "../../platform/log.ts";
import { record } from "../append/record.ts";
import { recordReverts } from "../append/reverts.ts";
import { ZERO_ADDRESS } from "../entries/entries.ts";
import { verifyLog } from "../verify/log.ts";

const [SIZE, PARTITION, BELOW] = [1300, 100, 1201];
const NOWHERE = { chain_id: 0, vault_address: ZERO_ADDRESS };
const base = await mkdtemp(join(tmpdir(), "vaultops-archived-"));
const egress = createEgress({ allowedNetworks: [], allowHttp: false });
let t: AuditApp;
let witness: TestWitness;
let policy: string;

interface Entry {
  id: string;
  seq: string;
  action_type: string;
  vault_address: string;
  chain_id: number;
  actor_wallet: string;
  timestamp: string;
  details: Record<string, unknown>;
}
interface List {
  logs: Entry[];
  total: number;
  has_more: boolean;
  next_cursor: string | null;
  archived_below?: string;
}
const isKept = ({ seq }: { seq: string }) => Number(seq) >= BELOW;

async function get(path: string, wallet = MAINTAINER, headers: Record<string, string> = {}) {
  const response = await fetch(`${t.url}/api/v1/audit/${path}`, {
    headers: { ...t.as(wallet), ...headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
async function list(query: string, wallet = MAINTAINER): Promise<List> {
  const { status, text } = await get(`logs?${query}`, wallet);
  expect(status).toBe(200);
  return JSON.parse(text);
}

const keys = () => ({
  db: t.database.db,
  folder: t.folder,
  origin: "vaultops.test/audit",
  log: silentLogger(),
  print: () => {},
});
const folder = join(base, "archive");
const signal = new AbortController().signal;
const silent = { print: () => {}, tell: () => {}, signal };
const ownerUrl = () => t.database.ownerUrl;
const detach = async (below = BELOW) =>
  auditArchiveCommand({
    ...silent,
    keys: keys(),
    below,
    to: folder,
    entriesPerFile: PARTITION,
    ownerUrl: ownerUrl(),
    streams: [],
    quorum: await t.feature.witnesses.quorum(),
  });

/** Every kind of filter, in both orders, on pages that begin before, at and after what is archived. */
const { vault_address, chain_id } = VAULTS[1]!;
const FILTERS = [
  "",
  `&vault_address=${vault_address}&chain_id=${chain_id}`,
  `&vault_address=${vault_address}`,
  "&chain_id=8453",
  "&chain_id=0",
  `&actor_wallet=${ACTORS[2]}`,
  `&actor_wallet=${ACTORS[2]}&chain_id=1`,
  "&action_type=deposit",
  "&action_type=deposit,withdraw,pps_update",
  "&from_timestamp=2026-05-01T01:00:00Z&to_timestamp=2026-05-01T03:00:00Z&time_field=block",
  "&from_timestamp=2026-05-01T00:00:00Z&action_type=deposit",
  "&to_timestamp=2026-05-01T02:00:00Z",
  "&action_type=vault_create",
];
const PAGES = ["limit=1000&order=desc", "limit=50&offset=1190&order=asc", "limit=7&offset=90&order=desc"];
const queries = (filters: readonly string[]) =>
  filters.flatMap((filter) => PAGES.map((page) => `${page}${filter}`));
/** Who asks for what. */
const ASKED: [typeof MAINTAINER, string[]][] = [
  [MAINTAINER, queries(FILTERS)],
  [MANAGER, queries(FILTERS.slice(0, 6))],
  [STRANGER, queries(FILTERS.slice(0, 5))],
];
/** Answers to queries by wallets: the list, or the code of a refusal. */
const before = new Map<string, List | string>();
async function asked(query: string, wallet: typeof MAINTAINER): Promise<List | string> {
  const { status, text } = await get(`logs?${query}`, wallet);
  return status === 200 ? JSON.parse(text) : JSON.parse(text).code;
}
/** The same bytes of each entry. */
const bytesOf = async () =>
  (
    await t.database.owner.pool.query(
      "select string_agg(body, '' order by seq) as bytes from audit_entries where seq <= $1",
      [SIZE],
    )
  ).rows[0].bytes;
let bytes: string;
/** Of the whole log, by seq. */
let entries: Entry[];
let proofs: string[];
let etag: string;
const PROVEN = [1, 256, 700, BELOW, SIZE];

beforeAll(async () => {
  witness = await startWitness(base, 1);
  t = await startAuditApp({ witnesses: { places: [witness], quorum: 1, request: egress.request } });
  const { db } = t.database;
  await db.pool.query("select audit_ensure_partitions($1)", [PARTITION]);
  for (let n = 0; n < SIZE; n += PARTITION) {
    const some = Array.from({ length: PARTITION }, (_, i) =>
      (n + i) % 13 === 0
        ? apiEntry(ACTORS[(n + i) % 6]!, NOWHERE, `"${n}" \\u0000 ünï`)
        : chainEntry(n + i, { isHistory: i % 3 === 0 }),
    );
    await db.transaction((tx) => record(tx, some));
  }
  await t.feature.checkpoints.sign();
  const { rows } = await db.pool.query("select vkey from audit_keys");
  witness.knows.add(rows[0].vkey);
  policy = `log ${rows[0].vkey}\nwitness w ${witness.witness.vkey}\nquorum w\n`;
  expect(await t.feature.witnesses.vouched(SIZE, 10_000)).not.toBe(null);
  for (const [wallet, asking] of ASKED)
    for (const query of asking) before.set(`${wallet} ${query}`, await asked(query, wallet));
  entries = [
    ...(await list("limit=1000&order=asc")).logs,
    ...(await list("limit=1000&offset=1000&order=asc")).logs,
  ].toSorted((a, b) => Number(a.seq) - Number(b.seq));
  expect(entries.length).toBe(SIZE);
  bytes = await bytesOf();
  proofs = await Promise.all(PROVEN.map(async (seq) => (await get(`proof?seq=${seq}`)).text));
  etag = (await get("logs?limit=5&order=asc")).headers.get("etag") as string;
  expect(await detach()).toBe(0);
});
afterAll(async () => {
  await t.close();
  await witness.close();
  await egress.close();
  await rm(base, { recursive: true, force: true });
});

/** What a filter means of what is there: the walk's only page. */
async function keptOf(filter: string): Promise<Entry[]> {
  return (await list(`limit=1000&cursor=start${filter}`)).logs;
}

describe("of a log whose beginning is archived", () => {
  it.each(ASKED)(
    "every list keeps its total and its places, and leaves out what left: %s",
    async (wallet, asking) => {
      for (const query of asking) {
        const was = before.get(`${wallet} ${query}`)!;
        const expected =
          typeof was === "string"
            ? was
            : { ...was, logs: was.logs.filter(isKept), archived_below: String(BELOW) };
        expect(await asked(query, wallet), query).toEqual(expected);
      }
    },
  );

  it.each(FILTERS)("a walk by cursor goes on with what is there, once and in order: %s", async (filter) => {
    const was = before.get(`${MAINTAINER} ${PAGES[0]}${filter}`) as List;
    const seen: string[] = [];
    for (let cursor = "start"; ; ) {
      const page = await list(`cursor=${cursor}&limit=17${filter}`);
      expect([page.total, page.archived_below]).toEqual([was.total, String(BELOW)]);
      seen.push(...page.logs.map(({ seq }) => seq));
      cursor = page.next_cursor!;
      if (!page.has_more) break;
    }
    // Of what is there the newest thousand places hold all.
    const meant = new Set(was.logs.filter(isKept).map(({ seq }) => seq));
    const isMeant = ({ seq }: Entry) => (was.total > 1000 ? true : meant.has(seq));
    expect(seen).toEqual(entries.filter((each) => isKept(each) && isMeant(each)).map(({ seq }) => seq));
  });

  it("who asks with the tag of before gets the page anew", async () => {
    const asked = await get("logs?limit=5&order=asc", MAINTAINER, { "if-none-match": etag });
    expect(asked.status).toBe(200);
    const again = { "if-none-match": asked.headers.get("etag") as string };
    expect((await get("logs?limit=5&order=asc", MAINTAINER, again)).status).toBe(304);
  });

  it("an entry by its id is 410, 200, or 404 to whoever may not see it; and so is its bundle", async () => {
    const [old, fresh] = [entries[6]!, entries[SIZE - 10]!];
    for (const path of ["logs", "bundle"]) {
      const gone = await get(`${path}/${old.id}`);
      expect([gone.status, JSON.parse(gone.text).code]).toEqual([410, "archived"]);
      expect((await get(`${path}/${fresh.id}`)).status).toBe(200);
      expect((await get(`${path}/${old.id}`, STRANGER)).status).toBe(404);
    }
    const { text } = await get(`bundle/${fresh.id}`);
    expect(await verifyBundle(text, { policy })).toMatchObject({ ok: true, entry: { seq: fresh.seq } });
  });

  it("proofs are byte for byte those of before", async () => {
    const now = await Promise.all(PROVEN.map(async (seq) => (await get(`proof?seq=${seq}`)).text));
    expect(now).toEqual(proofs);
    expect((await get(`proof/consistency?from=300&to=${SIZE}`)).status).toBe(200);
  });

  it.each(["application/json", "application/x-ndjson", "text/csv"])(
    "an export holds the others and names the first: %s",
    async (accept) => {
      for (const filter of ["", FILTERS[1]!, FILTERS[6]!, FILTERS[8]!, FILTERS[9]!]) {
        const logs = await keptOf(filter);
        const { headers, text } = await get(`export?order=desc${filter}`, MAINTAINER, { accept });
        expect([headers.get("x-archived-below"), headers.get("x-total-count")]).toEqual([
          String(BELOW),
          String(logs.length),
        ]);
        expect(await verifyExport(text, { keys: [] })).toMatchObject({ failure: null, entries: logs.length });
        for (const { id } of logs) expect(text).toContain(id);
      }
    },
  );

  it("an export with proofs holds to a policy", async () => {
    for (const accept of ["application/json", "application/x-ndjson"]) {
      const { text } = await get("export?proofs=true", MAINTAINER, { accept });
      const entriesLeft = SIZE - BELOW + 1;
      expect(await verifyExport(text, { policy })).toMatchObject({
        ok: true,
        depth: "proofs",
        entries: entriesLeft,
      });
    }
  });

  it("a stream from the start begins with the first that is there", async () => {
    const gone = new AbortController();
    const headers = t.as(MAINTAINER);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { headers, signal: gone.signal };
      httpGet(`${t.url}/api/v1/audit/stream?cursor=start`, options, resolve).on("error", reject);
    });
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) {
      text += chunk;
      if (text.includes(`"seq":"${SIZE}"`) && text.endsWith("\n\n")) break;
    }
    gone.abort();
    const seqs = [...text.matchAll(/^data: .*"seq":"(\d+)"/gm)].map(([, seq]) => Number(seq));
    expect(seqs).toEqual(Array.from({ length: SIZE - BELOW + 1 }, (_, i) => BELOW + i));
  });

  it("the check of the running log holds, and says what it did not look at", async () => {
    const { failure, archivedBelow } = await verifyLog({ pool: t.database.db.pool, folder: t.folder });
    expect([failure, archivedBelow]).toEqual([null, BELOW]);
  });
});

describe("a reorganisation that reaches into what is archived", () => {
  const ABOVE = 1000;
  const undone = () =>
    entries.filter(({ chain_id: chain, details }) => chain === 1 && Number(details.block_number) > ABOVE);

  it("reverts each entry once, by its id, seq and action, and takes the same operations in again", async () => {
    const { db } = t.database;
    const ofChain = undone();
    expect(ofChain.some(isKept) && !ofChain.every(isKept)).toBe(true);
    expect(await db.transaction((tx) => recordReverts(tx, 1, ABOVE))).toBe(ofChain.length);
    expect(await db.transaction((tx) => recordReverts(tx, 1, ABOVE))).toBe(0);
    const told = (await list("action_type=chain_reorg_revert&limit=1000&order=asc")).logs;
    const named = ({ id, seq, action_type, vault_address: vault, actor_wallet, details }: Entry) => [
      id,
      seq,
      action_type,
      vault,
      actor_wallet,
      details.block_hash,
      details.log_index,
    ];
    const reverted = ({ vault_address: vault, actor_wallet, details }: Entry) => [
      details.reverted_id,
      details.reverted_seq,
      details.reverted_action_type,
      vault,
      actor_wallet,
      details.block_hash,
      details.log_index,
    ];
    expect(new Set(told.map((entry) => JSON.stringify(reverted(entry))))).toEqual(
      new Set(ofChain.map((entry) => JSON.stringify(named(entry)))),
    );
    // The other branch has the same operations: each stands once more, and no oftener.
    const again = ofChain.map(({ details }) => chainEntry(Number(details.block_number)));
    await db.transaction((tx) => record(tx, again));
    await expect(db.transaction((tx) => record(tx, again))).rejects.toMatchObject({ code: "23505" });
    const { total } = await list("chain_id=1&limit=1");
    expect(total).toBe(entries.filter((each) => each.chain_id === 1).length + 2 * ofChain.length);
    const { failure } = await verifyLog({ pool: db.pool, folder: t.folder });
    expect(failure).toBe(null);
  });
});

it("restored, everything that was is served byte for byte as before", async () => {
  const said: string[] = [];
  const print = (line: string) => void said.push(line);
  const code = await auditRestoreCommand({ ...silent, print, ownerUrl: ownerUrl(), folder });
  expect([code, said]).toEqual([0, ["OK: 1200 entries are back, each the one that the log's tree has."]]);
  expect((await bytesOf()) === bytes).toBe(true);
  const page = await list("cursor=start&limit=1000");
  expect([page.archived_below, page.logs]).toEqual([undefined, entries.slice(0, 1000)]);
  expect((await get(`logs/${entries[6]!.id}`)).status).toBe(200);
  expect((await verifyLog({ pool: t.database.db.pool, folder: t.folder })).failure).toBe(null);
});

it("an export with proofs asks for a quorum first; where there is none it goes out, and does not hold to the policy", async () => {
  const append = () =>
    t.database.db.transaction((tx) => record(tx, [apiEntry(MAINTAINER, NOWHERE, "one more")]));
  const check = async () => {
    const { status, text } = await get("export?proofs=true&chain_id=0", MAINTAINER);
    expect(status).toBe(200);
    const { failure: fault } = await verifyExport(text, { keys: [] });
    expect(fault).toBe(null);
    return verifyExport(text, { policy });
  };
  await append();
  expect(await check()).toMatchObject({ ok: true, depth: "proofs", checkpoint: { witnesses: ["w"] } });
  await witness.close();
  await append();
  expect(await check()).toMatchObject({
    ok: false,
    failure: { reason: expect.stringContaining("witnesses") },
  });
});
