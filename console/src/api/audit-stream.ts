// The audit log as it grows: server-sent events read with `fetch`, since EventSource cannot carry a token. Goes on from the last entry
// after every break, so that none is missed and none comes twice.
import { ApiError, type Query } from "@vaultops/sdk/client";
import type { AuditEntry } from "@vaultops/sdk/schema";
import { api } from "./client.ts";

interface FollowOptions {
  /** Which entries; `cursor`: from where, else from now on. */
  query: Query<"GET /api/v1/audit/stream">;
  signal: AbortSignal;
  /** Several at once where they came at once. */
  onEntries(entries: AuditEntry[]): void;
  /** Whether entries come in as they are written. */
  onLive?(isLive: boolean): void;
}

const RETRY_MS = 3_000;
/** The service sends a comment every 15 s. */
const SILENCE_MS = 40_000;

/** Follows until `signal` aborts. Never throws: a refusal (403, 401) ends it, everything else is tried again. */
export async function followAudit({ query, signal, onEntries, onLive }: FollowOptions): Promise<void> {
  let lastId = null as string | null;
  while (!signal.aborted) {
    const connection = new AbortController();
    const end = () => connection.abort();
    signal.addEventListener("abort", end, { once: true });
    let silence = setTimeout(end, SILENCE_MS);
    try {
      const headers: Record<string, string> = lastId === null ? {} : { "last-event-id": lastId };
      const response: Response = await api.open("GET /api/v1/audit/stream", {
        query,
        headers: { ...headers, accept: "text/event-stream" },
        signal: connection.signal,
      });
      onLive?.(true);
      for await (const events of eventsOf(response)) {
        clearTimeout(silence);
        silence = setTimeout(end, SILENCE_MS);
        lastId = events.at(-1)?.id ?? lastId;
        if (events.length > 0) onEntries(events.map(({ data }) => JSON.parse(data) as AuditEntry));
      }
    } catch (error) {
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) return;
    } finally {
      clearTimeout(silence);
      signal.removeEventListener("abort", end);
      onLive?.(false);
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

interface StreamEvent {
  id: string | null;
  data: string;
}

/** The events in each piece that arrives; an empty list for a sign of life. */
async function* eventsOf(response: Response): AsyncGenerator<StreamEvent[]> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    yield blocks.map(parseBlock).filter((event) => event !== null);
  }
}

function parseBlock(block: string): StreamEvent | null {
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("id:")) id = line.slice(3).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length === 0 ? null : { id, data: data.join("\n") };
}
