// Verification of an exported file, offline: nothing is asked of the service that made it.
//
// Three depths, and the result says which was reached: `proofs` = every entry proved against the signed root; `whole` = a whole
// log without proofs, its root recomputed; `order` = anything else, whose order and count alone can be checked.
import { isSame } from "./bytes.ts";
import { type Checkpoint, NoteError, openCheckpoint, parseCheckpoint, readVerifier } from "./note.ts";
import { openByPolicy, type Policy, parsePolicy } from "./policy.ts";
import { type ExportFile, type ExportFormat, ExportUnreadable, readExport } from "./reader.ts";
import { type ExportFailure, NOT_SIGNED, Reading } from "./reading.ts";
import { type Sha256, sha256 } from "./sha256.ts";
import { Frontier } from "./tree.ts";

interface CommonOptions {
  /** A signed checkpoint to be used instead of the file's own: one that was kept elsewhere is worth more. */
  checkpoint?: string | null | undefined;
  /** A faster SHA-256 than the package's own, such as Node's. */
  sha256?: Sha256;
  /** By what clock cosignatures are from the future; this machine's unless told. */
  nowMs?: number;
}

interface ByKeys {
  /** Public keys of the log (vkeys), got from a source that is believed. One of them must have signed. Empty: no signature is checked. */
  keys: readonly string[];
  policy?: undefined;
}

interface ByPolicy {
  /** A C2SP tlog-policy: one of its logs must have signed the checkpoint, and its quorum have cosigned it. */
  policy: string;
  keys?: undefined;
}

export type ExportOptions = CommonOptions & (ByKeys | ByPolicy);

export interface ExportCheck {
  /** Every entry is one that a holder of one of the keys signed for. False also where nothing is wrong, but not all is proven. */
  ok: boolean;
  /** What is wrong; null where nothing is. */
  failure: ExportFailure | null;
  /** How much was checked: each entry by its own proof, the whole log against the root, or order and count alone. */
  depth: "proofs" | "whole" | "order";
  format: ExportFormat | null;
  entries: number;
  /** `signedBy` is the name of the key; null where no signature was checked. `witnesses`: who vouches for it by the policy that was given. */
  checkpoint: { size: number; signedBy: string | null; witnesses?: string[] } | null;
  /** Entries after the checkpoint, in order but not signed for. */
  unsigned: number;
}

/**
 * Checks an export (JSON, NDJSON or CSV) of the audit log. What is in the file never makes it throw: it is told in `failure`.
 * @throws NoteError for a key that is none, PolicyError for a policy that is none, and what a file that is read in pieces throws
 */
export async function verifyExport(file: ExportFile, options: ExportOptions): Promise<ExportCheck> {
  const policy = options.policy === undefined ? null : parsePolicy(options.policy);
  const verifiers = (options.keys ?? []).map(readVerifier);
  const check = await checked(file, { ...options, verifiers, policy });
  const isProven = check.depth !== "order" && check.unsigned === 0 && check.checkpoint?.signedBy != null;
  return { ok: check.failure === null && isProven, ...check };
}

type Check = Omit<ExportCheck, "ok">;
type Options = CommonOptions & { verifiers: ReturnType<typeof readVerifier>[]; policy: Policy | null };

async function checked(file: ExportFile, options: Options): Promise<Check> {
  const result: Check = {
    failure: null,
    depth: "order",
    format: null,
    entries: 0,
    checkpoint: null,
    unsigned: 0,
  };
  try {
    const { format, parts } = await readExport(file);
    result.format = format;
    const reading = new Reading(options.sha256 ?? sha256);
    for await (const part of parts) {
      result.failure = reading.take(part);
      result.entries = reading.count;
      if (result.failure !== null) return result;
    }
    return await conclude(result, reading, options);
  } catch (error) {
    if (!(error instanceof ExportUnreadable)) throw error;
    return { ...result, failure: { seq: null, reason: error.message } };
  }
}

async function conclude(result: Check, reading: Reading, options: Options): Promise<Check> {
  const fail = (seq: string | null, reason: string): Check => ({ ...result, failure: { seq, reason } });
  const { end } = reading;
  if (result.format !== "csv") {
    if (end === null) return fail(null, "it is cut short: the end of the export is missing");
    if (end.total !== reading.count)
      return fail(
        gapIn(reading, end),
        `it says that it contains ${end.total} entries, and contains ${reading.count}`,
      );
  }
  const note = options.checkpoint ?? end?.checkpoint ?? null;
  let checkpoint: Checkpoint | null = null;
  if (note !== null) {
    try {
      const { witnesses, ...opened } = await openNote(note, options);
      if (options.verifiers.length > 0 && opened.signedBy.length === 0) {
        return fail(null, "the checkpoint is not signed by the given key");
      }
      checkpoint = opened;
      const signedBy = opened.signedBy[0]?.name ?? null;
      result.checkpoint = { size: opened.size, signedBy, ...(witnesses && { witnesses }) };
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      return fail(null, `the checkpoint is not valid: ${error.message}`);
    }
  }
  if (reading.isProven) return concludeProofs({ ...result, depth: "proofs" }, reading, checkpoint);
  const whole = concludeWhole(result, reading, checkpoint, {
    total: end?.total ?? null,
    hash: options.sha256,
  });
  if (options.policy === null || whole.failure !== null || whole.depth === "whole") return whole;
  return fail(
    null,
    checkpoint === null
      ? "the policy is for a checkpoint, and it has none: pass one that was kept elsewhere"
      : "it cannot be held to the policy: it is neither a whole log nor has proofs",
  );
}

async function openNote(
  note: string,
  { policy, verifiers, nowMs }: Options,
): Promise<Awaited<ReturnType<typeof openCheckpoint>> & { witnesses?: string[] }> {
  return policy === null ? openCheckpoint(note, verifiers) : openByPolicy(note, policy, nowMs);
}

/** The first entry that was taken out of an export of the whole log, as one is whose count is that of its checkpoint; else null. */
function gapIn(reading: Reading, end: { total: number; checkpoint: string | null }): string | null {
  if (end.checkpoint === null || reading.count > end.total) return null;
  try {
    if (parseCheckpoint(end.checkpoint).size !== end.total) return null;
  } catch {
    return null;
  }
  const missing = reading.firstMissing();
  return missing === null ? null : String(missing);
}

function concludeProofs(result: Check, reading: Reading, checkpoint: Checkpoint | null): Check {
  const fail = (seq: string | null, reason: string): Check => ({ ...result, failure: { seq, reason } });
  if (checkpoint === null)
    return fail(null, "its proofs need a checkpoint, and it has none: pass one that was kept elsewhere");
  if (checkpoint.size !== reading.treeSize) {
    return fail(
      reading.firstSeq,
      `its proofs are for a tree of ${reading.treeSize} entries, the checkpoint is of ${checkpoint.size}`,
    );
  }
  if (reading.root === null || !isSame(reading.root, checkpoint.root))
    return fail(reading.firstSeq, NOT_SIGNED);
  if (reading.deviating !== null) return fail(reading.deviating, NOT_SIGNED);
  return result;
}

function concludeWhole(
  result: Check,
  reading: Reading,
  checkpoint: Checkpoint | null,
  { total, hash }: { total: number | null; hash: Sha256 | undefined },
): Check {
  const fail = (seq: string | null, reason: string): Check => ({ ...result, failure: { seq, reason } });
  const places = reading.places();
  if (places === null) return fail(null, "an entry is in it twice");
  const firstMissing = places.indexOf(-1);
  const isWhole = firstMissing < 0 && reading.count > 0;
  // An export whose count is that of its checkpoint claims to be the whole log.
  const claimsWhole = isWhole || (checkpoint !== null && checkpoint.size === total);
  if (!claimsWhole || checkpoint === null) return result;
  result.depth = "whole";
  if (!isWhole && checkpoint.size > 0) return fail(String(firstMissing + 1), "it is missing");
  if (checkpoint.size > reading.count) {
    const reason = `it is missing: the checkpoint is of ${checkpoint.size} entries (if a filter left out what follows, an export with proofs=true shows that)`;
    return fail(String(reading.count + 1), reason);
  }
  const frontier = new Frontier(hash);
  for (let i = 0; i < checkpoint.size; i++) frontier.add(reading.hashAt(places[i]!));
  if (!isSame(frontier.root(), checkpoint.root)) {
    return fail(null, "its entries are not the signed ones; an export with proofs=true would show which");
  }
  result.unsigned = reading.count - checkpoint.size;
  return result;
}
