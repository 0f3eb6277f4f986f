// One RPC URL: sends a body, reads the answer within its limits, and keeps what the URL is worth. Its path, query, headers and
// credentials never reach a log or an error; only its host does.
import { createGunzip } from "node:zlib";
import { type Dispatcher, request } from "undici";
import { retryAfterMs } from "../../platform/egress/retry-after.ts";
import type { RpcNode } from "./rpc-node.ts";

/** Why an attempt at a URL failed before the node's answer could be read. */
export type TransportFault = "rate_limited" | "timeout" | "answer_too_big" | "broken" | "refused_access";

export class TransportError extends Error {
  readonly fault: TransportFault;
  /** What the server asked for by `Retry-After`; null where it asked for nothing. */
  readonly retryAfterMs: number | null;

  constructor(
    fault: TransportFault,
    message: string,
    options: { retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "TransportError";
    this.fault = fault;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

export interface EndpointOptions {
  node: RpcNode;
  dispatcher: Dispatcher;
  maxAnswerBytes: number;
  maxConcurrent: number;
  backoffMs: { base: number; max: number };
}

/** Why a URL that answers is not asked while others are there: it lags by so many blocks, or has another block at that height. */
export type Aside = { reason: "lags"; blocks: number } | { reason: "forked"; block: number };

const UNWELL_MS = { first: 1_000, most: 60_000 };
const MAX_RETRY_AFTER_MS = 60_000;
/** Of a new answer's time in the average. */
const LATENCY_WEIGHT = 0.2;

export class Endpoint {
  readonly host: string;
  /** Has answered with the right chain id. */
  isVerified = false;
  /** Serves another chain: not asked any more, until the watch looks at it again. */
  isForeign = false;
  aside: Aside | null = null;
  /** Moving average of the time to an answer; null before the first. */
  latencyMs: number | null = null;
  /** The newest block that it has told of. */
  head: { number: number; timestamp: number } | null = null;
  isProbing = false;
  consecutiveFailures = 0;
  lastError: string | null = null;
  /** Not asked before this moment (Unix ms). */
  restsUntil = 0;
  /** Until when (Unix ms) others are asked before it: it answered with an error of its own what another answered, or what any node can. */
  unwellUntil = 0;
  #timesUnwell = 0;

  readonly #options: EndpointOptions;
  #active = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: EndpointOptions) {
    this.host = new URL(options.node.url).host;
    this.#options = options;
  }

  get isHealthy(): boolean {
    const isWell = Date.now() >= this.unwellUntil;
    return !this.isForeign && this.aside === null && this.consecutiveFailures === 0 && isWell;
  }

  /** On another branch: what it says of the chain is not to be used. */
  get isForked(): boolean {
    return this.aside?.reason === "forked";
  }

  sawHead({ number, timestamp }: { number: number; timestamp: number }): void {
    this.head = { number, timestamp };
  }

  /** Its chain id is asked for once more. */
  forgiveForeign(): void {
    if (!this.isForeign) return;
    this.isForeign = false;
    this.isVerified = false;
  }

  succeeded(): void {
    this.consecutiveFailures = 0;
    this.restsUntil = 0;
  }

  /** It answers, but with errors of its own. Longer each time in a row. */
  unwell(error: Error): void {
    const now = Date.now();
    if (now - this.unwellUntil > UNWELL_MS.most) this.#timesUnwell = 0;
    this.lastError = error.message;
    this.unwellUntil = now + Math.min(UNWELL_MS.most, UNWELL_MS.first * 2 ** this.#timesUnwell);
    this.#timesUnwell += 1;
  }

  failed(error: Error): void {
    this.consecutiveFailures += 1;
    this.lastError = error.message;
    const { base, max } = this.#options.backoffMs;
    const asked = error instanceof TransportError ? error.retryAfterMs : null;
    const backoff = Math.min(max, base * 2 ** Math.min(this.consecutiveFailures - 1, 16));
    this.restsUntil = Date.now() + (asked ?? backoff * (0.75 + Math.random() / 2));
  }

  /**
   * POSTs a JSON body and returns the parsed JSON answer, error answers of JSON-RPC included. Throws TransportError for
   * anything else: HTTP errors, HTML, truncated JSON, a connection that hangs, an answer over the limit.
   */
  async send(body: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<unknown> {
    await this.#enter();
    try {
      const startedAtMs = performance.now();
      const answer = await this.#exchange(body, timeoutMs, signal);
      const tookMs = performance.now() - startedAtMs;
      this.latencyMs ??= tookMs;
      this.latencyMs += LATENCY_WEIGHT * (tookMs - this.latencyMs);
      return answer;
    } finally {
      this.#active -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #enter(): Promise<void> {
    if (this.#active >= this.#options.maxConcurrent)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#active += 1;
  }

  async #exchange(body: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<unknown> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const { url, headers } = this.#options.node;
    try {
      const answer = await request(url, {
        method: "POST",
        body,
        headers: {
          ...headers,
          "content-type": "application/json",
          accept: "application/json",
          "accept-encoding": "gzip",
        },
        dispatcher: this.#options.dispatcher,
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
      });
      const afterMs = patienceMs(answer.headers["retry-after"]);
      const text = await this.#read(answer);
      return interpret(answer.statusCode, text, afterMs);
    } catch (error) {
      if (error instanceof TransportError) throw error;
      if (signal?.aborted) throw signal.reason;
      if (timeout.aborted) throw new TransportError("timeout", `no answer within ${timeoutMs} ms`);
      throw new TransportError("broken", describe(error), { cause: error });
    }
  }

  async #read(answer: Dispatcher.ResponseData): Promise<string> {
    const isZipped = answer.headers["content-encoding"] === "gzip";
    const stream = isZipped ? answer.body.compose(createGunzip()) : answer.body;
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > this.#options.maxAnswerBytes) {
        answer.body.destroy();
        throw new TransportError(
          "answer_too_big",
          `an answer of more than ${this.#options.maxAnswerBytes} bytes`,
        );
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, size).toString("utf8");
  }
}

function interpret(status: number, text: string, retryAfterMs: number | null): unknown {
  if (status === 429) throw new TransportError("rate_limited", "HTTP 429", { retryAfterMs });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    if (status === 413) throw new TransportError("answer_too_big", "HTTP 413");
    if (status === 401 || status === 403)
      throw new TransportError("refused_access", `HTTP ${status}`, { retryAfterMs });
    const what = status === 200 ? "an answer that is not JSON" : `HTTP ${status} without a JSON body`;
    throw new TransportError("broken", what, { retryAfterMs });
  }
  // Providers put JSON-RPC errors in answers of any status; what is no JSON-RPC answer is judged by its status.
  const isRpc =
    typeof json === "object" && json !== null && (Array.isArray(json) || "result" in json || "error" in json);
  if (isRpc) return json;
  if (status === 401 || status === 403)
    throw new TransportError("refused_access", `HTTP ${status}`, { retryAfterMs });
  throw new TransportError("broken", `HTTP ${status} with a body that is no JSON-RPC answer`, {
    retryAfterMs,
  });
}

/** Capped, so that no server can silence a chain for long. */
function patienceMs(header: string | string[] | undefined): number | null {
  const ms = retryAfterMs(header, Date.now());
  return ms === null ? null : Math.min(ms, MAX_RETRY_AFTER_MS);
}

/** An error's code or class; its text may quote the URL. */
function describe(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return `connection failed (${typeof code === "string" ? code : error instanceof Error ? error.name : "unknown"})`;
}
