// Discord, by a webhook: embeds, and nobody is ever mentioned.
import { Type } from "typebox";
import { digest, type Line } from "../notice/digest.ts";
import { headlineOf, type Notice, type Told, tell } from "../notice/notice.ts";
import { cut, cutEscaped } from "../notice/text.ts";
import { secretUrl } from "./fields.ts";
import {
  jsonMessage,
  judgeRefusal,
  membersOf,
  type Provider,
  type ProviderAnswer,
  waitAskedMs,
} from "./provider.ts";

const MAX_CONTENT = 2000;
const MAX_EMBEDS = 10;
const MAX_TITLE = 256;
const MAX_DESCRIPTION = 4096;
const MAX_NAME = 256;
const MAX_VALUE = 1024;
/** Of all embeds together it takes 6000; some is left for the frame. */
const MAX_GROUPS_TEXT = 5600;

const COLORS = {
  critical: 0xd92d20,
  warning: 0xf79009,
  info: 0x2e90fa,
  good: 0x12b76a,
  neutral: 0x667085,
} as const;

export const discord: Provider = {
  provider: "discord",
  title: "Discord",
  configSchema: Type.Object(
    {
      webhook_url: secretUrl(
        "Webhook URL",
        "A webhook of the Discord channel (https://discord.com/api/webhooks/…).",
      ),
    },
    { additionalProperties: false },
  ),
  secrets: ["webhook_url"],
  isGrouping: true,
  isBoundToTrigger: false,
  minIntervalMs: 500,
  build(notices, config, { alertsUrl }) {
    // Without `wait` a message that is lost gives no error.
    const url = new URL(config.webhook_url as string);
    url.searchParams.set("wait", "true");
    return jsonMessage(url.href, { ...payloadOf(notices, alertsUrl), allowed_mentions: { parse: [] } });
  },
  judge(answer) {
    const afterMs = waitMs(answer);
    if (answer.status !== 200 && answer.status !== 204) return judgeRefusal(answer, afterMs);
    const { "x-ratelimit-remaining": remaining, "x-ratelimit-reset-after": reset } = answer.headers;
    const pauseMs = remaining === "0" ? Math.ceil(Number(reset) * 1000) : 0;
    return pauseMs > 0 ? { kind: "delivered", pauseMs } : { kind: "delivered" };
  },
};

/** The body says it more exactly than the header. */
function waitMs(answer: ProviderAnswer): number | null {
  const { retry_after: seconds } = membersOf(answer);
  if (typeof seconds === "number" && seconds >= 0) return Math.ceil(seconds * 1000);
  return waitAskedMs(answer) || null;
}

function payloadOf(notices: readonly Notice[], alertsUrl: string) {
  const [only] = notices;
  if (notices.length === 1 && only !== undefined) {
    const told = tell(only);
    return { content: contentOf(`${told.icon} ${headlineOf(told)}`), embeds: [cardOf(told)] };
  }
  const { title, icon, groups, rest } = digest(notices, alertsUrl, {
    measure: (line) => render(line).length + 1,
    groupMax: MAX_DESCRIPTION,
    totalMax: MAX_GROUPS_TEXT,
    maxGroups: MAX_EMBEDS - 1,
  });
  const embeds = groups.map(({ tone, lines }) => ({
    description: lines.map(render).join("\n"),
    color: COLORS[tone],
  }));
  return {
    content: contentOf(`${icon} ${title}`),
    embeds: rest === null ? embeds : [...embeds, { description: render(rest), color: COLORS.neutral }],
  };
}

function contentOf(text: string): string {
  return cutEscaped(text, MAX_CONTENT, escaped);
}

function cardOf(told: Told) {
  const links = told.links.map(({ text, url }) => link(text, url)).join("  ·  ");
  const room = MAX_DESCRIPTION - links.length - 2;
  const text = told.text === "" ? "" : `${cutEscaped(told.text, Math.min(room, 3000), escaped)}\n\n`;
  return {
    // Titles take no Markdown, so there is no escaping in them.
    title: cut(told.title.replace(/[@<]/g, "$&\u2060"), MAX_TITLE),
    description: text + links,
    color: COLORS[told.tone],
    fields: told.facts.map(({ name, value }) => ({
      name: cut(name, MAX_NAME),
      value: cutEscaped(value, Math.min(MAX_VALUE, 400), escaped),
    })),
    timestamp: told.notice.at,
  };
}

function render(line: Line): string {
  return line
    .map(({ text, isBold, url }) => {
      if (url !== undefined) return link(text, url);
      return isBold ? `**${escaped(text)}**` : escaped(text);
    })
    .join("");
}

function link(text: string, url: string): string {
  return `[${escaped(text)}](<${url.replace(/[<>\s]/g, encodeURIComponent)}>)`;
}

/** Every sign of Discord's Markdown and of its mentions. */
function escaped(text: string): string {
  return text.replace(/[\\`*_~|<>#[\]()-]/g, "\\$&").replaceAll("@", "@\u2060");
}
