// The client library for engines: hands reports to VaultOps without ever making the engine wait for it.
//
// Guarantee: `report` returns at once. What it took is on disk and is sent in order, at least once, however long the service
// is away, up to the bound of the spool; the service knows a report that came twice by its (`source`, `id`). What the service
// refuses is told through `onRejected` and not sent again.
import { randomBytes } from "node:crypto";
import type { EngineEvents } from "./engine-events.ts";
import { Spool } from "./spool.ts";

export type EventType = keyof EngineEvents;

export interface ReporterOptions {
  /** Base address of the service, e.g. `https://vaultops.example.com`. */
  url: string;
  /** The ingest token (`vaultops ingest-token create`). Keep it out of source code. */
  token: string;
  /** The CloudEvents `source` that the token is bound to, e.g. `/engine/main`. */
  source: string;
  /** A folder of this reporter's own, where reports wait. */
  spoolDir: string;
  /** Default 256 MiB; past it the oldest reports are dropped and counted. */
  maxSpoolBytes?: number;
  /** Reports a request, at most 1000 (the default is 100). */
  batchSize?: number;
  /** How long to gather reports before sending, so that a burst becomes one request; default 50. */
  lingerMs?: number;
  requestTimeoutMs?: number;
  /** The longest wait between attempts while the service is away; default 30,000. */
  maxBackoffMs?: number;
  /** A report that the service refused (`problem` says why), or that no attempt can bring through. */
  onRejected?: (event: CloudEvent, problem: { code: string; detail: string }) => void;
  /** Faults on the way: the service away, the disk full. Sending goes on by itself. */
  onError?: (error: Error) => void;
}

/** A report as it travels (CloudEvents 1.0, structured mode). */
export interface CloudEvent {
  specversion: "1.0";
  id: string;
  source: string;
  type: EventType;
  time: string;
  subject?: string;
  datacontenttype: "application/json";
  data: unknown;
}

export interface Report<T extends EventType> {
  /** The vault id, `{chain_id}:{vault_address}`; left out for a service that works for every vault. */
  vault?: string;
  /** Amounts may be bigint; they are sent as decimal strings. */
  data: WithBigints<EngineEvents[T]>;
  /** When it happened; default now. */
  time?: Date;
  /** What makes a repeated report known; default a new one that sorts by time (UUID version 7). */
  id?: string;
}

type WithBigints<T> = T extends string
  ? T | bigint
  : T extends readonly (infer U)[]
    ? WithBigints<U>[]
    : T extends object
      ? { [K in keyof T]: WithBigints<T[K]> }
      : T;

export interface ReporterStats {
  sent: number;
  rejected: number;
  dropped: number;
  waitingBytes: number;
}

export interface Reporter {
  /** Takes a report. Never waits and never throws. */
  report<T extends EventType>(type: T, report: Report<T>): void;
  stats(): ReporterStats;
  /** Resolves when everything taken so far has been sent or refused; gives up (and keeps it on disk) after `timeoutMs`. */
  flush(timeoutMs?: number): Promise<boolean>;
  /** Sends what it can within `timeoutMs` (default 5000), keeps the rest on disk, and ends. */
  stop(timeoutMs?: number): Promise<void>;
}

const MAX_BATCH_BYTES = 900_000;
const FIRST_BACKOFF_MS = 250;

/** Starts a reporter. Throws when the spool folder cannot be used. */
export async function createReporter(options: ReporterOptions): Promise<Reporter> {
  const onError = options.onError ?? (() => {});
  const spool = await Spool.open({
    dir: options.spoolDir,
    onError,
    ...(options.maxSpoolBytes === undefined ? {} : { maxBytes: options.maxSpoolBytes }),
  });
  const counts = { sent: 0, rejected: 0 };
  const ending = new AbortController();
  const nextId = idSequence();

  const reject = (event: CloudEvent, code: string, detail: string) => {
    counts.rejected += 1;
    options.onRejected?.(event, { code, detail });
  };
  const sending = sendAll({ options, spool, signal: ending.signal, onError, counts, reject });

  const flush = async (timeoutMs = 10_000): Promise<boolean> => {
    const until = Date.now() + timeoutMs;
    while (spool.bytes > 0 && Date.now() < until) await pause(20, ending.signal);
    return spool.bytes === 0;
  };
  return {
    report(type, { vault, data, time, id }) {
      const event: CloudEvent = {
        specversion: "1.0",
        id: id ?? nextId(),
        source: options.source,
        type,
        time: (time ?? new Date()).toISOString(),
        ...(vault === undefined ? {} : { subject: vault }),
        datacontenttype: "application/json",
        data,
      };
      let line: string;
      try {
        line = JSON.stringify(event, (_key, value) => (typeof value === "bigint" ? value.toString() : value));
      } catch (error) {
        reject(event, "invalid_event", (error as Error).message);
        return;
      }
      if (Buffer.byteLength(line) > MAX_BATCH_BYTES)
        reject(event, "body_too_large", "A single report may have 900,000 bytes.");
      else spool.append(line);
    },
    stats: () => ({ ...counts, dropped: spool.dropped, waitingBytes: spool.bytes }),
    flush,
    async stop(timeoutMs = 5000) {
      await flush(timeoutMs);
      ending.abort();
      await sending;
      await spool.close();
    },
  };
}

interface Sending {
  options: ReporterOptions;
  spool: Spool;
  signal: AbortSignal;
  onError: (error: Error) => void;
  counts: { sent: number; rejected: number };
  reject: (event: CloudEvent, code: string, detail: string) => void;
}

type Outcome =
  | { type: "answered"; results: { status: string; problem?: { code?: string; detail?: string } }[] }
  /** The request as a whole cannot succeed: fewer at a time, and a single one is given up. */
  | { type: "unacceptable"; code: string; detail: string }
  | { type: "again"; error: Error; afterMs: number | null };

async function sendAll({ options, spool, signal, onError, counts, reject }: Sending): Promise<void> {
  const wanted = Math.min(options.batchSize ?? 100, 1000);
  let batchSize = wanted;
  let failures = 0;
  // More waits than one request takes: nothing is gained by gathering.
  let isBehind = false;
  while (!signal.aborted) {
    try {
      await spool.changed(signal);
      if (!isBehind) await pause(options.lingerMs ?? 50, signal);
      const { lines, end } = await spool.peek(batchSize, MAX_BATCH_BYTES);
      isBehind = lines.length === batchSize;
      if (lines.length === 0) continue;
      const outcome = await post(options, lines, signal);
      if (outcome.type === "again") {
        onError(outcome.error);
        await pause(outcome.afterMs ?? backoffMs(failures, options.maxBackoffMs), signal);
        failures += 1;
        continue;
      }
      failures = 0;
      if (outcome.type === "unacceptable") {
        if (lines.length > 1) {
          batchSize = Math.ceil(lines.length / 2);
          continue;
        }
        reject(JSON.parse(lines[0] as string), outcome.code, outcome.detail);
      } else {
        for (const [index, line] of lines.entries()) {
          const result = outcome.results[index];
          if (result?.status === "rejected") {
            reject(
              JSON.parse(line),
              result.problem?.code ?? "rejected",
              result.problem?.detail ?? "The service gave no reason.",
            );
          } else counts.sent += 1;
        }
      }
      await spool.advance(end);
      batchSize = Math.min(wanted, batchSize * 2);
    } catch (error) {
      // A fault of the disk: what was not advanced past is sent again.
      onError(error as Error);
      await pause(backoffMs(failures, options.maxBackoffMs), signal);
      failures += 1;
    }
  }
}

async function post(options: ReporterOptions, lines: string[], signal: AbortSignal): Promise<Outcome> {
  let response: Response;
  let body: unknown;
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
    const text = await response.text();
    body = parsed(text);
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
  const results = (body as { results?: unknown } | null)?.results;
  if (response.status === 200 && Array.isArray(results) && results.length === lines.length)
    return { type: "answered", results };
  const problem = body as { code?: string; detail?: string } | null;
  const code = problem?.code ?? `http_${response.status}`;
  const detail = problem?.detail ?? `The service answered ${response.status}.`;
  if (response.status === 400 || response.status === 413) return { type: "unacceptable", code, detail };
  // A wrong token is an operator's to mend, and a deployment may answer anything for a while: what was taken waits for better days.
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return {
    type: "again",
    error: new Error(`VaultOps answered ${response.status} (${code}): ${detail}`),
    afterMs: Number.isFinite(retryAfter) ? Math.min(retryAfter, 300) * 1000 : null,
  };
}

/** Null where it is no JSON: something between answered in the service's place. */
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

/** Full jitter between half and the whole of a doubling delay. */
function backoffMs(failures: number, maxMs = 30_000): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(failures, 16), maxMs) * (0.5 + Math.random() / 2);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

/** UUIDs of version 7 (RFC 9562): 48 bits of milliseconds, a 12-bit counter within one, 62 random bits. They sort as made. */
function idSequence(): () => string {
  let lastMs = 0;
  let counter = 0;
  return () => {
    const nowMs = Date.now();
    if (nowMs > lastMs) {
      lastMs = nowMs;
      counter = 0;
    } else if (++counter > 0xfff) {
      lastMs += 1;
      counter = 0;
    }
    const bytes = randomBytes(16);
    bytes.writeUIntBE(lastMs, 0, 6);
    bytes.writeUInt16BE(0x7000 | counter, 6);
    bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
    const hex = bytes.toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
}
