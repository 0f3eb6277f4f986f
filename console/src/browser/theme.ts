// Dark or light: the person's choice, else the system's. Kept in a cookie, as local storage holds the session's four keys and nothing else.
import { useSyncExternalStore } from "react";

export type Theme = "dark" | "light";

const system = matchMedia("(prefers-color-scheme: light)");
const listeners = new Set<() => void>();

export function startTheme(): void {
  apply();
  system.addEventListener("change", apply);
}

export function setTheme(theme: Theme): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not there on plain http, where the console may be served.
  document.cookie = `theme=${theme}; path=/; max-age=31536000; samesite=lax`;
  apply();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, current);
}

function current(): Theme {
  const chosen = /(?:^|; )theme=(dark|light)/.exec(document.cookie)?.[1] as Theme | undefined;
  return chosen ?? (system.matches ? "light" : "dark");
}

function apply(): void {
  document.documentElement.dataset.theme = current();
  for (const listener of listeners) listener();
}
