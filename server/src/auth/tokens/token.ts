// What of a JWT is read before its signature can be checked: the header, and the issuer that it claims.
// Guarantee: nothing that an attacker writes into a header chooses the key or the rules (RFC 8725, sections 3.1 to 3.10): the
// algorithm must be an allowed one, keys and addresses of keys in the header are refused, and so is every critical extension.
import { decodeJwt, decodeProtectedHeader } from "jose";
import { ALGORITHMS, type Algorithm } from "./keys.ts";
import { tokenRefused } from "./refuse.ts";

/** Longest token that is looked at, in bytes. */
export const MAX_TOKEN_BYTES = 8192;
const MAX_KID_LENGTH = 512;

export interface UncheckedToken {
  algorithm: Algorithm;
  kid: string | null;
  issuer: string;
  audiences: string[];
}

/** The header's algorithm and key id, and the issuer and audiences that the token claims. Throws the `invalid_token` problem. */
export function readUnchecked(token: string): UncheckedToken {
  if (token.length > MAX_TOKEN_BYTES)
    throw tokenRefused(`The token is longer than ${MAX_TOKEN_BYTES} bytes.`);
  const parts = token.split(".").length;
  if (parts === 5) throw tokenRefused("The token is encrypted (JWE). Send a signed one.");
  if (parts !== 3) throw tokenRefused("The token is not a JWT: it does not have three parts.");
  if (!token.split(".").every(isBase64url))
    throw tokenRefused("The token is not a JWT: a part is not base64url without padding (RFC 7515).");

  const header = readHeader(token);
  const { alg, kid, typ } = header;
  if (typeof alg !== "string" || !isAlgorithm(alg)) {
    throw tokenRefused(`The token's algorithm is not one of ${ALGORITHMS.join(", ")}.`);
  }
  for (const member of ["jwk", "jku", "x5u", "crit", "b64"]) {
    if (Object.hasOwn(header, member))
      throw tokenRefused(`The token's header contains \`${member}\`, which is not accepted.`);
  }
  if (kid !== undefined && (typeof kid !== "string" || kid === "" || kid.length > MAX_KID_LENGTH)) {
    throw tokenRefused("The token's key id (`kid`) is not a short text.");
  }
  if (typ !== undefined && !isAccessType(typ))
    throw tokenRefused("The token's type (`typ`) is made for something else.");
  return { algorithm: alg, kid: kid ?? null, ...readClaims(token) };
}

/** In the one form that these bytes have: decoders pass over padding and over bits that are left at the end. */
function isBase64url(part: string): boolean {
  return Buffer.from(part, "base64url").toString("base64url") === part;
}

function readHeader(token: string): Record<string, unknown> {
  try {
    return decodeProtectedHeader(token) as Record<string, unknown>;
  } catch {
    throw tokenRefused("The token is not a JWT: its header cannot be read.");
  }
}

function readClaims(token: string): { issuer: string; audiences: string[] } {
  let claims: { iss?: unknown; aud?: unknown };
  try {
    claims = decodeJwt(token);
  } catch {
    throw tokenRefused("The token is not a JWT: its claims cannot be read.");
  }
  if (typeof claims.iss !== "string") throw tokenRefused("The token has no issuer (`iss`).");
  return { issuer: claims.iss, audiences: [claims.aud].flat().filter((one) => typeof one === "string") };
}

function isAlgorithm(text: string): text is Algorithm {
  return (ALGORITHMS as readonly string[]).includes(text);
}

/** A type other than a plain or an access token (RFC 9068) marks a token for another use, such as logout+jwt (RFC 8725, 3.11). */
function isAccessType(typ: unknown): boolean {
  if (typeof typ !== "string") return false;
  const type = typ.toLowerCase().replace(/^application\//, "");
  return type === "jwt" || type === "at+jwt" || !type.endsWith("+jwt");
}
