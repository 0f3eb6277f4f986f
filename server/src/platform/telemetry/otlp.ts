// Spans on their way out: gathered, and posted to a collector by OTLP over HTTP in its JSON encoding
// (https://opentelemetry.io/docs/specs/otlp/#otlphttp). By hand: the packages of OpenTelemetry weigh more than the rest of the service's
// dependencies, and of them this is what would be used.
//
// Guarantee: whatever the collector does, no more than MAX_WAITING spans are held and nothing of the service waits; what does not fit is
// left out and counted.
import type { Egress } from "../egress/egress.ts";
import { EgressError } from "../egress/egress.ts";
import type { Logger } from "../log.ts";
import { type Attributes, type EndedSpan, SPAN_KINDS, type SpanSink } from "./trace.ts";

export interface OtlpParts {
  /** Where the collector takes OTLP, without `/v1/traces`. */
  url: string;
  /** `name=value` pairs apart by commas, as OTEL_EXPORTER_OTLP_HEADERS has them; read for each post. */
  headers(): string | null;
  egress: Pick<Egress, "request">;
  log: Logger;
  /** What the service says of itself with each post. */
  resource: Attributes;
  /** Posts after so long. 5,000 ms unless told. */
  everyMs?: number;
}

export interface OtlpSink extends SpanSink {
  /** Posts what is left. */
  close(): Promise<void>;
}

const MAX_WAITING = 4_096;
const MAX_IN_POST = 512;
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 16_384;

export function createOtlpSink(parts: OtlpParts): OtlpSink {
  const { log, everyMs = 5_000 } = parts;
  let waiting: EndedSpan[] = [];
  let leftOut = 0;
  let posting: Promise<void> | null = null;
  let isFailing = false;
  const timer = setInterval(() => void flush(), everyMs).unref();

  function flush(): Promise<void> {
    posting ??= postAll().finally(() => {
      posting = null;
    });
    return posting;
  }

  async function postAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_IN_POST);
      waiting = waiting.slice(MAX_IN_POST);
      try {
        await post(parts, batch);
        if (isFailing || leftOut > 0) log.info({ left_out: leftOut }, "spans are taken by the collector");
        isFailing = false;
        leftOut = 0;
      } catch (error) {
        leftOut += batch.length;
        if (!isFailing) log.warn({ reason: reasonOf(error) }, "spans are not taken by the collector");
        isFailing = true;
        return;
      }
    }
  }

  return {
    take(span) {
      if (waiting.length >= MAX_WAITING) {
        leftOut += 1;
        return;
      }
      waiting.push(span);
      if (waiting.length === MAX_IN_POST) void flush();
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

async function post({ url, headers, egress, resource }: OtlpParts, spans: EndedSpan[]): Promise<void> {
  const { status } = await egress.request({
    url: `${url}/v1/traces`,
    method: "POST",
    headers: { ...headersOf(headers()), "content-type": "application/json" },
    body: JSON.stringify(tracesData(resource, spans)),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
    trusted: true,
  });
  if (status < 200 || status > 299) throw new Error(`it answered ${status}`);
}

function headersOf(text: string | null): Record<string, string> {
  const pairs = (text ?? "").split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at < 1
      ? []
      : [[pair.slice(0, at).trim().toLowerCase(), decodeURIComponent(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}

function reasonOf(error: unknown): string {
  return error instanceof EgressError || error instanceof Error ? error.message : "unknown";
}

/** `ExportTraceServiceRequest` in JSON: ids in hex, 64-bit numbers as text, enumerations as numbers. */
function tracesData(resource: Attributes, spans: readonly EndedSpan[]) {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: "vaultops" }, spans: spans.map(spanData) }],
      },
    ],
  };
}

function spanData({
  traceId,
  spanId,
  parentSpanId,
  name,
  kind,
  startUs,
  endUs,
  attributes,
  error,
}: EndedSpan) {
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: SPAN_KINDS[kind],
    startTimeUnixNano: `${startUs}000`,
    endTimeUnixNano: `${endUs}000`,
    attributes: keyValues(attributes),
    status: error === null ? {} : { code: STATUS_ERROR, message: error },
  };
}

const STATUS_ERROR = 2;

function keyValues(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: string | number | boolean) {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
