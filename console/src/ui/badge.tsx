import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./class-names.ts";

export type Tone = "good" | "warning" | "critical" | "accent" | "neutral";

const TONES: Record<Tone, string> = {
  good: "bg-good-wash text-good",
  warning: "bg-warning-wash text-warning",
  critical: "bg-critical-wash text-critical",
  accent: "bg-accent-wash text-accent",
  neutral: "bg-raised text-ink-2",
};

/** A state in a word. The colour only repeats what the word says. */
export function Badge({
  tone = "neutral",
  icon: Icon,
  tip,
  children,
}: {
  tone?: Tone;
  icon?: LucideIcon;
  tip?: string;
  children: ReactNode;
}) {
  return (
    <span
      data-tip={tip}
      className={cx(
        "inline-flex h-5 shrink-0 items-center gap-1 whitespace-nowrap rounded px-1.5 text-2xs font-medium",
        TONES[tone],
      )}
    >
      {Icon && <Icon aria-hidden className="size-3" />}
      {children}
    </span>
  );
}

const DOTS: Record<Tone, string> = {
  good: "bg-good",
  warning: "bg-warning",
  critical: "bg-critical",
  accent: "bg-accent",
  neutral: "bg-ink-3",
};

/** A dot in the colour of a state, always beside the word that says it. */
export function Dot({ tone }: { tone: Tone }) {
  return <span aria-hidden className={cx("inline-block size-1.5 shrink-0 rounded-full", DOTS[tone])} />;
}
