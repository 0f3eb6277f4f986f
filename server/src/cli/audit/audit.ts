// `vaultops audit verify | export | rotate-key`: what the commands do, without how their arguments are read.
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Writable } from "node:stream";
import { type ExportCheck, verifyExport } from "@vaultops/proof";
import { openExport } from "../../audit/export/export.ts";
import type { Vouched } from "../../audit/export/routes.ts";
import { countExport, type Format } from "../../audit/export/sql.ts";
import type { AuditFilter } from "../../audit/read/filter.ts";
import { createCheckpoints } from "../../audit/tree/checkpoint.ts";
import { TileReader } from "../../audit/tree/tiles.ts";
import { sha256 } from "../../audit/tree/tree.ts";
import { verifyLog } from "../../audit/verify/log.ts";
import type { Database } from "../../platform/db/db.ts";
import { tellSlowly } from "../../platform/progress.ts";
import { isFolder, verifyArchiveCommand } from "./archive.ts";
import type { KeyOptions, Print } from "./audit-options.ts";
import { readBundleFile, readPolicyFile, verifyBundleFile } from "./bundle-file.ts";
import { readKeyFile } from "./key-file.ts";

export interface VerifyFileOptions {
  /** Path of the export. */
  file: string;
  /** Path of a checkpoint's note. */
  checkpoint?: string | undefined;
  /** Path of a file of vkeys, one a line; `#` begins a comment. */
  key?: string | undefined;
  /** Path of a C2SP tlog-policy. */
  policy?: string | undefined;
  print: Print;
  /** How far it is. */
  tell?: Print;
}

/** Checks an exported file, or the bundle of one entry, offline. The exit code: 0 it holds, 1 it does not. */
export async function auditVerifyFileCommand(options: VerifyFileOptions): Promise<number> {
  const { file, checkpoint, key, policy: policyFile, print, tell = () => {} } = options;
  const policy = policyFile === undefined ? undefined : await readPolicyFile(policyFile);
  const keys = key === undefined ? [] : await readKeyFile(key);
  if (await isFolder(file))
    return verifyArchiveCommand({ folder: file, keys, policy, checkpoint, print, tell });
  const bundle = await readBundleFile(file);
  if (bundle !== null) return verifyBundleFile(bundle, { policy, keys, print });
  const common = { checkpoint: checkpoint === undefined ? null : await readFile(checkpoint, "utf8"), sha256 };
  const result = await verifyExport(readTelling(file, tell), {
    ...common,
    ...(policy === undefined ? { keys } : { policy }),
  });
  if (result.failure === null) result.failure = nameFault(file, result);
  for (const line of describe(result)) print(line);
  return result.failure === null ? 0 : 1;
}

async function* readTelling(file: string, tell: Print): AsyncGenerator<Buffer> {
  const tellProgress = tellSlowly(tell);
  const { size } = await stat(file);
  let readBytes = 0;
  for await (const chunk of createReadStream(file)) {
    yield chunk;
    readBytes += chunk.length;
    // A pipe has no size, and a file that grows has more than it had.
    const share = size > readBytes ? `, ${Math.floor((readBytes / size) * 100)} %` : "";
    tellProgress(() => `${Math.floor(readBytes / 1e6)} MB checked${share}`);
  }
}

/** CSV is rows alone, so that where it was cut between two of them its name alone tells. */
function nameFault(file: string, { format, entries }: ExportCheck): ExportCheck["failure"] {
  const named = /^audit-log-(\d+)-entries\b/.exec(basename(file))?.[1];
  if (format !== "csv" || named === undefined || Number(named) === entries) return null;
  return { seq: null, reason: `its name says that it contains ${named} entries, and it contains ${entries}` };
}

/** Checks the running log. The exit code: 0 it holds, 1 it does not, 130 when it was ended before that was known. */
export async function auditVerifyLogCommand(options: {
  db: Database;
  /** Null: the newest checkpoint in the data folder is not looked at. */
  folder: string | null;
  print: Print;
  /** How far it is. */
  tell?: Print;
  /** Aborts when it shall end. */
  signal?: AbortSignal;
}): Promise<number> {
  const { signal, tell = () => {} } = options;
  const tellProgress = tellSlowly(tell);
  const check = await verifyLog({
    pool: options.db.pool,
    folder: options.folder,
    ...(signal ? { signal } : {}),
    onProgress: (done, total) => tellProgress(() => `${done} of ${total} entries checked`),
  }).catch((error: unknown) => {
    if (signal?.aborted) return null;
    throw error;
  });
  if (check === null) {
    options.print("Stopped before the whole log was checked: no result.");
    return 130;
  }
  const { size, signed, checkpoints, archivedBelow, failure } = check;
  if (failure === null) {
    options.print(
      `OK: ${size} entries, the columns that filters use, the counts, the tree and ${checkpoints} checkpoints are valid.`,
    );
    if (archivedBelow > 1)
      options.print(
        `Entries 1 to ${archivedBelow - 1} are archived: their hashes are in the tree, and what they and their keys say was NOT checked (run \`vaultops audit verify\` on the archive).`,
      );
    if (signed < size)
      options.print(
        `The newest checkpoint covers ${signed} entries; ${size - signed} are not signed for yet.`,
      );
    return 0;
  }
  const where = failure.seq === null ? "" : `entry ${failure.seq}: `;
  options.print(`FAILED: ${where}${failure.reason}.`);
  return 1;
}

export interface ExportOptions extends Omit<KeyOptions, "print"> {
  filter: AuditFilter;
  order: "asc" | "desc";
  format: Format;
  proofs: boolean;
  /** Asks those who vouch for what proofs are of; nobody unless given. */
  vouched?: Vouched;
  out: Writable;
}

const VOUCHED_MS = 60_000;

/** Writes an export, as the API does for a registry maintainer. Resolves with the number of entries. */
export async function auditExportCommand(options: ExportOptions): Promise<number> {
  const { db, filter, order, format, proofs, vouched, out } = options;
  const signed = await createCheckpoints(options).sign();
  const checkpoint = (proofs && (await vouched?.(signed.size, VOUCHED_MS))) || signed;
  const request = { filter, order, size: checkpoint.size };
  const total = await countExport(db.kysely, request);
  const opened = await openExport(db.pool, {
    request,
    format,
    total,
    note: checkpoint.note,
    proofs: proofs ? new TileReader(db.kysely) : null,
  });
  await opened.sendTo(out, { end: out !== process.stdout });
  return total;
}

/** Makes a new signing key, beside which the one before signs on until `isFinished`; older checkpoints stay valid. */
export async function auditRotateKeyCommand({
  isFinished = false,
  ...options
}: KeyOptions & { isFinished?: boolean }): Promise<number> {
  if (isFinished) {
    const retired = await createCheckpoints(options).finishRotation();
    if (retired.length === 0) options.print("No key was being replaced.");
    for (const vkey of retired) options.print(`Signs no more: ${vkey}`);
    return 0;
  }
  const { vkey, from_size } = await createCheckpoints(options).rotateKey();
  options.print(`The new key signs from ${from_size} entries on: ${vkey}`);
  options.print(
    "The one before signs beside it until `vaultops audit rotate-key --finish`: give auditors and witnesses the new one first.",
  );
  options.print(
    "Older checkpoints stay valid under the keys that signed them: GET /api/v1/audit/keys lists all.",
  );
  return 0;
}

/** Has the log go on under another name, where what was signed is lost for good. */
export async function auditAcknowledgeRollbackCommand(
  options: KeyOptions & { reason: string },
): Promise<number> {
  const { reason, print } = options;
  const { signedSize, size, from, to, vkey } = await createCheckpoints(options).acknowledgeRollback(reason);
  print(`${signedSize} entries were signed as ${from}, and the log ended at ${size}.`);
  print(`It goes on as ${to}; entry ${size + 1} says so. Give auditors and witnesses its key: ${vkey}`);
  return 0;
}

function describe(result: ExportCheck): string[] {
  const { depth, entries, checkpoint, unsigned, failure, format } = result;
  const checked = {
    proofs: "every entry against the signed root by its own proof",
    whole: "the whole log against the signed root",
    order: "order and count only",
  }[depth];
  if (failure !== null) {
    const where = failure.seq === null ? "" : `entry ${failure.seq}: `;
    return [
      `FAILED: ${where}${failure.reason}.`,
      `Checked: ${checked} (${format ?? "unknown format"}, ${entries} entries read).`,
    ];
  }
  const why =
    depth === "order"
      ? ": it is neither a whole log nor has proofs, or there is no checkpoint to check it against"
      : "";
  const lines = [`OK: ${entries} entries (${format}). Checked: ${checked}${why}.`];
  if (checkpoint !== null) {
    const signature =
      checkpoint.signedBy === null
        ? "its signature was NOT checked (give the public key by --key)"
        : `signed by ${checkpoint.signedBy}`;
    const { witnesses } = checkpoint;
    const vouched =
      witnesses === undefined
        ? ""
        : `, cosigned by ${witnesses.join(", ") || "nobody, as the policy allows"}`;
    lines.push(`Checkpoint of ${checkpoint.size} entries: ${signature}${vouched}.`);
  }
  if (unsigned > 0)
    lines.push(`${unsigned} entries came after the checkpoint and are not covered by a signature.`);
  return lines;
}
