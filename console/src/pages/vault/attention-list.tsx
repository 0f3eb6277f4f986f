import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import { cx } from "../../ui/class-names.ts";
import { Countdown, Time } from "../../ui/time.tsx";
import type { Need } from "./attention.ts";

/** What needs attention, or that nothing does. */
export function AttentionList({ needs }: { needs: readonly Need[] }) {
  if (needs.length === 0)
    return (
      <p className="mb-4 flex items-center gap-2 rounded-lg border bg-panel px-3.5 py-2 text-ink-2">
        <CircleCheck aria-hidden className="size-4 text-good" />
        Nothing needs attention.
      </p>
    );
  return (
    <ul aria-label="Needs attention" className="mb-4 overflow-hidden rounded-lg border bg-panel">
      {needs.map(({ id, tone, title, detail, since, until }) => {
        const Icon = tone === "critical" ? CircleAlert : TriangleAlert;
        return (
          <li
            key={id}
            className={cx(
              "flex flex-wrap items-baseline gap-x-3 border-b px-3.5 py-2 last:border-b-0 sm:flex-nowrap",
              tone === "critical" ? "bg-critical-wash/60" : "bg-warning-wash/50",
            )}
          >
            <Icon
              aria-hidden
              className={cx(
                "size-4 shrink-0 self-center",
                tone === "critical" ? "text-critical" : "text-warning",
              )}
            />
            <span
              className={cx(
                "font-medium sm:whitespace-nowrap",
                tone === "critical" ? "text-critical" : "text-warning",
              )}
            >
              <span className="sr-only">{tone}: </span>
              {title}
            </span>
            <span className="min-w-0 flex-1 basis-full text-ink-2 sm:basis-auto">{detail}</span>
            {since && (
              <span className="text-ink-2">
                <Time at={since} />
              </span>
            )}
            {until && (
              <span className="text-ink-2">
                in <Countdown until={until} over="due now" />
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
