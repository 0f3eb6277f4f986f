// Short notices at the edge of the page: `toast({ tone, title, detail })` from anywhere.

import { ApiError } from "@vaultops/sdk/client";
import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import type { Tone } from "./badge.tsx";
import { cx } from "./class-names.ts";

interface Notice {
  tone: Extract<Tone, "good" | "warning" | "critical" | "accent">;
  title: string;
  detail?: string;
}

let notices: readonly (Notice & { id: number })[] = [];
let made = 0;
const listeners = new Set<() => void>();

export function toast(notice: Notice): void {
  made += 1;
  set([...notices.slice(-3), { ...notice, id: made }]);
}

/** Tells of a failed action: what the service says, and under which request id. */
export function toastError(title: string, error: unknown): void {
  const id = error instanceof ApiError && error.requestId ? ` (request ${error.requestId})` : "";
  toast({ tone: "critical", title, detail: `${(error as Error).message}${id}` });
}

const ICONS = { good: CircleCheck, warning: CircleAlert, critical: CircleAlert, accent: Info };
const COLOURS = {
  good: "text-good",
  warning: "text-warning",
  critical: "text-critical",
  accent: "text-accent",
};
const SHOWN_MS = 6000;

/** Where notices appear: once, in the layout. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => notices);
  return (
    <section
      aria-label="Notices"
      aria-live="polite"
      className="pointer-events-none fixed right-3 bottom-3 z-50 flex w-[min(24rem,calc(100vw-1.5rem))] flex-col gap-2"
    >
      {shown.map((notice) => (
        <OneNotice key={notice.id} {...notice} />
      ))}
    </section>
  );
}

function OneNotice({ id, tone, title, detail }: Notice & { id: number }) {
  useEffect(() => {
    // What went wrong stays until it has been read.
    if (tone === "critical") return;
    const timer = setTimeout(() => dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, tone]);
  const Icon = ICONS[tone];
  return (
    <div className="pointer-events-auto flex animate-[arrive_0.15s] items-start gap-2.5 rounded-lg border border-line-strong bg-panel p-3 shadow-[var(--shadow)]">
      <Icon aria-hidden className={cx("mt-0.5 size-4 shrink-0", COLOURS[tone])} />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        {detail && <p className="break-words text-xs text-ink-2">{detail}</p>}
      </div>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => dismiss(id)}
        className="rounded p-0.5 text-ink-3 hover:text-ink"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </div>
  );
}

function dismiss(id: number): void {
  set(notices.filter((notice) => notice.id !== id));
}

function set(next: typeof notices): void {
  notices = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
