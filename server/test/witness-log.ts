// A log for tests of witnesses: a tree of numbered leaves, its checkpoints signed by a key of its own.
import {
  type Cosignature,
  consistencyRanges,
  hashLeaf,
  hashNode,
  openCosignatures,
  type Range,
  readWitness,
  splitOf,
} from "@vaultops/proof";
import { writeSubmission } from "../src/audit/cosigner/submission.ts";
import { readSigner, signCheckpoint, writeSigner } from "../src/audit/tree/signer.ts";

export const signerOf = (name: string, seed: number) => readSigner(writeSigner(name, Buffer.alloc(32, seed)));

/** `fork`: from which leaf on its leaves are others. */
export function testLog(origin = "log.test/audit", { seed = 1, fork = Number.POSITIVE_INFINITY } = {}) {
  const signer = signerOf(origin, seed);
  const leaf = (index: number) => hashLeaf(`${index}${index >= fork ? "'" : ""}`);
  const hashOf = ([from, to]: Range): Uint8Array => {
    if (to - from === 1) return leaf(from);
    const middle = from + splitOf(to - from);
    return hashNode(hashOf([from, middle]), hashOf([middle, to]));
  };
  const root = (size: number) => (size === 0 ? hashEmpty() : hashOf([0, size]));
  const note = (size: number) => signCheckpoint({ origin, size, root: root(size) }, [signer]);
  const proof = (from: number, to: number) =>
    from === 0 || from > to ? [] : consistencyRanges(from, to).map(hashOf);
  const submission = (from: number, to: number, hashes = proof(from, to)) =>
    Buffer.from(writeSubmission({ oldSize: from, hashes, note: note(to) }));
  return { origin, signer, vkey: signer.vkey, root, note, proof, submission };
}

const hashEmpty = () =>
  Buffer.from("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "hex");

/** Those of the witness in the lines, which must be right. */
export async function cosignaturesIn(note: string, lines: string, vkey: string): Promise<Cosignature[]> {
  return (await openCosignatures(note + lines, [readWitness(vkey)])).cosignatures;
}
