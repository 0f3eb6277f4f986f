import type { ReactNode } from "react";
import { counted } from "../format/amount.ts";
import { cx } from "./class-names.ts";

interface PanelProps {
  title?: ReactNode;
  /** Beside the title, at the far end: a count, a link, a choice. */
  aside?: ReactNode;
  /** Without inner space, for tables. */
  isFlush?: boolean;
  className?: string;
  children: ReactNode;
}

/** A titled part of a page. */
export function Panel({ title, aside, isFlush, className, children }: PanelProps) {
  return (
    <section className={cx("min-w-0 rounded-lg border bg-panel", className)}>
      {title && (
        <header className="flex min-h-10 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b px-3.5 py-1.5">
          <h2 className="font-semibold">{title}</h2>
          {aside && <div className="flex items-center gap-2 text-xs text-ink-3">{aside}</div>}
        </header>
      )}
      <div className={isFlush ? "" : "p-3.5"}>{children}</div>
    </section>
  );
}

/** Under a table: how many there are in all; nothing where there is none, which the table says itself. */
export function PanelCount({ total, noun }: { total: number; noun: string }) {
  if (total === 0) return null;
  return (
    <p role="status" className="num border-t px-3.5 py-2 text-xs text-ink-3">
      {counted(total, noun)}
    </p>
  );
}

/** Name and value, under each other or side by side: `<Facts><Fact name="…">…</Fact></Facts>`. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="flex flex-col divide-y">{children}</dl>;
}

export function Fact({ name, tip, children }: { name: string; tip?: string; children: ReactNode }) {
  return (
    <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-0.5 py-1.5 first:pt-0 last:pb-0">
      <dt data-tip={tip} className="text-ink-2">
        {name}
      </dt>
      <dd className="ml-auto min-w-0 text-right">{children}</dd>
    </div>
  );
}

/** Figures at the head of a page: `<Stats><Stat name="…">…</Stat></Stats>`. */
export function Stats({ children }: { children: ReactNode }) {
  return <dl className="flex flex-wrap gap-px overflow-hidden rounded-lg border bg-line">{children}</dl>;
}

export function Stat({
  name,
  tip,
  note,
  children,
}: {
  name: string;
  tip?: string;
  note?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="flex min-w-0 grow basis-[calc(50%-1px)] flex-col gap-0.5 bg-panel px-3.5 py-2.5 md:basis-36">
      <dt data-tip={tip} className="text-xs text-ink-2">
        {name}
      </dt>
      <dd className="num text-lg leading-6 font-semibold tracking-tight">{children}</dd>
      {note && <dd className="text-xs text-ink-3">{note}</dd>}
    </div>
  );
}
