import { useInfiniteQuery } from "@tanstack/react-query";
import type { AuditEntry } from "@vaultops/sdk/schema";
import { useEffect, useMemo, useState } from "react";
import { followAudit } from "../../api/audit-stream.ts";
import { filterOf, logQuery, type Search } from "./queries.ts";

/** More come by scrolling through a list that is asked for again. */
const MAX_LIVE = 2_000;

export interface Log {
  entries: readonly AuditEntry[];
  /** Entries that came while the page was open. */
  fresh: ReadonlySet<string>;
  total: number;
  isLive: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore(): void;
}

/** The log as it stands and as it grows: pages from the top, and before them what the stream brought since the first one. */
export function useLog(search: Search, follows: boolean): Log | { error: Error; retry(): void } | null {
  const query = useInfiniteQuery(logQuery(search));
  const first = query.data?.pages[0];
  const key = JSON.stringify(filterOf(search));
  const [live, setLive] = useState<{ key: string; entries: AuditEntry[]; isOn: boolean }>(IDLE);
  const cursor = first?.live_cursor;

  useEffect(() => {
    if (!follows || !cursor) return;
    const ended = new AbortController();
    setLive({ ...IDLE, key });
    const change = (next: (before: AuditEntry[]) => AuditEntry[], isOn: boolean) =>
      setLive((before) => (before.key === key ? { key, entries: next(before.entries), isOn } : before));
    void followAudit({
      query: { ...JSON.parse(key), cursor },
      signal: ended.signal,
      onLive: (isOn) => change((entries) => entries, isOn),
      onEntries: (came) => change((entries) => [...[...came].reverse(), ...entries].slice(0, MAX_LIVE), true),
    });
    return () => ended.abort();
  }, [follows, cursor, key]);

  const shown = live.key === key ? live.entries : NONE;
  const pages = query.data?.pages;
  const entries = useMemo(
    () => withoutRepeats(shown, pages?.flatMap(({ logs }) => logs) ?? []),
    [shown, pages],
  );
  const fresh = useMemo(() => new Set(shown.map(({ id }) => id)), [shown]);
  if (query.error && first === undefined) return { error: query.error, retry: () => void query.refetch() };
  if (first === undefined) return null;
  return {
    entries,
    fresh,
    total: first.total + shown.length,
    isLive: live.key === key && live.isOn,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
    },
  };
}

const NONE: AuditEntry[] = [];
const IDLE = { key: "", entries: NONE, isOn: false };

function withoutRepeats(live: readonly AuditEntry[], listed: readonly AuditEntry[]): AuditEntry[] {
  const seen = new Set<string>();
  return [...live, ...listed].filter(({ id }) => !seen.has(id) && seen.add(id));
}
