// The log's signing keys: private ones in files of the data folder (0600), out of the database's reach, public ones in
// audit_keys. Which key signs is the newest of audit_keys; a service that lacks its file does not sign, and says so.
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readVerifier, type Verifier } from "@vaultops/proof";
import { sql } from "kysely";
import type { Database, Tx } from "../../platform/db/db.ts";
import { readSigner, type Signer, writeSigner } from "./signer.ts";

export interface PublicKey {
  vkey: string;
  /** The tree size from which on it signs. */
  from_size: number;
}

/** The private key of the newest public one is not in the data folder. */
export class SigningKeyMissing extends Error {}

/** Every public key, the oldest first. */
export async function readKeys(db: Pick<Database, "pool">): Promise<PublicKey[]> {
  const { rows } = await db.pool.query(
    "select vkey, from_size from audit_keys order by from_size, created_at",
  );
  return rows;
}

/** Makes the first key where there is none. Call under the signers' lock. Returns whether it did. */
export async function ensureKey(tx: Tx, folder: string, name: string): Promise<boolean> {
  const { rows } = await sql<PublicKey>`select vkey from audit_keys limit 1`.execute(tx);
  if (rows.length > 0) return false;
  await addKey(tx, folder, name, 0);
  return true;
}

/** Makes a key that signs from `fromSize` on. Call under the signers' lock. */
export async function addKey(tx: Tx, folder: string, name: string, fromSize: number): Promise<Signer> {
  const signer = await writeKeyFile(folder, name);
  await sql`insert into audit_keys (vkey, from_size) values (${signer.vkey}, ${fromSize})`.execute(tx);
  return signer;
}

/** The key that signs now. @throws SigningKeyMissing */
export async function currentSigner(tx: Tx, folder: string): Promise<Signer> {
  const { rows } =
    await sql<PublicKey>`select vkey from audit_keys order by from_size desc, created_at desc limit 1`.execute(
      tx,
    );
  const vkey = rows[0]?.vkey;
  if (vkey === undefined) throw new SigningKeyMissing("the audit log has no signing key yet");
  const file = fileOf(folder, readVerifier(vkey));
  try {
    return readSigner(await readFile(file, "utf8"));
  } catch (cause) {
    throw new SigningKeyMissing(
      `the audit log's signing key is not readable at ${file}: bring the file back, or create a new key with vaultops audit rotate-key`,
      { cause },
    );
  }
}

/** Every public key of this log that is known: the database's, and those whose private half lies in the folder. */
export async function knownVerifiers(tx: Tx, folder: string): Promise<Verifier[]> {
  const { rows } = await sql<{ vkey: string }>`select vkey from audit_keys`.execute(tx);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const own = await Promise.all(
    names
      .filter((name) => /^signing-key-[0-9a-f]{8}$/.test(name))
      .map(async (name) => readSigner(await readFile(join(folder, name), "utf8")).vkey),
  );
  return [...new Set([...rows.map(({ vkey }) => vkey), ...own])].map(readVerifier);
}

async function writeKeyFile(folder: string, name: string): Promise<Signer> {
  const text = writeSigner(name, randomBytes(32));
  const signer = readSigner(text);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(fileOf(folder, signer), text, { mode: 0o600, flag: "wx" });
  return signer;
}

function fileOf(folder: string, key: Pick<Verifier, "id">): string {
  return join(folder, `signing-key-${key.id}`);
}
