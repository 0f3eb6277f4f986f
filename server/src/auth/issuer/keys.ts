// The embedded issuer's signing keys: files of its own, made at the first start, readable by the service's user alone, or given by the
// configuration.
// Guarantee: the newest key signs; an older one stays published until the last token it can have signed has run out, and then
// its file is removed at the next rotation. No private part ever leaves this file.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  SignJWT,
} from "jose";
import type { Clock } from "../../platform/clock.ts";

const ALGORITHM = "ES256";
/** Longest life of a token (scope `read`), with room for clocks that differ. */
const LONGEST_TOKEN_MS = 24 * 3_600_000 + 300_000;

export interface IssuerKeys {
  /** Signs the claims with the newest key. */
  sign(claims: Record<string, unknown>): Promise<string>;
  /** The public keys that tokens still in use may be signed with, newest first (RFC 7517). */
  jwks(): Promise<{ keys: JWK[] }>;
}

interface StoredKey {
  kid: string;
  createdAtMs: number;
  privateKey: CryptoKey;
  publicJwk: JWK;
}

/**
 * Opens the keys in `dir`, making the folder and a first key where there is none. Keys added or removed by another process
 * are seen at the next use. `isNew` tells whether a key was made.
 */
export async function openIssuerKeys(dir: string, clock: Clock): Promise<IssuerKeys & { isNew: boolean }> {
  let stored = await readKeys(dir);
  const isNew = stored.length === 0;
  if (isNew) {
    await addKey(dir, clock);
    stored = await readKeys(dir);
  }
  let readAt = await changedAt(dir);

  async function current(): Promise<StoredKey[]> {
    const changed = await changedAt(dir);
    if (changed !== readAt) {
      const found = await readKeys(dir);
      if (found.length > 0) stored = found;
      readAt = changed;
    }
    return stored;
  }

  return { isNew, ...issuerKeys(current, clock, dir) };
}

function issuerKeys(current: () => Promise<StoredKey[]>, clock: Clock, place: string): IssuerKeys {
  return {
    async sign(claims) {
      const [key] = await current();
      if (key === undefined) throw new Error(`no signing key in ${place}`);
      return new SignJWT(claims)
        .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, typ: "JWT" })
        .sign(key.privateKey);
    },
    async jwks() {
      return { keys: inUse(await current(), clock.now()).map(({ publicJwk }) => publicJwk) };
    },
  };
}

/** The same of keys that the configuration gives, one a line; `given` is asked at each use, since their file may change. */
export async function openGivenIssuerKeys(given: () => string, clock: Clock): Promise<IssuerKeys> {
  const read = async (text: string) => {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    return newestFirst(await Promise.all(lines.map((line) => keyOf(line, "auth.embedded.keys"))));
  };
  let text = given();
  let stored = await read(text);
  const current = async () => {
    const now = given();
    if (now !== text) {
      stored = await read(now);
      text = now;
    }
    return stored;
  };
  return issuerKeys(current, clock, "auth.embedded.keys");
}

/** A new key as the configuration takes it. */
export async function makeIssuerKey(clock: Clock): Promise<string> {
  return (await newKey(clock.now())).text;
}

/** Adds a key, which signs from now on, and removes the files of those whose tokens have all run out. Returns the new id. */
export async function rotateIssuerKey(dir: string, clock: Clock): Promise<string> {
  const kid = await addKey(dir, clock);
  const stored = await readKeys(dir);
  const kept = new Set(inUse(stored, clock.now()));
  for (const key of stored) if (!kept.has(key)) await unlink(fileOf(dir, key.kid));
  return kid;
}

/** A key is in use while it is the newest, and after that for as long as the last token it signed may live. */
function inUse(stored: readonly StoredKey[], nowMs: number): StoredKey[] {
  return stored.filter((_, index) => {
    const successor = stored[index - 1];
    return successor === undefined || nowMs <= successor.createdAtMs + LONGEST_TOKEN_MS;
  });
}

async function addKey(dir: string, clock: Clock): Promise<string> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const newest = (await readKeys(dir))[0];
  // Never older than the key it follows, even where the clock was set back.
  const { kid, text } = await newKey(Math.max(clock.now(), (newest?.createdAtMs ?? 0) + 1));
  const temporary = join(dir, `.${randomUUID()}.tmp`);
  await writeFile(temporary, text, { mode: 0o600, flag: "wx" });
  await rename(temporary, fileOf(dir, kid));
  return kid;
}

async function newKey(createdAtMs: number): Promise<{ kid: string; text: string }> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const text = `${JSON.stringify({ created_at: new Date(createdAtMs).toISOString(), jwk })}\n`;
  return { kid: await calculateJwkThumbprint(jwk), text };
}

/** Every key of the folder, newest first; empty where there is no folder. Throws, naming the file, where one is damaged. */
async function readKeys(dir: string): Promise<StoredKey[]> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const keys = await Promise.all(
    names.filter((name) => /^[\w-]+\.json$/.test(name)).map((name) => readKey(join(dir, name))),
  );
  return newestFirst(keys.filter((key) => key !== null));
}

function newestFirst(keys: readonly StoredKey[]): StoredKey[] {
  return keys.toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.kid < b.kid ? -1 : 1));
}

async function readKey(path: string): Promise<StoredKey | null> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  return text === null ? null : keyOf(text, path);
}

/** @throws Error that names the place, and nothing of the text */
async function keyOf(text: string, place: string): Promise<StoredKey> {
  try {
    const { created_at, jwk } = JSON.parse(text) as { created_at: string; jwk: JWK };
    const { kty, crv, x, y } = jwk;
    const kid = await calculateJwkThumbprint(jwk);
    const privateKey = (await importJWK(jwk, ALGORITHM)) as CryptoKey;
    return {
      kid,
      createdAtMs: Date.parse(created_at),
      privateKey,
      publicJwk: { kty, crv, x, y, kid, alg: ALGORITHM, use: "sig" } as JWK,
    };
  } catch (error) {
    // Without the cause: a parser's message may quote what it read.
    throw new Error(`${place} is not a signing key (${error instanceof Error ? error.name : "unreadable"})`);
  }
}

function fileOf(dir: string, kid: string): string {
  return join(dir, `${kid}.json`);
}

async function changedAt(dir: string): Promise<number> {
  return (await stat(dir)).mtimeMs;
}
