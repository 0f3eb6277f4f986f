// One request with reports, and what its answer means. Only the service's own word ends an attempt: something between - a proxy, a portal, a
// deployment that is half there - may answer anything at all, and then the reports are sent again.
import { retryAfterOf, waitOf } from "./pause.ts";

export interface Target {
  /** Base address of the service, e.g. `https://vaultops.example.com`. */
  url: string;
  /** The ingest token (`vaultops ingest-token create`). Keep it out of source code. */
  token: string;
  /** Default 15,000. */
  requestTimeoutMs?: number;
}

/** What became of one report. */
export interface ReportResult {
  status: "accepted" | "duplicate" | "rejected";
  /** Of a rejected one: it may be taken later as it is. */
  retry?: boolean;
  problem?: { code?: string; detail?: string };
}

export type Outcome =
  | { type: "answered"; results: ReportResult[] }
  /** The service says that the request as a whole cannot succeed: fewer at a time, and a single report is given up. */
  | { type: "unacceptable"; code: string; detail: string }
  /** Something says that it is too large: fewer at a time, and a single report is sent again. */
  | { type: "too large"; error: Error }
  | { type: "again"; error: Error; afterMs: number | null };

/** Codes of the service that sending again does not change. */
const FINAL_CODES = new Set(["invalid_json", "batch_too_large", "body_too_large"]);
const STATUSES = new Set(["accepted", "duplicate", "rejected"]);

export async function post(options: Target, lines: readonly string[], signal: AbortSignal): Promise<Outcome> {
  let response: Response;
  let text: string;
  // One timer for the whole exchange, the answer's body included.
  const request = new AbortController();
  const timer = setTimeout(
    () => request.abort(new Error("no answer in time")),
    options.requestTimeoutMs ?? 15_000,
  );
  const end = () => request.abort();
  signal.addEventListener("abort", end, { once: true });
  try {
    response = await fetch(new URL("api/v1/ingest/events", options.url.replace(/\/*$/, "/")), {
      method: "POST",
      headers: {
        authorization: `Bearer ${options.token}`,
        "content-type": "application/cloudevents-batch+json",
      },
      body: `[${lines.join(",")}]`,
      redirect: "error",
      signal: request.signal,
    });
    text = await response.text();
  } catch (error) {
    return {
      type: "again",
      error: new Error(`VaultOps cannot be reached: ${reasonOf(error)}`),
      afterMs: null,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
  return outcomeOf(response, parsed(text), lines.length);
}

function outcomeOf(response: Response, body: unknown, count: number): Outcome {
  const results = (body as { results?: unknown } | null)?.results;
  if (response.status === 200 && isResults(results, count)) return { type: "answered", results };
  const problem = isProblem(response) ? (body as { code?: unknown; detail?: unknown } | null) : null;
  const code = String(problem?.code ?? `http_${response.status}`);
  const detail = String(problem?.detail ?? `something answered ${response.status} in the service's place`);
  if (FINAL_CODES.has(code)) return { type: "unacceptable", code, detail };
  const error = new Error(`VaultOps answered ${response.status} (${code}): ${detail}`);
  if (response.status === 413) return { type: "too large", error };
  // A wrong token is an operator's to mend, and a deployment may answer anything for a while: what was taken waits for better days.
  return { type: "again", error, afterMs: waitOf(retryAfterOf(response)) };
}

function isResults(results: unknown, count: number): results is ReportResult[] {
  return (
    Array.isArray(results) &&
    results.length === count &&
    results.every((result) => STATUSES.has((result as { status?: string } | null)?.status ?? ""))
  );
}

function isProblem(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("application/problem+json") ?? false;
}

/** Null where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error };
  return cause?.message ? `${message} (${cause.message})` : message;
}
