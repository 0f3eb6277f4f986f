// The client library for engines: hands reports to VaultOps without ever making the engine wait for it.
//
// Guarantee: `report` returns at once. What it took is on disk and is sent in order, at least once, however long the service
// is away, up to the bound of the spool; the service knows a report that came twice by its (`source`, `id`). What the service
// refuses is told through `onRejected` and not sent again, save for what it may take later (a vault that it does not know yet): that waits
// aside and is offered again for a day.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { CloudEvent, EventType } from "./cloud-event.ts";
import type { EngineEvents } from "./engine-events.ts";
import { pause } from "./pause.ts";
import { MAX_BATCH_BYTES, type SendOptions, sendAll, sendLater } from "./send-reports.ts";
import { Spool } from "./spool.ts";

export type { CloudEvent, EventType } from "./cloud-event.ts";

export interface ReporterOptions extends SendOptions {
  /** The CloudEvents `source` that the token is bound to, e.g. `/engine/main`. */
  source: string;
  /** A folder of this reporter's own, where reports wait. */
  spoolDir: string;
  /** Default 256 MiB; past it the oldest reports are dropped and counted. */
  maxSpoolBytes?: number;
  /** A report that the service refused (`problem` says why), or that no attempt can bring through. */
  onRejected?: (event: CloudEvent, problem: { code: string; detail: string }) => void;
  /** Faults on the way: the service away, the disk full. Sending goes on by itself. */
  onError?: (error: Error) => void;
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

/** Starts a reporter. Throws when the spool folder cannot be used. */
export async function createReporter(options: ReporterOptions): Promise<Reporter> {
  const onError = options.onError ?? (() => {});
  const maxBytes = options.maxSpoolBytes ?? 256 * 2 ** 20;
  const spool = await Spool.open({ dir: options.spoolDir, onError, maxBytes });
  // What may be taken later, so that it holds up nothing else.
  const later = await Spool.open({ dir: join(options.spoolDir, "later"), onError, maxBytes: maxBytes / 4 });
  const counts = { sent: 0, rejected: 0 };
  const ending = new AbortController();
  const nextId = idSequence();

  const reject = (event: CloudEvent, code: string, detail: string) => {
    counts.rejected += 1;
    options.onRejected?.(event, { code, detail });
  };
  const parts = { options, spool, later, signal: ending.signal, onError, counts, reject };
  const sending = Promise.all([sendAll(parts), sendLater(parts)]);

  const emptied = async (spools: readonly Spool[], timeoutMs: number): Promise<boolean> => {
    const until = Date.now() + timeoutMs;
    const isEmpty = () => spools.every(({ bytes }) => bytes === 0);
    while (!isEmpty() && Date.now() < until) await pause(20, ending.signal);
    return isEmpty();
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
    stats: () => ({
      ...counts,
      dropped: spool.dropped + later.dropped,
      waitingBytes: spool.bytes + later.bytes,
    }),
    flush: (timeoutMs = 10_000) => emptied([spool, later], timeoutMs),
    async stop(timeoutMs = 5000) {
      await emptied([spool], timeoutMs);
      ending.abort();
      await sending;
      await spool.close();
      await later.close();
    },
  };
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
