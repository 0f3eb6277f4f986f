// Secrets at rest: sealed with AES-256-GCM under a ring of keys, of which the first seals and every one opens.
//
// Guarantee: a sealed text opens only under a key of the ring and only for the context that it was sealed for, which names its row, so
// that a value copied into another row does not open. A key added to the ring's file by `keys rotate` is used by running processes
// from their next sealing on. Neither a key nor a sealed value's content stands in any error.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

export interface SecretBox {
  /** Seals under the ring's first key: `v1.{key id}.{nonce, ciphertext and tag in base64url}`. */
  seal(text: string, context: string): string;
  /** Opens what was sealed for the same context. Throws SecretBoxError. */
  open(sealed: string, context: string): string;
  /** Whether the value is sealed under the key that seals now. */
  isCurrent(sealed: string): boolean;
}

/** Why a sealed value does not open. */
export class SecretBoxError extends Error {}

export interface SecretKey {
  /** Names the key, says nothing of it. */
  id: string;
  bytes: Buffer;
}

const VERSION = "v1";
const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The ring as the configuration gives it (keys separated by commas or line breaks, the first one seals), which may change, or the file's. */
export interface RingSource {
  keys: string | null;
  file: string;
}

/** Opens the box, making the file with a first key where neither it nor configured keys exist. `isNew` tells whether it did. */
export function openSecretBox(source: RingSource): SecretBox & { isNew: boolean } {
  if (source.keys !== null) {
    let text = source.keys;
    let ring = readRing(text, "secrets.keys");
    const configured = () => {
      if (source.keys !== null && source.keys !== text) {
        ring = readRing(source.keys, "secrets.keys");
        text = source.keys;
      }
      return ring;
    };
    return { ...boxOf(configured), isNew: false };
  }
  const isNew = makeFirstKey(source.file);
  let ring = readRing(readFileSync(source.file, "utf8"), source.file);
  let readAs = stampOf(source.file);
  const current = () => {
    const stamp = stampOf(source.file);
    if (stamp !== readAs) {
      ring = readRing(readFileSync(source.file, "utf8"), source.file);
      readAs = stamp;
    }
    return ring;
  };
  return { ...boxOf(current), isNew };
}

/**
 * Puts a new key first in the file's ring and keeps those in use: `isUsed` is asked for every older one but the last, which stays in
 * any case for what other processes are sealing just now. Returns the ids, the newest first.
 */
export async function addSecretKey(
  file: string,
  isUsed: (keyId: string) => Promise<boolean>,
): Promise<string[]> {
  makeFirstKey(file);
  const [last, ...older] = readRing(readFileSync(file, "utf8"), file);
  const used = await Promise.all(older.map((key) => isUsed(key.id)));
  const ring = [newKey(), last as SecretKey, ...older.filter((_, index) => used[index])];
  renameSync(writeBeside(file, ring), file);
  return ring.map(({ id }) => id);
}

function boxOf(ring: () => SecretKey[]): SecretBox {
  return {
    seal(text, context) {
      const key = ring()[0] as SecretKey;
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(key.id, context));
      const parts = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return `${VERSION}.${key.id}.${Buffer.concat(parts).toString("base64url")}`;
    },
    open(sealed, context) {
      const [version, id = "", content = ""] = sealed.split(".");
      if (version !== VERSION) throw new SecretBoxError("the value is not an encrypted secret");
      const key = ring().find((one) => one.id === id);
      if (key === undefined) {
        throw new SecretBoxError(
          `a secret is encrypted with the key ${id}, which is not among the keys of this service`,
        );
      }
      const bytes = Buffer.from(content, "base64url");
      try {
        const decipher = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(boundTo(id, context));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString("utf8");
      } catch {
        throw new SecretBoxError("an encrypted secret was changed, or belongs to another row");
      }
    },
    isCurrent: (sealed) => sealed.startsWith(`${VERSION}.${ring()[0]?.id}.`),
  };
}

/**
 * The context of a value that stands in a row. By this name `keys rotate` finds what is sealed: every column that holds a sealed value
 * is named `sealed_…`, and its table has a unique `id`.
 */
export function sealedIn(table: string, column: `sealed_${string}`, id: string): string {
  return `${table}.${column}:${id}`;
}

/** What the tag covers beside the content. */
function boundTo(keyId: string, context: string): Buffer {
  return Buffer.from(`${VERSION}.${keyId}\n${context}`, "utf8");
}

function newKey(): SecretKey {
  return keyOf(randomBytes(KEY_BYTES));
}

function keyOf(bytes: Buffer): SecretKey {
  const id = createHash("sha256").update("vaultops key id\n").update(bytes).digest("hex").slice(0, 12);
  return { id, bytes };
}

/** Whether the text holds one or more keys. */
export function isKeyRing(text: string): boolean {
  const keys = keysIn(text);
  return keys.length > 0 && keys.every(({ length }) => length === KEY_BYTES);
}

/** @throws Error that names the source, and nothing of its content */
function readRing(text: string, source: string): SecretKey[] {
  if (!isKeyRing(text))
    throw new Error(`${source} must hold keys of 32 bytes in base64 (openssl rand -base64 32)`);
  return keysIn(text).map(keyOf);
}

function keysIn(text: string): Buffer[] {
  const words = text
    .replace(/^#.*$/gm, "")
    .split(/[\s,]+/)
    .filter((word) => word !== "");
  return words.map((word) => Buffer.from(word, "base64"));
}

const HEAD = "# Keys that seal secrets in the database: the first seals, the others open. Keep a copy.\n";

function writeRing(ring: readonly SecretKey[]): string {
  return HEAD + ring.map(({ bytes }) => `${bytes.toString("base64")}\n`).join("");
}

/** Whether it was made here: of several processes that start at once, one makes it. */
function makeFirstKey(file: string): boolean {
  if (existsSync(file)) return false;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = writeBeside(file, [newKey()]);
  try {
    // Unlike a renaming, a link never replaces what another process has made meanwhile.
    linkSync(temporary, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(temporary);
  }
}

function writeBeside(file: string, ring: readonly SecretKey[]): string {
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(temporary, writeRing(ring), { mode: 0o600, flag: "wx" });
  return temporary;
}

function stampOf(file: string): string {
  const { mtimeMs, ino, size } = statSync(file);
  return `${mtimeMs} ${ino} ${size}`;
}
