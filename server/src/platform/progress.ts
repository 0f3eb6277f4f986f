// Shows the progress of long work to whoever waits at a terminal.

const EVERY_MS = 2_000;

/** A teller that passes a line on at most every two seconds; what is passed on is made only then. */
export function tellSlowly(tell: (line: string) => void): (line: () => string) => void {
  let toldAtMs = performance.now();
  return (line) => {
    if (performance.now() - toldAtMs < EVERY_MS) return;
    toldAtMs = performance.now();
    tell(line());
  };
}
