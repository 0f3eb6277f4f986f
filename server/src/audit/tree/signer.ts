// The private half of a log's key, and the notes that it signs: C2SP signed notes (https://c2sp.org/signed-note) over a checkpoint.
// Reading and checking them is @vaultops/proof's.
import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { type Checkpoint, NoteError, readVerifier, writeVerifier } from "@vaultops/proof";

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
  const lines = signers.map((signer) => {
    const blob = Buffer.concat([Buffer.from(signer.id, "hex"), signer.sign(text)]).toString("base64");
    return `${DASH} ${signer.name} ${blob}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

/** A key in the form `PRIVATE+KEY+name+hash+data`, as golang.org/x/mod/sumdb/note writes it. @throws NoteError */
export function readSigner(skey: string): Signer {
  const match = /^PRIVATE\+KEY\+([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(skey.trim());
  const data = Buffer.from(match?.[3] ?? "", "base64");
  if (match === null || data.length !== 33 || data[0] !== ED25519)
    throw new NoteError("it is no signing key");
  const key = privateKey(data.subarray(1));
  const { name, vkey, id } = readVerifier(writeVerifier(match[1]!, publicBytes(key)));
  if (id !== match[2]) throw new NoteError(`the hash of the signing key ${name} does not match its key`);
  return { name, vkey, id, sign: (text) => sign(null, Buffer.from(text), key) };
}

/** The text of a signing key from its 32 bytes. */
export function writeSigner(name: string, seed: Buffer): string {
  const { id } = readVerifier(writeVerifier(name, publicBytes(privateKey(seed))));
  const data = Buffer.concat([Buffer.from([ED25519]), seed]).toString("base64");
  return `PRIVATE+KEY+${name}+${id}+${data}\n`;
}

const DASH = "\u2014";
/** Signature type of a note: Ed25519. */
const ED25519 = 1;
/** What precedes the 32 bytes of a private Ed25519 key in DER (RFC 8410). */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

function privateKey(seed: Buffer) {
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
}

function publicBytes(key: ReturnType<typeof privateKey>): Buffer {
  return createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
}
