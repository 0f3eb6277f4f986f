import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import { alertIdOf } from "../../browser/paths.ts";
import { cx } from "../../ui/class-names.ts";
import { Time } from "../../ui/time.tsx";
import type { VaultState } from "./queries.ts";

/** What the service says is wrong with the vault, each leading to its alert; nothing to those whom it does not tell. */
export function AttentionList({ attention }: Pick<VaultState, "attention">) {
  if (attention === null) return null;
  if (attention.length === 0)
    return (
      <p className="mb-4 flex items-center gap-2 rounded-lg border bg-panel px-3.5 py-2 text-ink-2">
        <CircleCheck aria-hidden className="size-4 text-good" />
        Nothing needs attention.
      </p>
    );
  return (
    <ul aria-label="Needs attention" className="mb-4 overflow-hidden rounded-lg border bg-panel">
      {attention.map(({ severity, since, text, link }) => {
        const Icon = severity === "critical" ? CircleAlert : TriangleAlert;
        const tone = severity === "critical" ? "text-critical" : "text-warning";
        return (
          <li
            key={link}
            className={cx(
              "flex flex-wrap items-baseline gap-x-3 border-b px-3.5 py-2 last:border-b-0 sm:flex-nowrap",
              severity === "critical" ? "bg-critical-wash/60" : "bg-warning-wash/50",
            )}
          >
            <Icon aria-hidden className={cx("size-4 shrink-0 self-center", tone)} />
            <span className={cx("min-w-0 flex-1 font-medium", tone)}>
              <span className="sr-only">{severity}: </span>
              <Link to="/alerts/$alertId" params={{ alertId: alertIdOf(link) }} className="hover:underline">
                {text}
              </Link>
            </span>
            <span className="text-ink-2">
              <Time at={since} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
