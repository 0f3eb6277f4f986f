// The private half of a log's key, and the notes that it signs: C2SP signed notes (https://c2sp.org/signed-note) over a checkpoint.
// Reading and checking them is @vaultops/proof's.
import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { type Checkpoint, NoteError, writeVerifier } from "@vaultops/proof";

/** An Ed25519 key that signs notes. */
export interface Signer {
  name: string;
  /** `name+hash+key`: what a verifier is given. */
  vkey: string;
  /** The hash in the vkey, eight hex digits. */
  id: string;
  sign(text: string): Buffer;
}

/** The checkpoint as a note signed by each of the signers. */
export function signCheckpoint({ origin, size, root }: Checkpoint, signers: readonly Signer[]): string {
  const text = `${origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`;
  const lines = signers.map((signer) => signatureLine(signer, signer.sign(text)));
  return `${text}\n${lines.join("")}`;
}

/** A key in the form `PRIVATE+KEY+name+hash+data`, as golang.org/x/mod/sumdb/note writes it; a log's unless told. @throws NoteError */
export function readSigner(skey: string, type = LOG_KEY): Signer {
  const match = /^PRIVATE\+KEY\+([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(skey.trim());
  const data = Buffer.from(match?.[3] ?? "", "base64");
  if (match === null || data.length !== 33 || data[0] !== type) throw new NoteError("it is no signing key");
  const key = privateKey(data.subarray(1));
  const name = match[1]!;
  const vkey = writeVerifier(name, publicBytes(key), type);
  const id = idOf(vkey);
  if (id !== match[2]) throw new NoteError(`the hash of the signing key ${name} does not match its key`);
  return { name, vkey, id, sign: (text) => sign(null, Buffer.from(text), key) };
}

/** The text of a signing key from its 32 bytes. */
export function writeSigner(name: string, seed: Buffer, type = LOG_KEY): string {
  const id = idOf(writeVerifier(name, publicBytes(privateKey(seed)), type));
  const data = Buffer.concat([Buffer.from([type]), seed]).toString("base64");
  return `PRIVATE+KEY+${name}+${id}+${data}\n`;
}

/** A line below a note: who signed, and what. */
export function signatureLine({ name, id }: Pick<Signer, "name" | "id">, signature: Buffer): string {
  return `\u2014 ${name} ${Buffer.concat([Buffer.from(id, "hex"), signature]).toString("base64")}\n`;
}

/** Types of signature: Ed25519 over a note, and over a witness's word on it. */
const LOG_KEY = 1;
export const WITNESS_KEY = 4;
/** What precedes the 32 bytes of a private Ed25519 key in DER (RFC 8410). */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

function idOf(vkey: string): string {
  return vkey.split("+")[1]!;
}

function privateKey(seed: Buffer) {
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
}

function publicBytes(key: ReturnType<typeof privateKey>): Buffer {
  return createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
}
