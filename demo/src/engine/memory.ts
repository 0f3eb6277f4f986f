/** What the engine must know after a restart, in one small file: its session keys' generations, and what it left open. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { TrioKey } from "../deployment.ts";
import type { Exit, VaultKey } from "./types.ts";

export interface SessionKeyRecord {
  /** 0 is the key that was granted first; each rotation counts one up. */
  readonly generation: number;
  readonly grantedAtMs: number;
  readonly isRotating: boolean;
}

/** An intent that has not come to its end. */
export interface OpenIntent {
  readonly key: VaultKey;
  readonly action: string;
  /** Of the last event that was reported. */
  readonly seq: number;
}

export interface Memory {
  readonly sessionKeys: Map<string, SessionKeyRecord>;
  readonly intents: Map<string, OpenIntent>;
  /** Emergency exits that were armed while the engine ran. */
  readonly exits: Map<TrioKey, Exit>;
  /** Whether a hook root has ever been made. */
  hasMadeRoot: boolean;
  /** Puts it on disk. */
  save(): void;
}

/** Opens the file, or begins with nothing where there is none that can be read. */
export function openMemory(path: string): Memory {
  const known = read(path);
  const memory: Memory = {
    sessionKeys: new Map<string, SessionKeyRecord>(Object.entries(known.sessionKeys ?? {})),
    intents: new Map<string, OpenIntent>(Object.entries(known.intents ?? {})),
    exits: new Map(Object.entries(known.exits ?? {}) as [TrioKey, Exit][]),
    hasMadeRoot: known.hasMadeRoot ?? false,
    save: () => {
      const text = JSON.stringify({
        sessionKeys: Object.fromEntries(memory.sessionKeys),
        intents: Object.fromEntries(memory.intents),
        exits: Object.fromEntries(memory.exits),
        hasMadeRoot: memory.hasMadeRoot,
      });
      writeFileSync(`${path}.new`, text, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    },
  };
  return memory;
}

function read(path: string): {
  sessionKeys?: Record<string, SessionKeyRecord>;
  intents?: Record<string, OpenIntent>;
  exits?: Record<string, Exit>;
  hasMadeRoot?: boolean;
} {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}
