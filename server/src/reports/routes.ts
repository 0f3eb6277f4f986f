// POST /api/v1/ingest/events: engines report here (docs/decisions/0016, reports). One CloudEvent or a batch of them, a result for each.
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaCompiler } from "fastify";
import { Type } from "typebox";
import type { Clock } from "../platform/clock.ts";
import { Problem } from "../platform/errors.ts";
import { type JsonFault, parseJsonList } from "../platform/http/json.ts";
import { Quota } from "../platform/http/rate-limit.ts";
import { Nullable, named, OneOf, pascalCase } from "../platform/http/schemas.ts";
import { buildValidatorCompiler } from "../platform/http/validate.ts";
import { cloudEventSchema } from "./cloud-event.ts";
import { EVENT_TYPES, type EventType } from "./events.ts";
import { type EventResult, type Intake, takeIn } from "./take-in.ts";
import type { IngestToken, Tokens } from "./tokens.ts";

export interface IngestParts extends Intake {
  clock: Clock;
  tokens: Tokens;
  /** Requests a minute of one token. */
  requestsPerToken: number;
  /** Called with each request's results. */
  observe?(results: readonly EventResult[]): void;
}

const SINGLE = "application/cloudevents+json";
const BATCH = "application/cloudevents-batch+json";
const MAX_BATCH = 1000;
const MAX_BODY_BYTES = 1_048_576;
const RETRY_AFTER_SECONDS = 2;

interface Body {
  events: unknown[];
  faults: ReadonlyMap<number, JsonFault>;
}

declare module "fastify" {
  interface FastifyRequest {
    ingestToken: IngestToken | null;
  }
}

/** Adds the route, in a scope of its own, because these media types are read nowhere else. */
export function addIngestRoute(app: FastifyInstance, parts: IngestParts): void {
  const quota = new Quota({ name: "token", quota: parts.requestsPerToken, windowSeconds: 60 }, parts.clock);
  app.register(async (scope) => {
    scope.decorateRequest("ingestToken", null);
    scope.removeAllContentTypeParsers();
    for (const mediaType of [SINGLE, BATCH]) {
      scope.addContentTypeParser(mediaType, { parseAs: "buffer" }, (request, bytes, done) => {
        try {
          done(null, readBody(request, bytes as Buffer, mediaType === BATCH));
        } catch (error) {
          done(error as Error);
        }
      });
    }
    scope.addContentTypeParser("*", (_request, _payload, done) => done(otherType()));
    scope.post(
      "/api/v1/ingest/events",
      {
        schema: SCHEMA,
        bodyLimit: MAX_BODY_BYTES,
        validatorCompiler: eachEventByItself(),
        config: {
          permission: "ingest",
          rateLimit: "none",
          problems: ["batch_too_large", "invalid_token", "rate_limited"],
        },
        onRequest: async (request, reply) => {
          request.ingestToken = await parts.tokens.of(request.headers.authorization);
          charge(quota, request.ingestToken, reply);
        },
      },
      (request, reply) => answer(parts, request, reply),
    );
  });
}

async function answer(parts: IngestParts, request: FastifyRequest, reply: FastifyReply) {
  const body = request.body as Body | undefined;
  if (body === undefined) throw otherType();
  try {
    const results = await takeIn(parts, request.ingestToken as IngestToken, body.events, body.faults);
    parts.observe?.(results);
    return reply.send({ results });
  } catch (error) {
    request.log.error({ err: error }, "reports could not be stored");
    const detail =
      "The reports could not be stored. Send them again; those that were stored are then answered as duplicates.";
    throw new Problem("service_unavailable", detail, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}

function readBody(request: FastifyRequest, bytes: Buffer, isBatch: boolean): Body {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers["content-type"] ?? "")?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new Problem("unsupported_media_type", "Events are sent in UTF-8.");
  if ((request.headers["content-encoding"] ?? "identity") !== "identity")
    throw new Problem("unsupported_media_type", "Events are sent without Content-Encoding.");
  const { value, faults } = parseJsonList(bytes, isBatch ? checkBatch : () => {});
  return { events: isBatch ? (value as unknown[]) : [value], faults };
}

function checkBatch(value: unknown): void {
  if (!Array.isArray(value)) throw new Problem("invalid_json", "A batch is a JSON array of events.");
  if (value.length > MAX_BATCH)
    throw new Problem(
      "batch_too_large",
      `A batch may have ${MAX_BATCH} events; this one has ${value.length}.`,
    );
}

function otherType(): Problem {
  return new Problem("unsupported_media_type", `Send one event as ${SINGLE}, or a list of them as ${BATCH}.`);
}

function charge(quota: Quota, token: IngestToken, reply: FastifyReply): void {
  const state = quota.take(token.key);
  reply.header("ratelimit-policy", state.policy).header("ratelimit", state.limit);
  if (state.isAllowed) return;
  throw new Problem(
    "rate_limited",
    `The token's quota is used up; it is renewed in ${state.resetSeconds} s.`,
    {
      retryAfterSeconds: state.resetSeconds,
    },
  );
}

/** The body's schema is for readers: one bad event must not fail the request, so events are checked one by one in cloud-event.ts. */
function eachEventByItself(): FastifySchemaCompiler<object> {
  const compile = buildValidatorCompiler();
  return (route) => (route.httpPart === "body" ? (value: unknown) => ({ value }) : compile(route as never));
}

const EVENT = named("EngineEvent", { oneOf: (Object.keys(EVENT_TYPES) as EventType[]).map(describedEvent) });

/** `vaultops.service.run` → `ServiceRunEvent`; the title begins the description. */
function describedEvent(type: EventType) {
  const { title, description } = EVENT_TYPES[type];
  const words = { description: `${title}. ${description}` };
  return named(`${pascalCase(type.replace("vaultops.", ""))}Event`, { ...cloudEventSchema(type), ...words });
}

const SCHEMA = {
  tags: ["Engine"],
  summary: "Report events",
  description: [
    "CloudEvents 1.0 in structured mode, one or a batch of at most 1000, with an ingest token of their `source`.",
    "Each event is checked by itself; `results` are in the order sent. An accepted report is committed. A `duplicate` is one whose (`source`, `id`) was accepted before. Of a `rejected` one nothing is stored, `problem` says why; with `retry: true` it may be sent again as it is, because its vault or chain may become known. The request as a whole fails only for its token, its size, its media type, JSON that cannot be parsed, or when nothing could be stored (503: send it again).",
    "An optional member that is `null` counts as left out. Reports may come late, twice and in any order. A `time` more than five minutes in the future is rejected.",
  ].join("\n\n"),
  body: {
    content: {
      [SINGLE]: { schema: EVENT },
      [BATCH]: { schema: { type: "array", maxItems: MAX_BATCH, items: EVENT } },
    },
  },
  response: {
    200: named(
      "ReportResults",
      Type.Object({
        results: Type.Array(
          named(
            "ReportResult",
            Type.Object({
              source: Nullable(Type.String()),
              id: Nullable(Type.String()),
              status: OneOf(["accepted", "duplicate", "rejected"]),
              retry: Type.Optional(
                Type.Boolean({
                  description:
                    "true: the service does not know the vault or chain yet. The same report may be accepted later.",
                }),
              ),
              problem: Type.Optional(
                Type.Object({
                  code: Type.String({ description: "A code of the catalogue." }),
                  title: Type.String(),
                  status: Type.Integer(),
                  detail: Type.String(),
                  errors: Type.Optional(
                    Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
                  ),
                }),
              ),
            }),
          ),
        ),
      }),
    ),
  },
};
