// Slack, by an incoming webhook: Block Kit, with the plain text that notifications show.
import { Type } from "typebox";
import { type Button, buttonsOf } from "../notice/buttons.ts";
import { type Digest, digest, type Line } from "../notice/digest.ts";
import { headlineOf, type Notice, type Told, tell } from "../notice/notice.ts";
import { cut, cutEscaped } from "../notice/text.ts";
import { PROVES_SENDER, secretText, secretUrl } from "./fields.ts";
import { jsonMessage, judgeRefusal, type MessageContext, type Provider } from "./provider.ts";

const MAX_HEADER = 150;
const MAX_SECTION = 3000;
const MAX_FIELD = 2000;
const MAX_FIELDS = 10;
const MAX_BLOCKS = 50;
const MAX_BUTTON = 75;
/** Of all text together it takes 13,000; some is left for the fallback and the frame. */
const MAX_GROUPS_TEXT = 11_000;

export const slack: Provider = {
  provider: "slack",
  title: "Slack",
  configSchema: Type.Object(
    {
      webhook_url: secretUrl(
        "Webhook URL",
        "An incoming webhook of the Slack channel (https://hooks.slack.com/services/…).",
      ),
      team_id: Type.Optional(
        Type.String({
          title: "Workspace ID",
          description: "To answer from Slack: the workspace's id (T…).",
          pattern: "^T[A-Z0-9]{2,20}$",
        }),
      ),
      channel_id: Type.Optional(
        Type.String({
          title: "Channel ID",
          description: "To answer from Slack: the id of the channel that the webhook posts to (C… or G…).",
          pattern: "^[CG][A-Z0-9]{2,20}$",
        }),
      ),
      signing_secret: Type.Optional(
        secretText(
          "Signing secret",
          "To answer from Slack: the signing secret of the app that has the webhook.",
          {
            pattern: "^[0-9a-f]{32}$",
            [PROVES_SENDER]: true,
          },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  secrets: ["webhook_url", "signing_secret"],
  isGrouping: true,
  isBoundToTrigger: false,
  minIntervalMs: 1000,
  build: (notices, config, context) => jsonMessage(config.webhook_url as string, payloadOf(notices, context)),
  judge(answer) {
    if (answer.status !== 200) return judgeRefusal(answer);
    if (answer.body.trim() === "ok") return { kind: "delivered" };
    return { kind: "retry", reason: "answered 200 without saying ok" };
  },
};

function payloadOf(notices: readonly Notice[], { alertsUrl, seal }: MessageContext) {
  const [only] = notices;
  const actions = actionsOf(buttonsOf(notices, seal));
  if (notices.length === 1 && only !== undefined) {
    const told = tell(only);
    return { text: escaped(`${told.icon} ${headlineOf(told)}`), blocks: [...cardOf(told), ...actions] };
  }
  const grouped = digest(notices, alertsUrl, {
    measure: (line) => render(line).length + 1,
    groupMax: MAX_SECTION,
    totalMax: MAX_GROUPS_TEXT,
    maxGroups: MAX_BLOCKS - 3 - actions.length,
  });
  return { text: escaped(`${grouped.icon} ${grouped.title}`), blocks: [...digestOf(grouped), ...actions] };
}

/** A row of buttons for each alert. */
function actionsOf(rows: readonly Button[][]) {
  return rows.map((buttons) => ({
    type: "actions",
    elements: buttons.map(({ action, text, value }) => ({
      type: "button",
      action_id: action,
      text: { type: "plain_text", text: cut(text, MAX_BUTTON), emoji: false },
      value,
    })),
  }));
}

function cardOf(told: Told) {
  const fields = told.facts.slice(0, MAX_FIELDS).map(({ name, value }) => {
    const head = `*${escaped(name)}*\n`;
    return markdown(head + cutEscaped(value, MAX_FIELD - head.length, escaped));
  });
  return [
    header(`${told.icon} ${headlineOf(told)}`),
    ...(told.text === ""
      ? []
      : [{ type: "section", text: markdown(cutEscaped(told.text, MAX_SECTION, escaped)) }]),
    ...(fields.length === 0 ? [] : [{ type: "section", fields }]),
    context(told.links.map(({ text, url }) => link(text, url)).join("  |  ")),
  ];
}

function digestOf({ icon, title, groups, rest }: Digest) {
  return [
    header(`${icon} ${title}`),
    ...groups.map(({ lines }) => ({ type: "section", text: markdown(lines.map(render).join("\n")) })),
    ...(rest === null ? [] : [context(render(rest))]),
  ];
}

function header(text: string) {
  return { type: "header", text: { type: "plain_text", text: cut(text, MAX_HEADER), emoji: true } };
}

function context(text: string) {
  return { type: "context", elements: [markdown(text)] };
}

/** `verbatim`: nothing in it is turned into a link, a mention or a channel's name. */
function markdown(text: string) {
  return { type: "mrkdwn", text, verbatim: true };
}

function render(line: Line): string {
  return line
    .map(({ text, isBold, url }) => {
      if (url !== undefined) return link(text, url);
      return isBold ? `*${escaped(text)}*` : escaped(text);
    })
    .join("");
}

function link(text: string, url: string): string {
  const target = url.replace(/[<>|\s]/g, encodeURIComponent).replaceAll("&", "&amp;");
  return `<${target}|${escaped(text)}>`;
}

/** The three signs that Slack reads: without them there is no mention, no channel and no link. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
