// What a log submits to a witness (https://c2sp.org/tlog-witness, `add-checkpoint`): the size that the witness last cosigned, the proof that
// the log only grew since, and the new checkpoint.
import { fromBase64 } from "@vaultops/proof";

export interface Submission {
  oldSize: number;
  hashes: readonly Uint8Array[];
  note: string;
}

/** Of a tree of 2^63 leaves. */
const MAX_HASHES = 63;

export function writeSubmission({ oldSize, hashes, note }: Submission): string {
  const lines = hashes.map((hash) => `${Buffer.from(hash).toString("base64")}\n`).join("");
  return `old ${oldSize}\n${lines}\n${note}`;
}

/** Null for what is none. */
export function readSubmission(body: Buffer): Submission | null {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
  const end = text.indexOf("\n\n");
  const [first = "", ...lines] = text.slice(0, Math.max(end, 0)).split("\n");
  const oldSize = /^old (0|[1-9]\d{0,15})$/.exec(first)?.[1];
  const hashes = lines.map(fromBase64);
  if (oldSize === undefined || hashes.length > MAX_HASHES) return null;
  if (hashes.some((hash) => hash?.length !== 32)) return null;
  return { oldSize: Number(oldSize), hashes: hashes as Uint8Array[], note: text.slice(end + 2) };
}
