// What providers send: proved over the raw bytes before anything of it is read, done at most once, and answered within three seconds whatever
// the database does.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { type Egress, EgressError } from "../../../platform/egress/egress.ts";
import { Problem } from "../../../platform/errors.ts";
import { route } from "../../../platform/http/route.ts";
import { named, OneOf } from "../../../platform/http/schemas.ts";
import type { Logger } from "../../../platform/log.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { type ChatName, findEndpoint } from "../store/endpoints.ts";
import type { Press, PressAnswer } from "./chat.ts";
import { handlePress, type PressParts } from "./press.ts";
import { CHAT_NAMES, CHATS } from "./registry.ts";

export interface InboundParts extends PressParts {
  log: Logger;
  box: SecretBox;
  egress: Pick<Egress, "request">;
}

const MAX_BODY_BYTES = 65_536;
/** Providers wait for three seconds. What takes longer goes on, and is told behind. */
const ANSWER_WITHIN_MS = 2_000;
const POST_TIMEOUT_MS = 5_000;

export function addInboundRoute(app: FastifyInstance, parts: InboundParts): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    for (const mediaType of ["application/x-www-form-urlencoded", "application/json"])
      scope.addContentTypeParser(mediaType, { parseAs: "buffer" }, (_request, body, done) =>
        done(null, body),
      );
    route(
      scope,
      "POST",
      "/api/v1/inbound/:provider/:inbound_id",
      {
        schema: {
          tags: ["Notification channels"],
          summary: "What was pressed in a chat",
          description:
            "For Slack's interactivity and Telegram's webhook, not for clients. A request without the provider's proof over its very bytes is refused with 401 before it is read; with it 200, whatever became of it.",
          params: Type.Object({ provider: OneOf(CHAT_NAMES), inbound_id: Type.String({ format: "uuid" }) }),
          response: {
            200: named(
              "InboundAnswer",
              Type.Object(
                {},
                { additionalProperties: true, description: "What the provider is to do; may be empty." },
              ),
            ),
          },
        },
        bodyLimit: MAX_BODY_BYTES,
        config: { permission: "public", problems: ["invalid_signature"] },
      },
      async (request) => {
        const provider = request.params.provider as ChatName;
        const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const endpoint = await findEndpoint(parts.db, parts.box, provider, request.params.inbound_id);
        const chat = CHATS[provider];
        const key = endpoint && chat.prove(endpoint.secret, request.headers, raw, parts.clock.now());
        if (endpoint === null || key === null)
          throw new Problem("invalid_signature", "The request does not prove that it is the provider's.");
        const press = chat.read(raw);
        if (press === null) return {};
        const answering = handlePress(parts, endpoint, press, key);
        const answer = await Promise.race([answering, afterMs(ANSWER_WITHIN_MS)]);
        if (answer === LATE) {
          answering.then(
            (late) => post(parts, provider, press, late),
            (error: unknown) =>
              parts.log.error({ err: error }, "what was pressed in a chat could not be done"),
          );
          return {};
        }
        void post(parts, provider, press, answer);
        return (answer && chat.answer(press, answer).body) ?? {};
      },
    );
  });
}

const LATE = Symbol("late");

function afterMs(ms: number): Promise<typeof LATE> {
  return new Promise((resolve) => setTimeout(resolve, ms, LATE).unref());
}

/** Tells who pressed, where that takes a request of ours. What was done is done: nothing waits for it. */
async function post(
  { egress, log }: InboundParts,
  provider: ChatName,
  press: Press,
  answer: PressAnswer | null,
): Promise<void> {
  const { post: message } = answer === null ? {} : CHATS[provider].answer(press, answer);
  if (message === undefined) return;
  try {
    await egress.request({
      url: message.url,
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify(message.body),
      timeoutMs: POST_TIMEOUT_MS,
      maxBytes: MAX_BODY_BYTES,
    });
  } catch (error) {
    if (!(error instanceof EgressError)) log.error({ err: error }, "an answer to a chat could not be sent");
    else log.info({ provider, reason: error.failure }, "an answer to a chat was not taken");
  }
}
