/** Lines about what failed. A node that is out would otherwise fill the screen with one and the same line. */

const SAME_FAILURE_AGAIN_MS = 60_000;

/** Tells of failures as `who: what: reason`, each kind once a minute. */
export function createFailureLog(
  who: string,
  log: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): (what: string, error: unknown) => void {
  const lastMs = new Map<string, number>();
  return (what, error) => {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    const line = `${who}: ${what}: ${message}`;
    if (Date.now() - (lastMs.get(line) ?? 0) < SAME_FAILURE_AGAIN_MS) return;
    lastMs.set(line, Date.now());
    log(line);
  };
}
