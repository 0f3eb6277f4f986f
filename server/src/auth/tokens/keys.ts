// What of a JWK Set may verify a signature. A set is hostile until read here: an issuer's answer can be huge, hold symmetric or
// private keys, keys for encryption, weak or absurd ones, the same id twice, or no keys at all.
// Guarantee: every key returned is a public one of a kind that the allowed algorithms use; the others are left out and named.
import { type CryptoKey, importJWK, type JWK } from "jose";

/** The signature algorithms that may be allowed: asymmetric only (docs/decisions/0016). */
export const ALGORITHMS = ["RS256", "PS256", "ES256", "ES384", "EdDSA"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** A key of an issuer. `isWithdrawn` turns true when a later set of the issuer no longer holds it; what it signed falls with it. */
export interface IssuerKey {
  kid: string | null;
  algorithms: readonly Algorithm[];
  /** Its public parameters as one text: the same key in two sets has the same one. */
  identity: string;
  isWithdrawn: boolean;
  /** The key, ready to verify with that algorithm. Rejects when the parameters are no such key after all. */
  forAlgorithm(algorithm: Algorithm): Promise<CryptoKey>;
}

const MAX_KEYS = 100;
const MAX_KID_LENGTH = 512;
/** RFC 7518 asks for 2048 bits at least; beyond 8192 verifying costs more than it protects. */
const RSA_BYTES = { min: 256, max: 1024 };

/** The usable keys of a JWK Set (RFC 7517, section 5), and for each left out its id and why. */
export function usableKeys(document: unknown): { keys: IssuerKey[]; ignored: string[] } {
  const list = isRecord(document) ? document.keys : undefined;
  if (!Array.isArray(list)) throw new Error("the answer is not a JWK Set");
  const keys = new Map<string, IssuerKey>();
  const ignored: string[] = [];
  for (const [index, jwk] of list.slice(0, MAX_KEYS).entries()) {
    const key = readKey(jwk);
    if (typeof key === "string") ignored.push(`key ${index}: ${key}`);
    else keys.set(`${key.kid ?? ""} ${key.identity}`, key);
  }
  if (list.length > MAX_KEYS) ignored.push(`${list.length - MAX_KEYS} keys beyond the first ${MAX_KEYS}`);
  return { keys: [...keys.values()], ignored };
}

/** A key, or why it is not used. */
function readKey(jwk: unknown): IssuerKey | string {
  if (!isRecord(jwk)) return "not an object";
  for (const part of ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"]) {
    if (Object.hasOwn(jwk, part))
      return "it is a secret: private and symmetric keys have no place in a JWK Set";
  }
  if (jwk.use !== undefined && jwk.use !== "sig") return "not for signatures (use)";
  const operations = jwk.key_ops;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes("verify")))
    return "not for verifying (key_ops)";
  const kid = jwk.kid;
  if (kid !== undefined && (typeof kid !== "string" || kid.length > MAX_KID_LENGTH))
    return "its kid is not a short text";

  const parameters = publicParameters(jwk);
  if (typeof parameters === "string") return parameters;
  const named = jwk.alg;
  const algorithms =
    named === undefined
      ? parameters.algorithms
      : parameters.algorithms.filter((algorithm) => algorithm === named);
  if (algorithms.length === 0) return "its algorithm is not an allowed one";

  const imported = new Map<Algorithm, Promise<CryptoKey>>();
  return {
    kid: kid ?? null,
    algorithms,
    identity: JSON.stringify(parameters.jwk),
    isWithdrawn: false,
    forAlgorithm(algorithm) {
      let key = imported.get(algorithm);
      if (key === undefined) {
        // The public parameters and nothing else: no other member of a hostile key reaches the library.
        key = importJWK(parameters.jwk, algorithm) as Promise<CryptoKey>;
        imported.set(algorithm, key);
      }
      return key;
    },
  };
}

function publicParameters(jwk: Record<string, unknown>): { jwk: JWK; algorithms: Algorithm[] } | string {
  const { kty, crv, n, e, x, y } = jwk;
  if (kty === "RSA") {
    if (!isText(n) || !isText(e)) return "its RSA parameters are missing";
    const bytes = Buffer.from(n, "base64url").length;
    if (bytes < RSA_BYTES.min || bytes > RSA_BYTES.max)
      return "its RSA modulus is not 2048 to 8192 bits long";
    if (Buffer.from(e, "base64url").length > 8) return "its RSA exponent is too large";
    return { jwk: { kty, n, e }, algorithms: ["RS256", "PS256"] };
  }
  if (kty === "EC" && (crv === "P-256" || crv === "P-384")) {
    if (!isText(x) || !isText(y)) return "its curve point is missing";
    return { jwk: { kty, crv, x, y }, algorithms: [crv === "P-256" ? "ES256" : "ES384"] };
  }
  if (kty === "OKP" && crv === "Ed25519") {
    if (!isText(x)) return "its curve point is missing";
    return { jwk: { kty, crv, x }, algorithms: ["EdDSA"] };
  }
  return "its type or curve is not one of RSA, EC P-256, EC P-384 and OKP Ed25519";
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length > 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
