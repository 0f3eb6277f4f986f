// The providers from which one can answer, by hand: a new one is a file of its own and a line here.
import type { ChatName } from "../store/endpoints.ts";
import type { Chat } from "./chat.ts";
import { slackChat } from "./slack.ts";
import { telegramChat } from "./telegram.ts";

export const CHATS = { slack: slackChat, telegram: telegramChat } satisfies Record<ChatName, Chat>;

export const CHAT_NAMES = Object.keys(CHATS) as ChatName[];

/** The provider as one that can be answered from; null for any other. */
export function chatOf(provider: string): Chat | null {
  return (CHATS as Record<string, Chat>)[provider] ?? null;
}
