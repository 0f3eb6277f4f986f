import { ChevronLeft, ChevronRight } from "lucide-react";
import { count } from "../format/amount.ts";
import { Button } from "./button.tsx";

interface PagerProps {
  /** How many entries stand before this page. */
  offset: number;
  /** How many this page shows. */
  shown: number;
  limit: number;
  total: number;
  /** Of what, in the plural. */
  noun: string;
  onOffset(offset: number): void;
}

/** Where a page stands in its list, and the way to the ones beside it. */
export function Pager({ offset, shown, limit, total, noun, onOffset }: PagerProps) {
  return (
    <nav
      aria-label={`Pages of ${noun}`}
      className="flex items-center justify-between gap-3 border-t px-3.5 py-2"
    >
      <p role="status" className="num text-xs text-ink-3">
        {total === 0
          ? `0 ${noun}`
          : `${count(offset + 1)} to ${count(offset + shown)} of ${count(total)} ${noun}`}
      </p>
      <div className="flex gap-1.5">
        <Button
          size="small"
          icon={ChevronLeft}
          aria-label="Newer"
          disabled={offset === 0}
          onClick={() => onOffset(Math.max(0, offset - limit))}
        />
        <Button
          size="small"
          icon={ChevronRight}
          aria-label="Older"
          disabled={offset + shown >= total}
          onClick={() => onOffset(offset + limit)}
        />
      </div>
    </nav>
  );
}
