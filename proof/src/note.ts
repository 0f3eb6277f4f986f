// Checkpoints as C2SP writes them: a signed note (https://c2sp.org/signed-note) whose text is a tlog-checkpoint
// (https://c2sp.org/tlog-checkpoint).
import { fromBase64, toBase64, toHex } from "./bytes.ts";
import { sha256 } from "./sha256.ts";
import type { Tree } from "./tree.ts";

export interface Checkpoint extends Tree {
  /** Names the log; also the name of its keys. */
  origin: string;
}

/** A public key. */
export interface Verifier {
  name: string;
  /** `name+hash+key`: what a verifier is given. */
  vkey: string;
  /** The hash in the vkey, eight hex digits: what a signature line names the key by. */
  id: string;
  verify(text: string, signature: Uint8Array<ArrayBuffer>): Promise<boolean>;
}

/** A text that is no note, checkpoint or key, or a signature that is wrong. */
export class NoteError extends Error {}

/**
 * What a checkpoint says: `{origin, size, root}`. No signature is checked.
 * @throws NoteError for a malformed note or checkpoint
 */
export function parseCheckpoint(note: string): Checkpoint {
  return checkpointOf(splitNote(note).text);
}

/**
 * What a checkpoint says, once a key has signed for it: `{origin, size, root, signedBy}`. `keys` are vkeys, got from a source that is
 * believed.
 * @throws NoteError for a malformed note, checkpoint or key, for a signature by one of the keys that is wrong, and where none has signed
 */
export async function verifyCheckpoint(
  note: string,
  keys: readonly string[],
): Promise<Checkpoint & { signedBy: string[] }> {
  const { signedBy, ...checkpoint } = await openCheckpoint(note, keys.map(readVerifier));
  if (signedBy.length === 0) throw new NoteError("the checkpoint is not signed by the given key");
  return { ...checkpoint, signedBy: signedBy.map(({ vkey }) => vkey) };
}

/**
 * Reads a note and checks it: `signedBy` holds the keys among `verifiers` whose signatures are right, and may be empty.
 * @throws NoteError for a malformed note or checkpoint, and for a signature by a known key that is wrong
 */
export async function openCheckpoint(
  note: string,
  verifiers: readonly Verifier[],
): Promise<Checkpoint & { signedBy: Verifier[] }> {
  const { text, signatures } = splitNote(note);
  const signedBy: Verifier[] = [];
  for (const verifier of verifiers) {
    const own = signatures.filter(({ name, id }) => name === verifier.name && id === verifier.id);
    for (const { signature } of own) {
      if (!(await verifier.verify(text, signature)))
        throw new NoteError(`the signature of ${verifier.name} is wrong`);
    }
    if (own.length > 0) signedBy.push(verifier);
  }
  return { ...checkpointOf(text), signedBy };
}

/** A public key in vkey form. @throws NoteError */
export function readVerifier(vkey: string): Verifier {
  const { name, id, type, raw } = readVkey(vkey);
  if (type !== ED25519 || raw.length !== 32) throw new NoteError("it is not an Ed25519 vkey (name+hash+key)");
  return { name, vkey: vkey.trim(), id, verify: ed25519(raw) };
}

/** The parts of a vkey, of whatever type of signature. @throws NoteError */
export function readVkey(vkey: string) {
  const match = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(vkey.trim());
  const data = fromBase64(match?.[3] ?? "");
  if (match === null || data === null || data.length < 2)
    throw new NoteError("it is not a vkey (name+hash+key)");
  const [name, type, raw] = [match[1]!, data[0]!, data.slice(1)];
  const id = keyId(name, type, raw);
  if (id !== match[2]) throw new NoteError(`the hash of the key ${name} does not match its key`);
  return { name, id, type, raw };
}

/** Checks signatures by the 32 bytes of a public key. */
export function ed25519(raw: Uint8Array<ArrayBuffer>): Verifier["verify"] {
  let key: ReturnType<Subtle["importKey"]> | undefined;
  return async (text, signature) => {
    if (signature.length !== 64) return false;
    const subtle = webCrypto();
    key ??= subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
    return subtle.verify("Ed25519", await key, signature, new TextEncoder().encode(text));
  };
}

type Subtle = typeof crypto.subtle;

/** @throws Error where it is missing, which says nothing of a signature */
function webCrypto(): Subtle {
  const subtle = globalThis.crypto?.subtle as Subtle | undefined;
  if (subtle === undefined)
    throw new Error(
      "Signatures are checked with WebCrypto, which is missing here: a page must have come by HTTPS, and Node 18 needs globalThis.crypto set to the webcrypto of node:crypto.",
    );
  return subtle;
}

/** Signature type of a note: Ed25519. */
const ED25519 = 1;

/** The vkey of the 32 bytes of an Ed25519 public key: of a log, or by its type of signature of another. */
export function writeVerifier(name: string, raw: Uint8Array, type = ED25519): string {
  return `${name}+${keyId(name, type, raw)}+${toBase64(Uint8Array.of(type, ...raw))}`;
}

function keyId(name: string, type: number, raw: Uint8Array): string {
  const input = Uint8Array.of(...new TextEncoder().encode(`${name}\n`), type, ...raw);
  return toHex(sha256(input).subarray(0, 4));
}

/** The text, and the signatures below its last blank line. @throws NoteError */
export function splitNote(note: string) {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) throw new NoteError("it is no signed note");
  const lines = note.slice(end + 2, -1).split("\n");
  return { text: note.slice(0, end + 1), signatures: lines.map(parseSignature) };
}

function parseSignature(line: string) {
  const match = /^\u2014 ([^+\s]+) ([A-Za-z0-9+/]+={0,2})$/.exec(line);
  const blob = fromBase64(match?.[2] ?? "");
  if (match === null || blob === null || blob.length < 5)
    throw new NoteError("a signature line is malformed");
  return { line, name: match[1]!, id: toHex(blob.subarray(0, 4)), signature: blob.slice(4) };
}

function checkpointOf(text: string): Checkpoint {
  const [origin = "", size = "", root = ""] = text.split("\n");
  const bytes = fromBase64(root);
  if (origin === "" || !/^(0|[1-9]\d{0,15})$/.test(size) || bytes?.length !== 32) {
    throw new NoteError("it is no checkpoint (origin, size and root)");
  }
  return { origin, size: Number(size), root: bytes };
}
