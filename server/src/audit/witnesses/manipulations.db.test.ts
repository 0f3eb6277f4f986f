// Everything that somebody could do to the log, its files or its witnesses, or that could befall them: each is refused or told, and nothing is
// ever signed over. One table a kind.
import { appendFile, cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCheckpoint, readVerifier } from "@vaultops/proof";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chainEntry } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { type Answer, startLiar, startWitness, type TestWitness } from "../../../test/witnesses.ts";
import type { Database } from "../../platform/db/db.ts";
import { createEgress } from "../../platform/egress/egress.ts";
import { silentLogger } from "../../platform/log.ts";
import { record } from "../append/record.ts";
import { originHash, readKept } from "../cosigner/kept.ts";
import { type CheckpointParts, createCheckpoints } from "../tree/checkpoint.ts";
import { LATEST_FILE } from "../tree/kept-notes.ts";
import { signatureLine } from "../tree/signer.ts";
import { SigningRefused } from "../tree/standing.ts";
import { witnessedSize } from "../tree/stored.ts";
import { offerNewest } from "./offer.ts";
import type { WitnessPlace } from "./settings.ts";
import { createWitnesses, type WitnessTrouble } from "./witnesses.ts";

const ORIGIN = "vaultops.test/audit";
const base = await mkdtemp(join(tmpdir(), "vaultops-manipulations-"));
const egress = createEgress({ allowedNetworks: [], allowHttp: false });
const ending: { close(): Promise<void> }[] = [egress];
afterAll(async () => {
  for (const each of ending) await each.close();
  await rm(base, { recursive: true, force: true });
});
let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(base, "audit-"));
  file = `${folder}.txt`;
});

async function database(): Promise<TestDatabase> {
  const t = await createTestDatabase();
  ending.push({ close: () => t.drop() });
  return t;
}

let operations = 0;
async function write(t: TestDatabase, count: number): Promise<void> {
  const entries = Array.from({ length: count }, () => chainEntry(operations++));
  await t.db.transaction((tx) => record(tx, entries));
}

/** A log's process: what signs, and what offers to its witnesses. */
function processOf(db: Database, places: readonly WitnessPlace[] = [], parts: Partial<CheckpointParts> = {}) {
  const log = silentLogger();
  const troubles: WitnessTrouble[][] = [];
  const witnesses = createWitnesses({
    db,
    request: egress.request,
    log,
    places,
    quorum: Math.max(1, places.length),
    onTroubles: (found) => void troubles.push([...found]),
  });
  const checkpoints = createCheckpoints({
    db,
    folder,
    file,
    origin: ORIGIN,
    log,
    elsewhere: witnesses.elsewhere,
    ...parts,
  });
  const offer = (place: WitnessPlace) => offerNewest({ db, request: egress.request, log }, place);
  const tell = async (): Promise<WitnessTrouble[]> => {
    const end = new AbortController();
    const running = witnesses.tasks.at(-1)!.run(end.signal);
    while (troubles.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    end.abort();
    await running;
    return troubles.at(-1)!;
  };
  const witnessed = async () => {
    const quorum = await witnesses.quorum();
    return quorum === null ? null : witnessedSize(db.kysely, quorum);
  };
  return { checkpoints, witnesses, offer, tell, witnessed };
}

async function witnessFor(t: TestDatabase, number = 1): Promise<TestWitness> {
  const witness = await startWitness(base, number);
  ending.push(witness);
  const { rows } = await t.db.pool.query("select vkey from audit_keys");
  for (const { vkey } of rows) witness.knows.add(vkey);
  return witness;
}

/** What an older copy of the database knows: the keys, and nothing of what was signed since. */
async function copyOf(t: TestDatabase): Promise<TestDatabase> {
  const copy = await database();
  const { rows } = await t.db.pool.query("select vkey, from_size from audit_keys");
  for (const { vkey, from_size } of rows)
    await copy.db.pool.query("insert into audit_keys (vkey, from_size) values ($1, $2)", [vkey, from_size]);
  return copy;
}

const checkpointsIn = async (t: TestDatabase) =>
  (await t.db.pool.query("select size, note from audit_checkpoints order by size")).rows;
const kept = async () =>
  Promise.all([join(folder, LATEST_FILE), file].map((path) => readFile(path, "utf8").catch(() => null)));

describe("a database that went back is not signed over", () => {
  let signed: TestDatabase;
  let witness: TestWitness;
  /** What was kept outside as long as all was well. */
  let whole: string;
  const others = new Map<number, TestDatabase>();
  beforeAll(async () => {
    signed = await database();
    whole = await mkdtemp(join(base, "audit-"));
    await write(signed, 60);
    const parts = { folder: whole, file: `${whole}.txt` };
    await processOf(signed.db, [], parts).checkpoints.sign();
    witness = await witnessFor(signed);
    expect(await processOf(signed.db, [witness], parts).offer(witness)).toBe("has it");
    for (const size of [40, 60, 90]) {
      const older = await copyOf(signed);
      await write(older, size);
      others.set(size, older);
    }
  });
  beforeEach(async () => {
    await cp(whole, folder, { recursive: true });
    await cp(`${whole}.txt`, file);
  });

  const HOLDERS = [
    "the data folder",
    "the checkpoint file",
    "a witness",
    "the process's memory",
    "the database's evidence",
  ] as const;
  const cases = HOLDERS.flatMap((holder) => [
    [holder, "with fewer entries than were signed", 40] as const,
    [holder, "of the same size with other entries", 60] as const,
    [holder, "continued beyond it from an older copy", 90] as const,
  ]);
  it.each(cases)("where %s remembers: %s", async (holder, _, size) => {
    const older = others.get(size)!;
    let current = signed.db;
    const failover = {
      get kysely() {
        return current.kysely;
      },
      transaction: (...args: Parameters<Database["transaction"]>) => current.transaction(...args),
    } as Database;
    let after = processOf(older.db, holder === "a witness" ? [witness] : []).checkpoints;
    if (holder === "the process's memory") {
      after = processOf(failover).checkpoints;
      await after.sign();
      current = older.db;
    }
    if (holder !== "the data folder") await rm(join(folder, LATEST_FILE));
    if (holder !== "the checkpoint file") await rm(file);
    // What the witness handed out before counts when nobody can ask it any more.
    if (holder === "the database's evidence")
      await expect(processOf(older.db, [witness]).checkpoints.sign()).rejects.toThrow(SigningRefused);
    const before = await kept();
    for (const work of [after.sign, after.rotateKey, after.finishRotation])
      await expect(work()).rejects.toThrow(SigningRefused);
    expect(await kept()).toEqual(before);
    expect(await checkpointsIn(older)).toEqual([]);
    expect((await readKept(witness.folder, originHash(ORIGIN))).note).toContain("\n60\n");
    if (holder === "a witness") await forgetEvidence(older);
  });
});

/** As if an hour had passed. */
async function age(t: TestDatabase): Promise<void> {
  await t.owner.pool.query(`alter table audit_checkpoints disable trigger user;
    update audit_checkpoints set created_at = created_at - interval '1 hour'; alter table audit_checkpoints enable trigger user`);
}

/** The next case is to find it out by itself. */
async function forgetEvidence(t: TestDatabase): Promise<void> {
  await t.owner.pool.query(`alter table audit_held_notes disable trigger user;
    delete from audit_held_notes; alter table audit_held_notes enable trigger user`);
}

describe("what is changed in the database alone is not signed over", () => {
  const ROOT = "overlay(root placing '\\x0000000000000000' from 1 for 8)";
  it.each([
    [
      "a hash of a tile",
      `update audit_tiles set hashes = overlay(hashes placing '\\x0000000000000000' from 1 for 8), root = ${ROOT} where level = 0`,
    ],
    ["a tile that is gone", "delete from audit_tiles"],
    ["the root of a checkpoint", `update audit_checkpoints set root = ${ROOT}`],
    [
      "a checkpoint of more entries",
      `insert into audit_checkpoints (size, root, note) select 9000, root, note from audit_checkpoints limit 1`,
    ],
    ["an entry that is gone", "delete from audit_entries where seq = 300"],
    [
      "an entry with another text",
      `update audit_entries set body = replace(body, '"seq":"299"', '"seq":"298"') where seq = 299`,
    ],
  ])("%s", async (_, change) => {
    const t = await database();
    await write(t, 300);
    const { checkpoints } = processOf(t.db);
    await checkpoints.sign();
    const tables = ["audit_tiles", "audit_checkpoints", "audit_entries"];
    const { rows } = await t.owner.pool.query(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_entries'::regclass",
    );
    for (const name of [...tables, ...rows.map((row) => row.name)])
      await t.owner.pool.query(`alter table ${name} disable trigger user`);
    await t.owner.pool.query(change);
    const before = await kept();
    for (const fresh of [checkpoints, processOf(t.db).checkpoints])
      await expect(fresh.sign()).rejects.toThrow(SigningRefused);
    expect(await kept()).toEqual(before);
  });
});

describe("a file outside the database", () => {
  async function signedLog() {
    const t = await database();
    await write(t, 10);
    await processOf(t.db).checkpoints.sign();
    await write(t, 10);
    await processOf(t.db).checkpoints.sign();
    return t;
  }
  const latest = () => join(folder, LATEST_FILE);

  it.each<[string, () => Promise<unknown>]>([
    ["cut in the middle", async () => writeFile(latest(), (await readFile(latest(), "utf8")).slice(0, 60))],
    ["with something else in it", () => writeFile(latest(), "something else")],
    [
      "with one digit of its size changed",
      async () => writeFile(latest(), (await readFile(latest(), "utf8")).replace("\n20\n", "\n10\n")),
    ],
    [
      "replaced by a link to an older note",
      async () => {
        await rename(latest(), `${latest()}.old`);
        await symlink(`${latest()}.old`, latest());
      },
    ],
    [
      "with a note under a key that nobody here has",
      async () =>
        writeFile(
          latest(),
          (await readFile(latest(), "utf8"))
            .replaceAll(ORIGIN, "other.test/audit")
            .replace("\n20\n", "\n21\n"),
        ),
    ],
  ])("the newest checkpoint %s: nothing is signed, and it stays", async (_, change) => {
    const t = await signedLog();
    await change();
    const before = await kept();
    await write(t, 1);
    await expect(processOf(t.db).checkpoints.sign()).rejects.toThrow(SigningRefused);
    expect(await kept()).toEqual(before);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["cut in the middle", async () => writeFile(file, (await readFile(file, "utf8")).slice(0, -30))],
    ["with lines of others", () => appendFile(file, "something else\n9999\n")],
    [
      "with the newest note altered",
      async () => writeFile(file, (await readFile(file, "utf8")).replace("\n20\n", "\n21\n")),
    ],
  ])("the checkpoint file %s: what is left of it still counts", async (_, change) => {
    const t = await signedLog();
    await change();
    await rm(latest());
    const older = await copyOf(t);
    await write(older, 9);
    await expect(processOf(older.db).checkpoints.sign()).rejects.toThrow(SigningRefused);
    await write(t, 1);
    expect((await processOf(t.db).checkpoints.sign()).size).toBe(21);
  });
});

describe("the checkpoint file alone", () => {
  /** What one round of the service tells of it. */
  async function told(): Promise<string | null> {
    const found: (string | null)[] = [];
    const end = new AbortController();
    const onFile = (trouble: string | null) => void found.push(trouble);
    const running = processOf(t.db, [], { onFile }).checkpoints.task.run(end.signal);
    while (found.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    end.abort();
    await running;
    return found[0]!;
  }
  let t: TestDatabase;
  /** What was kept outside as long as all was well. */
  let whole: string;
  beforeAll(async () => {
    t = await database();
    whole = await mkdtemp(join(base, "audit-"));
    [folder, file] = [whole, `${whole}.txt`];
    for (let n = 0; n < 3; n += 1) {
      await write(t, 10);
      await processOf(t.db).checkpoints.sign();
    }
  });
  beforeEach(async () => {
    await cp(whole, folder, { recursive: true });
    await cp(`${whole}.txt`, file);
    // It remembers under the name of the file.
    const mark = join(folder, "checkpoint-file");
    await writeFile(mark, (await readFile(mark, "utf8")).replace(`${whole}.txt`, file));
    expect(await told()).toBe(null);
  });
  const text = () => readFile(file, "utf8");

  it.each<[string, () => Promise<unknown>]>([
    ["emptied", () => writeFile(file, "")],
    ["taken away", () => rm(file)],
    ["cut in the middle of its last note", async () => writeFile(file, (await text()).slice(0, -30))],
    ["exchanged for an older copy", async () => writeFile(file, (await text()).split(`${ORIGIN}\n20\n`)[0]!)],
    [
      "with a digit of its last note altered",
      async () => writeFile(file, (await text()).replace("\n30\n", "\n20\n")),
    ],
    [
      "replaced by a link to an older copy",
      async () => {
        await writeFile(`${file}.old`, (await text()).slice(0, 200));
        await rm(file);
        await symlink(`${file}.old`, file);
      },
    ],
  ])("%s is told of by whoever starts next, and then holds the newest again", async (_, change) => {
    await change();
    expect(await told()).toMatch(/no longer holds the checkpoint of 30 entries/);
    expect(await told()).toBe(null);
    const [{ note }] = (await checkpointsIn(t)).slice(-1);
    expect(await text()).toContain(note);
  });

  it("that cannot be written is told of until it can", async () => {
    await rm(file);
    await mkdir(file);
    const trouble = /no longer holds/;
    expect(await told()).toMatch(trouble);
    expect(await told()).toMatch(trouble);
    await rm(file, { recursive: true });
    expect(await told()).toMatch(trouble);
    expect(await told()).toBe(null);
  });

  it("with the lines of others behind its own is as it was left", async () => {
    await appendFile(file, "other\n".repeat(50_000));
    expect(await told()).toBe(null);
  });
});

describe("a witness that answers what it should not", () => {
  type Liar = Awaited<ReturnType<typeof startLiar>>;
  let n = 0;
  let t: TestDatabase;
  const keys = mkdtemp(join(base, "audit-"));
  beforeAll(async () => {
    t = await database();
    await write(t, 29);
  });
  /** One log for all of them: each witness is its own. */
  async function ground() {
    await write(t, 1);
    const parts = { folder: await keys, file: null };
    const { note, size: at } = await processOf(t.db, [], parts).checkpoints.sign();
    const liar = await startLiar(50 + n++);
    ending.push(liar);
    return { note, at, liar, process: processOf(t.db, [liar], parts) };
  }
  const text = (note: string) => note.slice(0, note.indexOf("\n\n") + 1);
  /** A cosignature by the witness's own key. */
  function cosign(
    { signer }: Pick<Liar, "signer">,
    signedText: string,
    time = Math.floor(Date.now() / 1000),
  ) {
    const seconds = Buffer.alloc(8);
    seconds.writeBigUInt64BE(BigInt(time));
    const said = `cosignature/v1\ntime ${time}\n${signedText}`;
    return signatureLine(signer, Buffer.concat([seconds, signer.sign(said)]));
  }
  const size = (body: string) => ({ status: 409, body, type: "text/x.tlog.size" });
  const keptOf = async ({ witness }: Liar) =>
    (await t.db.pool.query("select size from audit_cosignatures where vkey = $1", [witness.vkey])).rows;
  const hour = 3600;
  const now = () => Math.floor(Date.now() / 1000);

  it.each<[string, string, (note: string, liar: Liar, at: number) => Answer]>([
    ["a size above ours", "ahead", (_note, _liar, at) => size(`${at + 1}\n`)],
    ["the largest size that there is", "ahead", () => size("9007199254740991\n")],
    [
      "another size each time",
      "answer",
      (() => {
        let at = 0;
        return () => size(`${++at % 7}\n`);
      })(),
    ],
    ["the size that it was offered from", "answer", () => size("0\n")],
    ["a size that is no number", "answer", () => size("many\n")],
    ["a size that is negative", "answer", () => size("-1\n")],
    ["a size with a zero before it", "answer", () => size("012\n")],
    ["409 without a size", "conflict", () => ({ status: 409 })],
    ["422", "conflict", () => ({ status: 422 })],
    ["403", "unknown_key", () => ({ status: 403 })],
    ["404", "unknown_log", () => ({ status: 404 })],
    ["400", "unreachable", () => ({ status: 400 })],
    ["503", "unreachable", () => ({ status: 503 })],
    ["200 and nothing", "answer", () => ({ status: 200, body: "" })],
    ["200 and a page", "answer", () => ({ status: 200, body: "<html>welcome</html>" })],
    ["200 and more than is read", "answer", () => ({ status: 200, body: "x".repeat(100_000) })],
    [
      "a cosignature by another key",
      "answer",
      (note) => ({ status: 200, body: cosign({ signer: other.signer }, text(note)) }),
    ],
    [
      "a cosignature by another key in its own name",
      "answer",
      (note, liar) => ({
        status: 200,
        body: cosign({ signer: { ...other.signer, name: liar.signer.name, id: liar.signer.id } }, text(note)),
      }),
    ],
    [
      "a cosignature over another size",
      "answer",
      (note, liar) => ({
        status: 200,
        body: cosign(
          liar,
          text(note).replace(/\n(\d+)\n/, (_, at) => `\n${Number(at) - 1}\n`),
        ),
      }),
    ],
    [
      "a cosignature over another root",
      "answer",
      (note, liar) => ({
        status: 200,
        body: cosign(liar, text(note).replace(/\n.{43}=\n$/, `\n${"A".repeat(43)}=\n`)),
      }),
    ],
    [
      "a cosignature for another log",
      "answer",
      (note, liar) => ({ status: 200, body: cosign(liar, text(note).replace(ORIGIN, "other.test/audit")) }),
    ],
    [
      "a cosignature without a time",
      "answer",
      (note, liar) => ({ status: 200, body: cosign(liar, text(note), 0) }),
    ],
    [
      "a cosignature an hour ahead",
      "clock",
      (note, liar) => ({ status: 200, body: cosign(liar, text(note), now() + hour) }),
    ],
    [
      "the log's own signature",
      "answer",
      (note) => ({ status: 200, body: note.slice(note.indexOf("\n\n") + 2) }),
    ],
  ])("%s: %s is told, and nothing is kept of it", async (_, kind, answer) => {
    const { note, at, liar, process } = await ground();
    liar.submitted = () => answer(note, liar, at);
    expect(await process.offer(liar)).toMatchObject({ kind });
    expect(await keptOf(liar)).toEqual([]);
    expect(await process.witnessed()).toBe(null);
    const told = await process.tell();
    if (kind === "unreachable") expect(told).toEqual([]);
    else
      expect(told).toMatchObject([
        { witness: liar.name, kind, isFork: kind === "ahead" || kind === "conflict" },
      ]);
    // It never hinders the log itself, which goes on.
    await write(t, 1);
    expect((await process.checkpoints.sign()).size).toBe(at + 1);
  });

  it("is told of when it is away for long, and forgiven when it cosigns", async () => {
    const { note, at, liar, process } = await ground();
    const url = liar.url;
    liar.url = "http://127.0.0.1:1";
    expect(await process.offer(liar)).toMatchObject({ kind: "unreachable" });
    await t.db.pool.query("update checkpoint_witnesses set since = since - interval '1 hour'");
    await age(t);
    expect(await process.tell()).toMatchObject([
      { kind: "unreachable" },
      { witness: null, kind: "no_quorum" },
    ]);
    liar.url = url;
    // An hour behind: its word counts all the same.
    liar.submitted = () => ({ status: 200, body: cosign(liar, text(note), now() - hour) });
    expect(await process.offer(liar)).toBe("has it");
    expect(await processOf(t.db, [liar]).tell()).toEqual([]);
    expect(await process.witnessed()).toBe(at);
  });

  it("with a size above ours counts no more, for what it cosigned either, until it cosigns again", async () => {
    const { note, at, liar, process } = await ground();
    liar.submitted = () => ({ status: 200, body: cosign(liar, text(note)) });
    await process.offer(liar);
    await write(t, 1);
    const next = await process.checkpoints.sign();
    liar.submitted = () => size("99999\n");
    await process.offer(liar);
    expect(await process.witnessed()).toBe(null);
    liar.submitted = () => ({ status: 200, body: cosign(liar, text(next.note)) });
    await process.offer(liar);
    expect(await process.witnessed()).toBe(at + 1);
  });

  it("with a size below ours is offered from there, and gets a proof that holds", async () => {
    const { liar, process, note, at } = await ground();
    liar.submitted = (body) =>
      body.startsWith("old 12\n") ? { status: 200, body: cosign(liar, text(note)) } : size("12\n");
    expect(await process.offer(liar)).toBe("has it");
    expect(liar.received.map(({ body }) => body.toString().split("\n")[0])).toEqual(["old 0", "old 12"]);
    expect(await keptOf(liar)).toEqual([{ size: at }]);
  });

  it("cannot stop the signing by handing out what our key has not signed, or what the log begins with", async () => {
    const { note, at, liar, process } = await ground();
    await write(t, 1);
    for (const body of [
      note,
      note.replace(`\n${at}\n`, "\n99999\n"),
      "nothing",
      `${text(note).replace(`\n${at}\n`, "\n99999\n")}\n${cosign(liar, text(note))}`,
      "x".repeat(100_000),
    ]) {
      liar.holds = () => ({ status: 200, body });
      await process.checkpoints.sign();
      await write(t, 1);
    }
    expect((await checkpointsIn(t)).at(-1).size).toBe(at + 5);
    expect((await t.db.pool.query("select * from audit_held_notes")).rows).toEqual([]);
  });
});

const other = await startLiar(99);
ending.push(other);

describe("with a real witness", () => {
  it("a log that was continued from an older copy under a process without any other memory is not cosigned", async () => {
    const signed = await database();
    await write(signed, 60);
    await processOf(signed.db).checkpoints.sign();
    const witness = await witnessFor(signed);
    await processOf(signed.db, [witness]).offer(witness);
    const older = await copyOf(signed);
    await write(older, 80);
    await rm(join(folder, LATEST_FILE));
    await rm(file);
    // It hands out nothing: where nobody says what was signed, the witness itself refuses.
    const silent = { ...witness, monitoringUrl: "http://127.0.0.1:1" };
    const process = processOf(older.db, [silent]);
    await process.checkpoints.sign();
    expect(await process.offer(silent)).toMatchObject({ kind: "conflict" });
    expect(await process.tell()).toMatchObject([{ kind: "conflict", isFork: true }]);
    // As soon as it does, nothing more is signed.
    await write(older, 1);
    await expect(processOf(older.db, [witness]).checkpoints.sign()).rejects.toThrow(SigningRefused);
    expect((await readKept(witness.folder, originHash(ORIGIN))).note).toContain("\n60\n");
  });

  it("a smaller tree that was signed after a larger one is told, and not cosigned", async () => {
    const signed = await database();
    await write(signed, 60);
    await processOf(signed.db).checkpoints.sign();
    const witness = await witnessFor(signed);
    await processOf(signed.db, [witness]).offer(witness);
    const older = await copyOf(signed);
    await write(older, 50);
    await rm(join(folder, LATEST_FILE));
    await rm(file);
    const silent = { ...witness, monitoringUrl: "http://127.0.0.1:1" };
    const process = processOf(older.db, [silent]);
    await process.checkpoints.sign();
    expect(await process.offer(silent)).toMatchObject({ kind: "ahead", toldSize: 60 });
    expect(await process.witnessed()).toBe(null);
  });

  it("two processes that sign and offer at once sign one story, which is cosigned once a size", async () => {
    const t = await database();
    await write(t, 20);
    await processOf(t.db).checkpoints.sign();
    const witness = await witnessFor(t);
    const processes = [processOf(t.db, [witness]), processOf(t.db, [witness])];
    for (let round = 0; round < 5; round++) {
      await write(t, 1);
      const signed = await Promise.all(processes.map(({ checkpoints }) => checkpoints.sign()));
      expect(signed[0]!.note).toBe(signed[1]!.note);
      const outcomes = await Promise.all(processes.map(({ offer }) => offer(witness)));
      expect(outcomes.every((outcome) => outcome === "has it" || outcome === "busy")).toBe(true);
    }
    expect(await processes[0]!.witnessed()).toBe(25);
    expect(await processes[0]!.tell()).toEqual([]);
  });

  it("a key that is rotated between two checkpoints is followed while both sign, and told when the witness knows it not", async () => {
    const t = await database();
    await write(t, 20);
    const process = processOf(t.db);
    await process.checkpoints.sign();
    const witness = await witnessFor(t);
    expect(await processOf(t.db, [witness]).offer(witness)).toBe("has it");
    const { vkey } = await process.checkpoints.rotateKey();
    await write(t, 1);
    const both = await process.checkpoints.sign();
    const keys = (await process.checkpoints.keys()).map((key) => readVerifier(key.vkey));
    expect((await openCheckpoint(both.note, keys)).signedBy).toHaveLength(2);
    expect(await processOf(t.db, [witness]).offer(witness)).toBe("has it");
    expect(await process.checkpoints.finishRotation()).toHaveLength(1);
    await write(t, 1);
    const alone = await process.checkpoints.sign();
    expect((await openCheckpoint(alone.note, keys)).signedBy.map((key) => key.vkey)).toEqual([vkey]);
    expect(await processOf(t.db, [witness]).offer(witness)).toMatchObject({ kind: "unknown_key" });
    witness.knows.add(vkey);
    expect(await processOf(t.db, [witness]).offer(witness)).toBe("has it");
  });

  it("that never answers delays neither the signing nor another witness", async () => {
    const t = await database();
    await write(t, 20);
    const { checkpoints } = processOf(t.db);
    await checkpoints.sign();
    const silent = await startLiar(98);
    ending.push(silent);
    silent.submitted = () => null;
    const witness = await witnessFor(t);
    const { witnesses } = processOf(t.db, [silent, witness]);
    const end = new AbortController();
    const running = witnesses.tasks.map((task) => task.run(end.signal));
    const cosigned = async () =>
      (await t.db.pool.query("select from audit_cosignatures where vkey = $1", [witness.witness.vkey]))
        .rowCount;
    await expect.poll(cosigned).toBe(1);
    expect(silent.received.some(({ path }) => path === "/add-checkpoint")).toBe(true);
    await write(t, 1);
    expect((await checkpoints.sign()).size).toBe(21);
    witnesses.wake();
    await expect.poll(cosigned).toBe(2);
    end.abort();
    await Promise.all(running);
  });

  it("a quorum that falls away is told, and what had one stays", async () => {
    const t = await database();
    await write(t, 20);
    await processOf(t.db).checkpoints.sign();
    const both = [await witnessFor(t, 1), await witnessFor(t, 2)];
    const process = processOf(t.db, both);
    for (const each of both) expect(await process.offer(each)).toBe("has it");
    expect(await process.witnessed()).toBe(20);
    await both[1]!.close();
    await write(t, 1);
    await process.checkpoints.sign();
    for (const each of both) await process.offer(each);
    expect(await process.witnessed()).toBe(20);
    await age(t);
    expect(await process.tell()).toMatchObject([{ witness: null, kind: "no_quorum" }]);
  });
});
