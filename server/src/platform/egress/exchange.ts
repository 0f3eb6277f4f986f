// One request and its answer over a dispatcher of undici: the body read to a bound, the whole of it within a time.
//
// It stands on `dispatch` rather than on `request` because webhooks send thousands a second: no stream is made for an answer that is
// mostly empty, and no AbortSignal for a time-out that hardly ever comes.
import type { Dispatcher } from "undici";

export interface Exchange {
  url: URL;
  method: "GET" | "POST" | "PUT";
  headers: Record<string, string>;
  body: string | Buffer | null;
  /** For all of it. */
  timeoutMs: number;
  /** How much of the answer's body is read; the connection of an answer that is longer is closed. */
  maxBytes: number;
  signal: AbortSignal | undefined;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  isTruncated: boolean;
}

/** Why an exchange was broken off from this side. */
export class BrokenOff extends Error {
  readonly why: "timeout" | "aborted";

  constructor(why: "timeout" | "aborted") {
    super(why);
    this.why = why;
  }
}

/** Rejects with BrokenOff, or with what undici says. */
export function exchange(dispatcher: Dispatcher, asked: Exchange): Promise<Answer> {
  const { url, method, headers, body, timeoutMs, maxBytes, signal } = asked;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let isOver = false;
    let status = 0;
    let answered: Answer["headers"] = {};
    const chunks: Buffer[] = [];
    let length = 0;

    /** Ends it for the caller, once; `stop` ends it on the wire as well, now or as soon as it gets there. */
    function end(settle: () => void, stop?: Error): void {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      settle();
      if (stop !== undefined) controller?.abort(stop);
    }
    function breakOff(why: BrokenOff["why"]): void {
      const error = new BrokenOff(why);
      end(() => reject(error), error);
    }
    const onAbort = () => breakOff("aborted");
    const timer = setTimeout(() => breakOff("timeout"), timeoutMs);
    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        // It had waited for a connection for longer than it may take.
        if (isOver) started.abort(new BrokenOff("aborted"));
      },
      onResponseStart(_, code, found) {
        // What comes before the answer proper (1xx) is no answer.
        if (code < 200) return;
        status = code;
        answered = found as Answer["headers"];
      },
      onResponseData(_, chunk) {
        if (isOver) return;
        chunks.push(chunk);
        length += chunk.length;
        if (length > maxBytes) {
          const whole = Buffer.concat(chunks).subarray(0, maxBytes);
          end(
            () => resolve({ status, headers: answered, body: whole, isTruncated: true }),
            new BrokenOff("aborted"),
          );
        }
      },
      onResponseEnd() {
        end(() => resolve({ status, headers: answered, body: Buffer.concat(chunks), isTruncated: false }));
      },
      onResponseError(_, error) {
        end(() => reject(error));
      },
    };
    try {
      dispatcher.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method, headers, body },
        handler,
      );
    } catch (error) {
      end(() => reject(error));
    }
  });
}
