// One entry with all that proves it, in one text that verifies offline (https://c2sp.org/tlog-proof): its canonical bytes as `extra`, its
// place, the hashes up to the root, and the checkpoint with its cosignatures.
import { fromBase64, toBase64 } from "./bytes.ts";
import { canonicalJson } from "./canonical.ts";
import { isEntry } from "./entry.ts";
import { type Checkpoint, NoteError, openCheckpoint, readVerifier } from "./note.ts";
import { openByPolicy, parsePolicy } from "./policy.ts";
import { type Sha256, sha256 } from "./sha256.ts";
import { hashLeaf, type InclusionProof, verifyInclusion } from "./tree.ts";
import { parseUnambiguous } from "./unambiguous.ts";

export interface BundleOptions {
  /** A C2SP tlog-policy: the log's key, and the witnesses whose quorum is demanded. */
  policy?: string | undefined;
  /** Instead of one: the log's public keys alone (vkeys). No witness is asked for. */
  keys?: readonly string[] | undefined;
  sha256?: Sha256;
  /** By what clock cosignatures are from the future; this machine's unless told. */
  nowMs?: number;
}

export interface BundleCheck {
  ok: boolean;
  /** What is wrong; null where nothing is. */
  failure: string | null;
  /** The entry, once it is proven; null before. */
  entry: Record<string, unknown> | null;
  /** Of the checkpoint, once a key or the policy has spoken for it: its log, its size, and who vouches by the policy's names. */
  checkpoint: { origin: string; size: number; witnesses: string[] } | null;
}

const HEADER = "c2sp.org/tlog-proof@v1";
/** A tree of 2^53 leaves needs no more. */
const MAX_HASHES = 63;

/** The text of a bundle. `entry` is the entry's canonical text, `note` the checkpoint of the tree that the proof is for. */
export function writeBundle(entry: string, proof: InclusionProof, note: string): string {
  const extra = toBase64(new TextEncoder().encode(entry));
  const hashes = proof.hashes.map((hash) => `${toBase64(hash)}\n`).join("");
  return `${HEADER}\nextra ${extra}\nindex ${proof.index}\n${hashes}\n${note}`;
}

/**
 * Checks a bundle. What is in it never makes it throw: it is told in `failure`.
 * @throws PolicyError for a policy that is none, NoteError for a key that is none, TypeError where neither is given
 */
export async function verifyBundle(bundle: string, options: BundleOptions): Promise<BundleCheck> {
  const open = openerOf(options);
  let checkpoint: BundleCheck["checkpoint"] = null;
  try {
    const { extra, index, hashes, note } = splitBundle(bundle);
    const { root, ...opened } = await open(note);
    checkpoint = { origin: opened.origin, size: opened.size, witnesses: opened.witnesses };
    const hash = options.sha256 ?? sha256;
    if (!verifyInclusion(hashLeaf(extra, hash), { index, size: opened.size, hashes }, root, hash))
      throw new NoteError("the entry is not in the tree that was signed");
    return { ok: true, failure: null, entry: entryOf(extra, index), checkpoint };
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    return { ok: false, failure: error.message, entry: null, checkpoint };
  }
}

function openerOf({ policy: text, keys, nowMs }: BundleOptions) {
  if (text !== undefined) {
    const policy = parsePolicy(text);
    return (note: string) => openByPolicy(note, policy, nowMs);
  }
  if (keys === undefined || keys.length === 0) throw new TypeError("a policy or keys must be given");
  const verifiers = keys.map(readVerifier);
  return async (note: string): Promise<Checkpoint & { witnesses: string[] }> => {
    const opened = await openCheckpoint(note, verifiers);
    if (opened.signedBy.length === 0) throw new NoteError("the checkpoint is not signed by the given key");
    return { ...opened, witnesses: [] };
  };
}

function splitBundle(text: string) {
  const end = text.indexOf("\n\n");
  const [header, extra = "", index = "", ...lines] = text.slice(0, Math.max(end, 0)).split("\n");
  if (header !== HEADER) throw new NoteError(`it is no proof bundle (${HEADER})`);
  const bytes = /^extra ./.test(extra) ? fromBase64(extra.slice(6)) : null;
  if (bytes === null) throw new NoteError("it carries no entry");
  const place = /^index (0|[1-9]\d{0,15})$/.exec(index)?.[1];
  if (place === undefined) throw new NoteError("its index is malformed");
  const hashes = lines.map(fromBase64);
  if (hashes.length > MAX_HASHES || hashes.some((hash) => hash?.length !== 32))
    throw new NoteError("its proof is malformed");
  return {
    extra: bytes,
    index: Number(place),
    hashes: hashes as Uint8Array[],
    note: text.slice(end + 2),
  };
}

/** What is hashed must be an entry, in the one form that an entry has, at the place that it names. */
function entryOf(extra: Uint8Array, index: number): Record<string, unknown> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(extra);
  } catch {
    throw new NoteError("what it carries is no entry");
  }
  const { value, fault } = parseUnambiguous(text);
  if (fault !== null || typeof value !== "object" || value === null || !isEntry(value))
    throw new NoteError("what it carries is no entry");
  if (canonicalJson(value) !== text || value.seq !== String(index + 1))
    throw new NoteError("the entry is not the one of its place");
  return value as unknown as Record<string, unknown>;
}
