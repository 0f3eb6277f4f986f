// Every page of the console, for what holds on all of them: axe in both themes, no other host, screenshots.
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { Stack } from "./stack.ts";

const PATIENCE_MS = 120_000;

export interface PageUnderTest {
  /** Also the screenshot's name. */
  name: string;
  path(stack: Stack): string | Promise<string>;
  /** The demo account that looks at it; null: signed out. */
  as: number | null;
  /** Resolves once the page shows what it is for, not a skeleton. */
  ready(page: Page): Promise<unknown>;
}

export const PAGES: readonly PageUnderTest[] = [
  {
    name: "vaults",
    path: () => "/",
    as: 0,
    ready: (page) =>
      page.getByRole("table", { name: "Vaults" }).getByText("Primary manager").first().waitFor(),
  },
  {
    name: "vaults-public",
    path: () => "/",
    as: null,
    ready: (page) => page.getByRole("table", { name: "Vaults" }).getByText("Prime USDC").waitFor(),
  },
  {
    name: "vault",
    path: ({ deployment }) => `/vaults/${deployment.chainId}/${deployment.trios.queued.vault}`,
    as: 0,
    ready: async (page) => {
      await page.getByRole("img", { name: /^APY, 7 d: .+ at/ }).waitFor();
      await page.getByRole("table", { name: "Latest audit entries" }).waitFor();
      await page.getByRole("table", { name: "Redeem queue" }).waitFor();
    },
  },
  {
    name: "vault-in-exit",
    path: ({ deployment }) => `/vaults/${deployment.chainId}/${deployment.trios.exiting.vault}`,
    as: 0,
    ready: async (page) => {
      await page.getByRole("img", { name: /^APY, 7 d: .+ at/ }).waitFor();
      await page
        .getByRole("list", { name: "Needs attention" })
        .getByText("Emergency liquidity exit armed")
        .waitFor();
      await page.getByRole("table", { name: "Latest audit entries" }).waitFor();
    },
  },
  {
    name: "actions",
    path: ({ deployment }) =>
      `/vaults/${deployment.chainId}/${deployment.trios.queued.vault}/actions?action=propose_fee_config`,
    as: 0,
    ready: (page) => page.getByRole("form", { name: /fee/i }).waitFor(),
  },
  {
    name: "prepared-action",
    path: async (stack) => {
      const { chainId, trios } = stack.deployment;
      return `/vaults/${chainId}/${trios.queued.vault}/actions/${await preparedId(stack)}`;
    },
    as: 0,
    ready: (page) => page.getByRole("list", { name: "Changes" }).first().waitFor(),
  },
  {
    name: "sign-in",
    path: () => "/sign-in",
    as: null,
    ready: (page) => page.getByRole("button", { name: "Primary manager" }).waitFor(),
  },
  {
    name: "audit",
    path: () => "/audit",
    as: 0,
    ready: (page) => page.getByRole("table", { name: "Audit log" }).getByText("Deposit").first().waitFor(),
  },
  {
    name: "intents",
    path: () => "/intents",
    as: 0,
    ready: (page) => page.getByRole("table", { name: "Intents" }).getByText("Completed").first().waitFor(),
  },
  {
    name: "redemptions",
    path: () => "/redemptions",
    as: 0,
    ready: (page) => page.getByRole("table", { name: "Redemptions" }).getByText("Success").first().waitFor(),
  },
  {
    name: "services",
    path: () => "/services",
    as: 0,
    ready: (page) => page.getByRole("table", { name: "Services" }).getByText("Fulfill redeems").waitFor(),
  },
  {
    name: "alerts",
    path: () => "/alerts",
    as: 0,
    ready: (page) =>
      page
        .getByRole("table", { name: "Open alerts" })
        .getByText("Emergency liquidity exit armed")
        .first()
        .waitFor(),
  },
  {
    name: "alert",
    path: async (stack) => `/alerts/${await exitAlertId(stack)}`,
    as: 0,
    ready: (page) => page.getByRole("heading", { name: "What the monitor knows" }).waitFor(),
  },
  {
    name: "channels",
    path: () => "/channels",
    as: 0,
    ready: (page) => page.getByRole("heading", { level: 1, name: "Channels" }).waitFor(),
  },
  {
    name: "channel",
    path: async (stack) => `/channels/${await channelId(stack)}`,
    as: 0,
    ready: (page) => page.getByRole("list", { name: "Bindings" }).waitFor(),
  },
  {
    name: "webhooks",
    path: () => "/webhooks",
    as: 0,
    ready: (page) => page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor(),
  },
  {
    name: "webhook",
    path: async (stack) => `/webhooks/${await webhookId(stack)}`,
    as: 0,
    ready: (page) => page.getByRole("list", { name: "Deliveries" }).waitFor(),
  },
];

/** The alert of the vault whose emergency exit is armed: it fires soon after the demo runs, and goes on. */
async function exitAlertId(stack: Stack): Promise<string> {
  const headers = { authorization: `Bearer ${await stack.token(0)}` };
  const url = `${stack.url}/api/v1/alerts?category=emergency_exit&status=firing,acknowledged`;
  for (const startedAt = Date.now(); Date.now() - startedAt < PATIENCE_MS; await sleep(250)) {
    const { alerts } = (await (await fetch(url, { headers })).json()) as { alerts: { id: string }[] };
    if (alerts[0]) return alerts[0].id;
  }
  throw new Error("The demo's emergency exit fires no alert.");
}

/** What somebody prepared and did not send. */
async function preparedId(stack: Stack): Promise<string> {
  const { chainId, trios } = stack.deployment;
  const answer = await fetch(`${stack.url}/api/v1/vaults/${chainId}/${trios.queued.vault}/prepared-actions`, {
    method: "POST",
    headers: { authorization: `Bearer ${await stack.token(0)}`, "content-type": "application/json" },
    body: JSON.stringify({ action: "pause" }),
  });
  return ((await answer.json()) as { id: string }).id;
}

/** A channel that is bound to a vault, as its managers would make one. */
async function channelId(stack: Stack): Promise<string> {
  const { chainId, trios } = stack.deployment;
  const vault = `${stack.url}/api/v1/vaults/${chainId}/${trios.prime.vault}/notification-channels`;
  const headers = {
    authorization: `Bearer ${await stack.token(0)}`,
    "content-type": "application/json",
  };
  const [bound] = (await (await fetch(vault, { headers })).json()) as { id: string }[];
  if (bound) return bound.id;
  const post = async (url: string, body: object) =>
    (await (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json()) as {
      id: string;
    };
  const channel = { provider: "email", name: "Curators", config: { to: "curators@vaults.example" } };
  const { id } = await post(`${stack.url}/api/v1/notification-channels`, channel);
  await post(vault, { channel_id: id, categories: ["upkeep", "emergency_exit"], min_severity: "warning" });
  return id;
}

/** An endpoint to which a test was sent, as its owner would make one. */
async function webhookId(stack: Stack): Promise<string> {
  const headers = {
    authorization: `Bearer ${await stack.token(0)}`,
    "content-type": "application/json",
  };
  const url = `${stack.url}/api/v1/webhooks`;
  const { webhooks } = (await (await fetch(url, { headers })).json()) as { webhooks: { id: string }[] };
  let id = webhooks[0]?.id;
  if (id === undefined) {
    const body = JSON.stringify({ url: "http://127.0.0.1:9/events", description: "Data warehouse" });
    const made = await fetch(url, { method: "POST", headers, body });
    ({ id } = (await made.json()) as { id: string });
  }
  const { authorization } = headers;
  await fetch(`${url}/${id}/test`, { method: "POST", headers: { authorization } });
  return id;
}
