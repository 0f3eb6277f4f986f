// verifyWebhook: proves that a webhook comes from your VaultOps service, unchanged and fresh, by Standard Webhooks 1.0.
//
// Hand it the raw bytes of the body, as they came: parsed and written again they are other bytes, and no signature fits them.
// It needs nothing but the Web Crypto that Node 20, Deno, Bun, browsers and workers have.

/** Why a webhook was refused. Answer 400 and do nothing with it. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WebhookVerificationError";
  }
}

export interface VerifyOptions {
  /** The raw body: bytes, or text that was decoded from them and nothing else. */
  body: Uint8Array | string;
  /** The request's headers: a Fetch `Headers`, or an object with names in any case. */
  headers: { get(name: string): string | null } | Record<string, string | string[] | undefined>;
  /** `whsec_…` as it was shown. While you change over, the old and the new one. */
  secret: string | readonly string[];
  /** How old a webhook may be, and how far its sender's clock may run ahead: 300 s unless told. */
  toleranceSeconds?: number;
  /** Unix milliseconds; the present unless told. */
  nowMs?: number;
}

/** What a webhook holds. `data` is as its type's schema says; types may be added. */
export interface WebhookPayload {
  /** The same through every retry and replay: what you have handled once, skip. */
  event_id: string;
  event_type: string;
  timestamp: string;
  vault_address: string;
  chain_id: number;
  data: Record<string, unknown>;
}

/**
 * The payload of a webhook that was signed with the secret.
 * @throws WebhookVerificationError for any other
 */
export async function verifyWebhook(options: VerifyOptions): Promise<WebhookPayload> {
  const { headers, toleranceSeconds = 300, nowMs = Date.now() } = options;
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError("webhook-timestamp is no time");
  const ageSeconds = nowMs / 1000 - Number(timestamp);
  if (ageSeconds > toleranceSeconds) throw new WebhookVerificationError("the webhook is too old");
  if (ageSeconds < -toleranceSeconds) throw new WebhookVerificationError("the webhook is from the future");

  const body = typeof options.body === "string" ? new TextEncoder().encode(options.body) : options.body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const given = signatures
    .split(" ")
    .filter((each) => each.startsWith("v1,"))
    .map((each) => bytesOf(each.slice("v1,".length)));
  const secrets = typeof options.secret === "string" ? [options.secret] : options.secret;
  for (const secret of secrets) {
    const key = await keyOf(secret);
    for (const signature of given) {
      // Compares in constant time.
      if (signature !== null && (await crypto.subtle.verify("HMAC", key, signature, signed)))
        return JSON.parse(new TextDecoder().decode(body)) as WebhookPayload;
    }
  }
  throw new WebhookVerificationError("no signature is by that secret over these bytes");
}

function headerOf(headers: VerifyOptions["headers"], name: string): string {
  const value =
    typeof headers.get === "function"
      ? (headers as { get(name: string): string | null }).get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value !== "string" || value === "") throw new WebhookVerificationError(`${name} is missing`);
  return value;
}

function keyOf(secret: string): ReturnType<typeof crypto.subtle.importKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ""));
  // A mistake of the caller, not of the webhook: it must not look like a forged one.
  if (bytes === null || bytes.length < 24)
    throw new TypeError("the secret is not whsec_ and a key in base64");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** Base64 as bytes; null: it is none. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
