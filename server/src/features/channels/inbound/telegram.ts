// Telegram's updates: JSON, proved by the secret token that `setWebhook` named, numbered by `update_id`, and sent again until they are
// answered with 200. The answer may itself be a call of the bot.
import { createHash, timingSafeEqual } from "node:crypto";
import { membersOf } from "../providers/provider.ts";
import type { Chat } from "./chat.ts";

/** Of the text that a press is answered with. */
const MAX_ANSWER = 200;

export const telegramChat: Chat = {
  // A name may be given up and taken by somebody else, a number not.
  lacks: ({ chat_id: chat = "" }) =>
    /^-?[0-9]+$/.test(chat)
      ? []
      : [{ member: "chat_id", message: "must be the chat's number for a channel that one answers from" }],
  placeOf: ({ chat_id: chat }) => String(chat),
  prove(secret, headers, raw) {
    const given = headers["x-telegram-bot-api-secret-token"];
    if (typeof given !== "string" || !timingSafeEqual(digestOf(given), digestOf(secret))) return null;
    const { update_id: id } = membersOf({ body: raw.toString("utf8") });
    return Number.isSafeInteger(id) ? String(id) : "none";
  },
  read(raw) {
    const { update_id: updateId, callback_query: query } = membersOf({ body: raw.toString("utf8") });
    if (!Number.isSafeInteger(updateId) || typeof query !== "object" || query === null) return null;
    const { id, data, from, message } = query as Record<string, Record<string, unknown> | string | undefined>;
    if (typeof id !== "string" || typeof data !== "string") return null;
    if (typeof from !== "object" || !Number.isSafeInteger(from.id) || from.is_bot === true) return null;
    const chat = typeof message === "object" ? (message?.chat as { id?: unknown } | undefined) : undefined;
    if (!Number.isSafeInteger(chat?.id)) return null;
    return {
      value: data,
      userId: String(from.id),
      userName: [from.username, from.first_name].find((each) => typeof each === "string") as string,
      place: String(chat?.id),
      replyTo: id,
    };
  },
  answer: ({ replyTo }, { text, isForAll }) => ({
    body: {
      method: "answerCallbackQuery",
      callback_query_id: replyTo,
      text: text.slice(0, MAX_ANSWER),
      show_alert: !isForAll,
    },
  }),
};

/** Of equal length, whatever was sent. */
function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
