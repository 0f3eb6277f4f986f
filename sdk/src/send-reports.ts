// The two lines in which reports wait: what was taken, sent in order as fast as the service takes it, and what the service may take later,
// offered again at growing distances. Nothing leaves a line before it is known what became of it, or it stands in the other.
import type { CloudEvent } from "./cloud-event.ts";
import { pause } from "./pause.ts";
import { post, type ReportResult, type Target } from "./post-reports.ts";
import type { Spool } from "./spool.ts";

export interface SendOptions extends Target {
  /** Reports a request, at most 1000 (the default is 100). */
  batchSize?: number;
  /** How long to gather reports before sending, so that a burst becomes one request; default 50. */
  lingerMs?: number;
  /** The longest wait between attempts while the service is away; default 30,000. */
  maxBackoffMs?: number;
  /** How long a report is offered again of whose vault or chain the service knows nothing yet; default 86,400,000, a day. */
  unknownVaultMs?: number;
}

export interface Sending {
  options: SendOptions;
  spool: Spool;
  /** Lines of the time until which the report is offered again, a space, and the report. */
  later: Spool;
  signal: AbortSignal;
  onError: (error: Error) => void;
  counts: { sent: number; rejected: number };
  reject: (event: CloudEvent, code: string, detail: string) => void;
}

/** Bytes of the reports of one request; a single one may have as many. */
export const MAX_BATCH_BYTES = 900_000;
const FIRST_BACKOFF_MS = 250;
const FIRST_LATER_MS = 5_000;
const MAX_LATER_MS = 60_000;
const UNKNOWN_VAULT_MS = 86_400_000;

/** Sends what was taken. */
export async function sendAll(sending: Sending): Promise<void> {
  const { options, spool, later, signal, onError } = sending;
  const wanted = Math.min(options.batchSize ?? 100, 1000);
  let batchSize = wanted;
  let failures = 0;
  // More waits than one request takes: nothing is gained by gathering.
  let isBehind = false;
  const waitLonger = async (afterMs: number | null) => {
    await pause(afterMs ?? backoffMs(failures, options.maxBackoffMs), signal);
    failures += 1;
  };
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
        await waitLonger(outcome.afterMs);
        continue;
      }
      if (outcome.type !== "answered" && lines.length > 1) {
        batchSize = Math.ceil(lines.length / 2);
        continue;
      }
      if (outcome.type === "too large") {
        onError(outcome.error);
        await waitLonger(null);
        continue;
      }
      failures = 0;
      if (outcome.type === "unacceptable") refuse(sending, lines[0] as string, outcome);
      else {
        const until = Date.now() + (options.unknownVaultMs ?? UNKNOWN_VAULT_MS);
        for (const [index, line] of lines.entries()) {
          const result = outcome.results[index] as ReportResult;
          if (isForLater(result, until)) later.append(`${until} ${line}`);
          else settle(sending, line, result);
        }
        await later.written();
      }
      await spool.advance(end);
      batchSize = Math.min(wanted, batchSize * 2);
    } catch (error) {
      // A fault of the disk: what was not advanced past is sent again.
      onError(error as Error);
      await waitLonger(null);
    }
  }
}

/** Offers again what was refused for now. Each refusal makes the distance longer; what was taken makes it short again. */
export async function sendLater(sending: Sending): Promise<void> {
  const { options, later, signal, onError } = sending;
  const [firstMs, maxMs] = [FIRST_LATER_MS, MAX_LATER_MS].map((ms) =>
    Math.min(ms, options.maxBackoffMs ?? ms),
  ) as [number, number];
  let distanceMs = firstMs;
  let batchSize = Math.min(options.batchSize ?? 100, 1000);
  while (!signal.aborted) {
    try {
      await later.changed(signal);
      await pause(distanceMs, signal);
      const { lines, end } = await later.peek(batchSize, MAX_BATCH_BYTES);
      if (lines.length === 0 || signal.aborted) continue;
      const waiting = lines.map(laterOf);
      const outcome = await post(
        options,
        waiting.map(({ line }) => line),
        signal,
      );
      distanceMs = Math.min(distanceMs * 2, maxMs);
      if (outcome.type !== "answered") {
        if (lines.length > 1) batchSize = Math.ceil(lines.length / 2);
        if (outcome.type !== "unacceptable") onError(outcome.error);
        else if (lines.length === 1) {
          refuse(sending, waiting[0]!.line, outcome);
          await later.advance(end);
        }
        continue;
      }
      for (const [index, { line, until }] of waiting.entries()) {
        const result = outcome.results[index] as ReportResult;
        if (isForLater(result, until)) later.append(`${until} ${line}`);
        else settle(sending, line, result);
        if (result.status !== "rejected") distanceMs = firstMs;
      }
      await later.written();
      await later.advance(end);
    } catch (error) {
      onError(error as Error);
      await pause(distanceMs, signal);
    }
  }
}

function laterOf(line: string): { until: number; line: string } {
  const space = line.indexOf(" ");
  return { until: Number(line.slice(0, space)), line: line.slice(space + 1) };
}

function isForLater({ status, retry }: ReportResult, until: number): boolean {
  return status === "rejected" && retry === true && Date.now() < until;
}

function settle(sending: Sending, line: string, { status, problem }: ReportResult): void {
  if (status !== "rejected") sending.counts.sent += 1;
  else
    refuse(sending, line, {
      code: problem?.code ?? "rejected",
      detail: problem?.detail ?? "The service gave no reason.",
    });
}

function refuse(
  { reject, counts, onError }: Sending,
  line: string,
  why: { code: string; detail: string },
): void {
  let event: CloudEvent;
  try {
    event = JSON.parse(line);
  } catch {
    counts.rejected += 1;
    onError(new Error("a line of the spool is no report any more and was left out"));
    return;
  }
  reject(event, why.code, why.detail);
}

/** Full jitter between half and the whole of a doubling delay. */
function backoffMs(failures: number, maxMs = 30_000): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(failures, 16), maxMs) * (0.5 + Math.random() / 2);
}
