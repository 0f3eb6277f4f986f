// The forms of text that the configuration has beside plain strings: each a keyword of the schema that checks a value and puts its
// normal form in its place. Shared with nothing else, since clients of the API never send these.
import { BlockList, isIP } from "node:net";
import { readWitness } from "@vaultops/proof";
import type { Ajv } from "ajv";
import { addTextKeyword, buildAjv } from "../platform/http/validate.ts";
import { isKeyRing } from "../platform/secret-box.ts";

/** What each form is, for the message when a value is not. */
export const FORM_MESSAGES: Record<string, string> = {
  "x-http-url": "must be an absolute http or https URL without query or credentials",
  "x-url": "must be an absolute http or https URL",
  "x-rpc-url": "must be an absolute http, https, ws or wss URL",
  "x-origin": "must be an origin, scheme://host[:port] and nothing more",
  "x-network": "must be an IP address or a network in CIDR notation",
  "x-postgres-url": "must be a postgres:// or postgresql:// URL",
  "x-secret-keys": "must be keys of 32 bytes in base64, separated by commas (openssl rand -base64 32)",
  "x-signing-keys": "must be signing keys of an audit log, one a line (vaultops keys create --for audit-log)",
  "x-witness-key": "must be a witness's public key (name+hash+key, of type 0x04 or 0x06)",
  "x-issuer-keys":
    "must be signing keys of the identity provider, one a line (vaultops keys create --for identity-provider)",
  "x-proxy-url": "must be an http or https URL of a proxy, or the word environment",
  "x-secret-text": "must not be empty",
  "x-token": "must be printable characters without a space",
  "x-admin-token": "must be 16 to 256 printable characters without a space (openssl rand -hex 32)",
  "x-smtp-url": "must be an smtp:// or smtps:// URL",
  "x-address":
    "must be an address (0x and 40 hexadecimal digits; in mixed case with the right EIP-55 checksum)",
  "x-vault-id": "must be a vault id, {chain_id}:{vault_address}",
  "x-audience": "must be a list of one or more audiences, or the word any",
  "x-confirmations": "must be a whole number from 0 to 100000, or safe, or finalized",
};

/** The validator of the configuration: the API's, with these forms. */
export function buildConfigAjv(): Ajv {
  const ajv = buildAjv({ discriminator: true });
  ajv.addKeyword({ keyword: "x-secret", schemaType: "boolean" });
  ajv.addKeyword({ keyword: "x-restart", schemaType: "boolean" });
  ajv.addKeyword({ keyword: "x-label", schemaType: "string" });
  addTextKeyword(ajv, "x-http-url", httpUrl);
  addTextKeyword(ajv, "x-url", (text) => (isWebUrl(URL.parse(text)) ? text : null));
  addTextKeyword(ajv, "x-rpc-url", (text) => ofScheme(text, ["http:", "https:", "ws:", "wss:"]));
  addTextKeyword(ajv, "x-origin", origin);
  addTextKeyword(ajv, "x-network", (text) => (isNetwork(text) ? text : null));
  addTextKeyword(ajv, "x-postgres-url", (text) => ofScheme(text, ["postgres:", "postgresql:"]));
  addTextKeyword(ajv, "x-proxy-url", (text) =>
    text === "environment" ? text : ofScheme(text, ["http:", "https:"]),
  );
  addTextKeyword(ajv, "x-smtp-url", (text) => ofScheme(text, ["smtp:", "smtps:"]));
  addTextKeyword(ajv, "x-secret-text", (text) => (text === "" ? null : text));
  addTextKeyword(ajv, "x-token", (text) => (/^[\x21-\x7e]+$/.test(text) ? text : null));
  addTextKeyword(ajv, "x-admin-token", (text) => (/^[\x21-\x7e]{16,256}$/.test(text) ? text : null));
  addTextKeyword(ajv, "x-secret-keys", (text) => (isKeyRing(text) ? text : null));
  addTextKeyword(ajv, "x-signing-keys", (text) => (areSigningKeys(text) ? text : null));
  addTextKeyword(ajv, "x-witness-key", witnessKey);
  addTextKeyword(ajv, "x-issuer-keys", (text) => (areIssuerKeys(text) ? text : null));
  ajv.addKeyword({
    keyword: "x-audience",
    errors: false,
    validate: (_: unknown, value: unknown) => isAudience(value),
  });
  ajv.addKeyword({
    keyword: "x-confirmations",
    errors: false,
    validate: (_: unknown, value: unknown) => isConfirmations(value),
  });
  return ajv;
}

/** Whether the text is an IPv4 or IPv6 address, or one with a prefix length. */
export function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  if (!/^\d{1,3}$/.test(prefix)) return false;
  try {
    new BlockList().addSubnet(address, Number(prefix), version === 4 ? "ipv4" : "ipv6");
    return true;
  } catch {
    return false;
  }
}

function areSigningKeys(text: string): boolean {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  return (
    words.length > 0 &&
    words.every((word) => /^PRIVATE\+KEY\+[^+\s]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/.test(word))
  );
}

function witnessKey(text: string): string | null {
  try {
    return readWitness(text).vkey;
  } catch {
    return null;
  }
}

function areIssuerKeys(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  try {
    return lines.length > 0 && lines.every((line) => isIssuerKey(JSON.parse(line)));
  } catch {
    return false;
  }
}

function isIssuerKey({ created_at, jwk }: { created_at?: string; jwk?: Record<string, unknown> }): boolean {
  const isDated = !Number.isNaN(Date.parse(String(created_at)));
  return isDated && jwk?.kty === "EC" && jwk.crv === "P-256" && typeof jwk.d === "string";
}

function isWebUrl(url: URL | null): url is URL {
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}

/** Without a trailing slash, so that paths can be put behind it. */
function httpUrl(text: string): string | null {
  const url = URL.parse(text);
  if (!isWebUrl(url) || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    return null;
  return url.href.replace(/\/+$/, "");
}

function origin(text: string): string | null {
  const url = URL.parse(text);
  return isWebUrl(url) && (text === url.origin || text === `${url.origin}/`) ? url.origin : null;
}

function ofScheme(text: string, schemes: string[]): string | null {
  const url = URL.parse(text);
  return url !== null && schemes.includes(url.protocol) ? text : null;
}

function isAudience(value: unknown): boolean {
  if (value === "any") return true;
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => typeof one === "string" && one !== "" && one !== "any")
  );
}

/** Of more a chain of quarter-second blocks would confirm nothing within hours: a slip of the keyboard, not a wish. */
const MOST_CONFIRMATIONS = 100_000;

function isConfirmations(value: unknown): boolean {
  return (
    value === "safe" ||
    value === "finalized" ||
    (typeof value === "number" && value >= 0 && value <= MOST_CONFIRMATIONS)
  );
}
