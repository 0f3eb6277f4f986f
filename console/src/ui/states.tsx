// What a page shows when it has no data to show: loading, nothing there, an error, no such page. None of them is a blank or a spinner
// that stays.

import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { ApiError } from "@vaultops/sdk/client";
import { CloudOff, type LucideIcon, SearchX, ShieldX, TriangleAlert } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { Button } from "./button.tsx";
import { cx } from "./class-names.ts";
import { CopyButton } from "./copy.tsx";

/** A grey stand-in of the size of what is coming. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div
      aria-hidden
      className={cx("animate-[shimmer_1.4s_ease-in-out_infinite] rounded bg-raised", className)}
    />
  );
}

/** A page that is loading: its heading and a table's worth of rows. */
export function PageSkeleton() {
  return (
    <div role="status" aria-label="Loading">
      <Skeleton className="h-7 w-40" />
      <Skeleton className="mt-2 h-4 w-64" />
      <Skeleton className="mt-6 h-20 w-full" />
      <SkeletonRows className="mt-4" />
    </div>
  );
}

export function SkeletonRows({ rows = 8, className }: { rows?: number; className?: string }) {
  return (
    <div className={cx("flex flex-col gap-2", className)}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows stand for nothing.
        <Skeleton key={row} className="h-9 w-full" />
      ))}
    </div>
  );
}

interface EmptyProps {
  icon?: LucideIcon;
  title: string;
  /** What it means, or what to do. */
  children?: ReactNode;
  action?: ReactNode;
}

/** Nothing to show, and that is an answer. */
export function EmptyState({ icon: Icon = SearchX, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-1.5 px-4 py-12 text-center">
      <Icon aria-hidden className="mb-1 size-6 text-ink-3" />
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-md text-ink-2">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}

const RETRY_MS = 5000;

/** What went wrong in the service's words, with the request id to ask about, and a way on. Tries again by itself when the service was away. */
export function ErrorState({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const problem = error instanceof ApiError ? error : null;
  const isAway =
    problem === null ? error instanceof Error && error.name === "ApiUnreachable" : problem.status >= 502;
  useEffect(() => {
    if (!isAway || !retry) return;
    const timer = setInterval(retry, RETRY_MS);
    return () => clearInterval(timer);
  }, [isAway, retry]);
  const Icon = isAway
    ? CloudOff
    : problem?.status === 403
      ? ShieldX
      : problem?.status === 404
        ? SearchX
        : TriangleAlert;
  return (
    <div role="alert" className="flex flex-col items-center gap-1.5 px-4 py-12 text-center">
      <Icon aria-hidden className={cx("mb-1 size-6", isAway ? "text-warning" : "text-critical")} />
      <p className="font-medium">
        {problem?.title ?? (isAway ? "The service cannot be reached" : "Something went wrong here")}
      </p>
      <p className="max-w-lg break-words text-ink-2">
        {problem?.detail ?? (error instanceof Error ? error.message : String(error))}
        {isAway && retry && " It is asked again every 5 seconds."}
      </p>
      {problem?.requestId && (
        <p className="flex items-center gap-1 text-xs text-ink-3">
          Request <code className="break-all font-mono">{problem.requestId}</code>
          <CopyButton text={problem.requestId} label="request id" />
        </p>
      )}
      {retry && (
        <Button className="mt-2" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** A page whose loader or component threw. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const boundary = useQueryErrorResetBoundary();
  return (
    <ErrorState
      error={error}
      retry={() => {
        boundary.reset();
        void router.invalidate().then(reset);
      }}
    />
  );
}

export function NotFound() {
  return (
    <EmptyState
      title="There is no such page"
      action={
        <Link to="/" className="text-accent underline underline-offset-2">
          To the vaults
        </Link>
      }
    >
      The address may be mistyped, or the page may no longer exist.
    </EmptyState>
  );
}
