// Checkpoints as C2SP writes them: a signed note (https://c2sp.org/signed-note) whose text is a tlog-checkpoint
// (https://c2sp.org/tlog-checkpoint). Pure: text in, text out.
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";

export interface Checkpoint {
  /** Names the log; also the name of its keys. */
  origin: string;
  size: number;
  root: Buffer;
}

/** An Ed25519 key that signs notes. */
export interface Signer {
  name: string;
  /** `name+hash+key`: what a verifier is given. */
  vkey: string;
  sign(text: string): Buffer;
  id: Buffer;
}

export interface Verifier {
  name: string;
  vkey: string;
  id: Buffer;
  verify(text: string, signature: Buffer): boolean;
}

/** A text that is no note, checkpoint or key. */
export class NoteError extends Error {}

/** The checkpoint as a note signed by each of the signers. */
export function signCheckpoint({ origin, size, root }: Checkpoint, signers: readonly Signer[]): string {
  const text = `${origin}\n${size}\n${root.toString("base64")}\n`;
  const lines = signers.map((signer) => {
    const blob = Buffer.concat([signer.id, signer.sign(text)]).toString("base64");
    return `${DASH} ${signer.name} ${blob}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

/**
 * Reads a note and checks it: `signedBy` holds the keys among `verifiers` whose signatures are right.
 * @throws NoteError for a malformed note or checkpoint, and for a signature by a known key that is wrong
 */
export function openCheckpoint(
  note: string,
  verifiers: readonly Verifier[],
): Checkpoint & { signedBy: Verifier[] } {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) throw new NoteError("it is no signed note");
  const text = note.slice(0, end + 1);
  const signatures = note
    .slice(end + 2, -1)
    .split("\n")
    .map(parseSignature);
  const signedBy = verifiers.filter((verifier) => {
    const own = signatures.filter(({ name, id }) => name === verifier.name && id.equals(verifier.id));
    if (own.some(({ signature }) => !verifier.verify(text, signature))) {
      throw new NoteError(`the signature of ${verifier.name} is wrong`);
    }
    return own.length > 0;
  });
  return { ...parseCheckpoint(text), signedBy };
}

/** A key in the form `PRIVATE+KEY+name+hash+data`, as golang.org/x/mod/sumdb/note writes it. */
export function readSigner(skey: string): Signer {
  const match = /^PRIVATE\+KEY\+([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(skey.trim());
  const data = Buffer.from(match?.[3] ?? "", "base64");
  if (match === null || data.length !== 33 || data[0] !== ED25519)
    throw new NoteError("it is no signing key");
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, data.subarray(1)]),
    format: "der",
    type: "pkcs8",
  });
  const name = match[1]!;
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
  const vkey = vkeyOf(name, publicKey);
  const id = keyId(name, publicKey);
  if (id.toString("hex") !== match[2])
    throw new NoteError(`the hash of the signing key ${name} does not fit its key`);
  return { name, vkey, id, sign: (text) => sign(null, Buffer.from(text), key) };
}

/** The text of a signing key from its 32 bytes. */
export function writeSigner(name: string, seed: Buffer): string {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
  const data = Buffer.concat([Buffer.from([ED25519]), seed]).toString("base64");
  return `PRIVATE+KEY+${name}+${keyId(name, publicKey).toString("hex")}+${data}\n`;
}

/** A public key in vkey form. @throws NoteError */
export function readVerifier(vkey: string): Verifier {
  const match = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(vkey.trim());
  const data = Buffer.from(match?.[3] ?? "", "base64");
  if (match === null || data.length !== 33 || data[0] !== ED25519)
    throw new NoteError("it is no Ed25519 vkey (name+hash+key)");
  const name = match[1]!;
  const raw = data.subarray(1);
  const id = keyId(name, raw);
  if (id.toString("hex") !== match[2])
    throw new NoteError(`the hash of the key ${name} does not fit its key`);
  const key: KeyObject = createPublicKey({ key: Buffer.concat([SPKI, raw]), format: "der", type: "spki" });
  return {
    name,
    vkey: vkey.trim(),
    id,
    verify: (text, signature) => signature.length === 64 && verify(null, Buffer.from(text), key, signature),
  };
}

const DASH = "\u2014";
/** Signature type of a note: Ed25519. */
const ED25519 = 1;
// What precedes the 32 bytes of an Ed25519 key in DER (RFC 8410).
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI = Buffer.from("302a300506032b6570032100", "hex");

function vkeyOf(name: string, raw: Buffer): string {
  const data = Buffer.concat([Buffer.from([ED25519]), raw]).toString("base64");
  return `${name}+${keyId(name, raw).toString("hex")}+${data}`;
}

function keyId(name: string, raw: Buffer): Buffer {
  const input = Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([ED25519]), raw]);
  return hash("sha256", input, "buffer").subarray(0, 4);
}

function parseSignature(line: string): { name: string; id: Buffer; signature: Buffer } {
  const match = /^\u2014 ([^+\s]+) ([A-Za-z0-9+/]+={0,2})$/.exec(line);
  const blob = Buffer.from(match?.[2] ?? "", "base64");
  if (match === null || blob.length < 5) throw new NoteError("a signature line is malformed");
  return { name: match[1]!, id: blob.subarray(0, 4), signature: blob.subarray(4) };
}

function parseCheckpoint(text: string): Checkpoint {
  const [origin = "", size = "", root = ""] = text.split("\n");
  const bytes = Buffer.from(root, "base64");
  if (origin === "" || !/^(0|[1-9]\d{0,15})$/.test(size) || bytes.length !== 32) {
    throw new NoteError("it is no checkpoint (origin, size and root)");
  }
  if (bytes.toString("base64") !== root) throw new NoteError("the root is not canonical base64");
  return { origin, size: Number(size), root: bytes };
}
