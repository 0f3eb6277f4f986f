// Spans of what the service does, for a tracing backend: requests, RPC calls, blocks, deliveries. Without a tracer `traced` is a call and
// nothing more: no context is kept and nothing is made.
//
// Guarantee: what is traced gives the same result, or throws the same error, as without it. Attributes hold no secret and no body.
import { AsyncLocalStorage } from "node:async_hooks";
import { randomFillSync } from "node:crypto";

export type Attributes = Record<string, string | number | boolean>;

/** As OpenTelemetry numbers them. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3, producer: 4 } as const;
export type SpanKind = keyof typeof SPAN_KINDS;

/** A span that has ended. Times are Unix microseconds. */
export interface EndedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  kind: SpanKind;
  startUs: number;
  endUs: number;
  attributes: Attributes;
  /** What went wrong, in a word; null where nothing did. */
  error: string | null;
}

/** Takes spans that have ended; never waits, never throws. */
export interface SpanSink {
  take(span: EndedSpan): void;
}

let sink: SpanSink | null = null;
/** Made with the first tracer: an empty storage costs each promise of a process that traces nothing. */
let storage: AsyncLocalStorage<Span> | null = null;
let sampledFraction = 1;

/** From now on spans go to the sink: all of them, or so large a part of traces. Returns what ends that. */
export function startTracing(to: SpanSink, fraction = 1): () => void {
  sink = to;
  sampledFraction = fraction;
  storage ??= new AsyncLocalStorage();
  return () => {
    if (sink === to) sink = null;
  };
}

export function isTracing(): boolean {
  return sink !== null;
}

export class Span {
  readonly traceId: string;
  readonly spanId = randomHex(8);
  readonly isSampled: boolean;
  readonly #parentSpanId: string | null;
  readonly #name: string;
  readonly #kind: SpanKind;
  readonly #startUs = nowUs();
  readonly #attributes: Attributes = {};
  #isEnded = false;

  constructor(name: string, kind: SpanKind, parent: Span | RemoteParent | null) {
    this.#name = name;
    this.#kind = kind;
    this.traceId = parent?.traceId ?? randomHex(16);
    this.#parentSpanId = parent?.spanId ?? null;
    // By the trace's id, so that every process decides alike.
    const share = Number.parseInt(this.traceId.slice(-8), 16) / 0x1_0000_0000;
    this.isSampled = parent instanceof Span ? parent.isSampled : share < sampledFraction;
  }

  /** For others to go on with (W3C Trace Context). */
  get traceparent(): string {
    return `00-${this.traceId}-${this.spanId}-0${this.isSampled ? 1 : 0}`;
  }

  set(attributes: Attributes): void {
    Object.assign(this.#attributes, attributes);
  }

  end(error: string | null = null): void {
    if (this.#isEnded || !this.isSampled) return;
    this.#isEnded = true;
    sink?.take({
      traceId: this.traceId,
      spanId: this.spanId,
      parentSpanId: this.#parentSpanId,
      name: this.#name,
      kind: this.#kind,
      startUs: this.#startUs,
      endUs: nowUs(),
      attributes: this.#attributes,
      error,
    });
  }
}

/** What a caller says that its request belongs to. */
export interface RemoteParent {
  traceId: string;
  spanId: string;
}

/** Does the work within a span; within nothing, and with null, where nothing is traced. */
export async function traced<T>(
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  if (sink === null || storage === null) return work(null);
  const span = new Span(name, kind, storage.getStore() ?? null);
  span.set(attributes);
  try {
    const result = await storage.run(span, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error instanceof Error ? error.name : "Error");
    throw error;
  }
}

/** Begins a span whose end is elsewhere, and runs what follows within it; null where nothing is traced. */
export function beginWithin(
  name: string,
  kind: SpanKind,
  parent: RemoteParent | null,
  follow: (span: Span | null) => void,
): void {
  if (sink === null || storage === null) {
    follow(null);
    return;
  }
  const span = new Span(name, kind, parent);
  storage.run(span, () => follow(span));
}

/** The span that the running work belongs to. */
export function currentSpan(): Span | null {
  return sink === null ? null : (storage?.getStore() ?? null);
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Null for a header that is none, or of another version. */
export function parseTraceparent(header: string | string[] | undefined): RemoteParent | null {
  const match = typeof header === "string" ? TRACEPARENT.exec(header) : null;
  return match === null ? null : { traceId: match[1] as string, spanId: match[2] as string };
}

const POOL = Buffer.alloc(4_096);
let pooled = 0;

/** Drawn many at a time: the call costs more than the bytes. */
function randomHex(bytes: number): string {
  if (pooled < bytes) {
    randomFillSync(POOL);
    pooled = POOL.length;
  }
  pooled -= bytes;
  return POOL.toString("hex", pooled, pooled + bytes);
}

function nowUs(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000);
}
