// Telegram, by a bot: HTML in its small subset, of which no tag and no entity is ever cut.
import { Type } from "typebox";
import { type Button, buttonsOf } from "../notice/buttons.ts";
import { digest, type Line } from "../notice/digest.ts";
import { headlineOf, type Notice, type Told, tell } from "../notice/notice.ts";
import { cut, cutEscaped, escapeHtml } from "../notice/text.ts";
import { baseUrl, KEEPS_DESTINATION, secretText } from "./fields.ts";
import {
  baseOf,
  jsonMessage,
  judgeRefusal,
  membersOf,
  type Provider,
  type ProviderAnswer,
  waitAskedMs,
} from "./provider.ts";

export const TELEGRAM_API = "https://api.telegram.org";
/** In UTF-16 units, the tags counted as well, which is stricter than Telegram is. */
const MAX_TEXT = 4096;
const MAX_HEAD = 400;
const MAX_BUTTON = 60;

export const telegram: Provider = {
  provider: "telegram",
  title: "Telegram",
  configSchema: Type.Object(
    {
      bot_token: secretText("Bot token", "The token that @BotFather gave (123456:ABC…).", {
        pattern: "^[0-9]{1,20}:[A-Za-z0-9_-]{10,100}$",
      }),
      chat_id: Type.String({
        title: "Chat",
        description: "The chat's numeric id, or a public channel's @name.",
        pattern: "^(-?[0-9]{1,20}|@[A-Za-z0-9_]{4,64})$",
      }),
      message_thread_id: Type.Optional(
        Type.String({
          title: "Topic",
          description:
            "The number of a topic of the chat (the second number in a link to one of its messages). A topic that is closed or gone is passed over: the message goes to the chat without one.",
          pattern: "^[1-9][0-9]{0,9}$",
          [KEEPS_DESTINATION]: true,
        }),
      ),
      base_url: baseUrl(TELEGRAM_API),
    },
    { additionalProperties: false },
  ),
  secrets: ["bot_token"],
  isGrouping: true,
  isBoundToTrigger: false,
  minIntervalMs: 1000,
  build: (notices, config, { alertsUrl, seal }) =>
    jsonMessage(`${baseOf(config, TELEGRAM_API)}/bot${config.bot_token}/sendMessage`, {
      chat_id: config.chat_id,
      ...(config.message_thread_id === undefined
        ? {}
        : { message_thread_id: Number(config.message_thread_id) }),
      text: textOf(notices, alertsUrl),
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
      ...keyboardOf(buttonsOf(notices, seal)),
    }),
  passOver: (answer, { message_thread_id: topic, ...chat }) =>
    topic === undefined || !isTopicGone(answer)
      ? null
      : { config: chat, reason: `topic ${topic} is closed or gone: sent to the chat without a topic` },
  judge(answer) {
    const { ok, parameters } = membersOf(answer);
    // Without a topic it means the chat's General topic, which may be opened again.
    if (isTopicGone(answer)) return { kind: "retry", reason: "the chat's topic is closed" };
    if (answer.status === 200 && ok === true) return { kind: "delivered" };
    const { retry_after: seconds, migrate_to_chat_id: movedTo } = (parameters ?? {}) as Record<
      string,
      unknown
    >;
    if (answer.status === 400 && (typeof movedTo === "number" || typeof movedTo === "string")) {
      const reason = "the chat has become a supergroup with another id";
      return { kind: "retry", reason, afterMs: 0, config: { chat_id: String(movedTo) } };
    }
    if (answer.status === 200) return { kind: "retry", reason: "answered 200 without saying ok" };
    const afterMs = typeof seconds === "number" && seconds >= 0 ? seconds * 1000 : waitAskedMs(answer);
    return judgeRefusal(answer, afterMs);
  },
};

/** A row of buttons for each alert; nothing where there is none. */
function keyboardOf(rows: readonly Button[][]) {
  if (rows.length === 0) return {};
  const keyboard = rows.map((buttons) =>
    buttons.map(({ text, value }) => ({ text: cut(text, MAX_BUTTON), callback_data: value })),
  );
  return { reply_markup: { inline_keyboard: keyboard } };
}

function isTopicGone(answer: ProviderAnswer): boolean {
  const { description } = membersOf(answer);
  return (
    answer.status === 400 &&
    typeof description === "string" &&
    /TOPIC_(?:CLOSED|DELETED|ID_INVALID)|message thread not found/i.test(description)
  );
}

function textOf(notices: readonly Notice[], alertsUrl: string): string {
  const [only] = notices;
  if (notices.length === 1 && only !== undefined) return cardOf(tell(only));
  const head = (icon: string, title: string) => `${icon} <b>${escaped(title)}</b>\n`;
  const { icon, title, groups, rest } = digest(notices, alertsUrl, {
    measure: (line) => render(line).length + 1,
    groupMax: MAX_TEXT,
    // Each group stands apart from the one before by an empty line.
    totalMax: MAX_TEXT - MAX_HEAD - 30,
    maxGroups: 30,
  });
  const parts = groups.map(({ lines }) => `\n${lines.map(render).join("\n")}\n`);
  return head(icon, title) + parts.join("") + (rest === null ? "" : `\n${render(rest)}`);
}

function cardOf(told: Told): string {
  const title = `${told.icon} <b>${cutEscaped(headlineOf(told), 1000, escaped)}</b>`;
  const facts = told.facts.map(
    ({ name, value }) => `<b>${escaped(name)}:</b> ${cutEscaped(value, 400, escaped)}`,
  );
  const links = told.links.map(({ text, url }) => link(text, url)).join("  ·  ");
  const frame = [title, "", ...facts, "", links].join("\n").length + 2;
  const text = told.text === "" ? [] : [cutEscaped(told.text, MAX_TEXT - frame, escaped)];
  return [title, ...text, "", ...facts, "", links].join("\n");
}

function render(line: Line): string {
  return line
    .map(({ text, isBold, url }) => {
      if (url !== undefined) return link(text, url);
      return isBold ? `<b>${escaped(text)}</b>` : escaped(text);
    })
    .join("");
}

function link(text: string, url: string): string {
  return `<a href="${escapeHtml(url)}">${escaped(text)}</a>`;
}

/** A word joiner behind `@` keeps the client from making a mention of a name. */
function escaped(text: string): string {
  return escapeHtml(text).replaceAll("@", "@\u2060");
}
