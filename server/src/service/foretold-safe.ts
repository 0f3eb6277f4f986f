// How a Safe makes calls, as far as it is known before its owners sign: the transaction that it is given, and what it says once it has made them.
// Which hash that has, and who sends it, nobody knows yet.
import {
  type Address,
  encodeEventTopics,
  encodeFunctionData,
  type Hash,
  type Hex,
  pad,
  parseAbi,
  zeroAddress,
} from "viem";
import type { Execution } from "../chain/client/foretold-client.ts";
import type { SimulatedCall } from "../chain/client/simulate.ts";
import { MULTI_SENDS } from "../chain/controllers/safe-deployments.ts";
import { safeTransactionOf } from "../features/actions/formats/safe-transaction.ts";

const ABI = parseAbi([
  "function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)",
  "event ExecutionSuccess(bytes32 indexed txHash, uint256 payment)",
]);
/** Whichever: they are told as the calls in them. */
const [MULTI_SEND] = MULTI_SENDS;

export function executionBy(safe: Address, calls: readonly SimulatedCall[], hash: Hash): Execution {
  const made = calls.map(({ to, value, data }) => ({ to, value, data }));
  const { to, value, data, operation } = safeTransactionOf(made, 0n, MULTI_SEND!)!;
  const args = [to, value, data, operation, 0n, 0n, 0n, zeroAddress, zeroAddress, "0x"] as const;
  return {
    input: encodeFunctionData({ abi: ABI, functionName: "execTransaction", args }),
    log: {
      address: safe.toLowerCase() as Hex,
      topics: encodeEventTopics({ abi: ABI, eventName: "ExecutionSuccess", args: { txHash: hash } }) as Hex[],
      data: pad("0x"),
    },
  };
}
