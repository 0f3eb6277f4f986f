// Verifies JWTs of the trusted issuers (docs/decisions/0016).
// Guarantees: a token is accepted only with a signature of a key that its issuer has not withdrawn, the issuer's audience, and a
// time within `nbf` and `exp`; it then stands for exactly one wallet. Whatever is not accepted is answered 401, never guessed at;
// what cannot be checked because the issuer does not answer is 503, so that nobody is signed out by an outage.
import { hash } from "node:crypto";
import { errors, type JWTPayload, jwtVerify } from "jose";
import type { Address } from "viem";
import type { Clock } from "../../platform/clock.ts";
import type { KeySet } from "./jwks.ts";
import type { Algorithm, IssuerKey } from "./keys.ts";
import { type CodeOnChains, isContractAnywhere } from "./limit.ts";
import { PROFILES, type ProfileName } from "./profile.ts";
import { tokenRefused } from "./refuse.ts";
import { MAX_TOKEN_BYTES, readUnchecked, type UncheckedToken } from "./token.ts";
import type { WalletClaim } from "./wallet.ts";

/** An issuer whose tokens are accepted. Several may share the name `issuer` and differ in audience. */
export interface TrustedIssuer {
  issuer: string;
  /** One of these must be in the token's `aud`; "any" takes every audience. */
  audience: readonly string[] | "any";
  keys: KeySet;
  algorithms: readonly Algorithm[];
  clockToleranceSeconds: number;
  profile: ProfileName;
  /** The claim that names the wallet (profile `generic`); null for the profile's own places. */
  walletClaim: string | null;
  /** What a contract's signature is worth: its chain's roles, or nothing. */
  contractWallets: "accept" | "refuse";
}

/** Whom a verified token stands for. */
export interface VerifiedToken {
  wallet: Address;
  scope: "full" | "read";
  /** Unix seconds. */
  expiresAt: number;
  /** The only chain on which it counts, where a contract signed; null for a key. */
  limitedToChainId: number | null;
}

export interface Verifier {
  /** The token, if it was verified before and still holds. Never waits. */
  cached(token: string): VerifiedToken | null;
  /** Whether a token that this verifier gave still holds: it has not run out, and its key was not withdrawn. */
  holds(verified: VerifiedToken): boolean;
  /** Verifies the token. Throws `invalid_token` (401) or `service_unavailable` (503). */
  verify(token: string): Promise<VerifiedToken>;
  /** Fetches the issuers' keys ahead of the first request; never rejects. */
  warm(): Promise<void>;
}

const MAX_CACHED_TOKENS = 10_000;
/** As chain ids are validated in the API. */
const MAX_CHAIN_ID = BigInt(Number.MAX_SAFE_INTEGER);
/** Keys tried for one token: those of one id, or, for a token without an id, those of its algorithm. */
const MAX_TRIED_KEYS = 8;

interface CachedToken extends VerifiedToken {
  key: IssuerKey;
  keys: KeySet;
}

export function createVerifier(options: {
  issuers: readonly TrustedIssuer[];
  clock: Clock;
  codeOnChains: CodeOnChains;
  maxCachedTokens?: number;
}): Verifier {
  const { issuers, clock, codeOnChains, maxCachedTokens = MAX_CACHED_TOKENS } = options;
  /** By the token's hash, the most recently used last. */
  const cache = new Map<string, CachedToken>();

  function cached(token: string): VerifiedToken | null {
    if (token.length > MAX_TOKEN_BYTES) return null;
    const digest = digestOf(token);
    const entry = cache.get(digest);
    if (entry === undefined) return null;
    cache.delete(digest);
    if (!holds(entry)) return null;
    cache.set(digest, entry);
    return entry;
  }

  function holds({ expiresAt, key, keys }: CachedToken): boolean {
    return expiresAt * 1000 > clock.now() && !key.isWithdrawn && keys.touch();
  }

  return {
    cached,
    holds: (verified) => holds(verified as CachedToken),
    async verify(token) {
      const known = cached(token);
      if (known !== null) return known;
      const unchecked = readUnchecked(token);
      const issuer = issuerOf(issuers, unchecked);
      const { payload, key } = await checkSignature(issuer, unchecked, token, clock).catch(
        (error: unknown) => {
          throw error instanceof errors.JOSEError ? tokenRefused(reasonOf(error)) : error;
        },
      );
      const { exp } = payload;
      if (exp === undefined || !Number.isFinite(exp)) throw tokenRefused("The token's `exp` is not a time.");
      const claim = PROFILES[issuer.profile](payload, { walletClaim: issuer.walletClaim });
      const limitedToChainId = await limitOf(claim, issuer, codeOnChains);
      const { wallet, scope } = claim;
      const entry = { wallet, scope, expiresAt: exp, limitedToChainId, key, keys: issuer.keys };
      cache.set(digestOf(token), entry);
      if (cache.size > maxCachedTokens) cache.delete(cache.keys().next().value as string);
      return entry;
    },
    async warm() {
      await Promise.all(issuers.map(({ keys }) => keys.warm()));
    },
  };
}

/**
 * The chain to which a token is limited. One that names a chain and does not say what signed there is limited where the wallet is a
 * contract on any chain that is followed: whoever proved to hold it on one chain need not be who holds it on another.
 */
async function limitOf(
  { wallet, chainId, isContract }: WalletClaim,
  { contractWallets }: TrustedIssuer,
  codeOnChains: CodeOnChains,
): Promise<number | null> {
  if (chainId === null || !(isContract || (await isContractAnywhere(wallet, codeOnChains)))) return null;
  if (contractWallets === "refuse")
    throw tokenRefused(
      "A contract signed this token, and this service accepts no contract signatures from its issuer.",
    );
  if (chainId > MAX_CHAIN_ID)
    throw tokenRefused("A contract signed this token, on a chain that this service does not follow.");
  return Number(chainId);
}

/** The entry of the configuration that answers for the token. What it claims here is checked again with its signature. */
function issuerOf(issuers: readonly TrustedIssuer[], { issuer, audiences }: UncheckedToken): TrustedIssuer {
  const named = issuers.filter((trusted) => trusted.issuer === issuer);
  if (named.length === 0)
    throw tokenRefused("The token's issuer (`iss`) is not one that this service trusts.");
  if (audiences.length === 0) throw tokenRefused("The token has no audience (`aud`).");
  const found = named.find(
    ({ audience }) => audience === "any" || audiences.some((one) => audience.includes(one)),
  );
  if (found === undefined) throw tokenRefused("The token's audience (`aud`) is not this service.");
  return found;
}

/** The claims of a token whose signature, issuer, audience and times hold, and the key that signed it. */
async function checkSignature(
  issuer: TrustedIssuer,
  { algorithm, kid }: UncheckedToken,
  token: string,
  clock: Clock,
): Promise<{ payload: JWTPayload; key: IssuerKey }> {
  if (!issuer.algorithms.includes(algorithm))
    throw tokenRefused(`The issuer's tokens are not accepted with ${algorithm}.`);
  const options = {
    algorithms: [algorithm],
    issuer: issuer.issuer,
    ...(issuer.audience === "any" ? {} : { audience: [...issuer.audience] }),
    requiredClaims: ["exp", "iss", "aud"],
    clockTolerance: issuer.clockToleranceSeconds,
    currentDate: new Date(clock.now()),
  };
  const attempt = async () => {
    const candidates = await issuer.keys.find(algorithm, kid);
    if (candidates.length === 0)
      throw tokenRefused("The token is signed with a key that its issuer does not publish.");
    for (const key of candidates.slice(0, MAX_TRIED_KEYS)) {
      const usable = await key.forAlgorithm(algorithm).catch(() => null);
      if (usable === null) continue;
      try {
        return { payload: (await jwtVerify(token, usable, options)).payload, key };
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      }
    }
    return null;
  };
  const first = await attempt();
  if (first !== null) return first;
  // No key fits: the issuer may have put a new key under the same id, or names no ids at all.
  const second = (await issuer.keys.recheck()) ? await attempt() : null;
  if (second === null) throw new errors.JWSSignatureVerificationFailed();
  return second;
}

/** What is wrong with a token, for its sender. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return "The token has expired. Sign in again.";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "The token's signature does not verify.";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === "missing") return `The token has no \`${error.claim}\`.`;
    if (error.claim === "aud") return "The token's audience (`aud`) is not this service.";
    if (error.claim === "nbf" && error.reason === "check_failed")
      return "The token is not valid yet (`nbf`).";
    return `The token's \`${error.claim}\` is not as it must be.`;
  }
  return "The token is not a valid JWT.";
}

function digestOf(token: string): string {
  return hash("sha256", token, "base64url");
}
