// Every provider against rules that refuse what the real one refuses: any notice, in any form and number, is taken.

import { describe, expect, test } from "vitest";
import fc from "../../../../test/fast-check.ts";
import {
  ALERTS_URL,
  FORMS,
  HOSTILE_TEXTS,
  hostileNotice,
  incident,
  mixedIncident,
  noticeOf,
} from "../../../../test/notices.ts";
import {
  discordRules,
  opsgenieRules,
  type ProviderReply,
  pagerdutyRules,
  type ReceivedRequest,
  Refusal,
  slackRules,
  teamsRules,
  telegramRules,
  webhookRules,
} from "../../../../test/provider-rules.ts";
import type { Notice } from "../notice/notice.ts";
import { changedConfig, split } from "../store/config.ts";
import { KEEPS_DESTINATION, PROVES_SENDER, SIGNS_ONLY } from "./fields.ts";
import type { ChannelConfig, HttpMessage, MailMessage } from "./provider.ts";
import type { ProviderName } from "./registry.ts";
import { PROVIDERS } from "./registry.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

const CONFIGS: Record<ProviderName, ChannelConfig> = {
  slack: {
    webhook_url: "https://hooks.slack.com/services/T0/B0/planted",
    team_id: "T0TEAM",
    channel_id: "C0DUTY",
    signing_secret: `${"0".repeat(31)}1`,
  },
  discord: { webhook_url: "https://discord.com/api/webhooks/1/planted?thread_id=5" },
  telegram: { bot_token: "123456:planted-token", chat_id: "-100123", message_thread_id: "7" },
  pagerduty: { routing_key: "a".repeat(32), region: "us" },
  opsgenie: { api_key: "00000000-0000-0000-0000-000000000001", region: "us" },
  teams: { webhook_url: "https://teams.example/workflows/planted" },
  email: { to: "ops@example.org, duty@example.org" },
  webhook: { url: "https://hooks.example/in/planted", secret: SECRET },
};

const RULES: Record<Exclude<ProviderName, "email">, (request: ReceivedRequest) => ProviderReply> = {
  slack: slackRules,
  discord: discordRules,
  telegram: telegramRules,
  pagerduty: pagerdutyRules,
  opsgenie: opsgenieRules,
  teams: teamsRules,
  webhook: webhookRules(SECRET),
};

const CONTEXT = {
  alertsUrl: ALERTS_URL,
  nowSeconds: 1_778_000_000,
  messageId: "0196b0a5-9d00-7000-8000-000000000009",
  from: "VaultOps <alerts@vaults.example>",
  seal: () => "a".repeat(64),
};

/** What the provider makes of the notices: one message for all, or one each. */
function messagesOf(name: ProviderName, notices: readonly Notice[]) {
  const provider = PROVIDERS[name];
  const groups = provider.isGrouping ? [notices] : notices.map((notice) => [notice]);
  return groups.flatMap((group): (HttpMessage | MailMessage)[] => {
    const message = provider.build(group, CONFIGS[name], CONTEXT);
    return message.kind === "http" ? [message, ...(message.more ?? [])] : [message];
  });
}

/** Has the provider's rules judge the messages, and the provider the answers. Returns all that a reader would see. */
function deliver(name: ProviderName, notices: readonly Notice[]): string {
  return messagesOf(name, notices)
    .map((message) => {
      if (message.kind === "mail") return mailText(message);
      const url = new URL(message.url);
      const request: ReceivedRequest = {
        method: message.method ?? "POST",
        url: url.pathname + url.search,
        headers: message.headers,
        body: Buffer.from(message.body),
      };
      let reply: ProviderReply;
      try {
        reply = RULES[name as "slack"](request);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        throw new Error(`${name} refuses: ${error.message}\n${message.body.slice(0, 2000)}`);
      }
      expect(
        PROVIDERS[name].judge({ status: reply.status, headers: reply.headers ?? {}, body: reply.body }).kind,
      ).toBe("delivered");
      return message.body;
    })
    .join("\n");
}

function mailText({ from, to, subject, text, html, messageId }: MailMessage): string {
  for (const header of [from, subject, messageId, ...to]) {
    expect(header).not.toMatch(/[\r\n]/);
    expect(header.isWellFormed()).toBe(true);
  }
  expect(subject.length).toBeGreaterThan(0);
  expect(subject.length).toBeLessThanOrEqual(200);
  expect(to.every((address) => /^[^\s@,<>]+@[^\s@,<>]+$/.test(address))).toBe(true);
  expect(text.length + html.length).toBeLessThan(1_000_000);
  expect((text + html).isWellFormed()).toBe(true);
  // Of the tags in it all are ours, and all are closed.
  const tags = html.match(/<[^>]*>/g) ?? [];
  for (const tag of tags)
    expect(tag).toMatch(
      /^<(?:!doctype html|br|\/?(?:html|body|div|h2|p|table|tr|td|b|a))(?: style="[^"<>]*"| href="[^"<>]*")?>$/,
    );
  return `${subject}\n${text}`;
}

describe.each(Object.keys(PROVIDERS) as ProviderName[])("%s", (name) => {
  test.each(FORMS)("takes a notice of the form %s", (form) => {
    const shown = deliver(name, [noticeOf(form)]);
    // PagerDuty's resolve needs no more than its key.
    if (name === "pagerduty" && (form === "resolved" || form === "withdrawn")) return;
    for (const word of ["Price per share is stale", "USDC Prime"]) {
      if (name !== "webhook") expect(shown).toContain(word);
    }
  });

  test("says what happened, to which vault, since when, how bad, what to do, and links to alert and transaction", () => {
    const shown = deliver(name, [noticeOf()]);
    for (const word of [
      "last updated at 09",
      noticeOf().alert.console_url,
      "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698",
    ])
      expect(shown).toContain(word);
    expect(shown.toLowerCase()).toContain("critical");
    expect(shown).toMatch(/2026\\?-05\\?-09[ T]10:09:00/);
    // One's own program gets the alert as data instead.
    if (name !== "webhook") expect(shown).toContain("price updater");
    expect(shown).toContain(name === "webhook" ? "a7a7a7" : "https://explorer.example/tx/0xa7a7");
  });

  test.each(HOSTILE_TEXTS.map((text, index) => [JSON.stringify(text).slice(0, 40), text, index] as const))(
    "takes %s in every place and every form",
    (_, text, index) => {
      for (const form of FORMS) deliver(name, [hostileNotice(text, form, index)]);
      deliver(
        name,
        FORMS.map((form, at) => hostileNotice(text, form, index + at)),
      );
    },
  );

  test("takes an incident of 200 alerts, and every one of them is shown or counted", () => {
    const shown = deliver(name, incident(200));
    if (!PROVIDERS[name].isGrouping) return;
    expect(shown).toContain("200");
    const more = /and (\d+) more/.exec(shown)?.[1];
    const vaults = new Set(shown.match(/Vault \d+/g));
    expect(vaults.size + Number(more ?? 0)).toBe(200);
  });

  test("takes 200 alerts of every kind, with names that do harm", () => {
    deliver(name, mixedIncident(200));
    deliver(
      name,
      Array.from({ length: 200 }, (_, index) =>
        hostileNotice(HOSTILE_TEXTS[index % HOSTILE_TEXTS.length] as string, FORMS[index % 5], index),
      ),
    );
  });

  test("takes any text at all", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 600 }),
      fc.string({ unit: "grapheme", maxLength: 600 }),
      fc.stringMatching(/^[<>&@*_`\\|[\](){}#\r\n"' ]{0,300}$/),
    );
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 6 }), fc.nat(4), (several, at) => {
        deliver(
          name,
          several.map((text, index) => hostileNotice(text, FORMS[(at + index) % 5], index)),
        );
      }),
      { numRuns: 60 },
    );
  });

  test("puts its secrets into no part of a message but where the provider has them", () => {
    const { secrets } = PROVIDERS[name];
    for (const message of messagesOf(name, [noticeOf()])) {
      const shown = message.kind === "mail" ? mailText(message) : message.body;
      for (const secret of secrets) {
        if (name === "pagerduty" && secret === "routing_key") continue;
        expect(shown).not.toContain(CONFIGS[name][secret]);
      }
    }
  });
});

/** Another value of each member that has one to choose. */
const OTHERS: Record<string, string> = {
  chat_id: "@other_chat",
  message_thread_id: "9",
  base_url: "https://other.example/api",
  region: "eu",
  team_id: "T0OTHER",
  channel_id: "C0OTHER",
  signing_secret: "f".repeat(32),
  to: "other@example.org",
  webhook_url: "https://other.example/hook",
  url: "https://other.example/in",
  secret: `whsec_${Buffer.alloc(32, 8).toString("base64")}`,
  bot_token: "654321:other-planted-token",
  routing_key: "b".repeat(32),
  api_key: "00000000-0000-0000-0000-000000000002",
};

describe.each(Object.keys(PROVIDERS) as ProviderName[])("what leads the secrets of %s elsewhere", (name) => {
  const { configSchema, secrets, build } = PROVIDERS[name];
  const properties = Object.entries(configSchema.properties) as [string, Record<string, unknown>][];
  const built = (config: ChannelConfig) => build([noticeOf()], config, CONTEXT);

  test("a secret that only signs, or proves who sends, stands in no message, and every other one that a provider of fixed host has does", () => {
    const message = JSON.stringify(built(CONFIGS[name]));
    for (const [member, schema] of properties) {
      if (!secrets.includes(member)) continue;
      const isSent = message.includes(CONFIGS[name][member] as string);
      expect([member, isSent]).toEqual([
        member,
        schema[SIGNS_ONLY] !== true && schema[PROVES_SENDER] !== true,
      ]);
    }
  });

  test("a member that is said to keep the destination changes neither address nor headers nor the chat", () => {
    for (const [member, schema] of properties) {
      if (schema[KEEPS_DESTINATION] !== true) continue;
      expect(secrets).not.toContain(member);
      const place = (config: ChannelConfig) => {
        const message = built(config) as HttpMessage;
        return [message.url, message.headers, JSON.parse(message.body).chat_id];
      };
      expect(place({ ...CONFIGS[name], [member]: OTHERS[member] as string })).toEqual(place(CONFIGS[name]));
    }
  });

  test("a change of any other member is refused unless it brings all secrets that are sent, in full", () => {
    const before = split(PROVIDERS[name], CONFIGS[name]);
    const sent = properties
      .filter(([member, schema]) => secrets.includes(member) && schema[SIGNS_ONLY] !== true)
      .map(([member]) => member);
    for (const [member, schema] of properties) {
      const other = OTHERS[member] as string;
      expect(other, `${member} has another value in this test`).toBeTruthy();
      const change = (more: Record<string, unknown>) =>
        changedConfig(name, before, { ...more, [member]: other }, { allowedNetworks: [], allowHttp: false });
      const whole = Object.fromEntries(sent.map((secret) => [secret, CONFIGS[name][secret]]));
      expect(change(whole)[member]).toBe(other);
      const isFree = schema[SIGNS_ONLY] === true || schema[KEEPS_DESTINATION] === true;
      if (isFree || sent.every((secret) => secret === member)) {
        expect(change(before.masks)[member]).toBe(other);
        continue;
      }
      for (const without of [{}, before.masks])
        expect(() => change(without)).toThrow(expect.objectContaining({ code: "secret_required" }));
    }
  });
});

test("a resolve bears the key of its firing at PagerDuty, and the alias at Opsgenie", () => {
  const body = (name: ProviderName, form: "firing" | "resolved") => {
    const [message] = messagesOf(name, [noticeOf(form)]);
    return message?.kind === "http" ? { url: message.url, ...JSON.parse(message.body) } : null;
  };
  const [trigger, resolve] = [body("pagerduty", "firing"), body("pagerduty", "resolved")];
  expect(trigger).toMatchObject({ event_action: "trigger", routing_key: "a".repeat(32) });
  expect(resolve).toMatchObject({ event_action: "resolve", routing_key: "a".repeat(32) });
  expect(resolve.dedup_key).toBe(trigger.dedup_key);
  expect(body("opsgenie", "resolved").url).toContain(`/v2/alerts/${body("opsgenie", "firing").alias}/close?`);
});

test("what gets worse at Opsgenie raises the priority and the words of the alert that is open under its alias", () => {
  const worse = noticeOf("update");
  worse.alert.severity = "critical";
  const messages = messagesOf("opsgenie", [worse]) as HttpMessage[];
  const path = `https://api.opsgenie.com/v2/alerts/${worse.alert.id}`;
  expect(messages.map(({ method = "POST", url }) => `${method} ${url}`)).toEqual([
    "POST https://api.opsgenie.com/v2/alerts",
    `PUT ${path}/priority?identifierType=alias`,
    `PUT ${path}/message?identifierType=alias`,
    `PUT ${path}/description?identifierType=alias`,
  ]);
  const [opening, priority, words] = messages.map(({ body }) => JSON.parse(body));
  expect(priority).toEqual({ priority: "P1" });
  expect(words).toEqual({ message: opening.message });
});
