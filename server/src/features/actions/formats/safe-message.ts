// The other way in which a Safe that owns a Safe agrees: its owners sign off the chain, and the signature is checked by EIP-1271.
//
// What they sign is a message of the owning Safe, and what is in that message depends on the version of the Safe that asks: up to 1.4.1 it
// hands over the 66 bytes that its own hash is made of, from 1.5.0 on the hash itself.
import { type Hex, hashStruct, keccak256 } from "viem";
import type { SafeVersion } from "./multi-send.ts";
import { domainOf, type SafeHashes, type SafePlace, signedBytes } from "./safe-transaction.ts";

export interface SafeMessage {
  /** What the message is about, as `SafeMessage.message` has it. */
  content: Hex;
  hashes: SafeHashes;
}

/** For the owners of the Safe at `owner`, which owns the Safe whose transaction has these hashes. */
export function safeMessageOf(owner: SafePlace, asking: SafeHashes, askingVersion: SafeVersion): SafeMessage {
  const content = askingVersion === "1.5.0" ? asking.safeTxHash : signedBytes(asking.domain, asking.message);
  const domain = domainOf(owner);
  const message = hashStruct({
    primaryType: "SafeMessage",
    types: { SafeMessage: [{ name: "message", type: "bytes" }] },
    data: { message: content },
  });
  return { content, hashes: { domain, message, safeTxHash: keccak256(signedBytes(domain, message)) } };
}
