// The witness against the protocol's own words, and against everything that could make it cosign two stories of one log.
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readVerifier } from "@vaultops/proof";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { cosignaturesIn, testLog } from "../../../test/witness-log.ts";
import { silentLogger } from "../../platform/log.ts";
import { readSigner, WITNESS_KEY, writeSigner } from "../tree/signer.ts";
import { createCosigner } from "./cosigner.ts";
import { keep, originHash, readKept } from "./kept.ts";

const base = await mkdtemp(join(tmpdir(), "vaultops-cosigner-"));
afterAll(() => rm(base, { recursive: true }));
const signer = readSigner(writeSigner("witness.test/w", Buffer.alloc(32, 9), WITNESS_KEY), WITNESS_KEY);
const log = testLog();
const other = testLog("other.test/audit", { seed: 2 });
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(base, "cosigned-"));
});
const cosignerIn = (at = folder) =>
  createCosigner({
    folder: at,
    signer,
    logs: async () => [log, other].map(({ vkey }) => readVerifier(vkey)),
    log: silentLogger(),
  });
const add = async (body: Buffer, cosigner = cosignerIn()) => {
  const { status, body: text, contentType } = await cosigner.addCheckpoint(body);
  return [status, status === 409 ? `${text.trim()} ${contentType}` : status === 200 ? "" : text.trim()];
};
const told = (status: number) => [status, expect.any(String)];
const keptSize = async (at = folder) =>
  (await readKept(at, originHash(log.origin))).note?.split("\n")[1] ?? null;

describe("add-checkpoint", () => {
  it("200: its cosignature, for each checkpoint that begins with the one before, and for the same once more", async () => {
    const cosigner = cosignerIn();
    for (const [from, to] of [
      [0, 5],
      [5, 5],
      [5, 6],
      [6, 300],
      [300, 1024],
    ] as const) {
      const { status, body } = await cosigner.addCheckpoint(log.submission(from, to));
      expect(status).toBe(200);
      const [one, ...rest] = await cosignaturesIn(log.note(to), body, signer.vkey);
      expect([rest, one?.time]).toEqual([[], expect.closeTo(Date.now() / 1000, -2)]);
    }
    const note = await cosigner.checkpoint(originHash(log.origin));
    expect(note?.startsWith(log.note(1024))).toBe(true);
    expect(await cosignaturesIn(note!, "", signer.vkey)).toHaveLength(1);
    expect(await cosigner.checkpoint(originHash(other.origin))).toBe(null);
    expect(
      (await readdir(join(folder, originHash(log.origin)))).filter((name) => name.startsWith("draft")),
    ).toEqual([]);
  });

  it("200: an empty log, from which every log grows", async () => {
    expect(await add(log.submission(0, 0))).toEqual([200, ""]);
    expect(await add(log.submission(0, 7))).toEqual([200, ""]);
  });

  it.each<[number, string, Buffer]>([
    [400, "no text", Buffer.from([0xff, 0xfe])],
    [
      400,
      "an old size with a zero before it",
      Buffer.from(String(log.submission(5, 9)).replace("old 5", "old 05")),
    ],
    [
      400,
      "a line that is no hash",
      Buffer.from(String(log.submission(5, 9)).replace("old 5\n", "old 5\nxyz\n")),
    ],
    [400, "64 hashes", log.submission(5, 9, Array(64).fill(Buffer.alloc(32)))],
    [400, "no checkpoint", Buffer.from("old 5\n\nnothing\n")],
    [400, "a checkpoint smaller than the old size", log.submission(5, 4)],
    [404, "an unknown log", testLog("unknown.test/audit").submission(5, 9)],
    [403, "no signature of the log's key", testLog(log.origin, { seed: 3 }).submission(5, 9)],
    [
      403,
      "a signature of the log's that is wrong",
      Buffer.from(String(log.submission(5, 9)).replace("\n9\n", "\n8\n")),
    ],
    [422, "a proof where none may be", log.submission(5, 5, [Buffer.alloc(32)])],
    [422, "no proof", log.submission(5, 9, [])],
    [422, "a proof from another size", log.submission(5, 9, log.proof(4, 9))],
    [422, "another log's continuation", testLog(log.origin, { fork: 3 }).submission(5, 9)],
    [422, "the same size with another root", testLog(log.origin, { fork: 3 }).submission(5, 5)],
  ])("%i: %s; nothing is cosigned", async (status, _, body) => {
    expect(await add(log.submission(0, 5))).toEqual([200, ""]);
    expect(await add(body)).toEqual(told(status));
    expect(await keptSize()).toBe("5");
  });

  it("409: another size than was cosigned last, with that size", async () => {
    await add(log.submission(0, 5));
    for (const [from, to] of [
      [0, 9],
      [4, 9],
      [6, 9],
    ] as const)
      expect(await add(log.submission(from, to))).toEqual([409, "5 text/x.tlog.size"]);
    expect(await add(log.submission(0, 3))).toEqual([409, "5 text/x.tlog.size"]);
  });
});

describe("two stories of one log", () => {
  it("are never both cosigned, however many are submitted at once to however many processes on one folder", async () => {
    await add(log.submission(0, 5));
    const fork = testLog(log.origin, { fork: 5 });
    const cosigners = [cosignerIn(), cosignerIn(), cosignerIn()];
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        const [story, size] = [n % 2 === 0 ? log : fork, 6 + (n % 10)];
        return { story, size, ...(await cosigners[n % 3]!.addCheckpoint(story.submission(5, size))) };
      }),
    );
    const taken = answers.filter(({ status }) => status === 200);
    // Of one size the same may be cosigned twice, when it was submitted from its own size; from 5 on one alone was.
    expect(taken).toHaveLength(1);
    expect(await keptSize()).toBe(String(taken[0]!.size));
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  });

  it("are not told by a writer that stood still while others went on", async () => {
    const hash = originHash(log.origin);
    for (let n = 0; n < 20; n++) expect(await keep(folder, hash, n, log.note(n))).toBe(true);
    // Its place was emptied meanwhile, since only the newest are kept.
    for (const before of [0, 3, 10, 18]) expect(await keep(folder, hash, before, "stale")).toBe(false);
    expect((await readKept(folder, hash)).note).toBe(log.note(19));
  });

  it("are not begun by what the disk lost: a state that cannot be read is no log that was never seen", async () => {
    await add(log.submission(0, 5));
    await writeFile(join(folder, originHash(log.origin), "000000000001"), "");
    await expect(cosignerIn().addCheckpoint(log.submission(0, 9))).rejects.toThrow();
  });
});
