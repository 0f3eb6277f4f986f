import type { UseQueryResult } from "@tanstack/react-query";
import { ApiError } from "@vaultops/sdk/client";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Skeleton } from "./states.tsx";

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  /** Rows of the stand-in while it loads, about as tall as what comes. */
  rows?: number;
  /** For an answer that is no error here, such as "no shard runs". */
  whenCode?: Record<string, ReactNode>;
  children(data: Data): ReactNode;
}

/** A part of a page with a query of its own: a stand-in while it loads, what is wrong when it fails, else the data. */
export function Loaded<Data>({ query, rows = 3, whenCode, children }: LoadedProps<Data>) {
  const { data, error } = query;
  if (data !== undefined) return children(data);
  if (error === null) return <Skeleton className={ROWS[Math.min(rows, ROWS.length - 1)] ?? ""} />;
  const code = error instanceof ApiError ? error.code : null;
  if (code !== null && whenCode && code in whenCode) return whenCode[code];
  return (
    <div role="alert" className="flex flex-wrap items-center justify-between gap-2">
      <p className="min-w-0 break-words text-critical">
        {error.message}
        {error instanceof ApiError && error.requestId && (
          <span className="block break-all font-mono text-2xs text-ink-3">request {error.requestId}</span>
        )}
      </p>
      <Button size="small" onClick={() => void query.refetch()}>
        Try again
      </Button>
    </div>
  );
}

const ROWS = ["", "h-9", "h-[4.5rem]", "h-[6.75rem]", "h-36", "h-44", "h-52", "h-60"];

/** A quiet line where a part has nothing to show. */
export function Nothing({ children }: { children: ReactNode }) {
  return <p className="text-ink-3">{children}</p>;
}
