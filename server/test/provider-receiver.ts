// A receiver that stands for all providers on one port of the loopback: it refuses what the real ones refuse (provider-rules.ts), keeps
// what it took, and fails in the ways in which the network does when a test asks for it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  discordRules,
  opsgenieRules,
  type ProviderReply,
  pagerdutyRules,
  type ReceivedRequest,
  Refusal,
  slackRules,
  teamsRules,
  telegramRules,
  webhookRules,
} from "./provider-rules.ts";

export type HttpProviderName =
  | "slack"
  | "discord"
  | "telegram"
  | "pagerduty"
  | "opsgenie"
  | "teams"
  | "webhook";

/** An answer, or none: the connection is reset, the body comes a byte at a time for ever, or nothing comes at all. */
export type Fault = ProviderReply | "reset" | "drip" | "hang";

export interface Received {
  provider: HttpProviderName;
  /** What follows the provider's name in the path: which channel it was. */
  path: string;
  request: ReceivedRequest;
  // biome-ignore lint/suspicious/noExplicitAny: messages are looked into freely
  body: any;
  /** The status that it was answered with; 0: none. */
  status: number;
}

export interface ProviderReceiver {
  url: string;
  /** Everything that came in, in order, refused or not. */
  received: Received[];
  /** What was taken. */
  taken(provider?: HttpProviderName): Received[];
  /** The webhooks of Telegram's bots, by token; may be set as another program would. */
  botWebhooks: Map<string, { url: string; secret_token?: string; allowed_updates?: string[] }>;
  /** The next requests to the provider get these, one each, before it is well again. */
  fail(provider: HttpProviderName, ...faults: Fault[]): void;
  /** The configuration of a channel of the provider that comes here; `name` tells several apart. */
  configOf(provider: HttpProviderName, name?: string): Record<string, string>;
  stop(): Promise<void>;
}

export const RECEIVER_SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

const RULES: Record<HttpProviderName, (request: ReceivedRequest, secret: string) => ProviderReply> = {
  slack: slackRules,
  discord: discordRules,
  telegram: telegramRules,
  pagerduty: pagerdutyRules,
  opsgenie: opsgenieRules,
  teams: teamsRules,
  webhook: (request, secret) => webhookRules(secret)(request),
};

export interface ReceiverOptions {
  port?: number;
  /** The secret with which what comes to the path is signed. */
  secretOf?(path: string): string;
  onReceived?(received: Received): void;
  /** Serves what is no provider's; returns whether it did. */
  serve?(request: IncomingMessage, response: ServerResponse): boolean;
  /** How many of what came in are kept; all unless told. */
  keep?: number;
}

export async function startProviderReceiver(options: ReceiverOptions = {}): Promise<ProviderReceiver> {
  const received: Received[] = [];
  const faults = new Map<HttpProviderName, Fault[]>();
  const botWebhooks: ProviderReceiver["botWebhooks"] = new Map();

  async function take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (options.serve?.(incoming, response)) return;
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const [, name, path = ""] = /^\/([a-z]+)(\/.*)$/.exec(incoming.url ?? "") ?? [];
    const provider = name as HttpProviderName;
    if (!(provider in RULES)) return answer(response, { status: 404, body: "no such provider" });
    const url = HOOKS.has(provider) ? path : path.replace(/^\/[\w-]+/, "");
    const request = {
      method: incoming.method ?? "",
      url,
      headers: incoming.headers,
      body: Buffer.concat(chunks),
    };
    const bot = /^\/bot([^/]+)\/(getWebhookInfo|setWebhook|deleteWebhook)$/.exec(url);
    if (provider === "telegram" && bot !== null)
      return answer(response, webhookReply(botWebhooks, bot[1] as string, bot[2] as string, request.body));
    const fault = faults.get(provider)?.shift();
    const reply = fault ?? replyOf(provider, request, options.secretOf?.(path) ?? RECEIVER_SECRET);
    const entry: Received = {
      provider,
      path,
      request,
      body: parsed(request.body),
      status: typeof reply === "string" ? 0 : reply.status,
    };
    received.push(entry);
    if (received.length > (options.keep ?? Number.POSITIVE_INFINITY)) received.shift();
    options.onReceived?.(entry);
    if (reply === "reset") incoming.socket.destroy();
    else if (reply === "drip") drip(response);
    else if (reply !== "hang") answer(response, reply);
  }

  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    received,
    botWebhooks,
    taken: (provider) =>
      received.filter(
        (entry) =>
          entry.status >= 200 &&
          entry.status < 300 &&
          (provider === undefined || entry.provider === provider),
      ),
    fail: (provider, ...more) => faults.set(provider, [...(faults.get(provider) ?? []), ...more]),
    configOf: (provider, name = "main") => configOf(provider, `${url}/${provider}/${name}`),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function webhookReply(
  webhooks: ProviderReceiver["botWebhooks"],
  token: string,
  method: string,
  body: Buffer,
): ProviderReply {
  const asked = parsed(body) as { url?: string; secret_token?: string };
  const of = (result: unknown) => ({ status: 200, body: JSON.stringify({ ok: true, result }) });
  if (method === "getWebhookInfo")
    return of({ url: webhooks.get(token)?.url ?? "", pending_update_count: 0 });
  if (method === "deleteWebhook") return of(webhooks.delete(token));
  const isGood = asked.url?.startsWith("https://") && /^[\w-]{1,256}$/.test(asked.secret_token ?? "");
  if (!isGood) return { status: 400, body: JSON.stringify({ ok: false, description: "bad webhook" }) };
  webhooks.set(token, asked as { url: string });
  return of(true);
}

/** Those whose whole URL is the channel's own. */
const HOOKS = new Set<HttpProviderName>(["slack", "discord", "teams", "webhook"]);

/** With keys of the right form, planted: no log, error or answer may show them. */
function configOf(provider: HttpProviderName, base: string): Record<string, string> {
  switch (provider) {
    case "slack":
    case "discord":
    case "teams":
      return { webhook_url: `${base}/planted-hook-key-${provider}` };
    case "telegram":
      return { bot_token: "123456:planted-bot-token", chat_id: "-100123", base_url: base };
    case "pagerduty":
      return { routing_key: "plantedroutingkey000000000000001", base_url: base };
    case "opsgenie":
      return { api_key: "planted-api-key-0000-0000-000000001", base_url: base };
    case "webhook":
      return { url: `${base}/planted-webhook-path`, secret: RECEIVER_SECRET };
  }
}

function replyOf(provider: HttpProviderName, request: ReceivedRequest, secret: string): ProviderReply {
  try {
    return RULES[provider](request, secret);
  } catch (error) {
    if (error instanceof Refusal) return error.reply;
    throw error;
  }
}

function answer(response: ServerResponse, { status, headers, body }: ProviderReply): void {
  response.writeHead(status, headers).end(body);
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/plain" });
  const timer = setInterval(() => response.write("o"), 20);
  response.on("close", () => clearInterval(timer));
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
}
