/** Why a piece of the engine's work did not succeed, as its reports tell it: the contract's own error where one refused. */
import { BaseError, ContractFunctionRevertedError, type Hash } from "viem";

export class EngineFault extends Error {
  readonly code: string;
  /** The transaction that failed, where one was sent. */
  readonly hash: Hash | undefined;

  constructor(code: string, message: string, hash?: Hash) {
    super(message);
    this.code = code;
    this.hash = hash;
  }
}

const MESSAGE_LENGTH = 500;

/** Any error as a fault. */
export function faultOf(error: unknown): EngineFault {
  if (error instanceof EngineFault) return error;
  if (!(error instanceof BaseError))
    return new EngineFault("ENGINE_ERROR", error instanceof Error ? error.message : String(error));
  const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (!(revert instanceof ContractFunctionRevertedError))
    return new EngineFault("NODE_UNAVAILABLE", error.shortMessage.slice(0, MESSAGE_LENGTH));
  const name = revert.data?.errorName ?? revert.reason ?? "REVERTED";
  const args = (revert.data?.args ?? []).map(String).join(", ");
  const call = error.walk((cause) => cause instanceof Error && "functionName" in cause) as {
    functionName?: string;
  } | null;
  const message = `${call?.functionName ?? "the call"} would revert: ${name}${args ? `(${args})` : ""}`;
  return new EngineFault(name, message.slice(0, MESSAGE_LENGTH));
}
