// The audit log: what was done, by whom, newest first and as it comes; every entry with its proof, all of it to be exported.
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Download, Radio, ShieldAlert, ShieldCheck, ShieldQuestion } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useNow } from "../../api/clock.ts";
import { count, counted } from "../../format/amount.ts";
import { relative } from "../../format/time.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Panel } from "../../ui/panel.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../ui/states.tsx";
import { ENTRY_COLUMNS } from "./columns.tsx";
import { EntryPanel } from "./entry-panel.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import { Filters } from "./filters.tsx";
import { type Search, verificationQuery } from "./queries.ts";
import { type Log, useLog } from "./use-log.ts";

const route = getRouteApi("/audit");

export function AuditPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/audit" });
  const [wantsLive, setWantsLive] = useState(true);
  const [isExporting, setIsExporting] = useState(false);
  // A range that has ended gets no new entries, and by block time they would not stand at the top.
  const canFollow = search.to === undefined && search.time === undefined;
  const log = useLog(search, canFollow && wantsLive);
  const isReady = log !== null && !("error" in log);
  const change = (next: Partial<Search>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  const open = (entry: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, entry }), resetScroll: false });

  return (
    <>
      <PageHeader
        title="Audit log"
        badges={<VerificationBadge />}
        description="What was done, by whom, in the order in which it was recorded."
        actions={
          <>
            {canFollow && (
              <Button
                icon={Radio}
                aria-pressed={wantsLive}
                onClick={() => setWantsLive(!wantsLive)}
                className={isReady && log.isLive ? "text-good" : "text-ink-2"}
              >
                {!wantsLive ? "Paused" : isReady && log.isLive ? "Live" : "Connecting"}
              </Button>
            )}
            <Button icon={Download} disabled={!isReady} onClick={() => setIsExporting(true)}>
              Export
            </Button>
          </>
        }
      />
      <Panel isFlush>
        <Filters search={search} onChange={change} />
        {log === null ? (
          <SkeletonRows rows={10} className="p-3.5" />
        ) : "error" in log ? (
          <ErrorState error={log.error} retry={log.retry} />
        ) : (
          <Entries log={log} onOpen={open} />
        )}
      </Panel>
      <EntryPanel id={search.entry} onClose={() => open(undefined)} />
      {isReady && (
        <ExportDialog
          search={search}
          total={log.total}
          isOpen={isExporting}
          onClose={() => setIsExporting(false)}
        />
      )}
    </>
  );
}

function Entries({ log, onOpen }: { log: Log; onOpen(entry: string): void }) {
  return (
    <>
      <p role="status" className="num border-b px-3.5 py-1.5 text-xs text-ink-3">
        {counted(log.total, "entry", "entries")}
      </p>
      <DataTable
        caption="Audit log"
        columns={ENTRY_COLUMNS}
        rows={log.entries}
        rowKey={({ id }) => id}
        rowTone={({ id }) => (log.fresh.has(id) ? "accent" : undefined)}
        onRowClick={({ id }) => onOpen(id)}
        empty={
          <EmptyState title="No entries match">
            No entries of your vaults match this filter. New entries appear here by themselves.
          </EmptyState>
        }
      />
      <More log={log} />
    </>
  );
}

/** Asks for older entries when the end of the list comes near. */
function More({ log }: { log: Log }) {
  const mark = useRef<HTMLDivElement>(null);
  const { hasMore, isLoadingMore, loadMore } = log;
  useEffect(() => {
    const element = mark.current;
    if (!element || !hasMore || isLoadingMore) return;
    // It may be told of several crossings at once: out of sight where it was first drawn, in sight where scrolling has brought it.
    const observer = new IntersectionObserver((crossings) => crossings.at(-1)?.isIntersecting && loadMore(), {
      rootMargin: "2000px",
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasMore, isLoadingMore, loadMore]);
  return (
    <div ref={mark} className="border-t px-3.5 py-2 text-center text-xs text-ink-3">
      {hasMore ? (isLoadingMore ? "Loading older entries …" : "Older entries follow") : "That is all"}
    </div>
  );
}

function VerificationBadge() {
  const { data } = useQuery(verificationQuery);
  const nowMs = useNow();
  if (!data) return null;
  if (data.status === "failed")
    return (
      <Badge tone="critical" icon={ShieldAlert} tip={data.failure?.reason ?? ""}>
        {data.failure?.seq ? `Does not verify at #${data.failure.seq}` : "Does not verify"}
      </Badge>
    );
  if (data.status === "pending" || data.checked_at === null)
    return (
      <Badge icon={ShieldQuestion} tip="The first full check of the log has not finished yet.">
        Not verified yet
      </Badge>
    );
  return (
    <Badge
      tone="good"
      icon={ShieldCheck}
      tip={`Every entry, the counts, the tree and all checkpoints, up to entry ${count(data.checked_size ?? 0)}.`}
    >
      Verified {relative(Date.parse(data.checked_at), nowMs)}
    </Badge>
  );
}
