// Checkpoints, keys and proofs as the API serves them, one block for each status code, and what they prove.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openByPolicy,
  openCheckpoint,
  parseCheckpoint,
  parsePolicy,
  readVerifier,
  type Tree,
  verifyBundle,
  verifyConsistency,
  verifyInclusion,
} from "@vaultops/proof";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainEntry } from "../../../test/audit.ts";
import { type AuditApp, MAINTAINER, MANAGER, startAuditApp } from "../../../test/audit-app.ts";
import { startWitness, type TestWitness } from "../../../test/witnesses.ts";
import { auditVerifyFileCommand } from "../../cli/audit/audit.ts";
import { createEgress } from "../../platform/egress/egress.ts";
import { record } from "../append/record.ts";
import { createCheckpoints } from "../tree/checkpoint.ts";
import { LATEST_FILE } from "../tree/kept-notes.ts";
import { SigningRefused } from "../tree/standing.ts";
import { leafHash } from "../tree/tree.ts";

let t: AuditApp;
let witness: TestWitness;
const SIZES = [3, 256, 300, 1500];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "vaultops-proofs-"));
  witness = await startWitness(base, 1);
  const { request } = egress;
  t = await startAuditApp({ witnesses: { places: [witness], quorum: 1, request } });
  let n = 0;
  for (const size of SIZES) {
    const entries = Array.from({ length: size - n }, (_, i) => chainEntry(n + i));
    await t.database.db.transaction((tx) => record(tx, entries));
    n = size;
    await t.feature.checkpoints.sign();
  }
});
afterAll(async () => {
  await t.close();
  await witness.close();
  await egress.close();
  await rm(base, { recursive: true, force: true });
});
let base: string;
const egress = createEgress({ allowedNetworks: [], allowHttp: false });

const get = (path: string, wallet: typeof MANAGER | null = null) =>
  t.app.inject({ url: `/api/v1/audit/${path}`, headers: wallet === null ? {} : t.as(wallet) });
const bytes = (hashes: string[]) => hashes.map((hash) => Buffer.from(hash, "base64"));

describe("GET /audit/checkpoint", () => {
  it("200: the newest note, as plain text, to anyone; an earlier one by its size", async () => {
    const { keys } = (await get("keys")).json();
    const verifier = readVerifier(keys[0].vkey);
    const newest = await get("checkpoint");
    expect([newest.statusCode, newest.headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(await openCheckpoint(newest.payload, [verifier])).toMatchObject({
      origin: "vaultops.test/audit",
      size: 1500,
    });
    for (const size of SIZES) {
      const earlier = await openCheckpoint((await get(`checkpoint?size=${size}`)).payload, [verifier]);
      expect([earlier.size, earlier.signedBy.length]).toEqual([size, 1]);
    }
  });

  it("304: while no other was signed", async () => {
    const { etag } = (await get("checkpoint")).headers;
    const url = "/api/v1/audit/checkpoint";
    const again = await t.app.inject({ url, headers: { "if-none-match": etag as string } });
    expect(again.statusCode).toBe(304);
  });

  it("400: a size that is none", async () => {
    expect((await get("checkpoint?size=many")).statusCode).toBe(400);
  });

  it("404: a size at which none was signed", async () => {
    expect((await get("checkpoint?size=255")).json().code).toBe("not_found");
  });
});

describe("what witnesses vouch for", () => {
  const ID = "00000000-0000-4000-8000-000000000000";
  const idOf = async (seq: number) =>
    (await t.database.db.pool.query("select id from audit_entries where seq = $1", [seq])).rows[0].id;

  it("404 no_quorum, and 409 not_witnessed_yet: before a witness has cosigned", async () => {
    const newest = await get("checkpoint?quorum=true");
    expect([newest.statusCode, newest.json().code]).toEqual([404, "no_quorum"]);
    const bundle = await get(`bundle/${await idOf(3)}`, MAINTAINER);
    expect([bundle.statusCode, bundle.json().code]).toEqual([409, "not_witnessed_yet"]);
  });

  it("200: the newest checkpoint with its cosignature, and a bundle of each entry that it covers", async () => {
    const { keys } = (await get("keys")).json();
    const log = keys[0].vkey;
    witness.knows.add(log);
    await t.feature.witnesses.vouched(1500, 10_000);
    const policy = `log ${log}\nwitness w ${witness.witness.vkey}\nquorum w\n`;
    for (const path of ["checkpoint", "checkpoint?quorum=true", "checkpoint?size=1500"]) {
      const { statusCode, payload } = await get(path);
      expect(statusCode).toBe(200);
      expect(await openByPolicy(payload, parsePolicy(policy))).toMatchObject({
        size: 1500,
        witnesses: ["w"],
      });
    }
    for (const seq of [1, 256, 1500]) {
      const { statusCode, headers, payload } = await get(`bundle/${await idOf(seq)}`, MAINTAINER);
      expect([statusCode, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
      const check = await verifyBundle(payload, { policy });
      expect(check).toMatchObject({ ok: true, entry: { seq: String(seq) }, checkpoint: { size: 1500 } });
      const file = join(base, "entry.tlog-proof");
      const policyFile = join(base, "policy");
      await writeFile(file, payload);
      await writeFile(policyFile, policy);
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      expect(await auditVerifyFileCommand({ file, policy: policyFile, print })).toBe(0);
      expect(lines[0]).toContain(`entry ${seq} `);
      await writeFile(file, payload.replace(/index \d+/, "index 77"));
      expect(await auditVerifyFileCommand({ file, policy: policyFile, print })).toBe(1);
    }
    // One witness, and its older cosignatures stay where they were given.
    expect((await get("checkpoint?size=300")).payload).not.toContain(witness.witness.name);
  });

  it("400: a quorum of one size; 401, 404: what nobody may see", async () => {
    expect((await get("checkpoint?quorum=true&size=300")).statusCode).toBe(400);
    expect((await get(`bundle/${ID}`)).statusCode).toBe(401);
    expect((await get(`bundle/${ID}`, MAINTAINER)).json().code).toBe("not_found");
  });
});

describe("GET /audit/keys", () => {
  it("200: every key with the size from which on it signs", async () => {
    const { statusCode, payload } = await get("keys");
    expect(statusCode).toBe(200);
    expect(JSON.parse(payload).keys).toEqual([
      { vkey: expect.stringMatching(/^vaultops\.test\/audit\+/), from_size: 0, until_size: null },
    ]);
  });
});

describe("GET /audit/proof", () => {
  it("200: proves every entry, as audit/logs serves it, against a signed root", async () => {
    const { keys } = (await get("keys")).json();
    const logs = JSON.parse(
      (await get("logs?limit=1000&order=asc&time_field=block", MAINTAINER)).payload,
    ).logs;
    for (const seq of [1, 2, 3, 4, 255, 256, 257, 300, 301, 1000, 1024, 1025, 1280, 1499, 1500]) {
      for (const size of [null, ...SIZES.filter((each) => each >= seq), 1400]) {
        if (size !== null && size < seq) continue;
        const answer = (await get(`proof?seq=${seq}${size === null ? "" : `&size=${size}`}`, MANAGER)).json();
        const leaf = Buffer.from(answer.leaf_hash, "base64");
        expect(answer).toMatchObject({ seq: String(seq), leaf_index: seq - 1 });
        const entry = logs.find((each: { seq: string }) => each.seq === String(seq));
        if (entry !== undefined) {
          const served = await t.app.inject({
            url: `/api/v1/audit/logs/${entry.id}`,
            headers: t.as(MAINTAINER),
          });
          expect(leafHash(served.payload)).toEqual(leaf);
        }
        if (size === 1400) {
          expect(answer.checkpoint).toBe(null);
          continue;
        }
        const { root, size: signed } = await openCheckpoint(answer.checkpoint, [readVerifier(keys[0].vkey)]);
        expect(signed).toBe(answer.tree_size);
        const proof = { index: seq - 1, size: signed, hashes: bytes(answer.hashes) };
        expect(verifyInclusion(leaf, proof, root)).toBe(true);
      }
    }
  });

  it.each(["seq=0", "seq=x", "", "seq=10&size=9", "seq=1&size=1501"])("400: %s", async (query) => {
    expect((await get(`proof?${query}`, MANAGER)).json().code).toBe("invalid_request");
  });

  it("401: without a token", async () => {
    expect((await get("proof?seq=1")).statusCode).toBe(401);
  });

  it("404: an entry that is not there, or not covered yet", async () => {
    expect((await get("proof?seq=9999", MANAGER)).statusCode).toBe(404);
  });
});

describe("GET /audit/proof/consistency", () => {
  it("200: proves between any two checkpoints that the log only grew", async () => {
    const trees = new Map<number, Tree>();
    for (const size of SIZES)
      trees.set(size, parseCheckpoint((await get(`checkpoint?size=${size}`)).payload));
    for (const from of SIZES) {
      for (const to of SIZES.filter((size) => size >= from)) {
        const answer = (await get(`proof/consistency?from=${from}&to=${to}`)).json();
        expect(answer).toMatchObject({ from, to });
        expect(verifyConsistency(trees.get(from)!, trees.get(to)!, bytes(answer.hashes))).toBe(true);
      }
    }
    expect((await get("proof/consistency?from=0&to=1500")).json().hashes).toEqual([]);
  });

  it.each(["from=5&to=4", "from=1", "from=1&to=1501", "from=-1&to=3"])("400: %s", async (query) => {
    expect((await get(`proof/consistency?${query}`)).json().code).toBe("invalid_request");
  });
});

describe("GET /audit/verification", () => {
  it("200: the state of the background check", async () => {
    expect((await get("verification", MANAGER)).json()).toEqual({
      status: "pending",
      is_running: false,
      checked_size: null,
      checked_at: null,
      failure: null,
    });
    const stop = new AbortController();
    const task = t.feature.tasks!.find((each) => each.name === "audit verification")!;
    const running = task.run(stop.signal);
    for (;;) {
      const state = (await get("verification", MANAGER)).json();
      if (state.status === "ok") {
        expect(state).toMatchObject({ is_running: false, checked_size: 1500, failure: null });
        break;
      }
      expect(state.status).toBe("pending");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    stop.abort();
    await running;
  });

  it("401: without a token", async () => {
    expect((await get("verification")).statusCode).toBe(401);
  });
});

describe("checkpoints", () => {
  it("are signed once a size, and kept in the database and in the data folder", async () => {
    const again = await t.feature.checkpoints.sign();
    expect(again.size).toBe(1500);
    const { rows } = await t.database.db.pool.query("select note from audit_checkpoints order by size");
    expect(rows.map(({ note }) => parseCheckpoint(note).size)).toEqual(SIZES);
    expect(await readFile(join(t.folder, LATEST_FILE), "utf8")).toBe(again.note);
  });

  it("are signed by a key that its owner alone can read", async () => {
    const [file] = (await readdir(t.folder)).filter((name) => name.startsWith("signing-key-"));
    expect((await stat(join(t.folder, file!))).mode & 0o777).toBe(0o600);
    const { rows } = await t.database.db.pool.query("select * from audit_keys");
    expect(JSON.stringify(rows)).not.toContain("PRIVATE");
  });

  it("are not signed without the key, nor by one made in silence", async () => {
    const folder = join(t.folder, "elsewhere");
    await mkdir(folder);
    const { db } = t.database;
    const checkpoints = createCheckpoints({ db, folder, origin: "x", log: t.app.log as never });
    await t.database.db.transaction((tx) => record(tx, [chainEntry(2000)]));
    await expect(checkpoints.sign()).rejects.toThrow(/rotate-key/);
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it("stay valid under their own key after a rotation, which is signed by both", async () => {
    const before = (await get("checkpoint")).payload;
    const { vkey, from_size } = await t.feature.checkpoints.rotateKey();
    const { keys } = (await get("keys")).json();
    expect(keys.map((key: { vkey: string }) => key.vkey)).toEqual([expect.anything(), vkey]);
    expect(from_size).toBe(1501);
    const both = await openCheckpoint(
      (await get("checkpoint")).payload,
      keys.map((key: { vkey: string }) => readVerifier(key.vkey)),
    );
    expect(both.signedBy.map((key) => key.vkey).sort()).toEqual(
      keys.map((key: { vkey: string }) => key.vkey).sort(),
    );
    expect((await openCheckpoint(before, [readVerifier(keys[0].vkey)])).signedBy.length).toBe(1);
    await t.database.db.transaction((tx) => record(tx, [chainEntry(2001)]));
    const after = await t.feature.checkpoints.sign();
    expect((await openCheckpoint(after.note, [readVerifier(vkey)])).signedBy.length).toBe(1);
  });

  it("are appended to a file", async () => {
    const { db } = t.database;
    const file = join(t.folder, "checkpoints.txt");
    await writeFile(file, "");
    const parts = { db, folder: t.folder, origin: "vaultops.test/audit", log: t.app.log as never, file };
    const checkpoints = createCheckpoints(parts);
    for (const n of [2002, 2003]) {
      await db.transaction((tx) => record(tx, [chainEntry(n)]));
      await checkpoints.sign();
    }
    const notes = (await readFile(file, "utf8")).split("\n\n\n").length;
    expect((await checkpoints.latest())!.size).toBe(1504);
    expect(notes).toBeGreaterThanOrEqual(1);
    expect(await readFile(file, "utf8")).toContain((await checkpoints.latest())!.note);
  });

  it("are not signed over a log that was rewritten since the last", async () => {
    const { owner, db } = t.database;
    await owner.pool.query(`alter table audit_tiles disable trigger all;
      update audit_tiles set hashes = overlay(hashes placing '\\x0000000000000000' from 1 for 8), root = overlay(root placing '\\x0000000000000000' from 1 for 8) where level = 0 and index = 1;
      alter table audit_tiles enable trigger all`);
    await db.transaction((tx) => record(tx, [chainEntry(2004)]));
    const fresh = createCheckpoints({ db, folder: t.folder, origin: "x", log: t.app.log as never });
    await expect(fresh.sign()).rejects.toThrow(SigningRefused);
  });
});
