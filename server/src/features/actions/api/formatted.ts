// A prepared action in the formats that wallets and Safes take. Made when it is served, of what is stored.
import {
  type AbiFunction,
  type Address,
  decodeFunctionData,
  type Hex,
  parseAbiItem,
  toFunctionSelector,
} from "viem";
import { CONTROLLER_ACTIONS } from "../../../chain/controllers/actions.ts";
import type { Families } from "../../../chain/families/family/family.ts";
import type { FormattedCall } from "../formats/call.ts";
import { sendCallsOf } from "../formats/eip-5792.ts";
import type { SafeVersion } from "../formats/multi-send.ts";
import { builderFileOf } from "../formats/safe-builder.ts";
import { safeMessageOf } from "../formats/safe-message.ts";
import {
  approvalOf,
  NO_REFUND,
  type SafeHashes,
  type SafePlace,
  type SafeTransaction,
  safeHashesOf,
  safeTransactionOf,
} from "../formats/safe-transaction.ts";

export interface Formattable {
  chainId: number;
  title: string;
  from: Address;
  isSafe: boolean;
  /** Of the Safe; null where it is none of those whose hashes are known. */
  version: SafeVersion | null;
  safeNonce: bigint | null;
  /** Safes that own the Safe. */
  ownerSafes: readonly Address[];
  /** Of the transaction by which such a Safe approves; null: not told. */
  ownerNonce: bigint | null;
  /** Unix milliseconds. */
  createdAtMs: number;
  calls: readonly { to: Address; value: bigint; data: Hex }[];
  /** Where the Safe's several calls are put together; null where no such contract is known there. */
  multiSend: Address | null;
}

/** The functions that actions call, by selector. */
export function functionsOf(families: Families): ReadonlyMap<string, AbiFunction> {
  const actions = [
    ...Object.values(families).flatMap((family) => family.actions ?? []),
    ...CONTROLLER_ACTIONS,
  ];
  const signatures = new Set([
    ...actions.flatMap((action) => action.functions.map(({ signature }) => signature)),
    // What comes before a payment.
    "approve(address spender, uint256 value)",
  ]);
  return new Map(
    [...signatures].map((signature) => {
      const abi = parseAbiItem(`function ${signature}`) as AbiFunction;
      return [toFunctionSelector(abi), abi];
    }),
  );
}

export function formatsOf(action: Formattable, functions: ReadonlyMap<string, AbiFunction>) {
  const { chainId, from, isSafe, safeNonce, title } = action;
  const calls = action.calls.map((call) => formatted(call, functions));
  const transaction =
    isSafe && safeNonce !== null ? safeTransactionOf(action.calls, safeNonce, action.multiSend) : null;
  return {
    eip5792: sendCallsOf(chainId, from, action.calls),
    safe_transaction_builder: builderFileOf({
      chainId,
      safe: isSafe ? from : null,
      name: title,
      description: "",
      createdAtMs: action.createdAtMs,
      calls,
    }),
    ...(transaction && { safe: safeOf(action, transaction) }),
  };
}

function safeOf(
  { chainId, from, version, ownerSafes, ownerNonce }: Formattable,
  transaction: SafeTransaction,
) {
  const hashes = safeHashesOf({ chainId, safe: from }, transaction);
  return {
    ...signed(transaction, hashes),
    owner_safes: ownerSafes.map((safe) => {
      const owner = { chainId, safe };
      return {
        safe,
        approval:
          ownerNonce === null ? null : approvalBy(owner, approvalOf(from, hashes.safeTxHash, ownerNonce)),
        signature: version === null ? null : signatureBy(owner, hashes, version),
      };
    }),
  };
}

const approvalBy = (owner: SafePlace, approval: SafeTransaction) =>
  signed(approval, safeHashesOf(owner, approval));

function signatureBy(owner: SafePlace, asking: SafeHashes, version: SafeVersion) {
  const { content, hashes } = safeMessageOf(owner, asking, version);
  const { domain, message, safeTxHash } = hashes;
  return { content, domain, message, safe_message_hash: safeTxHash };
}

/** By the names that Safes and their tools give it. */
function signed({ to, value, data, operation, nonce }: SafeTransaction, hashes: SafeHashes) {
  return {
    transaction: {
      to,
      value: value.toString(),
      data,
      operation,
      safeTxGas: NO_REFUND.safeTxGas.toString(),
      baseGas: NO_REFUND.baseGas.toString(),
      gasPrice: NO_REFUND.gasPrice.toString(),
      gasToken: NO_REFUND.gasToken,
      refundReceiver: NO_REFUND.refundReceiver,
      nonce: nonce.toString(),
    },
    domain: hashes.domain,
    message: hashes.message,
    safe_tx_hash: hashes.safeTxHash,
  };
}

/** What another release prepared by a function that this one does not list is told by its bytes alone. */
function formatted(
  call: { to: Address; value: bigint; data: Hex },
  functions: ReadonlyMap<string, AbiFunction>,
): FormattedCall {
  const abi = functions.get(call.data.slice(0, 10)) ?? UNLISTED;
  const { args } = abi === UNLISTED ? { args: [] } : decodeFunctionData({ abi: [abi], data: call.data });
  return { ...call, abi, arguments: (args ?? []) as readonly unknown[] };
}

const UNLISTED: AbiFunction = {
  type: "function",
  name: "unlisted",
  inputs: [],
  outputs: [],
  stateMutability: "nonpayable",
};
