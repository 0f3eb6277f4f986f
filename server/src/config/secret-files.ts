// Secrets that came from files, while the service runs: each file is looked at again, and what stands in it is put in the old value's
// place, so that a rotated secret needs no restart.
//
// Guarantee: a file that is away, or holds what the key cannot take, changes nothing: the last good value stays, and the fault is told. No
// message quotes a value.
import { readFileSync, statSync } from "node:fs";

/** A key whose value was read from a file. */
export interface SecretFile {
  /** Its parts joined by dots. */
  path: string;
  file: string;
  /** Whether the text may stand in the key. */
  isGood(text: string): boolean;
}

export interface SecretChanges {
  /** Keys that have a new value. */
  changed: string[];
  /** Files that could not be taken, one line each. */
  faults: string[];
}

/** Who reads the keys late sees the new values. `faultsOf` tells what is wrong with the configuration as a whole. */
export function createSecretReader<T extends object>(
  config: T,
  files: readonly SecretFile[],
  faultsOf: (config: T) => string[],
): () => SecretChanges {
  /** Empty at first: a file may have changed since the start read it. */
  const stamps = new Map<string, string>();
  return () => {
    const result: SecretChanges = { changed: [], faults: [] };
    for (const { path, file, isGood } of files) {
      const stamp = stampOf(file);
      if (stamp === stamps.get(path)) continue;
      // A fault is told once for each change of the file.
      stamps.set(path, stamp);
      const text = readSecretFile(file);
      const [holder, key] = placeOf(config, path);
      const before = holder[key];
      if (text === before) continue;
      if (text === null) result.faults.push(`${path}: ${file} cannot be read`);
      else if (!isGood(text)) result.faults.push(`${path}: ${file} holds no value that the key can take`);
      else {
        holder[key] = text;
        const [fault] = faultsOf(config);
        if (fault === undefined) result.changed.push(path);
        else {
          holder[key] = before;
          result.faults.push(`${path}: ${file} does not go with the rest: ${fault}`);
        }
      }
    }
    return result;
  };
}

function readSecretFile(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return null;
  }
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? "absent" : `${found.mtimeNs} ${found.ino} ${found.size}`;
}

/** The map that holds the key of that path, and the key in it. */
function placeOf(config: object, path: string): [holder: Record<string, unknown>, key: string] {
  const parts = path.split(".");
  const key = parts.pop() ?? "";
  const holder = parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], config);
  return [holder as Record<string, unknown>, key];
}
