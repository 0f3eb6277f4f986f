// One message to one channel, by HTTP or mail, and what came of it.
//
// Guarantee: an attempt ends within its time whatever the receiver does, and nothing that it leaves behind (outcome, excerpt, error) holds
// a secret of the channel, not even where the receiver sends one back.
import type { Database } from "../../../platform/db/db.ts";
import { type Egress, EgressError } from "../../../platform/egress/egress.ts";
import type { Notice } from "../notice/notice.ts";
import type {
  ChannelConfig,
  HttpMessage,
  MessageContext,
  Provider,
  ProviderAnswer,
  Verdict,
} from "../providers/provider.ts";
import type { MailConsent } from "../store/mail-addresses.ts";
import type { Mailer } from "./mail.ts";

export interface Sent {
  verdict: Verdict;
  statusCode?: number;
  excerpt?: string;
}

export interface DeliverParts {
  db: Pick<Database, "kysely">;
  consent: MailConsent;
  egress: Pick<Egress, "request">;
  mailer: Mailer;
}

/** For the whole exchange. */
export const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;
const MAX_EXCERPT = 1024;

export async function deliver(
  { db, egress, mailer, consent }: DeliverParts,
  { owner, provider, config }: { owner: string; provider: Provider; config: ChannelConfig },
  notices: readonly Notice[],
  context: MessageContext,
  signal: AbortSignal,
): Promise<Sent> {
  const message = provider.build(notices, config, context);
  if (message.kind === "mail") {
    const unconfirmed = await consent.unconfirmed(db.kysely, owner, message.to);
    const to = message.to.filter((address) => !unconfirmed.includes(address));
    if (to.length === 0)
      return { verdict: { kind: "retry", reason: "none of its addresses has confirmed yet" } };
    const { excerpt, ...verdict } = await mailer.send({ ...message, to }, { timeoutMs: TIMEOUT_MS, signal });
    const withheld =
      unconfirmed.length === 0
        ? []
        : [`not sent to ${unconfirmed.length} of ${message.to.length}, not confirmed yet`];
    const said = [...withheld, ...(excerpt === undefined ? [] : [excerpt])];
    return { verdict, ...(said.length === 0 ? {} : { excerpt: said.join("; ") }) };
  }
  const secrets = provider.secrets.map((name) => config[name] ?? "");
  const until = performance.now() + TIMEOUT_MS;
  let answer: ProviderAnswer;
  let passed: string | null = null;
  try {
    answer = await postAll(egress, provider, message, until, signal);
    const without = provider.passOver?.(answer, config) ?? null;
    if (without !== null) {
      passed = without.reason;
      const other = provider.build(notices, without.config, context) as HttpMessage;
      answer = await postAll(egress, provider, other, until, signal);
    }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    // What the address rule refuses is refused again; a name that does not resolve or a connection that breaks may mend.
    const kind = error.failure === "refused" ? "dead" : "retry";
    return { verdict: { kind, reason: withoutSecrets(error.message, secrets) } };
  }
  return {
    verdict: provider.judge(answer),
    statusCode: answer.status,
    excerpt: [...(passed === null ? [] : [passed]), withoutSecrets(answer.body, secrets)]
      .join("; ")
      .slice(0, MAX_EXCERPT),
  };
}

/** The message with the requests that belong to it, until one is not taken. */
async function postAll(
  egress: Pick<Egress, "request">,
  provider: Provider,
  message: HttpMessage,
  until: number,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  let answer = await post(egress, message, until, signal);
  for (const next of message.more ?? []) {
    if (provider.judge(answer).kind !== "delivered") break;
    answer = await post(egress, next, until, signal);
  }
  return answer;
}

async function post(
  egress: Pick<Egress, "request">,
  { url, method = "POST", headers, body }: HttpMessage,
  until: number,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  const answer = await egress.request({
    url,
    method,
    headers,
    body,
    timeoutMs: Math.max(1, until - performance.now()),
    maxBytes: MAX_ANSWER_BYTES,
    signal,
  });
  return { status: answer.status, headers: answer.headers, body: answer.body.toString("utf8") };
}

/** The text with every secret in it, whole or as part of a URL, taken out. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of secrets.flatMap(partsOf)) result = result.replaceAll(secret, "[secret]");
  return result;
}

/** A secret, and of one that is a URL its path and query, under which a receiver may quote it. The longest first. */
function partsOf(secret: string): string[] {
  if (secret === "") return [];
  const url = URL.parse(secret);
  const inside =
    url === null
      ? []
      : [`${url.pathname}${url.search}`, ...url.pathname.split("/"), ...url.searchParams.values()];
  return [secret, JSON.stringify(secret).slice(1, -1), ...inside].filter(({ length }) => length >= 8);
}
