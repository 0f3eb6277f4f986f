// What a provider is: one file that knows its configuration, its limits, how a message is put and whether a refusal is final.
import type { TObject } from "typebox";
import { retryAfterMs } from "../../../platform/egress/retry-after.ts";
import type { Notice } from "../notice/notice.ts";
import type { ButtonAction } from "../notice/sealed-button.ts";

/** A channel's configuration, whole, as its provider's schema has checked it. */
export type ChannelConfig = Record<string, string>;

/** What a message needs beside its notices. */
export interface MessageContext {
  /** Where all alerts stand, for what a message cannot show. */
  alertsUrl: string;
  /** Of this attempt, Unix seconds. */
  nowSeconds: number;
  /** The same for every attempt at these notices. */
  messageId: string;
  /** Of mails: the configured sender. */
  from: string;
  /** Of a channel that one answers from: the sealed value of a button. */
  seal?: ((action: ButtonAction, subjectId: string) => string) | undefined;
}

export interface HttpMessage {
  kind: "http";
  url: string;
  headers: Record<string, string>;
  body: string;
  /** POST unless told. */
  method?: "POST" | "PUT";
  /** Requests of the same notice that follow once this one is taken; all of them are made again where one is not. */
  more?: readonly HttpMessage[];
}

export interface MailMessage {
  kind: "mail";
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  messageId: string;
}

export interface ProviderAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** As read, at most 64 KiB. */
  body: string;
}

/**
 * What an answer means. `retry`: not before `afterMs` where it says so. `dead`: it will never take this message. `gone`: it will never
 * take any. `pauseMs` after a delivery: the provider takes no other so soon. `config`: what of the configuration has become another.
 */
export type Verdict =
  | { kind: "delivered"; pauseMs?: number }
  | { kind: "retry"; reason: string; afterMs?: number; config?: Partial<ChannelConfig> }
  | { kind: "dead"; reason: string }
  | { kind: "gone"; reason: string };

export interface Provider {
  /** Its word in the API and the database. */
  provider: string;
  title: string;
  /** JSON Schema of `config`: it validates, documents and draws the console's form. */
  configSchema: TObject;
  /** Its members that are kept sealed and shown masked. */
  secrets: readonly string[];
  /** Whether several notices go out as one message. Where not, `notices` is always one. */
  isGrouping: boolean;
  /** Whether a resolve must go where the firing went, even where the configuration has changed since. */
  isBoundToTrigger: boolean;
  /** The least time between two messages to one channel. */
  minIntervalMs: number;
  build(
    notices: readonly Notice[],
    config: ChannelConfig,
    context: MessageContext,
  ): HttpMessage | MailMessage;
  /**
   * Where an answer says that a part of the destination takes nothing for now: the configuration without that part, under which the message
   * is sent at once, and what the delivery says of it. Nothing is stored. Null: it is as it is.
   */
  passOver?(answer: ProviderAnswer, config: ChannelConfig): { config: ChannelConfig; reason: string } | null;
  /** Judges the answer to a message over HTTP. */
  judge(answer: ProviderAnswer): Verdict;
}

/** JSON, as every provider but mail takes it. */
export function jsonMessage(url: string, body: unknown, headers: Record<string, string> = {}): HttpMessage {
  return {
    kind: "http",
    url,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(body),
  };
}

/** The base of a fixed host, or the one that the channel names instead, without a trailing slash. */
export function baseOf(config: ChannelConfig, fixed: string): string {
  return (config.base_url ?? fixed).replace(/\/+$/, "");
}

/** What most providers mean by a status that is no success. */
export function judgeRefusal(answer: ProviderAnswer, afterMs = waitAskedMs(answer)): Verdict {
  const { status } = answer;
  const reason = `answered ${status}`;
  if (status === 404 || status === 410) return { kind: "gone", reason };
  if (status === 429 || status === 408 || status === 425 || status >= 500)
    return { kind: "retry", reason, ...(afterMs === null ? {} : { afterMs }) };
  return {
    kind: "dead",
    reason: status >= 300 && status < 400 ? `${reason}, and redirects are not followed` : reason,
  };
}

/** `Retry-After` in milliseconds. A date is compared with the answer's own, so that no clock but the provider's counts. */
export function waitAskedMs({ headers }: Pick<ProviderAnswer, "headers">): number | null {
  return retryAfterMs(headers["retry-after"], Date.parse([headers.date].flat()[0] ?? ""));
}

/** The members of a JSON answer; empty where it is none. */
export function membersOf({ body }: Pick<ProviderAnswer, "body">): Record<string, unknown> {
  try {
    const value = JSON.parse(body) as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
