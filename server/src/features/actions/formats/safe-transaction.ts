// A Safe's transaction and the hashes that its owners sign: what a signing device shows is compared with these.
//
// All of it follows from Safe, chain, nonce and call. Refunds are off (no gas price, no gas token), as Safe's own interface has it.
import {
  type Address,
  concat,
  domainSeparator,
  encodeFunctionData,
  type Hex,
  hashStruct,
  keccak256,
  parseAbi,
  zeroAddress,
} from "viem";
import type { FormattedCall } from "./call.ts";
import { multiSendData } from "./multi-send.ts";

export interface SafePlace {
  chainId: number;
  safe: Address;
}

export interface SafeTransaction {
  to: Address;
  value: bigint;
  data: Hex;
  /** 1: a delegatecall, to MultiSendCallOnly. */
  operation: 0 | 1;
  nonce: bigint;
}

/** What devices show: `safeTxHash` is what is signed, made of the other two. */
export interface SafeHashes {
  domain: Hex;
  message: Hex;
  safeTxHash: Hex;
}

const DOMAIN_TYPES = [
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const;

const SAFE_TX = [
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "data", type: "bytes" },
  { name: "operation", type: "uint8" },
  { name: "safeTxGas", type: "uint256" },
  { name: "baseGas", type: "uint256" },
  { name: "gasPrice", type: "uint256" },
  { name: "gasToken", type: "address" },
  { name: "refundReceiver", type: "address" },
  { name: "nonce", type: "uint256" },
] as const;

const APPROVE = parseAbi(["function approveHash(bytes32 hashToApprove)"]);

/** One call goes directly; several need MultiSendCallOnly, without which (`multiSend` null) there is no such transaction. */
export function safeTransactionOf(
  calls: readonly Pick<FormattedCall, "to" | "value" | "data">[],
  nonce: bigint,
  multiSend: Address | null,
): SafeTransaction | null {
  const [first, ...others] = calls;
  if (!first) return null;
  if (others.length === 0) return { to: first.to, value: first.value, data: first.data, operation: 0, nonce };
  if (multiSend === null) return null;
  return { to: multiSend, value: 0n, data: multiSendData(calls), operation: 1, nonce };
}

/** What a transaction of others may say besides. */
export interface SafeRefund {
  safeTxGas: bigint;
  baseGas: bigint;
  gasPrice: bigint;
  gasToken: Address;
  refundReceiver: Address;
}

/** Of what is prepared here: whoever sends it pays for it. */
export const NO_REFUND: SafeRefund = {
  safeTxGas: 0n,
  baseGas: 0n,
  gasPrice: 0n,
  gasToken: zeroAddress,
  refundReceiver: zeroAddress,
};

/** From 1.3.0 on: before, the domain held no chain. */
export function safeHashesOf(
  place: SafePlace,
  transaction: SafeTransaction & Partial<SafeRefund>,
): SafeHashes {
  return hashesIn(domainOf(place), messageOf(transaction));
}

/** Those of every version, the newer first: which version a Safe had is told by the hash that it names. */
export function anySafeHashesOf(place: SafePlace, transaction: SafeTransaction & SafeRefund): SafeHashes[] {
  const old = domainSeparator({
    domain: { verifyingContract: place.safe },
    types: { EIP712Domain: [DOMAIN_TYPES[1]] },
  } as Parameters<typeof domainSeparator>[0]);
  const message = messageOf(transaction);
  return [hashesIn(domainOf(place), message), hashesIn(old, message)];
}

function messageOf(transaction: SafeTransaction & Partial<SafeRefund>): Hex {
  return hashStruct({
    primaryType: "SafeTx",
    types: { SafeTx: SAFE_TX },
    data: { ...NO_REFUND, ...transaction },
  });
}

function hashesIn(domain: Hex, message: Hex): SafeHashes {
  return { domain, message, safeTxHash: keccak256(signedBytes(domain, message)) };
}

/** What EIP-712 hashes: two bytes, the domain, the message. */
export function signedBytes(domain: Hex, message: Hex): Hex {
  return concat(["0x1901", domain, message]);
}

export function domainOf({ chainId, safe }: SafePlace): Hex {
  return domainSeparator({
    domain: { chainId: BigInt(chainId), verifyingContract: safe },
    types: { EIP712Domain: DOMAIN_TYPES },
  } as Parameters<typeof domainSeparator>[0]);
}

/**
 * By what a Safe that owns a Safe approves its transaction on the chain: a transaction of its own, with its own nonce and its own hashes, that
 * calls the other Safe, carries no value and no gas of the other's, and whatever the other's operation is, is a plain call.
 */
export function approvalOf(safe: Address, safeTxHash: Hex, ownerNonce: bigint): SafeTransaction {
  const data = encodeFunctionData({ abi: APPROVE, functionName: "approveHash", args: [safeTxHash] });
  return { to: safe, value: 0n, data, operation: 0, nonce: ownerNonce };
}
