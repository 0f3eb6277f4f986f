// Notes of keys of the test's own, and the published example of the format.
import { describe, expect, it, vi } from "vitest";
import { toBase64 } from "./bytes.ts";
import { NoteError, openCheckpoint, parseCheckpoint, readVerifier, verifyCheckpoint } from "./note.ts";
import { testKey, testNote } from "./test-notes.ts";

const key = testKey(7);
const root = new Uint8Array(32).fill(9);
const textOf = (size: string, bytes = root) => `vaultops.test/audit\n${size}\n${toBase64(bytes)}\n`;
const note = testNote(textOf("1234"), [key]);

describe("a checkpoint", () => {
  it("says what was signed, and by which of the keys", async () => {
    const said = { origin: "vaultops.test/audit", size: 1234, root };
    expect(parseCheckpoint(note)).toEqual(said);
    expect(await verifyCheckpoint(note, [testKey(8).vkey, key.vkey])).toEqual({
      ...said,
      signedBy: [key.vkey],
    });
  });

  it("may carry the signatures of two keys, each of which verifies alone", async () => {
    const other = testKey(8);
    const both = testNote(textOf("1234"), [key, other]);
    for (const { vkey } of [key, other])
      expect(await verifyCheckpoint(both, [vkey])).toMatchObject({ signedBy: [vkey] });
  });

  it("is read as the specification's own example of a note is", async () => {
    // From golang.org/x/mod/sumdb/note, whose format C2SP took over.
    const vkey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const text =
      "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
    const blob =
      "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=";
    const bytes = Uint8Array.from(Buffer.from(blob, "base64"));
    const verifier = readVerifier(vkey);
    expect(verifier.id).toBe("c74f20a3");
    expect(await verifier.verify(text, bytes.slice(4))).toBe(true);
    expect(await verifier.verify(`${text} `, bytes.slice(4))).toBe(false);
  });

  it("signed by no known key is read, but not verified", async () => {
    const other = testKey(1).vkey;
    expect((await openCheckpoint(note, [readVerifier(other)])).signedBy).toEqual([]);
    await expect(verifyCheckpoint(note, [other])).rejects.toThrow(NoteError);
    await expect(verifyCheckpoint(note, [])).rejects.toThrow(NoteError);
  });

  it.each([
    ["its size", note.replace("1234", "1235")],
    ["its root", note.replace(/^CQkJ/m, "CQkK")],
    ["its origin", note.replace("vaultops.test/audit\n", "vaultops.test/other\n")],
    ["its signature", note.replace(/([A-Za-z0-9])(={0,2}\n)$/, (_, c, end) => (c === "A" ? "B" : "A") + end)],
    ["a line added", note.replace("1234\n", "1234\n\n")],
    ["no line feed at its end", note.slice(0, -1)],
    ["nothing but text", "hello"],
    ["a size with a leading zero", testNote(textOf("01234"), [key])],
    ["a short root", testNote(textOf("1234", new Uint8Array(31)), [key])],
    ["a root that is not canonical base64", testNote(textOf("1234").replace("k=", "l="), [key])],
  ])("that was changed is refused: %s", async (_, changed) => {
    await expect(openCheckpoint(changed, [readVerifier(key.vkey)])).rejects.toThrow(NoteError);
  });

  it("is not called wrong where there is no WebCrypto to check it with", async () => {
    vi.stubGlobal("crypto", undefined);
    try {
      await expect(verifyCheckpoint(note, [key.vkey])).rejects.toThrow(/WebCrypto, which is missing/);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

it.each([
  "",
  "name",
  "name+00000000+AQ==",
  key.vkey.replace(/\+[0-9a-f]{8}\+/, "+00000000+"),
  key.vkey.replace("vaultops", "vault ops"),
  key.vkey.replace("+A", "+B"),
])("a key of another form is refused: %s", (vkey) => {
  expect(() => readVerifier(vkey)).toThrow(NoteError);
});
