// Whether amounts are shown exact instead of short. A pointer has the exact amount on hover; this is for the keyboard, for reading
// aloud and for copying. For as long as the page is open: it starts short.
import { useSyncExternalStore } from "react";

let isExact = false;
const listeners = new Set<() => void>();

export function toggleExact(): void {
  isExact = !isExact;
  for (const listener of listeners) listener();
}

export function useExact(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isExact,
  );
}
