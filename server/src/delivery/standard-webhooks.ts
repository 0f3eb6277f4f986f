// Signatures by Standard Webhooks 1.0 (https://www.standardwebhooks.com): HMAC-SHA256 over the exact bytes that are sent.
import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
/** The specification's bounds of a key. */
const [MIN_KEY_BYTES, MAX_KEY_BYTES] = [24, 64];

export interface Signable {
  /** The same through every retry, so that a receiver can tell a repetition. */
  id: string;
  /** The attempt's, so that a receiver can refuse what is old. */
  timestampSeconds: number;
  body: string;
  /** While a secret rotates two, the current one first. A key made once from a secret (`signingKey`) signs several times as fast. */
  secrets: readonly (string | KeyObject)[];
}

/** The three headers. */
export function signedHeaders({ id, timestampSeconds, body, secrets }: Signable): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = typeof secret === "string" ? signingKey(secret) : secret;
    const hmac = createHmac("sha256", key).update(`${id}.${timestampSeconds}.${body}`, "utf8");
    return `v1,${hmac.digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signatures.join(" "),
  };
}

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString("base64");
}

/** Whether the text is `whsec_` and 24 to 64 bytes in base64. */
export function isWebhookSecret(text: string): boolean {
  const encoded = text.slice(PREFIX.length);
  if (!text.startsWith(PREFIX) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return false;
  const { length } = Buffer.from(encoded, "base64");
  return length >= MIN_KEY_BYTES && length <= MAX_KEY_BYTES;
}

export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(PREFIX.length), "base64"));
}
