// The banner of a page that stopped refreshing. It watches every query in use, so no page has to think of it.
import { useQueryClient } from "@tanstack/react-query";
import { ApiError } from "@vaultops/sdk/client";
import { RefreshCw, WifiOff } from "lucide-react";
import { useCallback, useSyncExternalStore } from "react";
import { useNow } from "../api/clock.ts";
import { relative, utcClock } from "../format/time.ts";
import { Button } from "../ui/button.tsx";

/** Says since when the page has not been refreshed, and why; shows nothing while all is well. */
export function StaleBanner() {
  const queries = useQueryClient();
  const cache = queries.getQueryCache();
  const worst = useCallback(() => {
    let found: { since: number; error: unknown } | null = null;
    for (const query of cache.getAll()) {
      const { data, dataUpdatedAt, error, fetchFailureReason } = query.state;
      const failure = error ?? fetchFailureReason;
      if (!query.isActive() || data === undefined || failure === null) continue;
      if (found === null || dataUpdatedAt < found.since) found = { since: dataUpdatedAt, error: failure };
    }
    return found === null ? "" : `${found.since} ${textOf(found.error)}`;
  }, [cache]);
  const shown = useSyncExternalStore(
    useCallback((listener) => cache.subscribe(listener), [cache]),
    worst,
  );
  if (shown === "") return null;
  const [since = "0", ...why] = shown.split(" ");
  return (
    <div
      role="status"
      className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-warning/40 bg-warning-wash px-3 py-2 text-warning"
    >
      <WifiOff aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1">
        <strong className="font-semibold">
          Not refreshed since <Since ms={Number(since)} />
        </strong>{" "}
        {why.join(" ")} What you see is what was known then.
      </p>
      <Button size="small" icon={RefreshCw} onClick={() => void queries.refetchQueries({ type: "active" })}>
        Try now
      </Button>
    </div>
  );
}

function Since({ ms }: { ms: number }) {
  const nowMs = useNow();
  return (
    <span className="num">
      {utcClock(ms)} ({relative(ms, nowMs)}).
    </span>
  );
}

function textOf(error: unknown): string {
  if (error instanceof ApiError) return `${error.detail} (request ${error.requestId ?? "unknown"})`;
  return error instanceof Error ? error.message : String(error);
}
