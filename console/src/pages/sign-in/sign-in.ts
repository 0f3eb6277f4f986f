// Signing in: a wallet signs the embedded identity provider's message (EIP-712), or a token of an outside one is handed over. Either
// way the token counts only once `auth/me` has confirmed it.
import { ApiError, ApiUnreachable } from "@vaultops/sdk/client";
import { call, serverNow } from "../../api/client.ts";
import { OutsideRefusal } from "../../api/outside-sign-in.ts";
import { beginSession } from "../../api/session.ts";
import { askWallet, type Provider, WalletRefusal } from "../../browser/ask-wallet.ts";

/** What the person is waiting for. */
export type Stage = "connect" | "sign" | "check";

/**
 * Signs in with a wallet on one of the chains that the identity provider knows: the wallet's own where it is among them.
 * Throws WalletRefusal when the wallet or its owner declines, else the API's errors.
 */
export async function signInWithWallet(
  provider: Provider,
  chainIds: readonly number[],
  onStage: (stage: Stage) => void,
): Promise<void> {
  onStage("connect");
  const accounts = await askWallet(provider, "eth_requestAccounts");
  const address = Array.isArray(accounts) ? accounts[0] : undefined;
  if (typeof address !== "string") throw new WalletRefusal("The wallet gave no account.");
  const chainId = await chooseChain(provider, chainIds);
  const challenge = await call("POST /identity/challenge", { body: { address, chain_id: chainId } });
  onStage("sign");
  const signature = await askWallet(provider, "eth_signTypedData_v4", [
    address,
    JSON.stringify(challenge.typed_data),
  ]);
  onStage("check");
  const { token } = await call("POST /identity/token", {
    body: { address, challenge_id: challenge.challenge_id, signature: String(signature) },
  });
  await signInWithToken(token);
}

/** Signs in with a token that an identity provider has issued. */
export async function signInWithToken(token: string): Promise<void> {
  const me = await call("GET /api/v1/auth/me", { headers: { authorization: `Bearer ${token}` } });
  beginSession(token, me, serverNow());
}

/** The wallet's chain where the provider knows it; else the first known one, to which the wallet is asked to change. */
async function chooseChain(provider: Provider, chainIds: readonly number[]): Promise<number> {
  const own = Number(await provider.request({ method: "eth_chainId" }).catch(() => Number.NaN));
  const [first] = chainIds;
  if (chainIds.includes(own)) return own;
  if (first === undefined)
    throw new WalletRefusal("The service follows no chain that a message could be signed for.");
  // Wallets differ in whether they insist on it; one that does says so when it is asked to sign.
  const params = [{ chainId: `0x${first.toString(16)}` }];
  await provider.request({ method: "wallet_switchEthereumChain", params }).catch(() => undefined);
  return first;
}

/** An error of signing in, in words. */
export function explain(error: unknown): { text: string; requestId: string | null } {
  if (error instanceof ApiError) return { text: error.detail, requestId: error.requestId };
  if (error instanceof WalletRefusal || error instanceof OutsideRefusal || error instanceof ApiUnreachable)
    return { text: error.message, requestId: null };
  return { text: "Something went wrong here. Try again.", requestId: null };
}
