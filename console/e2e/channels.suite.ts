import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { demoAccount } from "../../demo/src/accounts.ts";
import { connectChain, execute } from "../../demo/src/chain.ts";
import { SLACK_PLACE, SLACK_SECRET, slackRequest } from "../../server/test/chat.ts";
import { axeFindings } from "./axe.ts";
import { open, passTime } from "./browser.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import type { Stack } from "./stack.ts";
import type { World } from "./world.ts";

export function channelsSuite(world: World): void {
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver?.close());

  it("is made by a form that its provider draws, tested, bound, changed and deleted by name, its secret never shown again", async () => {
    const name = `Slack ${Date.now()}`;
    const { page, complaints, close } = await open(world.browser, world.stack, "/channels", { as: 0 });
    await page.getByRole("button", { name: "New channel" }).first().click();
    const making = page.getByRole("dialog", { name: "New channel" });
    await making.getByRole("textbox", { name: "Name" }).fill(name);
    const secret = making.getByLabel("Webhook URL");
    expect(await secret.getAttribute("type")).toBe("password");
    await secret.fill("not a URL");
    await making.getByRole("button", { name: "Make channel" }).click();
    await making
      .getByText(/is not of the right form/)
      .first()
      .waitFor();
    await making
      .getByRole("alert")
      .getByText(/request/)
      .waitFor();
    await secret.fill(`${receiver.url}/services/secret-part-7f3a`);
    await making.getByRole("button", { name: "Make channel" }).click();

    await page.waitForURL("**/channels/*");
    await page.getByText("••••7f3a").waitFor();
    expect(await page.content()).not.toContain("secret-part");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    const outcome = page.getByRole("status", { name: "Outcome of the test" });
    await outcome.getByText("The test arrived").waitFor();
    expect(receiver.received.some(({ body }) => body.includes(name))).toBe(true);
    const deliveries = page.getByRole("list", { name: "Deliveries" });
    await deliveries.getByText("Delivered").first().waitFor();
    await deliveries.getByRole("button", { expanded: false }).first().click();
    await deliveries.getByText("Attempt 1", { exact: true }).waitFor();

    receiver.answer(500, "the workspace is out");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await outcome.getByText("The test did not arrive").waitFor();
    await outcome.getByText("the workspace is out").waitFor();
    receiver.answer(200, "ok");

    await page.getByRole("button", { name: "Bind to a vault" }).click();
    const binding = page.getByRole("dialog", { name: "Bind to a vault" });
    await binding.getByRole("combobox", { name: "Vault" }).selectOption({ label: "Ether Yield" });
    await binding.getByRole("checkbox", { name: "Keeper runs" }).uncheck();
    await binding.getByRole("button", { name: "Critical" }).click();
    await binding.getByRole("button", { name: "Bind", exact: true }).click();
    const bound = page.getByRole("list", { name: "Bindings" }).getByRole("listitem");
    await bound.getByText("from critical up").waitFor();
    expect(await bound.textContent()).not.toContain("Keeper runs");
    await bound.getByRole("button", { name: "Change the binding to Ether Yield" }).click();
    const changing = page.getByRole("dialog", { name: "Alerts of Ether Yield" });
    await changing.getByRole("button", { name: "Warning" }).click();
    await changing.getByRole("textbox", { name: "Escalate after" }).fill("15");
    await changing.getByRole("button", { name: "Save" }).click();
    await bound.getByText("from warning up").waitFor();
    await bound.getByText("only what nobody takes for 15 min").waitFor();

    await page.getByRole("button", { name: "Change", exact: true }).click();
    const editing = page.getByRole("dialog", { name: "Change the channel" });
    await editing.getByRole("textbox", { name: "Name" }).fill(`${name}, renamed`);
    await editing.getByLabel("Webhook URL").fill(`${receiver.url}/services/secret-part-7f3a`);
    await editing.getByLabel("Signing secret").fill(SLACK_SECRET);
    await editing.getByLabel("Workspace ID").fill(SLACK_PLACE.team_id);
    await editing.getByLabel("Channel ID").fill(SLACK_PLACE.channel_id);
    await editing.getByRole("button", { name: "Acknowledge and silence" }).click();
    await editing.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: `${name}, renamed` }).waitFor();
    await page.getByText("••••7f3a").waitFor();

    // Answered from by whom the wallet says: asked for in the channel, pressed there, confirmed here.
    await page.getByRole("button", { name: "Link my account" }).click();
    const links = page.getByRole("list", { name: "Linked accounts" }).getByRole("listitem");
    await links.getByText("Waits for you to press the button there").waitFor();
    const values = () =>
      receiver.received.flatMap(
        ({ body }) => /"action_id":"link".*?"value":"([\w-]+)"/.exec(body)?.[1] ?? [],
      );
    await expect.poll(() => values().length).toBe(1);
    const [value] = values() as [string];
    const id = page.url().split("/").at(-1) as string;
    const { inbound_url: inboundUrl } = await ask(0, "GET", `/notification-channels/${id}`);
    const pressed = slackRequest({ clock: { now: () => Date.now() } }, inboundUrl, {
      value,
      responseUrl: "",
    });
    const answered = await fetch(`${world.stack.url}${pressed.url}`, { ...pressed, body: pressed.payload });
    expect(answered.status).toBe(200);
    await links.getByText("U0ANNE", { exact: true }).waitFor();
    expect(await axeFindings(page, "all")).toEqual([]);
    await links.getByRole("button", { name: "That is me" }).click();
    await links.getByRole("button", { name: "That is me" }).waitFor({ state: "detached" });
    await links.getByRole("button", { name: "Remove the link" }).click();
    await links.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Delete" }).click();
    const deleting = page.getByRole("dialog", { name: "Delete the channel" });
    expect(await deleting.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
    await deleting.getByRole("textbox").fill(`${name}, renamed`);
    await deleting.getByRole("button", { name: "Delete" }).click();
    await page.waitForURL("**/channels");
    await page.getByRole("heading", { level: 1, name: "Channels" }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: `${name}, renamed` }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("asks a manager to confirm what was bound by one who is none any more, and offers the one who left no change of what he sees", async () => {
    const { stack } = world;
    const { chainId, trios, system } = stack.deployment;
    const { vault, strategy } = trios.queued;
    const bindings = `/vaults/${chainId}/${vault}/notification-channels`;
    const name = `By one who left ${Date.now()}`;
    const made = (account: number) =>
      ask(account, "POST", "/notification-channels", {
        provider: "slack",
        name,
        config: { webhook_url: `${receiver.url}/services/of-${account}` },
      });
    const [{ id }, other] = [await made(1), await made(0)];
    await ask(1, "POST", `${bindings}/${id}`);
    const chain = await connectChain(await rpcUrl(stack));
    const onchain = (functionName: string) =>
      execute(chain, {
        contract: "SuperVaultAggregator",
        address: system.aggregator,
        functionName,
        args: [strategy, demoAccount(1).address],
        from: demoAccount(0).address,
      });
    try {
      await onchain("removeSecondaryManager");
      const { page, close } = await open(world.browser, stack, `/channels/${id}`, { as: 0, clock: true });
      const bound = page.getByRole("list", { name: "Bindings" }).getByRole("listitem");
      const confirm = bound.getByRole("button", { name: "Confirm" });
      await passTime(page, async () => (await confirm.count()) === 1);
      await bound.getByText("Whoever bound it no longer manages the vault.").waitFor();
      await confirm.click();
      await confirm.waitFor({ state: "detached" });
      await close();

      // The one who left manages one of its two vaults, so he sees and tests it.
      for (const { vault: address } of [trios.queued, trios.prime])
        await ask(0, "POST", `/vaults/${chainId}/${address}/notification-channels/${other.id}`);
      const left = await open(world.browser, stack, `/channels/${other.id}`, { as: 1 });
      await left.page.getByRole("button", { name: "Test", exact: true }).waitFor();
      for (const button of ["Disable", "Change", "Delete"])
        expect(await left.page.getByRole("button", { name: button, exact: true }).count(), button).toBe(0);
      await left.close();
    } finally {
      await onchain("addSecondaryManager");
      await isManager(1, vault);
      for (const each of [id, other.id]) await ask(0, "DELETE", `/notification-channels/${each}`);
    }

    async function isManager(account: number, address: string): Promise<void> {
      const isThere = async () =>
        (await ask(account, "GET", "/auth/me")).vaults.some(
          (each: { vault_address: string; role: string }) =>
            each.vault_address === address && each.role === "secondary_manager",
        );
      await expect.poll(isThere).toBe(true);
    }
  });

  it("offers a viewer no channel to make, and says whose they are", async () => {
    const { page, close } = await open(world.browser, world.stack, "/channels", { as: 2 });
    await page.getByText("Only managers of vaults can create and see channels").waitFor();
    expect(await page.getByRole("button", { name: "New channel" }).count()).toBe(0);
    await close();
  });

  it("says in the service's words that a channel is not there, with the request id", async () => {
    const path = "/channels/00000000-0000-4000-8000-000000000000";
    const { page, close } = await open(world.browser, world.stack, path, { as: 0 });
    await page.getByRole("alert").getByText("Request").waitFor();
    await close();
  });

  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  async function ask(account: number, method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(`${world.stack.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await world.stack.token(account)}`,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return text === "" ? null : JSON.parse(text);
  }
}

async function rpcUrl({ dataDir }: Stack): Promise<string> {
  const config = parse(await readFile(join(dataDir, "config.yaml"), "utf8"));
  return config.chains[0].rpc_urls[0];
}
