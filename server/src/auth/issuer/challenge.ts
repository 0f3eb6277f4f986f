// Sign-in challenges: what a wallet is asked to sign, and the memory that each serves once.
// Guarantee: a signature signs in only here and only once. The message names this service's host, a chain (by the domain
// separator), a nonce and an expiry; spending a challenge deletes its row, so of many concurrent uses one succeeds. It lives an hour, since
// the owners of a multisig sign one after another; how long a key has is said where its signature is taken.
import { randomBytes, randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Address } from "viem";
import { type Database, executeNamed } from "../../platform/db/db.ts";
import { timestampOfMs } from "../../platform/http/time.ts";

const CHALLENGE_SECONDS = 3_600;
/** A challenge may be presented a few times, as a wallet may be asked again, but is not a place to guess. */
const MAX_ATTEMPTS = 10;
/** And once more for every so many seconds of its age: who waits for a multisig asks again and again. */
const ATTEMPT_SECONDS = 10;
const STATEMENT = "Sign in to VaultOps. This is not a transaction and costs nothing.";

export interface Challenge {
  id: string;
  wallet: Address;
  chainId: number;
  nonce: string;
  /** In the API's form, as signed. */
  issuedAt: string;
  expiresAt: string;
}

/** Typed data for `eth_signTypedData_v4` (EIP-712). */
export interface SignInTypedData {
  domain: { name: "VaultOps"; version: "1"; chainId: number };
  types: typeof TYPES;
  primaryType: "SignIn";
  message: {
    wallet: Address;
    domain: string;
    uri: string;
    statement: string;
    nonce: string;
    issuedAt: string;
    expirationTime: string;
  };
}

const TYPES = {
  EIP712Domain: [
    { name: "name", type: "string" },
    { name: "version", type: "string" },
    { name: "chainId", type: "uint256" },
  ],
  SignIn: [
    { name: "wallet", type: "address" },
    { name: "domain", type: "string" },
    { name: "uri", type: "string" },
    { name: "statement", type: "string" },
    { name: "nonce", type: "string" },
    { name: "issuedAt", type: "string" },
    { name: "expirationTime", type: "string" },
  ],
} as const;

/** What the wallet signs for a challenge of the service at `authUrl`. */
export function typedDataOf(challenge: Challenge, authUrl: string): SignInTypedData {
  return {
    domain: { name: "VaultOps", version: "1", chainId: challenge.chainId },
    types: TYPES,
    primaryType: "SignIn",
    message: {
      wallet: challenge.wallet,
      domain: new URL(authUrl).host,
      uri: authUrl,
      statement: STATEMENT,
      nonce: challenge.nonce,
      issuedAt: challenge.issuedAt,
      expirationTime: challenge.expiresAt,
    },
  };
}

/** Makes and stores a challenge for the wallet; removes some that have run out. */
export async function issueChallenge(
  db: Pick<Database, "kysely">,
  wallet: Address,
  chainId: number,
  nowMs: number,
): Promise<Challenge> {
  const challenge: Challenge = {
    id: randomUUID(),
    wallet,
    chainId,
    nonce: randomBytes(24).toString("base64url"),
    issuedAt: timestampOfMs(nowMs),
    expiresAt: timestampOfMs(nowMs + CHALLENGE_SECONDS * 1000),
  };
  const { id, nonce, issuedAt, expiresAt } = challenge;
  await executeNamed(
    db.kysely,
    "challenge_issue",
    sql`
      with gone as (
        delete from challenges where id in (
          select id from challenges where expires_at <= ${issuedAt} order by expires_at limit 20 for update skip locked))
      insert into challenges (id, wallet, chain_id, nonce, issued_at, expires_at)
      values (${id}, ${wallet}, ${chainId}, ${nonce}, ${issuedAt}, ${expiresAt})`,
  );
  return challenge;
}

/** The open challenge with that id, counted as presented; null when it is unknown, spent, expired or presented too often. */
export async function presentChallenge(
  db: Pick<Database, "kysely">,
  id: string,
  nowMs: number,
): Promise<Challenge | null> {
  const now = timestampOfMs(nowMs);
  const { rows } = await executeNamed(
    db.kysely,
    "challenge_present",
    sql<{ wallet: Address; chain_id: number; nonce: string; issued_at: string; expires_at: string }>`
      update challenges set attempts = attempts + 1
      where id = ${id} and expires_at > ${now}
        and attempts < ${MAX_ATTEMPTS} + extract(epoch from ${now}::timestamptz - issued_at) / ${ATTEMPT_SECONDS}
      returning wallet, chain_id, nonce, issued_at, expires_at`,
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    id,
    wallet: row.wallet,
    chainId: row.chain_id,
    nonce: row.nonce,
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
  };
}

/** Uses the challenge up: true for exactly one of all who try. */
export async function spendChallenge(
  db: Pick<Database, "kysely">,
  id: string,
  nowMs: number,
): Promise<boolean> {
  const { rows } = await executeNamed(
    db.kysely,
    "challenge_spend",
    sql`delete from challenges where id = ${id} and expires_at > ${timestampOfMs(nowMs)} returning id`,
  );
  return rows.length === 1;
}
