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
  /** The node answered with the state of another block than the one asked for. What it says of the past is of no use. */
  | "other_block"
  /** A call failed for a reason that says nothing of the contract. Try again later. */
  | "unread"
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

/** What may befall one thing that is asked for while the node answers others: it may be gone on without that thing. */
export function isAboutOneThing(error: unknown): error is ChainFault {
  return error instanceof ChainFault && error.code !== "wrong_chain" && error.code !== "unavailable";
}
