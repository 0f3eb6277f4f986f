// Slack's interactivity: a form with one member `payload`, signed over its raw bytes with the app's signing secret.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Chat } from "./chat.ts";

/** Older than this, or as far in the future, a request may be a recorded one. */
const MAX_AGE_SECONDS = 300;
/** The only host to which an answer is sent, whatever a request names. */
const ANSWER_HOST = "hooks.slack.com";

export const slackChat: Chat = {
  lacks: (config) =>
    ["team_id", "channel_id", "signing_secret"]
      .filter((member) => config[member] === undefined)
      .map((member) => ({ member, message: "is needed for a channel that one answers from" })),
  placeOf: ({ team_id: team, channel_id: channel }) => `${team}/${channel}`,
  prove(secret, headers, raw, nowMs) {
    const [time, signature] = [headers["x-slack-request-timestamp"], headers["x-slack-signature"]];
    if (typeof time !== "string" || typeof signature !== "string") return null;
    if (!/^\d{1,12}$/.test(time)) return null;
    if (Math.abs(nowMs / 1000 - Number(time)) > MAX_AGE_SECONDS) return null;
    const expected = `v0=${createHmac("sha256", secret).update(`v0:${time}:`).update(raw).digest("hex")}`;
    const [given, own] = [Buffer.from(signature), Buffer.from(expected)];
    return given.length === own.length && timingSafeEqual(given, own) ? expected : null;
  },
  read(raw) {
    const payload = parsed(new URLSearchParams(raw.toString("utf8")).get("payload"));
    const { type, user, team, channel, actions, response_url: replyTo } = payload;
    const [action] = Array.isArray(actions) ? actions : [];
    if (type !== "block_actions" || !isObject(user) || !isObject(team) || !isObject(channel)) return null;
    const { id: userId, team_id: userTeam, username, name } = user;
    if (!isObject(action) || typeof action.value !== "string" || typeof userId !== "string") return null;
    // In a channel shared between workspaces somebody of another one presses: a stranger, whatever the id.
    if (userTeam !== undefined && userTeam !== team.id) return null;
    return {
      value: action.value,
      userId,
      userName: [username, name].find((each) => typeof each === "string") ?? "",
      place: `${team.id}/${channel.id}`,
      replyTo: typeof replyTo === "string" ? replyTo : "",
    };
  },
  answer: ({ replyTo }, { text, isForAll }) =>
    isAnswerUrl(replyTo)
      ? {
          post: {
            url: replyTo,
            body: {
              response_type: isForAll ? "in_channel" : "ephemeral",
              replace_original: false,
              text: text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
            },
          },
        }
      : {},
};

function isAnswerUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.origin === `https://${ANSWER_HOST}` && url.username === "" && url.password === "";
}

function parsed(text: string | null): Record<string, unknown> {
  try {
    const value = JSON.parse(text ?? "null") as unknown;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
