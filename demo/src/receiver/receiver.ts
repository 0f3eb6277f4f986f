/**
 * The other end of the demo's channels and webhooks, on ports of its own: it takes what they send as the real providers would,
 * refuses what those would refuse, checks signatures, and shows it all on a page and as JSON.
 */
import type { ServerResponse } from "node:http";
import {
  type ProviderReceiver,
  RECEIVER_SECRET,
  type Received,
  startProviderReceiver,
} from "../../../server/test/provider-receiver.ts";
import { type MailReceiver, startMailReceiver } from "../../../server/test/smtp-receiver.ts";
import { RECEIVER_PAGE } from "./page.ts";
import { readable } from "./text.ts";

export interface Receiver {
  url: string;
  smtpUrl: string;
  configOf: ProviderReceiver["configOf"];
  /** Where the webhook endpoint of the demo is. */
  webhookUrl: string;
  /** From now on the webhook's signatures are checked with this secret. */
  setWebhookSecret(secret: string): void;
  /** What was delivered, the newest first. */
  messages(): readonly Message[];
  stop(): Promise<void>;
}

/** One delivery, as `/messages` shows it. */
export interface Message {
  at: string;
  provider: string;
  channel: string;
  status: number;
  /** Of what is signed: whether the signature is right. */
  signature: "valid" | "wrong" | null;
  title: string;
  lines: string[];
  raw: string;
}

const KEPT = 200;
const WEBHOOK_PATH = "/endpoint";

/** Starts it on the given port, or on any where that one is taken. `secret`: the webhook endpoint's, where it has one already. */
export async function startReceiver(port: number, secret = RECEIVER_SECRET): Promise<Receiver> {
  const messages: Message[] = [];
  let webhookSecret = secret;
  const keep = (message: Message) => {
    messages.unshift(message);
    messages.length = Math.min(messages.length, KEPT);
  };
  const start = (at: number) =>
    startProviderReceiver({
      port: at,
      keep: KEPT,
      secretOf: (path) => (path === WEBHOOK_PATH ? webhookSecret : RECEIVER_SECRET),
      onReceived: (received) => keep(messageOf(received)),
      serve: ({ method, url }, response) => method === "GET" && page(url ?? "/", response, messages),
    });
  const receiver = await start(port).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE") return start(0);
    throw error;
  });
  const mail: MailReceiver = await startMailReceiver({
    onMail: ({ to, headers, raw }) =>
      keep({
        at: new Date().toISOString(),
        provider: "email",
        channel: to.join(", "),
        status: 250,
        signature: null,
        title: decodedHeader(headers.subject ?? ""),
        lines: [],
        raw,
      }),
  });
  return {
    url: receiver.url,
    smtpUrl: mail.url,
    configOf: receiver.configOf,
    webhookUrl: `${receiver.url}/webhook${WEBHOOK_PATH}`,
    setWebhookSecret(given) {
      webhookSecret = given;
    },
    messages: () => messages,
    async stop() {
      await Promise.all([receiver.stop(), mail.stop()]);
    },
  };
}

function messageOf(received: Received): Message {
  const { provider, path, status, request } = received;
  return {
    at: new Date().toISOString(),
    provider,
    channel: path.split("/")[1] ?? "",
    status,
    signature: provider !== "webhook" ? null : status === 401 ? "wrong" : "valid",
    ...readable(received),
    raw: request.body.toString("utf8"),
  };
}

function page(url: string, response: ServerResponse, messages: readonly Message[]): boolean {
  const isJson = url === "/messages";
  if (!isJson && url !== "/") return false;
  response.writeHead(200, {
    "content-type": isJson ? "application/json; charset=utf-8" : "text/html; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(isJson ? JSON.stringify({ messages }) : RECEIVER_PAGE);
  return true;
}

/** A header's encoded words (RFC 2047) as text. */
function decodedHeader(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) => {
      if (kind.toUpperCase() === "B") return Buffer.from(word, "base64").toString("utf8");
      const bytes = word
        .replaceAll("_", " ")
        .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      return Buffer.from(bytes, "latin1").toString("utf8");
    });
}
