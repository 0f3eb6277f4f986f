import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { noticesOf, open, passTime } from "./browser.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import type { World } from "./world.ts";

export function webhooksSuite(world: World): void {
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver?.close());

  it("is made with a secret that is shown once, tested, replayed one and many, its secret rotated, and deleted by name", async () => {
    const url = `${receiver.url}/hooks-${Date.now()}`;
    const { page, context, complaints, close } = await open(world.browser, world.stack, "/webhooks", {
      as: 0,
      clock: true,
    });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "New endpoint" }).first().click();
    const making = page.getByRole("dialog", { name: "New endpoint" });
    await making.getByRole("textbox", { name: "URL" }).fill(url.replace("http:", "ftp:"));
    await making.getByRole("button", { name: "Only some" }).first().click();
    for (const type of ["deposit.fulfilled", "pps.updated"])
      await making.getByRole("checkbox", { name: type }).uncheck();
    await making.getByRole("button", { name: "Make endpoint" }).click();
    await making
      .getByRole("alert")
      .getByText(/request/)
      .waitFor();
    await making.getByRole("textbox", { name: "URL" }).fill(url);
    await making.getByRole("button", { name: "Make endpoint" }).click();

    const secretOf = async () => {
      const dialog = page.getByRole("dialog", { name: "The signing secret" });
      const secret = (await dialog.getByText(/^whsec_/).textContent()) ?? "";
      await dialog.getByRole("button", { name: "Copy" }).click();
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
      await page.keyboard.press("Escape");
      expect(await dialog.isVisible(), "it is not left by mistake").toBe(true);
      await dialog.getByRole("checkbox").check();
      await dialog.getByRole("button", { name: "Done" }).click();
      await dialog.waitFor({ state: "detached" });
      expect(await page.content()).not.toContain(secret);
      return secret;
    };
    const first = await secretOf();
    await page.waitForURL("**/webhooks/*");

    receiver.answer(503, "come again");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    const outcome = page.getByRole("status", { name: "Outcome of the test" });
    await outcome.getByText("The test was not accepted").waitFor();
    await outcome.getByText("come again").waitFor();
    const tests = page.getByRole("list", { name: "Deliveries" }).getByRole("listitem");
    const test = tests.filter({ hasText: "webhook.test" });
    await test.getByText("Dead").waitFor();

    receiver.answer(200, "thank you");
    await test.getByRole("button", { name: "Replay" }).click();
    await passTime(page, async () => (await test.getByText("Delivered").count()) === 1);
    const sent = receiver.received.filter(({ body }) => body.includes("webhook.test"));
    expect(sent.length).toBe(2);
    expect(sent[1]?.headers["webhook-id"]).toBe(sent[0]?.headers["webhook-id"]);
    expect(sent[1]?.body).toBe(sent[0]?.body);
    await test.getByRole("button", { expanded: false }).click();
    await test.getByText("Attempt 2", { exact: true }).waitFor();
    const request = (await test.getByRole("region", { name: "Request" }).textContent()) ?? "";
    expect(request).toContain(sent[0]?.body);
    expect(request).toContain(`webhook-id: ${sent[0]?.headers["webhook-id"]}`);
    await test.getByText("thank you").waitFor();

    await page.getByRole("button", { name: "Replay a range" }).click();
    const range = page.getByRole("dialog", { name: "Replay a range" });
    await range.getByRole("button", { name: "Delivered" }).click();
    await range.getByRole("button", { name: "Replay", exact: true }).click();
    await expect
      .poll(() => noticesOf(page))
      .toContainEqual(expect.stringMatching(/(delivery is|deliveries are) sent once more/));
    await expect
      .poll(() => receiver.received.filter(({ body }) => body.includes("webhook.test")).length)
      .toBe(3);

    await page.getByRole("button", { name: "Rotate secret" }).click();
    await confirm(page, "Rotate the secret", url, "Rotate");
    expect(await secretOf()).not.toBe(first);
    await page.getByText("An old secret signs for").waitFor();

    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("main").getByText("Off", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Test", exact: true }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("main").getByText("On", { exact: true }).waitFor();

    await page.getByRole("button", { name: "Delete" }).click();
    await confirm(page, "Delete the endpoint", url, "Delete");
    await page.waitForURL("**/webhooks");
    await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: url }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("says why the service disabled an endpoint, and takes that back once it is enabled", async () => {
    const ask = async (path: string, body?: object) => {
      const response = await fetch(`${world.stack.url}/api/v1/webhooks${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${await world.stack.token(0)}`,
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return (await response.json()) as { id: string };
    };
    const { id } = await ask("", { url: `${receiver.url}/gone`, event_types: ["webhook.test"] });
    receiver.answer(410, "gone for good");
    await ask(`/${id}/test`);
    const { page, close } = await open(world.browser, world.stack, `/webhooks/${id}`, { as: 0 });
    const banner = page.getByText(/It answered 410.+Nothing is sent until you enable it/);
    await banner.waitFor();
    await page.getByRole("main").getByText("Disabled", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Replay", exact: true }).count()).toBe(0);
    receiver.answer(200, "back");
    await page.getByRole("button", { name: "Enable" }).click();
    await banner.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Delete" }).click();
    await confirm(page, "Delete the endpoint", `${receiver.url}/gone`, "Delete");
    await page.waitForURL("**/webhooks");
    await close();
  });

  it("tells a viewer for whom it is", async () => {
    const { page, close } = await open(world.browser, world.stack, "/webhooks", { as: 2 });
    await page.getByText("For managers of vaults").waitFor();
    expect(await page.getByRole("button", { name: "New endpoint" }).count()).toBe(0);
    await close();
  });
}

/** Types the name that a destructive step asks for; until then it cannot be taken. */
async function confirm(page: Page, title: string, name: string, action: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: title });
  const button = dialog.getByRole("button", { name: action, exact: true });
  expect(await button.isDisabled()).toBe(true);
  await dialog.getByRole("textbox").fill(name);
  await button.click();
}
