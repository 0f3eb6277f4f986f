import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "../../ui/class-names.ts";

interface NoteProps {
  tone: "warning" | "critical";
  title: string;
  requestId?: string | null;
  children: ReactNode;
}

export function Note({ tone, title, requestId, children }: NoteProps) {
  return (
    <div
      role="alert"
      className={cx(
        "flex gap-2.5 rounded-lg border p-3",
        tone === "warning" ? "border-warning/40 bg-warning-wash" : "border-critical/40 bg-critical-wash",
      )}
    >
      <CircleAlert
        aria-hidden
        className={cx("mt-0.5 size-4 shrink-0", tone === "warning" ? "text-warning" : "text-critical")}
      />
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <p className="break-words text-ink-2">{children}</p>
        {requestId && <p className="mt-1 break-all font-mono text-2xs text-ink-2">request {requestId}</p>}
      </div>
    </div>
  );
}
