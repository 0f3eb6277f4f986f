// What a call that reverted says of the reason: the error's name and arguments, where they are known. The data is the contract's to choose.
import { type AbiFunction, type Hex, zeroAddress } from "viem";
import type { Json } from "../../governance.ts";
import { type CallTable, callTable, decodeCall } from "./call.ts";

export interface DecodedError {
  selector: Hex | null;
  name: string | null;
  arguments: Readonly<Record<string, Json>> | null;
}

/** What Solidity itself and OpenZeppelin's widely used contracts revert with. */
const COMMON = [
  "Error(string message)",
  "Panic(uint256 code)",
  "OwnableUnauthorizedAccount(address account)",
  "AccessControlUnauthorizedAccount(address account, bytes32 neededRole)",
  "EnforcedPause()",
  "ExpectedPause()",
  "ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
  "ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
  "TimelockUnexpectedOperationState(bytes32 operationId, bytes32 expectedStates)",
];

/** Errors by selector; written like functions. */
export function errorTable(signatures: readonly string[]): CallTable {
  return callTable([...COMMON, ...signatures]);
}

const NONE: ReadonlyMap<string, AbiFunction> = errorTable([]);

export function decodeRevert(data: Hex, table: CallTable = NONE): DecodedError {
  if (data.length < 10) return { selector: null, name: null, arguments: null };
  const { function: name, arguments: args } = decodeCall(table, zeroAddress, data);
  return { selector: data.slice(0, 10) as Hex, name, arguments: args };
}
