// Checkpoints against a second implementation of the C2SP formats, written from the specifications alone
// (c2sp.org/signed-note, c2sp.org/tlog-checkpoint) and on another library's Ed25519.
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { NoteError, verifyCheckpoint } from "@vaultops/proof";
import { describe, expect, it } from "vitest";
import { readSigner, signCheckpoint, writeSigner } from "./signer.ts";

/** Verifies a note by its vkey as the specification says; throws for whatever is not exactly right. */
function verifyNote(note: string, vkey: string): { origin: string; size: bigint; root: Uint8Array } {
  const [keyName, keyHash, ...keyParts] = vkey.split("+");
  const key = Buffer.from(keyParts.join("+"), "base64");
  if (key[0] !== 0x01 || key.length !== 33) throw new Error("not an Ed25519 key");
  const id = sha256(Buffer.concat([Buffer.from(`${keyName}\n`), key])).subarray(0, 4);
  if (Buffer.from(id).toString("hex") !== keyHash) throw new Error("key hash");
  // The text ends at the last blank line; each signature line is an em dash, a space, the name, a space, base64.
  const split = note.lastIndexOf("\n\n");
  const text = note.slice(0, split + 1);
  const lines = note.slice(split + 2).split("\n");
  if (lines.pop() !== "") throw new Error("the note does not end in a line feed");
  const own = lines
    .map((line) => line.split(" "))
    .filter(([dash, name]) => dash === "—" && name === keyName)
    .map((parts) => Buffer.from(parts[2]!, "base64"))
    .find((blob) => blob.subarray(0, 4).equals(Buffer.from(id)));
  if (own === undefined) throw new Error("no signature by this key");
  if (!ed25519.verify(own.subarray(4), Buffer.from(text), key.subarray(1))) throw new Error("signature");
  const [origin, size, root] = text.split("\n");
  if (!/^(0|[1-9][0-9]*)$/.test(size!)) throw new Error("size");
  return { origin: origin!, size: BigInt(size!), root: Buffer.from(root!, "base64") };
}

const seed = Buffer.alloc(32, 7);
const signer = readSigner(writeSigner("vaultops.test/audit", seed));
const checkpoint = { origin: "vaultops.test/audit", size: 1234, root: Buffer.alloc(32, 9) };
const note = signCheckpoint(checkpoint, [signer]);

describe("a checkpoint", () => {
  it("verifies with an independent implementation of the format", () => {
    const read = verifyNote(note, signer.vkey);
    expect(read).toEqual({ origin: "vaultops.test/audit", size: 1234n, root: checkpoint.root });
  });

  it("has the public key of its private one, as an independent Ed25519 derives it", () => {
    const key = Buffer.from(signer.vkey.split("+").slice(2).join("+"), "base64").subarray(1);
    expect(key).toEqual(Buffer.from(ed25519.getPublicKey(seed)));
  });

  it("is three lines, a blank one, and signatures", () => {
    const lines = note.split("\n");
    expect(lines.slice(0, 4)).toEqual([
      "vaultops.test/audit",
      "1234",
      checkpoint.root.toString("base64"),
      "",
    ]);
    expect(lines[4]).toMatch(/^— vaultops\.test\/audit [A-Za-z0-9+/=]+$/);
    expect(lines.slice(5)).toEqual([""]);
  });

  it("may carry the signatures of two keys, each of which verifies alone", async () => {
    const other = readSigner(writeSigner("vaultops.test/audit", Buffer.alloc(32, 8)));
    const both = signCheckpoint(checkpoint, [signer, other]);
    for (const { vkey } of [signer, other]) {
      expect(verifyNote(both, vkey).size).toBe(1234n);
      expect((await verifyCheckpoint(both, [vkey])).signedBy).toEqual([vkey]);
    }
  });
});

it("a private key is refused when its hash does not fit", () => {
  const text = writeSigner("vaultops.test/audit", seed);
  expect(() => readSigner(text.replace(/\+[0-9a-f]{8}\+/, "+00000000+"))).toThrow(NoteError);
  expect(() => readSigner("PRIVATE+KEY+x")).toThrow(NoteError);
});
