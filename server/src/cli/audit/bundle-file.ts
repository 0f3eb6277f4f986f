// `vaultops audit verify` of one entry's bundle, and the policies that files are held to.
import { open, readFile, stat } from "node:fs/promises";
import { PolicyError, parsePolicy, verifyBundle } from "@vaultops/proof";
import { sha256 } from "../../audit/tree/tree.ts";
import type { Print } from "./audit-options.ts";

const HEADER = "c2sp.org/tlog-proof@";
/** An entry and its proof are some kilobytes. */
const MAX_BYTES = 1_000_000;

/** @throws Error that names the file, when it is no policy */
export async function readPolicyFile(path: string): Promise<string> {
  const text = await readFile(path, "utf8");
  try {
    parsePolicy(text);
    return text;
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new Error(`${path} is no policy: ${error.message}`);
  }
}

/** Null for a file that is none. */
export async function readBundleFile(path: string): Promise<string | null> {
  const found = await stat(path);
  // What comes through a pipe can be read once.
  if (!found.isFile()) return null;
  const file = await open(path, "r");
  try {
    const start = Buffer.alloc(HEADER.length);
    await file.read(start, 0, start.length, 0);
    if (start.toString("latin1") !== HEADER) return null;
    if (found.size > MAX_BYTES) throw new Error(`${path} is longer than any bundle`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** The exit code: 0 it holds, 1 it does not. */
export async function verifyBundleFile(
  bundle: string,
  { policy, keys, print }: { policy: string | undefined; keys: readonly string[]; print: Print },
): Promise<number> {
  if (policy === undefined && keys.length === 0)
    throw new Error(
      "a bundle is verified by --policy, or by --key: without either nothing would be believed or not",
    );
  const { failure, entry, checkpoint } = await verifyBundle(
    bundle,
    policy === undefined ? { keys, sha256 } : { policy, sha256 },
  );
  if (failure !== null) {
    print(`FAILED: ${failure}.`);
    return 1;
  }
  const { seq, id, action_type } = entry as { seq: string; id: string; action_type: string };
  print(`OK: entry ${seq} (${action_type}, ${id}) is in the log that was signed.`);
  const { origin, size, witnesses } = checkpoint!;
  const vouched =
    policy === undefined
      ? "witnesses were NOT asked for (give a --policy)"
      : `cosigned by ${witnesses.join(", ") || "nobody, as the policy allows"}`;
  print(`Checkpoint of ${size} entries: signed by ${origin}, ${vouched}.`);
  return 0;
}
