// What the real providers refuse, as they publish it: each function takes a request as it arrived and returns the answer of the provider,
// or throws Refusal with the one that the provider would give. Written from the providers' documentation, not from what we send.
import { createHmac, timingSafeEqual } from "node:crypto";

export interface ReceivedRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface ProviderReply {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

export class Refusal extends Error {
  readonly reply: ProviderReply;

  constructor(reason: string, status = 400, body = reason) {
    super(reason);
    this.reply = { status, body };
  }
}

function must(condition: unknown, reason: string, status = 400): asserts condition {
  if (!condition) throw new Refusal(reason, status);
}

type Json = Record<string, unknown>;

function jsonOf(request: ReceivedRequest, verb = "POST"): Json {
  const value = dataOf(request, verb);
  for (const one of textsOf(value)) {
    must(one.isWellFormed(), "half of a surrogate pair");
    must(!/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(one.replaceAll("\n", "")), "a control character");
  }
  return value;
}

/** JSON whose texts are data, for a program. */
function dataOf({ method, headers, body }: ReceivedRequest, verb = "POST"): Json {
  must(method === verb, "method_not_allowed", 405);
  must(/^application\/json\b/.test(String(headers["content-type"])), "unsupported_media_type", 415);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw new Refusal("body is not UTF-8");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal("invalid_payload");
  }
  must(typeof value === "object" && value !== null && !Array.isArray(value), "invalid_payload");
  return value as Json;
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsOf(inner)]);
}

function text(value: unknown, max: number, what: string, min = 1): string {
  must(typeof value === "string", `${what} is no text`);
  must(value.length >= min, `${what} is empty`);
  must(value.length <= max, `${what} is longer than ${max}`);
  return value;
}

function list(value: unknown, max: number, what: string, min = 0): Json[] {
  must(Array.isArray(value), `${what} is no list`);
  must(value.length >= min && value.length <= max, `${what} has ${value.length} entries`);
  return value as Json[];
}

/** Slack, incoming webhook. */
export function slackRules(request: ReceivedRequest): ProviderReply {
  const { text: fallback, blocks, ...rest } = jsonOf(request);
  must(Object.keys(rest).length === 0, "unknown members");
  let total = text(fallback, 4000, "text").length;
  slackMarkdown(fallback as string);
  for (const block of list(blocks, 50, "blocks", 1)) {
    switch (block.type) {
      case "header": {
        const { type, text: value } = block.text as Json;
        must(type === "plain_text", "a header is plain_text");
        total += text(value, 150, "header").length;
        break;
      }
      case "section": {
        must(block.text !== undefined || block.fields !== undefined, "a section holds text or fields");
        if (block.text !== undefined) total += slackText(block.text as Json, 3000, "section");
        for (const field of list(block.fields ?? [], 10, "fields")) total += slackText(field, 2000, "field");
        break;
      }
      case "context":
        for (const element of list(block.elements, 10, "elements", 1))
          total += slackText(element, 3000, "element");
        break;
      case "actions": {
        const elements = list(block.elements, 25, "elements", 1);
        const ids = elements.map(({ action_id: id }) => text(id, 255, "action_id"));
        must(new Set(ids).size === ids.length, "action_id is used twice in a block");
        for (const { type, text: label, value } of elements) {
          must(type === "button", "an element is a button");
          must((label as Json).type === "plain_text", "a button's text is plain_text");
          total += text((label as Json).text, 75, "button").length;
          text(value, 2000, "value");
        }
        break;
      }
      case "divider":
        break;
      default:
        throw new Refusal("invalid_blocks");
    }
  }
  must(total < 13_000, "msg_blocks_too_long");
  return { status: 200, body: "ok" };
}

function slackText({ type, text: value }: Json, max: number, what: string): number {
  must(type === "mrkdwn" || type === "plain_text", `${what} has no type`);
  const content = text(value, max, what);
  if (type === "mrkdwn") slackMarkdown(content);
  return content.length;
}

/** In what stands between `<` and `>` only links; a bare `&` is an entity. */
function slackMarkdown(content: string): void {
  const plain = content.replace(/<(https?:\/\/[^\s<>|]+)\|[^<>\n]*>/g, "");
  must(!/[<>]/.test(plain), "a mention, or a sign that is not escaped");
  must(!/&(?!(?:amp|lt|gt);)/.test(content), "an ampersand that is not escaped");
}

/** Discord, webhook. */
export function discordRules(request: ReceivedRequest): ProviderReply {
  const url = new URL(request.url, "http://discord");
  const body = jsonOf(request);
  const content = text(body.content ?? "", 2000, "content", 0);
  const embeds = list(body.embeds ?? [], 10, "embeds");
  must(content !== "" || embeds.length > 0, "Cannot send an empty message");
  let total = 0;
  for (const embed of embeds) {
    if (embed.title !== undefined) total += text(embed.title, 256, "title").length;
    if (embed.description !== undefined) total += text(embed.description, 4096, "description").length;
    if (embed.footer !== undefined) total += text((embed.footer as Json).text, 2048, "footer").length;
    if (embed.timestamp !== undefined)
      must(!Number.isNaN(Date.parse(String(embed.timestamp))), "timestamp is no time");
    if (embed.color !== undefined)
      must(Number.isInteger(embed.color) && Number(embed.color) <= 0xffffff, "color is no color");
    for (const field of list(embed.fields ?? [], 25, "fields")) {
      total += text(field.name, 256, "name").length + text(field.value, 1024, "value").length;
    }
  }
  must(total <= 6000, "Embed size exceeds maximum size of 6000");
  const { parse } = (body.allowed_mentions ?? {}) as Json;
  must(Array.isArray(parse) && parse.length === 0, "mentions are not switched off");
  for (const one of textsOf(body)) {
    must(!/@(?:everyone|here)\b/.test(one), "a mention of everyone");
    must(!/(?<!\\)<[@#:]/.test(one), "a mention");
  }
  return url.searchParams.get("wait") === "true"
    ? {
        status: 200,
        body: JSON.stringify({ id: "1", type: 0 }),
        headers: { "content-type": "application/json" },
      }
    : { status: 204, body: "" };
}

/** Telegram, sendMessage. */
export function telegramRules(request: ReceivedRequest): ProviderReply {
  const refuse = (description: string, status = 400): never => {
    throw new Refusal(description, status, JSON.stringify({ ok: false, error_code: status, description }));
  };
  if (!/^\/bot\d+:[\w-]+\/sendMessage$/.test(request.url)) refuse("Not Found", 404);
  const body = jsonOf(request);
  telegramKeyboard(body.reply_markup, refuse);
  if (!/^(-?\d+|@\w+)$/.test(String(body.chat_id))) refuse("Bad Request: chat not found");
  const topic = body.message_thread_id;
  if (topic !== undefined && !Number.isSafeInteger(topic)) refuse("Bad Request: message thread not found");
  const raw = String(body.text ?? "");
  if (raw.length === 0) refuse("Bad Request: message text is empty");
  if (raw.length > 4096) refuse("Bad Request: message is too long");
  if (body.parse_mode === "HTML") telegramHtml(raw, refuse);
  const shown = raw.replace(/<[^>]*>/g, "").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
  if (/(?:^|[^\w])@\w{4,}/.test(shown)) refuse("a mention");
  if (shown.trim() === "") refuse("Bad Request: message text is empty");
  return {
    status: 200,
    body: JSON.stringify({ ok: true, result: { message_id: 1 } }),
    headers: { "content-type": "application/json" },
  };
}

function telegramKeyboard(markup: unknown, refuse: (description: string) => never): void {
  if (markup === undefined) return;
  const { inline_keyboard: keyboard, ...rest } = markup as { inline_keyboard: Json[][] };
  if (Object.keys(rest).length > 0 || !Array.isArray(keyboard))
    refuse("Bad Request: object expected as reply markup");
  for (const { text: label, callback_data: data, ...more } of keyboard.flat()) {
    if (Object.keys(more).length > 0 || String(label ?? "") === "")
      refuse("Bad Request: text buttons are unallowed");
    const bytes = Buffer.byteLength(String(data ?? ""));
    if (bytes < 1 || bytes > 64) refuse("Bad Request: BUTTON_DATA_INVALID");
  }
}

function telegramHtml(html: string, refuse: (description: string) => never): void {
  const open: string[] = [];
  for (const [part] of html.matchAll(/<[^>]*>?|&[^;\s<]*;?/g)) {
    if (part.startsWith("&")) {
      if (!/^&(?:lt|gt|amp|quot|#\d+|#x[0-9a-fA-F]+);$/.test(part)) refuse("can't parse entities");
      continue;
    }
    const tag = /^<(\/?)([a-z-]+)( href="[^"<>]*")?>$/.exec(part);
    const [, slash, name = ""] = tag ?? [];
    if (!["b", "i", "u", "s", "a", "code", "pre"].includes(name))
      refuse("can't parse entities: unsupported start tag");
    if (slash === "") open.push(name);
    else if (open.pop() !== name) refuse("can't parse entities: unexpected end tag");
  }
  if (open.length > 0) refuse("can't parse entities: a tag is not closed");
  if (html.replace(/<[^<>]*>/g, "").includes(">") || html.replace(/<[^<>]*>/g, "").includes("<"))
    refuse("can't parse entities: a bare sign");
}

/** PagerDuty, Events API v2. */
export function pagerdutyRules(request: ReceivedRequest): ProviderReply {
  must(request.url === "/v2/enqueue", "not found", 404);
  must(request.body.length <= 512_000, "event is too large", 413);
  const body = jsonOf(request);
  must(/^[A-Za-z0-9]{32}$/.test(String(body.routing_key)), "invalid routing_key");
  must(["trigger", "acknowledge", "resolve"].includes(String(body.event_action)), "invalid event_action");
  text(body.dedup_key, 255, "dedup_key");
  if (body.event_action === "trigger") {
    const payload = body.payload as Json;
    must(typeof payload === "object" && payload !== null, "payload is missing");
    text(payload.summary, 1024, "summary");
    text(payload.source, 255, "source");
    must(["critical", "error", "warning", "info"].includes(String(payload.severity)), "invalid severity");
    if (payload.timestamp !== undefined)
      must(!Number.isNaN(Date.parse(String(payload.timestamp))), "invalid timestamp");
    for (const name of ["component", "group", "class"])
      if (payload[name] !== undefined) text(payload[name], 255, name);
    for (const link of list(body.links ?? [], 100, "links")) {
      must(/^https?:\/\//.test(String(link.href)), "invalid link");
      text(link.text, 1024, "link text");
    }
  }
  return {
    status: 202,
    body: JSON.stringify({ status: "success", message: "Event processed", dedup_key: body.dedup_key }),
  };
}

/** Opsgenie, Alert API. */
export function opsgenieRules(request: ReceivedRequest): ProviderReply {
  const accepted = {
    status: 202,
    body: JSON.stringify({ result: "Request will be processed", requestId: "1" }),
  };
  must(/^GenieKey \S+$/.test(String(request.headers.authorization)), "Could not authenticate", 401);
  const url = new URL(request.url, "http://opsgenie");
  const change = /^\/v2\/alerts\/([^/]+)\/(priority|message|description)$/.exec(url.pathname);
  const body = jsonOf(request, change === null ? "POST" : "PUT");
  const closing = /^\/v2\/alerts\/([^/]+)\/close$/.exec(url.pathname);
  if (closing !== null) {
    must(url.searchParams.get("identifierType") === "alias", "no alert with that id", 404);
    text(decodeURIComponent(closing[1] as string), 512, "alias");
    if (body.note !== undefined) text(body.note, 25_000, "note");
    return accepted;
  }
  if (change !== null) {
    must(url.searchParams.get("identifierType") === "alias", "no alert with that id", 404);
    const [, , what = ""] = change;
    must(Object.keys(body).join() === what, `only ${what}`);
    if (what === "priority") must(/^P[1-5]$/.test(String(body.priority)), "invalid priority");
    else text(body[what], what === "message" ? 130 : 15_000, what);
    return accepted;
  }
  must(url.pathname === "/v2/alerts", "not found", 404);
  text(body.message, 130, "message");
  text(body.alias, 512, "alias");
  text(body.description ?? "", 15_000, "description", 0);
  for (const tag of list(body.tags ?? [], 20, "tags")) text(tag, 50, "tag");
  for (const value of Object.values((body.details ?? {}) as Json))
    must(typeof value === "string", "details are texts");
  text(body.entity ?? "", 512, "entity", 0);
  text(body.source ?? "", 100, "source", 0);
  must(/^P[1-5]$/.test(String(body.priority ?? "P3")), "invalid priority");
  return accepted;
}

const CARD_ELEMENTS = [
  "TextBlock",
  "RichTextBlock",
  "FactSet",
  "Container",
  "ColumnSet",
  "Image",
  "ActionSet",
];

/** Microsoft Teams, a workflow's webhook trigger. */
export function teamsRules(request: ReceivedRequest): ProviderReply {
  must(request.body.length <= 28 * 1024, "RequestEntityTooLarge", 413);
  const body = jsonOf(request);
  must(body.type === "message", "type is not message");
  for (const attachment of list(body.attachments, 1, "attachments", 1)) {
    must(attachment.contentType === "application/vnd.microsoft.card.adaptive", "no adaptive card");
    const card = attachment.content as Json;
    must(
      card?.type === "AdaptiveCard" && /^1\.[0-5]$/.test(String(card.version)),
      "no card of a known version",
    );
    for (const element of list(card.body, 1000, "body", 1)) {
      must(CARD_ELEMENTS.includes(String(element.type)), "unknown element");
      if (element.type === "TextBlock")
        must(!/\[[^\]]*\]\(|\*\*|<at>/.test(String(element.text)), "Markdown of others");
      for (const run of list(element.inlines ?? [], 1000, "inlines"))
        must(run.type === "TextRun" && typeof run.text === "string", "no text run");
    }
    for (const action of list(card.actions ?? [], 6, "actions"))
      must(action.type === "Action.OpenUrl" && /^https?:\/\//.test(String(action.url)), "no action");
  }
  return { status: 202, body: "" };
}

/** A receiver of one's own that checks Standard Webhooks' signature, without our code. */
export function webhookRules(secret: string) {
  return (request: ReceivedRequest): ProviderReply => {
    dataOf(request);
    const {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signatures,
    } = request.headers;
    must(/^\S+$/.test(String(id)) && /^\d+$/.test(String(timestamp)), "headers are missing", 401);
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(request.body).digest();
    const isRight = String(signatures)
      .split(" ")
      .some((one) => {
        const given = Buffer.from(one.replace(/^v1,/, ""), "base64");
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    must(isRight, "the signature is wrong", 401);
    return { status: 204, body: "" };
  };
}
