// The log's signing keys: private ones in files of the data folder (0600) or in the configuration, out of the database's reach, public ones
// in audit_keys. Which key signs is the newest of audit_keys; a service that lacks its private half does not sign, and says so.
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

/** The private key of the newest public one is not at hand. */
export class SigningKeyMissing extends Error {}

/** Where the private keys are. */
export interface KeyPlace {
  /** Holds their files, unless they are given. */
  folder: string;
  /** `audit.signing_keys` of the configuration: the keys, apart by white space or commas; null: the folder's count. */
  given?: (() => string | null) | undefined;
}

/** Every public key, the oldest first. */
export async function readKeys(db: Pick<Database, "pool">): Promise<PublicKey[]> {
  const { rows } = await db.pool.query(
    "select vkey, from_size from audit_keys order by from_size, created_at",
  );
  return rows;
}

/** Makes the first key where there is none. Call under the signers' lock. Returns whether it did. */
export async function ensureKey(tx: Tx, place: KeyPlace, name: string): Promise<boolean> {
  const { rows } = await sql<PublicKey>`select vkey from audit_keys limit 1`.execute(tx);
  if (rows.length > 0) return false;
  await addKey(tx, place, name, 0);
  return true;
}

/** Makes a key that signs from `fromSize` on, or takes the first given one that never signed. Call under the signers' lock. */
export async function addKey(tx: Tx, place: KeyPlace, name: string, fromSize: number): Promise<Signer> {
  const given = givenSigners(place);
  const signer = given === null ? await writeKeyFile(place.folder, name) : await firstUnused(tx, given);
  await sql`insert into audit_keys (vkey, from_size) values (${signer.vkey}, ${fromSize})`.execute(tx);
  return signer;
}

/** The key that signs now. @throws SigningKeyMissing */
export async function currentSigner(tx: Tx, place: KeyPlace): Promise<Signer> {
  const { rows } =
    await sql<PublicKey>`select vkey from audit_keys order by from_size desc, created_at desc limit 1`.execute(
      tx,
    );
  const vkey = rows[0]?.vkey;
  if (vkey === undefined) throw new SigningKeyMissing("the audit log has no signing key yet");
  const given = givenSigners(place);
  if (given !== null) {
    const signer = given.find((each) => each.vkey === vkey);
    if (signer !== undefined) return signer;
    throw new SigningKeyMissing(
      `the audit log's signing key ${readVerifier(vkey).id} is not among audit.signing_keys: add it, or create a new key with vaultops audit rotate-key`,
    );
  }
  const file = fileOf(place.folder, readVerifier(vkey));
  try {
    return readSigner(await readFile(file, "utf8"));
  } catch (cause) {
    throw new SigningKeyMissing(
      `the audit log's signing key is not readable at ${file}: bring the file back, or create a new key with vaultops audit rotate-key`,
      { cause },
    );
  }
}

/** Every public key of this log that is known: the database's, and those whose private half is at hand. */
export async function knownVerifiers(tx: Tx, place: KeyPlace): Promise<Verifier[]> {
  const { folder } = place;
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
  const given = (givenSigners(place) ?? []).map(({ vkey }) => vkey);
  return [...new Set([...rows.map(({ vkey }) => vkey), ...own, ...given])].map(readVerifier);
}

function givenSigners({ given }: KeyPlace): Signer[] | null {
  const text = given?.() ?? null;
  return text === null
    ? null
    : text.split(/[\s,]+/).flatMap((word) => (word === "" ? [] : [readSigner(word)]));
}

async function firstUnused(tx: Tx, given: readonly Signer[]): Promise<Signer> {
  const { rows } = await sql<{ vkey: string }>`select vkey from audit_keys`.execute(tx);
  const unused = given.find(({ vkey }) => !rows.some((row) => row.vkey === vkey));
  if (unused !== undefined) return unused;
  throw new SigningKeyMissing(
    "audit.signing_keys holds no key that has not signed yet: add one first (vaultops keys create --for audit-log)",
  );
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
