// Checkpoints against a second implementation of the C2SP formats, written from the specifications alone
// (c2sp.org/signed-note, c2sp.org/tlog-checkpoint) and on another library's Ed25519.
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { describe, expect, it } from "vitest";
import { NoteError, openCheckpoint, readSigner, readVerifier, signCheckpoint, writeSigner } from "./note.ts";

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

  it("may carry the signatures of two keys, each of which verifies alone", () => {
    const other = readSigner(writeSigner("vaultops.test/audit", Buffer.alloc(32, 8)));
    const both = signCheckpoint(checkpoint, [signer, other]);
    for (const { vkey } of [signer, other]) {
      expect(verifyNote(both, vkey).size).toBe(1234n);
      expect(openCheckpoint(both, [readVerifier(vkey)]).signedBy.map((key) => key.vkey)).toEqual([vkey]);
    }
  });

  it("is opened by us as written by the specification's own example of a note", () => {
    // From golang.org/x/mod/sumdb/note, whose format C2SP took over.
    const vkey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const text =
      "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
    const signature =
      "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=";
    const verifier = readVerifier(vkey);
    const blob = Buffer.from(signature.split(" ")[2]!, "base64");
    expect(verifier.id).toEqual(blob.subarray(0, 4));
    expect(verifier.verify(text, blob.subarray(4))).toBe(true);
    expect(verifier.verify(`${text} `, blob.subarray(4))).toBe(false);
  });
});

describe("a checkpoint that was changed", () => {
  const verifier = readVerifier(signer.vkey);
  it.each([
    ["its size", note.replace("1234", "1235")],
    ["its root", note.replace(/^CQkJ/m, "CQkK")],
    ["its origin", note.replace("vaultops.test/audit\n", "vaultops.test/other\n")],
    ["its signature", note.replace(/([A-Za-z0-9])(={0,2}\n)$/, (_, c, end) => (c === "A" ? "B" : "A") + end)],
    ["a line added", note.replace("1234\n", "1234\n\n")],
    ["no line feed at its end", note.slice(0, -1)],
    ["nothing but text", "hello"],
    ["a size with a leading zero", signCheckpoint({ ...checkpoint, size: "01234" as never }, [signer])],
    ["a short root", signCheckpoint({ ...checkpoint, root: Buffer.alloc(31) }, [signer])],
  ])("is refused: %s", (_, changed) => {
    expect(() => openCheckpoint(changed, [verifier])).toThrow(NoteError);
  });

  it("is signed by nobody that the reader knows, without a key", () => {
    const other = readVerifier(readSigner(writeSigner("vaultops.test/audit", Buffer.alloc(32, 1))).vkey);
    expect(openCheckpoint(note, [other]).signedBy).toEqual([]);
  });
});

describe("a key", () => {
  it.each([
    "",
    "name",
    "name+00000000+AQ==",
    signer.vkey.replace(/\+[0-9a-f]{8}\+/, "+00000000+"),
    signer.vkey.replace("vaultops", "vault ops"),
    signer.vkey.replace("+A", "+B"),
  ])("of another form is refused: %s", (vkey) => {
    expect(() => readVerifier(vkey)).toThrow(NoteError);
  });

  it("that is private is refused when its hash does not fit", () => {
    const text = writeSigner("vaultops.test/audit", seed);
    expect(() => readSigner(text.replace(/\+[0-9a-f]{8}\+/, "+00000000+"))).toThrow(NoteError);
    expect(() => readSigner("PRIVATE+KEY+x")).toThrow(NoteError);
  });
});
