// One clock for all that ticks on a page: every countdown and "ago" moves in the same second, at the cost of one timer.
import { useSyncExternalStore } from "react";
import { serverNow } from "./client.ts";

let nowMs = serverNow();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** Milliseconds now by the service's clock, renewed every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  nowMs = serverNow();
  for (const listener of listeners) listener();
}
