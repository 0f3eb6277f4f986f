// What a witness says of a checkpoint: that, at its time, it was the newest of this log that it had seen, and that the log only grew
// (https://c2sp.org/tlog-cosignature). Those by Ed25519 (type 0x04) are checked; those by ML-DSA-44 (0x06) are known and passed on, and count for nothing.
import { toBase64 } from "./bytes.ts";
import { ed25519, NoteError, readVkey, splitNote, type Verifier } from "./note.ts";

/** A witness's public key. */
export interface Witness {
  name: string;
  /** `name+hash+key`. */
  vkey: string;
  /** The hash in the vkey, eight hex digits. */
  id: string;
  /** The key itself, whatever it is called: whoever gives one key two names is one witness. */
  key: string;
  /** Whether its cosignatures can be checked here. */
  isChecked: boolean;
  verify: Verifier["verify"];
}

export interface Cosignature {
  witness: Witness;
  /** As it stands in the note, without its line feed. */
  line: string;
  /** When the witness gave it, in Unix seconds by its own clock. */
  time: number;
}

/** Clocks may differ by so much. */
const EARLY_SECONDS = 300;

const [ED25519, ML_DSA_44] = [4, 6];
/** Bytes of a key and of a signature, without the time before it. */
const LENGTHS = new Map([
  [ED25519, { key: 32, signature: 64 }],
  [ML_DSA_44, { key: 1312, signature: 2420 }],
]);

/** A witness's public key in vkey form. @throws NoteError */
export function readWitness(vkey: string): Witness {
  const { name, id, type, raw } = readVkey(vkey);
  if (LENGTHS.get(type)?.key !== raw.length)
    throw new NoteError("it is not the vkey of a witness (of type 0x04 or 0x06)");
  const isChecked = type === ED25519;
  const verify = isChecked ? ed25519(raw) : async () => false;
  return { name, vkey: vkey.trim(), id, key: toBase64(raw), isChecked, verify };
}

/** What an Ed25519 witness signs, given the text of the note. */
export function cosignedText(text: string, time: number | bigint): string {
  return `cosignature/v1\ntime ${time}\n${text}`;
}

/**
 * The cosignatures in a note by the given witnesses. Those that cannot be checked are among them, `witness.isChecked` false. One from the
 * future, by more than five minutes, is `early` and nothing else: its witness, or who asks, has the wrong time.
 * @throws NoteError for a malformed note, and for a cosignature by one of them that is wrong
 */
export async function openCosignatures(
  note: string,
  witnesses: readonly Witness[],
  nowMs: number = Date.now(),
): Promise<{ cosignatures: Cosignature[]; early: Cosignature[] }> {
  const { text, signatures } = splitNote(note);
  const [cosignatures, early]: Cosignature[][] = [[], []];
  for (const witness of witnesses) {
    for (const { name, id, line, signature } of signatures) {
      if (name !== witness.name || id !== witness.id) continue;
      const time = await timeOf(text, signature, witness);
      if (time === null) throw new NoteError(`the cosignature of ${name} is wrong`);
      const isEarly = time > nowMs / 1000 + EARLY_SECONDS;
      (isEarly ? early : cosignatures)!.push({ witness, line, time });
    }
  }
  return { cosignatures: cosignatures!, early: early! };
}

/** Null for what the witness did not sign. */
async function timeOf(text: string, blob: Uint8Array<ArrayBuffer>, witness: Witness): Promise<number | null> {
  const length = LENGTHS.get(witness.isChecked ? ED25519! : ML_DSA_44!)!.signature;
  if (blob.length !== 8 + length) return null;
  const time = new DataView(blob.buffer, blob.byteOffset, 8).getBigUint64(0);
  if (time === 0n || time >= 1n << 63n) return null;
  if (witness.isChecked && !(await witness.verify(cosignedText(text, time), blob.slice(8)))) return null;
  return Number(time);
}
