// A witness for other people's logs (https://c2sp.org/tlog-witness): it cosigns that a log only grew, and never two stories of one log.
//
// Guarantee: a checkpoint is cosigned only if it is signed by a key of its log and begins with the one that was cosigned before; that is on the
// disk before the answer goes out.
import {
  cosignedText,
  EMPTY_ROOT,
  NoteError,
  openCheckpoint,
  parseCheckpoint,
  type Verifier,
  verifyConsistency,
} from "@vaultops/proof";
import type { Logger } from "../../platform/log.ts";
import { type Signer, signatureLine } from "../tree/signer.ts";
import { sha256 } from "../tree/tree.ts";
import { keep, originHash, readKept } from "./kept.ts";
import { readSubmission, type Submission } from "./submission.ts";

export interface CosignerParts {
  /** Where what was cosigned is kept. */
  folder: string;
  signer: Signer;
  /** The keys of the logs that it cosigns: the name of each is its log's. */
  logs(): Promise<readonly Verifier[]>;
  log: Logger;
  nowMs?: () => number;
}

export interface CosignerAnswer {
  status: 200 | 400 | 403 | 404 | 409 | 422;
  body: string;
  contentType: "text/plain; charset=utf-8" | "text/x.tlog.size";
}

export interface Cosigner {
  addCheckpoint(body: Buffer): Promise<CosignerAnswer>;
  /** The newest note that was cosigned of the log of that hash; null where there is none. */
  checkpoint(hash: string): Promise<string | null>;
}

export function createCosigner({ folder, signer, logs, log, nowMs = Date.now }: CosignerParts): Cosigner {
  /** One submission of a log at a time: others wait, and are judged by what came of it. */
  const lines = new Map<string, Promise<unknown>>();
  const inLine = <T>(hash: string, run: () => Promise<T>): Promise<T> => {
    const turn = (lines.get(hash) ?? Promise.resolve()).then(run, run);
    lines.set(hash, turn);
    return turn;
  };

  const judge = async (submission: Submission, signed: Signed): Promise<CosignerAnswer> => {
    const hash = originHash(signed.origin);
    for (;;) {
      const kept = await readKept(folder, hash);
      const refusal = refuse(submission, signed, kept.note);
      if (refusal !== null) {
        if (refusal.status === 422)
          log.warn(
            { origin: signed.origin, kept: kept.note, submitted: submission },
            "a log is not consistent",
          );
        return refusal;
      }
      const line = cosign(signed.text, Math.floor(nowMs() / 1000));
      const note = `${signed.text}\n${signed.lines.join("")}${line}`;
      if (await keep(folder, hash, kept.number, note)) return answer(200, line);
    }
  };

  const cosign = (text: string, time: number) => {
    const seconds = Buffer.alloc(8);
    seconds.writeBigUInt64BE(BigInt(time));
    return signatureLine(signer, Buffer.concat([seconds, signer.sign(cosignedText(text, time))]));
  };

  return {
    async addCheckpoint(body) {
      const submission = readSubmission(body);
      if (submission === null) return answer(400, "it is no submission\n");
      const signed = await openSigned(submission.note, await logs());
      if ("status" in signed) return signed;
      return inLine(signed.origin, () => judge(submission, signed));
    },
    checkpoint: async (hash) => (await readKept(folder, hash)).note,
  };
}

interface Signed {
  origin: string;
  size: number;
  root: Uint8Array;
  text: string;
  /** The log's own signatures. */
  lines: string[];
}

async function openSigned(note: string, logs: readonly Verifier[]): Promise<Signed | CosignerAnswer> {
  let origin: string;
  try {
    origin = parseCheckpoint(note).origin;
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    return answer(400, "it is no checkpoint\n");
  }
  const keys = logs.filter(({ name }) => name === origin);
  if (keys.length === 0) return answer(404, "the log is not known here\n");
  try {
    const { signedBy, size, root } = await openCheckpoint(note, keys);
    if (signedBy.length === 0) return answer(403, "no key of the log has signed it\n");
    const at = note.lastIndexOf("\n\n");
    const own = note
      .slice(at + 2)
      .split(/(?<=\n)/)
      .filter((line) =>
        signedBy.some((key) => line.startsWith(`\u2014 ${key.name} `) && idIn(line) === key.id),
      );
    return { origin, size, root, text: note.slice(0, at + 1), lines: own };
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    return answer(403, "a signature of the log is wrong\n");
  }
}

function idIn(line: string): string {
  return Buffer.from(line.trimEnd().split(" ")[2]!, "base64").subarray(0, 4).toString("hex");
}

/** Null where the checkpoint may be cosigned. */
function refuse(
  { oldSize, hashes }: Submission,
  { size, root }: Signed,
  kept: string | null,
): CosignerAnswer | null {
  if (oldSize > size) return answer(400, "the old size is larger than the checkpoint's\n");
  const last = kept === null ? { size: 0, root: EMPTY_ROOT } : parseCheckpoint(kept);
  if (oldSize !== last.size) return answer(409, `${last.size}\n`, "text/x.tlog.size");
  return verifyConsistency(last, { size, root }, hashes, sha256)
    ? null
    : answer(422, "it does not begin with what was cosigned before\n");
}

function answer(
  status: CosignerAnswer["status"],
  body: string,
  contentType: CosignerAnswer["contentType"] = "text/plain; charset=utf-8",
): CosignerAnswer {
  return { status, body, contentType };
}
