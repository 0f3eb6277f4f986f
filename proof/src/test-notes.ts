// Notes for tests, signed by keys of their own.
import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { cosignedText } from "./cosignature.ts";
import { readVerifier, writeVerifier } from "./note.ts";

/** A key of its own for each number. */
export function testKey(n: number, name = "vaultops.test/audit") {
  // RFC 8410: what precedes the 32 bytes of a private key.
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, n)]);
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const raw = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32);
  const vkey = writeVerifier(name, raw);
  return { name, vkey, id: readVerifier(vkey).id, privateKey };
}

/** A note of the text, which ends in a line feed, signed by each of the keys. */
export function testNote(text: string, keys: ReturnType<typeof testKey>[]): string {
  const lines = keys.map(({ name, id, privateKey }) => {
    const blob = Buffer.concat([Buffer.from(id, "hex"), sign(null, Buffer.from(text), privateKey)]);
    return `\u2014 ${name} ${blob.toString("base64")}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

/** A witness of its own for each number, and its cosignature of a note at a time in Unix seconds. */
export function testWitness(n: number, name = `witness.test/${n}`) {
  const { privateKey } = testKey(100 + n);
  const raw = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32);
  const vkey = writeVerifier(name, raw, 4);
  const cosign = (note: string, time = 1_790_000_000) => {
    const text = note.slice(0, note.lastIndexOf("\n\n") + 1);
    const seconds = Buffer.alloc(8);
    seconds.writeBigUInt64BE(BigInt(time));
    const signature = sign(null, Buffer.from(cosignedText(text, time)), privateKey);
    const blob = Buffer.concat([Buffer.from(vkey.split("+")[1]!, "hex"), seconds, signature]);
    return `\u2014 ${name} ${blob.toString("base64")}\n`;
  };
  return { name, vkey, cosign };
}
