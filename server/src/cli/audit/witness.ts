// `vaultops witness`: a witness for other people's logs, which two operators run for one another.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { readVerifier, type Verifier } from "@vaultops/proof";
import { createCosigner } from "../../audit/cosigner/cosigner.ts";
import { serveCosigner } from "../../audit/cosigner/server.ts";
import { readSigner, type Signer, WITNESS_KEY, writeSigner } from "../../audit/tree/signer.ts";
import type { Logger } from "../../platform/log.ts";
import type { Print } from "./audit-options.ts";
import { readKeyFile } from "./key-file.ts";

export interface WitnessOptions {
  name: string;
  /** Path of a file of vkeys. */
  logs: string;
  folder: string;
  host: string;
  port: number;
  log: Logger;
  print: Print;
  /** Aborts when it shall end. */
  signal: AbortSignal;
}

/** Serves until it is ended. */
export async function witnessCommand(options: WitnessOptions): Promise<number> {
  const { name, logs: path, folder, host, port, log, print, signal } = options;
  const signer = await ensureSigner(folder, name);
  const logs = keysIn(path, log);
  for (const key of await logs()) print(`Cosigns for ${key.name} (key ${key.id}).`);
  const cosigner = createCosigner({ folder: join(folder, "cosigned"), signer, logs, log });
  const server = await serveCosigner(cosigner, { host, port }, log);
  const { address, port: listening } = server.address() as AddressInfo;
  print(`The witness's public key: ${signer.vkey}`);
  print(`Listens on http://${address.includes(":") ? `[${address}]` : address}:${listening}`);
  if (!signal.aborted) await once(signal, "abort");
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  await closed;
  return 0;
}

/** The key of the folder, made where there is none. */
async function ensureSigner(folder: string, name: string): Promise<Signer> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "witness-key");
  const fresh = writeSigner(name, randomBytes(32), WITNESS_KEY);
  await writeFile(path, fresh, { mode: 0o600, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  const signer = readSigner(await readFile(path, "utf8"), WITNESS_KEY);
  if (signer.name !== name)
    throw new Error(`the key in ${path} is of the witness ${signer.name}: give that name, or another --dir`);
  return signer;
}

/** Read again once the file has changed; a file that cannot be used changes nothing. */
function keysIn(path: string, log: Logger): () => Promise<readonly Verifier[]> {
  let known: { at: number; keys: Verifier[] } | null = null;
  return async () => {
    try {
      const { mtimeMs } = await stat(path);
      if (known?.at !== mtimeMs) known = { at: mtimeMs, keys: (await readKeyFile(path)).map(readVerifier) };
    } catch (error) {
      if (known === null) throw error;
      log.error({ err: error }, "the file of logs cannot be read; those known before are cosigned for");
    }
    return known.keys;
  };
}
