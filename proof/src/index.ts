// What the package offers. Who only checks needs verifyExport, verifyBundle, verifyInclusion, verifyConsistency, verifyCheckpoint,
// parseCheckpoint and leafHash; the rest is what a log and a witness are kept with by the same rules.
export { type BundleCheck, type BundleOptions, verifyBundle, writeBundle } from "./bundle.ts";
export { fromBase64, toBase64 } from "./bytes.ts";
export { canonicalJson } from "./canonical.ts";
export {
  type Cosignature,
  cosignedText,
  openCosignatures,
  readWitness,
  type Witness,
} from "./cosignature.ts";
export { leafHash } from "./entry.ts";
export {
  type Checkpoint,
  NoteError,
  openCheckpoint,
  parseCheckpoint,
  readVerifier,
  type Verifier,
  verifyCheckpoint,
  writeVerifier,
} from "./note.ts";
export { OrderCheck } from "./order.ts";
export { isOnchain, OFFCHAIN_ACTIONS, ORIGINS, occurredAtOf } from "./origins.ts";
export { openByPolicy, type Policy, PolicyError, parsePolicy, type WitnessedCheckpoint } from "./policy.ts";
export { CSV_HEADER, type ExportFile, type ExportFormat } from "./reader.ts";
export type { ExportFailure } from "./reading.ts";
export type { Sha256 } from "./sha256.ts";
export {
  consistencyRanges,
  EMPTY_ROOT,
  Frontier,
  hashLeaf,
  hashNode,
  type InclusionProof,
  inclusionRanges,
  type Range,
  rootByProof,
  splitOf,
  type Tree,
  verifyConsistency,
  verifyInclusion,
} from "./tree.ts";
export { type ExportCheck, type ExportOptions, verifyExport } from "./verify-export.ts";
