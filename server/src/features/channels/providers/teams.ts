// Microsoft Teams, by the URL of a workflow: an adaptive card, whose texts are runs without Markdown, so that no name acts.
import { Type } from "typebox";
import { digest, type Line } from "../notice/digest.ts";
import { headlineOf, type Notice, type Told, tell } from "../notice/notice.ts";
import { cut } from "../notice/text.ts";
import { secretUrl } from "./fields.ts";
import { jsonMessage, judgeRefusal, type Provider } from "./provider.ts";

/** A message takes 28 KB; some is left for the frame. Counted as the bytes of the JSON that is sent. */
const MAX_GROUPS_BYTES = 22_000;
const MAX_TITLE = 300;

const COLORS = {
  critical: "attention",
  warning: "warning",
  info: "accent",
  good: "good",
  neutral: "default",
} as const;

export const teams: Provider = {
  provider: "teams",
  title: "Microsoft Teams",
  configSchema: Type.Object(
    {
      webhook_url: secretUrl(
        "Workflow URL",
        "The URL of a workflow that posts to a channel when a webhook request is received.",
      ),
    },
    { additionalProperties: false },
  ),
  secrets: ["webhook_url"],
  isGrouping: true,
  isBoundToTrigger: false,
  minIntervalMs: 500,
  build: (notices, config, { alertsUrl }) =>
    jsonMessage(config.webhook_url as string, {
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          contentUrl: null,
          content: cardOf(notices, alertsUrl),
        },
      ],
    }),
  judge(answer) {
    return answer.status === 202 || answer.status === 200 ? { kind: "delivered" } : judgeRefusal(answer);
  },
};

function cardOf(notices: readonly Notice[], alertsUrl: string) {
  const [only] = notices;
  const isOne = notices.length === 1 && only !== undefined;
  return {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    msteams: { width: "Full" },
    ...(isOne ? single(tell(only)) : many(notices, alertsUrl)),
  };
}

function single(told: Told) {
  return {
    body: [
      title(`${told.icon} ${headlineOf(told)}`, told.tone),
      ...(told.text === "" ? [] : [paragraph([{ text: told.text }])]),
      ...told.facts.map(({ name, value }) =>
        paragraph([{ text: `${name}: `, isBold: true }, { text: value }]),
      ),
    ],
    actions: told.links.map(({ text, url }) => ({ type: "Action.OpenUrl", title: text, url })),
  };
}

function many(notices: readonly Notice[], alertsUrl: string) {
  const {
    icon,
    title: text,
    tone,
    groups,
    rest,
  } = digest(notices, alertsUrl, {
    measure: (line) => Buffer.byteLength(JSON.stringify(paragraph(line))) + 1,
    groupMax: MAX_GROUPS_BYTES,
    totalMax: MAX_GROUPS_BYTES,
    maxGroups: 30,
  });
  return {
    body: [
      title(`${icon} ${text}`, tone),
      ...groups.flatMap(({ lines }) => lines.map((line, index) => paragraph(line, index === 0))),
      ...(rest === null ? [] : [paragraph(rest, true)]),
    ],
    actions: [{ type: "Action.OpenUrl", title: "Open the alerts", url: alertsUrl }],
  };
}

function title(text: string, tone: Told["tone"]) {
  return {
    type: "RichTextBlock",
    inlines: [
      { type: "TextRun", text: cut(text, MAX_TITLE), weight: "bolder", size: "large", color: COLORS[tone] },
    ],
  };
}

function paragraph(line: Line, isApart = false) {
  return {
    type: "RichTextBlock",
    ...(isApart ? { spacing: "large", separator: true } : {}),
    inlines: line.map(({ text, isBold, url }) => ({
      type: "TextRun",
      text,
      ...(isBold ? { weight: "bolder" } : {}),
      ...(url === undefined ? {} : { selectAction: { type: "Action.OpenUrl", url } }),
    })),
  };
}
