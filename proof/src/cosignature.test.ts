// Cosignatures of witnesses of the test's own, and what makes one count for nothing.
import { describe, expect, it } from "vitest";
import { fromBase64, toBase64 } from "./bytes.ts";
import { openCosignatures, readWitness } from "./cosignature.ts";
import { NoteError, readVerifier, writeVerifier } from "./note.ts";
import { testKey, testNote, testWitness } from "./test-notes.ts";

const root = new Uint8Array(32).fill(9);
const noteOf = (size: number, origin = "vaultops.test/audit") =>
  testNote(`${origin}\n${size}\n${toBase64(root)}\n`, [testKey(7)]);
const note = noteOf(1234);
const [one, two] = [testWitness(1), testWitness(2)];
const nowMs = 1_790_000_000_000;
const open = (text: string, ...vkeys: string[]) => openCosignatures(text, vkeys.map(readWitness), nowMs);
const named = async (text: string, ...vkeys: string[]) =>
  (await open(text, ...vkeys)).cosignatures.map(({ witness, time }) => [witness.name, time]);

describe("cosignatures", () => {
  it("are told with the time of each, of those witnesses alone that are asked for", async () => {
    const both = note + one.cosign(note) + two.cosign(note, 1_789_999_000);
    expect(await named(both, one.vkey, two.vkey)).toEqual([
      [one.name, 1_790_000_000],
      [two.name, 1_789_999_000],
    ]);
    expect(await named(both, two.vkey)).toEqual([[two.name, 1_789_999_000]]);
    expect(await named(both, testWitness(3).vkey)).toEqual([]);
  });

  it("are by keys of a type of their own: a log's key is none of a witness", () => {
    const raw = new Uint8Array(32).fill(3);
    const [log, witness] = [writeVerifier("a.test/w", raw), writeVerifier("a.test/w", raw, 4)];
    expect(readVerifier(log).id).not.toBe(readWitness(witness).id);
    expect(() => readWitness(log)).toThrow(NoteError);
    expect(() => readVerifier(witness)).toThrow(NoteError);
  });

  it.each([
    ["by another key of the same name and id", (line: string) => line.replace(/.{8}\n$/, "AAAAAA==\n")],
    ["over another size", () => one.cosign(noteOf(1235))],
    ["for another log", () => one.cosign(noteOf(1234, "other.test/audit"))],
    ["with another time than was signed", (line: string) => withTime(line, 1_790_000_001n)],
    ["without a time", () => one.cosign(note, 0)],
    ["with a time beyond 2^63", (line: string) => withTime(line, 1n << 63n)],
    ["that is cut short", (line: string) => cut(line)],
  ])("%s make the whole note wrong", async (_, change) => {
    await expect(open(note + change(one.cosign(note)), one.vkey)).rejects.toThrow(NoteError);
  });

  it("from the future, by more than five minutes, count for nothing and are told apart", async () => {
    const [soon, late] = [one.cosign(note, 1_790_000_300), two.cosign(note, 1_790_000_301)];
    const { cosignatures, early } = await open(note + soon + late, one.vkey, two.vkey);
    expect([cosignatures.map(({ line }) => `${line}\n`), early.map(({ line }) => `${line}\n`)]).toEqual([
      [soon],
      [late],
    ]);
  });

  it("by ML-DSA-44 are passed on unchecked, if they have its length", async () => {
    const vkey = writeVerifier("pq.test/w", new Uint8Array(1312).fill(5), 6);
    const { id, isChecked } = readWitness(vkey);
    expect(isChecked).toBe(false);
    const line = (length: number) => {
      const blob = Buffer.concat([Buffer.from(id, "hex"), Buffer.alloc(length, 1)]);
      return `\u2014 pq.test/w ${blob.toString("base64")}\n`;
    };
    const { cosignatures, early } = await open(note + line(2428), vkey);
    expect([cosignatures.length, early.length]).toEqual([0, 1]);
    await expect(open(note + line(2427), vkey)).rejects.toThrow(NoteError);
  });
});

function withTime(line: string, time: bigint): string {
  const [dash, name, text] = line.trimEnd().split(" ");
  const blob = fromBase64(text!)!;
  new DataView(blob.buffer).setBigUint64(4, time);
  return `${dash} ${name} ${toBase64(blob)}\n`;
}

function cut(line: string): string {
  const [dash, name, text] = line.trimEnd().split(" ");
  return `${dash} ${name} ${toBase64(fromBase64(text!)!.slice(0, -1))}\n`;
}
