// A Safe signs in by a transaction of its owners: it delegates to SignMessageLib, which notes the challenge's hash as approved, and from
// then on the Safe accepts the empty signature of it.
import { ApiError } from "@vaultops/sdk/client";
import { call, serverNow } from "../../api/client.ts";
import { signInWithToken } from "./sign-in.ts";

/** Where Safe's own deployments put SignMessageLib, on every chain alike. */
export const SIGN_MESSAGE_LIBS = [
  ["1.4.1", "0xd53cd0aB83D845Ac265BE939c57F53AD838012c9"],
  ["1.3.0", "0xA65387F16B013cf2Af4605Ad8aA5ec25a2cbA3a2"],
] as const;

export interface Approval {
  address: string;
  challengeId: string;
  expiresAt: string;
  /** Calldata of `signMessage(bytes)` with the challenge's hash. */
  data: string;
}

export async function beginApproval(address: string, chainId: number): Promise<Approval> {
  const challenge = await call("POST /identity/challenge", { body: { address, chain_id: chainId } });
  return {
    address,
    challengeId: challenge.challenge_id,
    expiresAt: challenge.expires_at,
    data: signMessageOf(challenge.hash),
  };
}

/** ABI: one dynamic argument at offset 32, of 32 bytes. */
export function signMessageOf(hash: string): string {
  const word = (value: number) => value.toString(16).padStart(64, "0");
  return `0x85a5affe${word(32)}${word(32)}${hash.slice(2)}`;
}

/** Signs in, if the owners have approved; false while they have not. Throws once the challenge has run out. */
export async function tryApproval({ address, challengeId, expiresAt }: Approval): Promise<boolean> {
  try {
    const { token } = await call("POST /identity/token", {
      body: { address, challenge_id: challengeId, signature: "0x" },
    });
    await signInWithToken(token);
    return true;
  } catch (error) {
    const isOver = serverNow() >= Date.parse(expiresAt);
    // Not yet, or the chain's node is away for a moment: asked again, as long as the challenge lives.
    if (!isOver && error instanceof ApiError && [401, 429, 503].includes(error.status)) return false;
    throw error;
  }
}
