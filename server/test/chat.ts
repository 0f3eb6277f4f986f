// What Slack and Telegram send when somebody presses a button, signed as they sign, and a stand-in for where Slack takes answers.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createEgress, type Egress } from "../src/platform/egress/egress.ts";
import type { ChannelGround } from "./channels.ts";

export const SLACK_SECRET = "0123456789abcdef0123456789abcdef";
export const SLACK_PLACE = { team_id: "T0TEAM", channel_id: "C0DUTY", signing_secret: SLACK_SECRET };

export interface SlackPress {
  value: string;
  user?: string;
  team?: string;
  channel?: string;
  responseUrl?: string;
  secret?: string;
  /** Of the signature, in seconds from now. */
  ageSeconds?: number;
  /** Other bytes than were signed. */
  tamper?: (body: string) => string;
}

/** What Slack's interactivity asks of the service. */
export function slackRequest(
  { clock }: { clock: { now(): number } },
  inboundUrl: string,
  press: SlackPress,
): { method: "POST"; url: string; headers: Record<string, string>; payload: string } {
  const { user = "U0ANNE", team = SLACK_PLACE.team_id, channel = SLACK_PLACE.channel_id } = press;
  const content = {
    type: "block_actions",
    user: { id: user, username: `name-of-${user}`, team_id: team },
    team: { id: team },
    channel: { id: channel },
    container: { type: "message", channel_id: channel },
    actions: [{ type: "button", action_id: "acknowledge", value: press.value }],
    response_url: press.responseUrl ?? "https://hooks.slack.com/actions/T0/1/answer",
  };
  const body = new URLSearchParams({ payload: JSON.stringify(content) }).toString();
  const time = Math.floor(clock.now() / 1000) - (press.ageSeconds ?? 0);
  const signature = createHmac("sha256", press.secret ?? SLACK_SECRET)
    .update(`v0:${time}:${body}`)
    .digest("hex");
  return {
    method: "POST",
    url: new URL(inboundUrl).pathname,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": String(time),
      "x-slack-signature": `v0=${signature}`,
    },
    payload: press.tamper?.(body) ?? body,
  };
}

/** The same, asked; returns the status. */
export async function pressSlack(
  ground: Pick<ChannelGround, "app" | "clock">,
  inboundUrl: string,
  press: SlackPress,
): Promise<number> {
  return (await ground.app.inject(slackRequest(ground, inboundUrl, press))).statusCode;
}

export interface TelegramPress {
  value: string;
  updateId: number;
  token: string;
  user?: number;
  chat?: number;
}

export async function pressTelegram(
  { app }: Pick<ChannelGround, "app">,
  url: string,
  press: TelegramPress,
): Promise<{ status: number; body: object }> {
  const response = await app.inject({
    method: "POST",
    url: new URL(url).pathname,
    headers: { "x-telegram-bot-api-secret-token": press.token },
    payload: {
      update_id: press.updateId,
      callback_query: {
        id: "77",
        from: { id: press.user ?? 42, is_bot: false, first_name: "Anne" },
        message: { message_id: 1, chat: { id: press.chat ?? -100123, type: "supergroup" } },
        data: press.value,
      },
    },
  });
  return { status: response.statusCode, body: response.json() };
}

export interface SlackAnswers {
  /** To which requests for hooks.slack.com go. */
  egress: Egress;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  answers: any[];
  close(): Promise<void>;
}

/** hooks.slack.com on the loopback. */
export async function startSlackAnswers(): Promise<SlackAnswers> {
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  const answers: any[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    answers.push(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    response.end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const real = createEgress({ allowedNetworks: ["127.0.0.0/8"], allowHttp: true });
  return {
    answers,
    egress: {
      ...real,
      request: (asked) =>
        real.request({ ...asked, url: asked.url.replace(/^https:\/\/hooks\.slack\.com(?=\/)/, url) }),
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
