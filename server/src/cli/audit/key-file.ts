// A file of public keys, as an auditor keeps it: vkeys, one a line; `#` begins a comment.
import { readFile } from "node:fs/promises";
import { readVerifier } from "@vaultops/proof";

/** @throws Error that names the file, when it holds no key or something else: without a key no signature would be checked */
export async function readKeyFile(path: string): Promise<string[]> {
  const lines = (await readFile(path, "utf8")).split("\n").map((line) => line.trim());
  const keys = lines.filter((line) => line !== "" && !line.startsWith("#"));
  if (keys.length === 0) throw new Error(`${path} contains no public key (a vkey, one a line)`);
  for (const key of keys) {
    try {
      readVerifier(key);
    } catch (error) {
      throw new Error(`${path}: "${key.slice(0, 60)}" is no public key: ${(error as Error).message}`);
    }
  }
  return keys;
}
