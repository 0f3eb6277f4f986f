// The client's side of the programmatic flow: a private key signs a challenge, the embedded identity provider answers with a JWT.
// For `vaultops token` and the demo. Guarantee: it signs a sign-in to the service that it asked, and nothing else that it is given.
import { isDeepStrictEqual } from "node:util";
import type { Address, Hex, TypedDataDefinition } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type SignInTypedData, typedDataOf } from "../auth/issuer/challenge.ts";

export interface TokenRequestOptions {
  /** Where the service answers, such as http://127.0.0.1:8080. */
  baseUrl: string;
  /** From the environment; never an argument of a command, which other users of the machine can read. */
  privateKey: Hex;
  scope?: "full" | "read";
  expiresInSeconds?: number;
  /** The chain to sign in on; by default the first that the service offers. */
  chainId?: number;
}

/** Signs in and returns the JWT. Throws an Error whose message says what to do. */
export async function tokenCommand(options: TokenRequestOptions): Promise<string> {
  const account = privateKeyToAccount(options.privateKey);
  const config = await ask<{ embedded: { auth_url: string; chain_ids: number[] } | null }>(
    new URL("/api/v1/auth/config", options.baseUrl),
  );
  if (config.embedded === null) {
    throw new Error(
      "This service has no embedded identity provider (auth.embedded). Get a token from the provider that it trusts.",
    );
  }
  const { auth_url: authUrl, chain_ids: chainIds } = config.embedded;
  const chainId = options.chainId ?? chainIds[0];
  if (chainId === undefined) throw new Error("This service offers no chain to sign in on.");
  const challenge = await ask<{ challenge_id: string; typed_data: SignInTypedData }>(`${authUrl}/challenge`, {
    address: account.address,
    chain_id: chainId,
  });
  const typedData = expectedTypedData(challenge.typed_data, account.address, chainId, authUrl);
  const { token } = await ask<{ token: string }>(`${authUrl}/token`, {
    address: account.address,
    challenge_id: challenge.challenge_id,
    signature: await account.signTypedData(typedData as unknown as TypedDataDefinition),
    ...(options.scope === undefined ? {} : { scope: options.scope }),
    ...(options.expiresInSeconds === undefined ? {} : { expires_in: options.expiresInSeconds }),
  });
  return token;
}

/**
 * What is signed: a sign-in to this very service, made here and not taken from the answer, of which only the nonce and the times
 * are used. An answer that is anything else, such as a permit for somebody's tokens, is refused.
 */
function expectedTypedData(
  given: SignInTypedData,
  wallet: Address,
  chainId: number,
  authUrl: string,
): SignInTypedData {
  const { nonce = "", issuedAt = "", expirationTime = "" } = given?.message ?? {};
  const expected = typedDataOf(
    { id: "", wallet, chainId, nonce, issuedAt, expiresAt: expirationTime },
    authUrl,
  );
  if (!isDeepStrictEqual(given, expected)) {
    throw new Error(`The message is not a sign-in of ${wallet} to ${authUrl}: it was not signed.`);
  }
  return expected;
}

/** GET, or POST of a JSON body. Throws with the problem's detail on a status other than 2xx. */
async function ask<T>(url: string | URL, body?: unknown): Promise<T> {
  const init =
    body === undefined
      ? {}
      : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(url, {
    ...init,
    redirect: "error",
    signal: AbortSignal.timeout(15_000),
  }).catch((error: Error) => {
    throw new Error(
      `${new URL(url).origin} does not answer (${error.cause instanceof Error ? error.cause.message : error.message}).`,
    );
  });
  const answer = (await response.json().catch(() => null)) as (T & { detail?: string }) | null;
  if (!response.ok || answer === null)
    throw new Error(`${new URL(url).origin} answered ${response.status}: ${answer?.detail ?? "no detail"}`);
  return answer;
}
