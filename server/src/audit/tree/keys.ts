// The log's signing keys: private ones in files of the data folder (0600) or in the configuration, out of the database's reach, public ones
// in audit_keys. Which key signs is the newest of audit_keys; a service that lacks its private half does not sign, and says so.
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readVerifier, type Verifier } from "@vaultops/proof";
import { type QueryExecutorProvider, sql } from "kysely";
import type { Tx } from "../../platform/db/db.ts";
import { readSigner, type Signer, writeSigner } from "./signer.ts";

export interface PublicKey {
  vkey: string;
  /** The tree size from which on it signs. */
  from_size: number;
  /** The tree size from which on it signs no more; null while it signs. */
  until_size: number | null;
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
export async function readKeys(db: QueryExecutorProvider): Promise<PublicKey[]> {
  const { rows } = await sql<PublicKey>`
    select k.vkey, k.from_size, r.from_size as until_size
      from audit_keys k left join audit_key_retirements r using (vkey) order by k.from_size, k.created_at`.execute(
    db,
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

/**
 * The keys that sign now: the newest, and before it those of the same name that it has not yet replaced for good, where their private halves are
 * at hand. @throws SigningKeyMissing where the newest's is not
 */
export async function currentSigners(tx: Tx, place: KeyPlace): Promise<[Signer, ...Signer[]]> {
  const { rows } = await sql<{ vkey: string }>`
    select vkey from audit_keys where vkey not in (select vkey from audit_key_retirements)
    order by from_size desc, created_at desc`.execute(tx);
  const [newest, ...others] = rows.map(({ vkey }) => vkey);
  if (newest === undefined) throw new SigningKeyMissing("the audit log has no signing key yet");
  const signer = await signerOf(place, newest);
  const replaced = others.filter((vkey) => vkey.split("+")[0] === signer.name);
  const further = await Promise.all(
    replaced.map((vkey) =>
      signerOf(place, vkey).catch((error) => {
        if (error instanceof SigningKeyMissing) return null;
        throw error;
      }),
    ),
  );
  return [signer, ...further.filter((each) => each !== null)];
}

/** Has only the newest key sign from that size on. Resolves with those that sign no more. */
export async function retireReplaced(tx: Tx, fromSize: number): Promise<string[]> {
  const { rows } = await sql<{ vkey: string }>`
    insert into audit_key_retirements (vkey, from_size)
    select vkey, ${fromSize} from (select vkey from audit_keys order by from_size desc, created_at desc offset 1) replaced
    where vkey not in (select vkey from audit_key_retirements) returning vkey`.execute(tx);
  return rows.map(({ vkey }) => vkey);
}

/** The private half of a public key: the same key may have another name in its file, from before a rollback was acknowledged. */
async function signerOf(place: KeyPlace, vkey: string): Promise<Signer> {
  const given = givenSigners(place);
  if (given !== null) {
    const signer = given.find((each) => keyIn(each.vkey) === keyIn(vkey));
    if (signer !== undefined) return renamed(signer, vkey);
    throw new SigningKeyMissing(
      `the audit log's signing key ${readVerifier(vkey).id} is not among audit.signing_keys: add it, or create a new key with vaultops audit rotate-key`,
    );
  }
  const own = await signersIn(place.folder);
  const signer = own.find((each) => keyIn(each.vkey) === keyIn(vkey));
  if (signer !== undefined) return renamed(signer, vkey);
  throw new SigningKeyMissing(
    `the audit log's signing key is not readable at ${fileOf(place.folder, readVerifier(vkey))}: bring the file back, or create a new key with vaultops audit rotate-key`,
  );
}

/** The key itself, without its name. */
function keyIn(vkey: string): string {
  return vkey.split("+").slice(2).join("+");
}

function renamed(signer: Signer, vkey: string): Signer {
  const { name, id } = readVerifier(vkey);
  return { ...signer, name, id, vkey };
}

/** Every public key of this log that is known: the database's, and those whose private half is at hand. */
export async function knownVerifiers(tx: Tx, place: KeyPlace): Promise<Verifier[]> {
  const { folder } = place;
  const { rows } = await sql<{ vkey: string }>`select vkey from audit_keys`.execute(tx);
  const own = (await signersIn(folder)).map(({ vkey }) => vkey);
  const given = (givenSigners(place) ?? []).map(({ vkey }) => vkey);
  return [...new Set([...rows.map(({ vkey }) => vkey), ...own, ...given])].map(readVerifier);
}

async function signersIn(folder: string): Promise<Signer[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const files = names.filter((name) => /^signing-key-[0-9a-f]{8}$/.test(name));
  return Promise.all(files.map(async (name) => readSigner(await readFile(join(folder, name), "utf8"))));
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
