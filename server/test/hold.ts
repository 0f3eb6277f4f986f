// How long the process is held: the longest piece of work between two turns of the event loop, in processor time, so that neither other
// programs on the machine nor waiting counts.

export interface Held<T> {
  result: T;
  longestMs: number;
}

/** Runs it and watches. */
export async function watchHold<T>(run: () => Promise<T>): Promise<Held<T>> {
  let longestMs = 0;
  let isOver = false;
  let before = processorMs();
  const turn = () => {
    const now = processorMs();
    longestMs = Math.max(longestMs, now - before);
    before = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    const result = await run();
    await new Promise((resolve) => setImmediate(resolve));
    return { result, longestMs };
  } finally {
    isOver = true;
  }
}

/** What the same work takes at its best, in processor time. */
export function leastOf(times: number, run: () => void): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) {
    const before = processorMs();
    run();
    leastMs = Math.min(leastMs, processorMs() - before);
  }
  return leastMs;
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
