// Configurations as tests give them: text in a file of its own, read as the service reads it, and the faults found.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "./error.ts";
import { loadConfig } from "./load.ts";

export const folder = mkdtempSync(join(tmpdir(), "vaultops-config-"));
// Test files share it, and the process may be theirs in turn.
process.once("exit", () => rmSync(folder, { recursive: true }));

let count = 0;
export function fileOf(text: string): string {
  const file = join(folder, `${++count}.yaml`);
  writeFileSync(file, text);
  return file;
}
export const load = (text: string, env: NodeJS.ProcessEnv = {}) => loadConfig({ file: fileOf(text), env });

/** The faults of a configuration, the file's folder left out. */
export function faultsOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError)
      return error.faults.map((fault) => fault.replaceAll(`${folder}/`, "").replace(/^\d+\.yaml/, "FILE"));
    throw error;
  }
  return [];
}
