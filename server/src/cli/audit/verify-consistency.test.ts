// What `vaultops audit verify-consistency` answers to two checkpoints and the service's proof between them.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { consistencyRanges } from "@vaultops/proof";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSigner, signCheckpoint, writeSigner } from "../../audit/tree/signer.ts";
import { leafHash, nodeHash } from "../../audit/tree/tree.ts";
import { auditVerifyConsistencyCommand } from "./verify-consistency.ts";

const signer = readSigner(writeSigner("vaultops.test/audit", Buffer.alloc(32, 7)));
const leaves = Array.from({ length: 20 }, (_, n) => leafHash(`entry ${n}`));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vaultops-consistency-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The hash over leaves, at least one. */
function rootOf(from: number, to: number): Buffer {
  if (to - from === 1) return leaves[from]!;
  const half = 2 ** Math.ceil(Math.log2(to - from) - 1);
  return nodeHash(rootOf(from, from + half), rootOf(from + half, to));
}

const note = (size: number, root = rootOf(0, size), by = signer) =>
  signCheckpoint({ origin: by.name, size, root }, [by]);
const answer = (from: number, to: number) => {
  const hashes = consistencyRanges(from, to).map((range) => rootOf(...range).toString("base64"));
  return JSON.stringify({ from, to, hashes });
};

async function verify(files: { from: string; to: string; proof: string; keys?: string }) {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const lines: string[] = [];
  const code = await auditVerifyConsistencyCommand({
    earlier: join(folder, "from"),
    later: join(folder, "to"),
    proof: join(folder, "proof"),
    key: files.keys === undefined ? undefined : join(folder, "keys"),
    print: (line) => lines.push(line),
  });
  return { code, text: lines.join("\n") };
}

const good = { from: note(13), to: note(20), proof: answer(13, 20), keys: `${signer.vkey}\n` };

it("a log that only grew: 0, and by whom both checkpoints are signed", async () => {
  const { code, text } = await verify(good);
  expect([code, text]).toEqual([0, expect.stringContaining("20 entries begins with the one of 13")]);
  expect(text).toContain("Both checkpoints are signed by vaultops.test/audit.");
});

it("without a key it says that no signature was checked", async () => {
  const { keys: _, ...unsigned } = good;
  expect(await verify(unsigned)).toMatchObject({ code: 0, text: expect.stringContaining("NOT checked") });
});

describe("exits 1 and says why", () => {
  const other = readSigner(writeSigner("other.test/audit", Buffer.alloc(32, 8)));
  it.each([
    ["a log that was rewritten", { from: note(13, leaves[0]) }, "does not lead from the log of 13"],
    ["a proof with a hash exchanged", { proof: answer(13, 20).replace(/[A-Z]/, "b") }, "does not lead"],
    ["a proof between other sizes", { proof: answer(12, 20) }, "is no proof from 13 to 20 entries"],
    ["a proof that is no JSON", { proof: "<html>" }, "is no proof from 13 to 20 entries"],
    ["an answer that is none", { proof: "null" }, "is no proof from 13 to 20 entries"],
    ["a hash that is no base64", { proof: '{"from":13,"to":20,"hashes":["?"]}' }, "is no proof"],
    ["the two in the wrong order", { from: note(20), to: note(13) }, "is of a larger log"],
    ["a checkpoint that another key signed", { keys: `${other.vkey}\n` }, "not signed by the given key"],
    ["a checkpoint that was changed", { to: note(20).replace("\n20\n", "\n21\n") }, "is wrong"],
    ["a file that is no checkpoint", { from: "hello" }, "it is no signed note"],
    [
      "checkpoints of two logs",
      { to: note(20, undefined, other), keys: `${signer.vkey}\n${other.vkey}\n` },
      "of two logs",
    ],
  ])("%s", async (_, changes, reason) => {
    const { code, text } = await verify({ ...good, ...changes });
    expect([code, text]).toEqual([1, expect.stringContaining(reason)]);
    expect(text).toMatch(/^FAILED: .*\.$/);
  });
});
