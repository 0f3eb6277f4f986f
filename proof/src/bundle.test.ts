// Bundles made by the test, whole and spoilt.
import { describe, expect, it } from "vitest";
import { verifyBundle, writeBundle } from "./bundle.ts";
import { toBase64 } from "./bytes.ts";
import { canonicalJson } from "./canonical.ts";
import { leafHash } from "./entry.ts";
import { NoteError } from "./note.ts";
import { PolicyError } from "./policy.ts";
import { rootOf, testEntry } from "./test-export.ts";
import { testKey, testNote, testWitness } from "./test-notes.ts";
import { inclusionRanges } from "./tree.ts";
import { verifyExport } from "./verify-export.ts";

const key = testKey(7);
const witness = testWitness(1);
const policy = `log ${key.vkey}\nwitness W ${witness.vkey}\nquorum W\n`;
const nowMs = 1_790_000_000_000;
const entries = Array.from({ length: 21 }, (_, i) => testEntry(i + 1));
const leaves = entries.map((entry) => leafHash(entry));
const note = testNote(`vaultops.test/audit\n21\n${toBase64(rootOf(leaves))}\n`, [key]);
const cosigned = note + witness.cosign(note);
const proofOf = (index: number) => ({
  index,
  size: 21,
  hashes: inclusionRanges(index, 21).map(([from, to]) => rootOf(leaves.slice(from, to))),
});
const bundleOf = (seq: number) => writeBundle(canonicalJson(entries[seq - 1]), proofOf(seq - 1), cosigned);
const extraOf = (text: string) => `extra ${toBase64(new TextEncoder().encode(text))}\n`;

describe("a bundle", () => {
  it("proves every entry by the policy, and gives it back", async () => {
    for (const { seq } of entries)
      expect(await verifyBundle(bundleOf(Number(seq)), { policy, nowMs })).toEqual({
        ok: true,
        failure: null,
        entry: entries[Number(seq) - 1],
        checkpoint: { origin: "vaultops.test/audit", size: 21, witnesses: ["W"] },
      });
    expect(await verifyBundle(bundleOf(3), { keys: [key.vkey] })).toMatchObject({ ok: true });
  });

  it("of a tree of one entry has no hashes", async () => {
    const alone = testNote(`vaultops.test/audit\n1\n${toBase64(leaves[0]!)}\n`, [key]);
    const text = writeBundle(canonicalJson(entries[0]), { index: 0, size: 1, hashes: [] }, alone);
    expect(text.split("\n").slice(2, 5)).toEqual(["index 0", "", "vaultops.test/audit"]);
    expect(await verifyBundle(text, { keys: [key.vkey] })).toMatchObject({ ok: true });
  });

  it.each<[string, (bundle: string) => string]>([
    ["another entry", (text) => text.replace(/extra .*\n/, extraOf(canonicalJson(entries[5])))],
    [
      "one byte of the entry changed",
      (text) => text.replace(/extra .*\n/, extraOf(canonicalJson(testEntry(7, { assets: "8" })))),
    ],
    [
      "the entry written in another order",
      (text) => text.replace(/extra .*\n/, extraOf(JSON.stringify(entries[6], null, 1))),
    ],
    ["no entry", (text) => text.replace(/extra .*\n/, "")],
    ["another index", (text) => text.replace("index 6\n", "index 5\n")],
    ["an index with a zero before it", (text) => text.replace("index 6\n", "index 06\n")],
    ["a hash taken out", (text) => text.replace(/(index 6\n)[^\n]+\n/, "$1")],
    ["a hash doubled", (text) => text.replace(/(index 6\n)([^\n]+\n)/, "$1$2$2")],
    ["a hash changed", (text) => text.replace(/(index 6\n)./, (_, line) => `${line}${"_"}`)],
    ["another header", (text) => text.replace("@v1", "@v2")],
    ["its checkpoint cut off", (text) => text.slice(0, text.indexOf("\n\n") + 2)],
    ["its cosignature cut off", (text) => text.replace(/\u2014 witness.*\n/, "")],
    [
      "the cosignature of another checkpoint",
      (text) => text.replace(/\u2014 witness.*\n/, witness.cosign(note.replace("\n21\n", "\n22\n"))),
    ],
    ["another size", (text) => text.replace("\n21\n", "\n22\n")],
    ["another log's name", (text) => text.replace("\nvaultops.test/audit\n", "\nother.test/audit\n")],
    ["line feeds of another kind", (text) => text.replaceAll("\n", "\r\n")],
    ["nothing in it", () => ""],
  ])("with %s does not verify", async (_, change) => {
    const spoilt = change(bundleOf(7));
    expect(spoilt).not.toBe(bundleOf(7));
    const check = await verifyBundle(spoilt, { policy, nowMs });
    expect(check).toMatchObject({ ok: false, failure: expect.any(String), entry: null });
  });

  it("is not verified by a policy or a key that is none", async () => {
    await expect(verifyBundle(bundleOf(1), { policy: "quorum nobody\n" })).rejects.toThrow(PolicyError);
    await expect(verifyBundle(bundleOf(1), { keys: ["nothing"] })).rejects.toThrow(NoteError);
    await expect(verifyBundle(bundleOf(1), {})).rejects.toThrow(TypeError);
  });
});

describe("an export under a policy", () => {
  const fileOf = (checkpoint: string, proofs = true) =>
    [
      ...entries.map((entry, index) => {
        const { hashes, ...proof } = proofOf(index);
        const told = { leaf_index: index, tree_size: proof.size, hashes: hashes.map(toBase64) };
        return canonicalJson(proofs ? { ...entry, proof: told } : entry);
      }),
      JSON.stringify({ total: entries.length, checkpoint }),
    ].join("\n");

  it("verifies where the quorum has cosigned its checkpoint, or the one that is given", async () => {
    const told = { ok: true, checkpoint: { size: 21, signedBy: "vaultops.test/audit", witnesses: ["W"] } };
    for (const proofs of [true, false])
      expect(await verifyExport(fileOf(cosigned, proofs), { policy, nowMs })).toMatchObject(told);
    expect(await verifyExport(fileOf(note), { policy, nowMs, checkpoint: cosigned })).toMatchObject(told);
  });

  it("does not under a checkpoint that was never witnessed, or where nothing ties it to one", async () => {
    expect(await verifyExport(fileOf(note), { policy, nowMs })).toMatchObject({
      ok: false,
      failure: { reason: expect.stringContaining("quorum has not cosigned") },
    });
    const part = `${canonicalJson(entries[4])}\n${JSON.stringify({ total: 1, checkpoint: cosigned })}\n`;
    expect(await verifyExport(part, { policy, nowMs })).toMatchObject({
      ok: false,
      failure: { reason: expect.stringContaining("cannot be held to the policy") },
    });
  });
});
