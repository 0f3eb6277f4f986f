/**
 * What is said of a start that failed. Whoever asks a part that has died hears of it before the part's own end is told; so a failure
 * waits for a moment, and where a part has ended meanwhile, that is what is said.
 */
import { once } from "node:events";

/** A step of the start that failed. */
export class StepError extends Error {
  constructor(title: string, cause: unknown) {
    super(`${title}: ${wordsOf(cause)}`, { cause });
    this.name = "StepError";
  }
}

const PATIENCE_MS = 1_000;

/** What to say, or null where all is ending already: whoever ended it has said why. */
export async function failureOf(
  error: unknown,
  ending: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<string | null> {
  const patience = AbortSignal.timeout(patienceMs);
  if (!ending.aborted) await once(ending, "abort", { signal: patience }).catch(() => {});
  return ending.aborted ? null : wordsOf(error);
}

/** With what lies behind it: "fetch failed" alone says nothing. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const reason = cause instanceof Error ? cause.message : "";
  return reason === "" || message.includes(reason) ? message : `${message} (${reason})`;
}
