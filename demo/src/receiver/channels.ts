/**
 * The demo's channels, one of each provider, bound to every vault that account 0 manages, and its webhook endpoint: made over the API as
 * a manager would, leading to the receiver.
 * A later start finds them again and points them to where the receiver is now.
 */
import { readFile, writeFile } from "node:fs/promises";
import { tokenCommand } from "../../../server/src/cli/sign-in.ts";
import type { HttpProviderName } from "../../../server/test/provider-receiver.ts";
import { demoAccount } from "../accounts.ts";
import type { Receiver } from "./receiver.ts";

const PROVIDERS: readonly HttpProviderName[] = [
  "slack",
  "discord",
  "telegram",
  "pagerduty",
  "opsgenie",
  "teams",
  "webhook",
];

/** What is kept between starts: where the receiver was, and the secret that the webhook was given once. */
export interface ReceiverState {
  port: number;
  webhook: { id: string; secret: string } | null;
}

export async function readReceiverState(path: string): Promise<ReceiverState> {
  const text = await readFile(path, "utf8").catch(() => null);
  return text === null ? { port: 0, webhook: null } : (JSON.parse(text) as ReceiverState);
}

export interface DemoChannelsOptions {
  serviceUrl: string;
  receiver: Receiver;
  statePath: string;
  state: ReceiverState;
}

/** Resolves once all of them stand and are bound. */
export async function makeDemoChannels(options: DemoChannelsOptions): Promise<void> {
  const { serviceUrl, receiver, statePath, state } = options;
  const token = await tokenCommand({ baseUrl: serviceUrl, privateKey: demoAccount(0).privateKey });
  const api = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${serviceUrl}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return JSON.parse(text);
  };

  const { vaults } = (await api("GET", "/auth/me")) as {
    vaults: { chain_id: number; vault_address: string; role: string }[];
  };
  const managed = vaults.filter(({ role }) => role !== "view_only");
  const existing = (await api("GET", "/notification-channels")) as { id: string; name: string }[];
  const wanted = [
    ...PROVIDERS.map((provider) => ({
      provider,
      name: `Demo ${provider}`,
      config: receiver.configOf(provider, `demo-${provider}`),
    })),
    { provider: "email", name: "Demo email", config: { to: "duty@vaults.example" } },
  ];
  for (const { provider, name, config } of wanted) {
    const known = existing.find((channel) => channel.name === name);
    const { id } =
      known === undefined
        ? await api("POST", "/notification-channels", { provider, name, config })
        : await api("PATCH", `/notification-channels/${known.id}`, { config });
    for (const { chain_id: chainId, vault_address: vault } of managed)
      await api("POST", `/vaults/${chainId}/${vault}/notification-channels/${id}`);
  }

  const { webhooks } = (await api("GET", "/webhooks")) as { webhooks: { id: string }[] };
  const isKnown = state.webhook !== null && webhooks.some(({ id }) => id === state.webhook?.id);
  if (isKnown) await api("PATCH", `/webhooks/${state.webhook?.id}`, { url: receiver.webhookUrl });
  const webhook = isKnown
    ? state.webhook
    : await api("POST", "/webhooks", { url: receiver.webhookUrl, description: "The demo's receiver" });
  receiver.setWebhookSecret(webhook.secret);
  const kept: ReceiverState = {
    port: Number(new URL(receiver.url).port),
    webhook: { id: webhook.id, secret: webhook.secret },
  };
  await writeFile(statePath, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
}
