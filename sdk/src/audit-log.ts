// Follows the audit log by cursor: every entry is handed to the handler at least once, in the order of the log, whatever is
// written meanwhile and whenever this program stops.
//
// The place is saved after the handler is done with a page. A program that dies in between is handed that page again, so the
// handler must be able to meet an entry twice (entries have an `id`); none is ever passed over.
import { open, readFile, rename } from "node:fs/promises";
import { ApiError, ApiUnreachable, type Client, createClient, type Query } from "./client.ts";
import { pause, waitOf } from "./pause.ts";
import type { ActionType, AuditEntry } from "./schema.ts";

export type { AuditEntry } from "./schema.ts";

/** Where a poller keeps its place between runs. */
export interface PlaceStore {
  /** The saved place; null when there is none yet. */
  load(): Promise<string | null>;
  save(cursor: string): Promise<void>;
}

export interface PollOptions {
  /** Where the service answers, e.g. `https://vaultops.example.com`. */
  baseUrl: string;
  /** A JWT, or what gets one; asked before every request, so that it may be renewed. */
  token: string | (() => string | Promise<string>);
  store: PlaceStore;
  /** Handed each page that holds something. What it throws is told to `onError`, and the page is handed over again. */
  handle(entries: AuditEntry[]): Promise<void> | void;
  /** Where to begin when no place is saved. Default `start`. */
  from?: "start" | "now";
  filter?: Omit<AuditQuery, "action_type" | "limit" | "cursor" | "offset" | "order"> & {
    action_type?: ActionType | ActionType[];
  };
  /** Pause when there is nothing more. Default 60,000. */
  intervalMs?: number;
  /** Entries per request, 1 to 1000. Default 100. */
  limit?: number;
  /** Of one request. Default 15,000. */
  timeoutMs?: number;
  /**
   * Told of every failure, ApiError and ApiUnreachable of the client among them; polling goes on, after `Retry-After` or a pause that grows
   * to the interval. Default: nothing.
   */
  onError?: (error: Error) => void;
  /** Ends the polling: after the current request, or the pause. */
  signal?: AbortSignal;
}

type AuditQuery = Query<"GET /api/v1/audit/logs">;

/** Polls until `signal` aborts. */
export async function pollAuditLog(options: PollOptions): Promise<void> {
  const { store, handle, intervalMs = 60_000, from = "start", onError, signal, token } = options;
  const client = createClient({
    baseUrl: options.baseUrl,
    token: () => (typeof token === "function" ? token() : token),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  });
  let cursor: string | null = null;
  let failures = 0;
  while (!signal?.aborted) {
    try {
      cursor ??= (await store.load()) ?? from;
      const page = await requestPage(client, options, cursor);
      if (page.logs.length > 0) await handle(page.logs);
      if (page.next_cursor !== cursor) await store.save(page.next_cursor);
      cursor = page.next_cursor;
      failures = 0;
      if (!page.has_more) await pause(intervalMs, signal);
    } catch (error) {
      if (signal?.aborted) return;
      onError?.(error as Error);
      failures += 1;
      const backoffMs = Math.min(1000 * 2 ** (failures - 1), intervalMs);
      await pause((error instanceof ApiError ? waitOf(error.retryAfterMs) : null) ?? backoffMs, signal);
    }
  }
}

/** Keeps the place in a file, whole or not at all: it is written beside and then renamed. */
export function fileStore(path: string): PlaceStore {
  return {
    async load() {
      try {
        return (await readFile(path, "utf8")).trim() || null;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
        throw error;
      }
    },
    async save(cursor) {
      const file = await open(`${path}.new`, "w", 0o600);
      try {
        await file.writeFile(`${cursor}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.new`, path);
    },
  };
}

interface AuditPage {
  logs: AuditEntry[];
  has_more: boolean;
  next_cursor: string;
}

async function requestPage(
  client: Client,
  { filter: { action_type, ...filter } = {}, limit = 100, signal }: PollOptions,
  cursor: string,
): Promise<AuditPage> {
  const actions = action_type === undefined ? {} : { action_type: [action_type].flat() };
  const page = await client.call("GET /api/v1/audit/logs", {
    query: { ...filter, ...actions, limit, cursor },
    ...(signal === undefined ? {} : { signal }),
  });
  if (!isPage(page)) throw new ApiUnreachable("What came is no page of the audit log.", {});
  return page;
}

/** Something between may answer 200 with anything; a place that is none must not be kept. */
function isPage(body: unknown): body is AuditPage {
  const { logs, has_more, next_cursor } = (body ?? {}) as Record<string, unknown>;
  return (
    Array.isArray(logs) &&
    typeof has_more === "boolean" &&
    typeof next_cursor === "string" &&
    next_cursor !== ""
  );
}
