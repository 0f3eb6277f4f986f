// ChainFault: the one error of the chain layer. Its code says what a caller may do about it.

export type ChainFaultCode =
  /** Every URL that answers serves another chain than configured. */
  | "wrong_chain"
  /** No URL answered within the deadline. Try again later. */
  | "unavailable"
  /** A block that should exist stayed null. Try again later. */
  | "block_missing"
  /** Header, logs or transactions contradict each other: a reorganisation under way, or a lagging node. Ask from the head again. */
  | "inconsistent"
  /** The node holds no state for that block (no archive). Read at a later block. */
  | "state_missing"
  /** The node refused the request itself. Retrying the same is of no use. */
  | "refused";

export class ChainFault extends Error {
  readonly code: ChainFaultCode;

  constructor(code: ChainFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ChainFault";
    this.code = code;
  }
}

export function isChainFault(error: unknown, ...codes: ChainFaultCode[]): error is ChainFault {
  return error instanceof ChainFault && (codes.length === 0 || codes.includes(error.code));
}
