import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { TrioKey } from "../../demo/src/deployment.ts";
import { open, passTime } from "./browser.ts";
import { report, runs } from "./report.ts";
import type { World } from "./world.ts";

export function alertsSuite(world: World): void {
  const vaultIdOf = (key: TrioKey) =>
    `${world.stack.deployment.chainId}:${world.stack.deployment.trios[key].vault}`;
  const openAlerts = (page: Page) => page.getByRole("table", { name: "Open alerts" });

  it("lists what fires with the worst first, and leads from an alert to its vault and its cause", async () => {
    const { page, complaints, close } = await open(world.browser, world.stack, "/alerts", { as: 0 });
    await page.getByRole("combobox", { name: "Category" }).selectOption("emergency_exit");
    await page.waitForURL("**/alerts?category=emergency_exit");
    await openAlerts(page).getByRole("link", { name: "Emergency liquidity exit armed" }).click();
    await page.waitForURL("**/alerts/*");
    await page.getByRole("main").getByRole("link", { name: "Flex USDC" }).waitFor();
    await page.getByRole("link", { name: "Its audit entries" }).click();
    await page.waitForURL("**/audit?*emergency_exit_arm*");
    await page.getByRole("table", { name: "Audit log" }).getByText("Emergency exit arm").first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows an alert as it begins, is acknowledged by one who may, and ends; and counts it in the navigation", async () => {
    const service = `keeper_${Date.now()}`;
    const { page, close } = await open(world.browser, world.stack, "/alerts?category=keeper_run", {
      as: 0,
      clock: true,
    });
    await page.getByRole("status").filter({ hasText: "firing" }).waitFor();
    await report(world.stack, runs(vaultIdOf("queued"), service, ["failed", "failed", "failed"]));
    const row = openAlerts(page)
      .getByRole("row")
      .filter({ hasText: service.replace("_", " ") });
    await passTime(page, async () => (await row.count()) === 1);
    await row.getByText("Firing").waitFor();
    const badge = page.getByRole("navigation", { name: "Pages" }).getByText(/\d+\s*firing/);
    await passTime(page, async () => (await badge.count()) === 1);
    await row.getByRole("button", { name: /^Acknowledge/ }).click();
    await row.getByText("Acknowledged").waitFor();
    await row.getByRole("link").first().click();
    await page.getByText("Acknowledged", { exact: true }).first().waitFor();
    await report(world.stack, runs(vaultIdOf("queued"), service, successes(100)));
    const resolved = page.getByText("Resolved", { exact: true }).first();
    await passTime(page, async () => (await page.getByText(/lasted/).count()) === 1);
    await resolved.waitFor();
    await close();
  });

  it("is silenced until an end, with a reason that all see, and no longer when somebody ends it", async () => {
    const reason = `Maintenance ${Date.now()}`;
    const { page, close } = await open(world.browser, world.stack, "/alerts", { as: 1 });
    await page.getByRole("button", { name: "Silence" }).click();
    const dialog = page.getByRole("dialog", { name: "Silence alerts" });
    await dialog.getByRole("combobox", { name: "Vault" }).selectOption({ label: "Ether Yield" });
    await dialog.getByRole("combobox", { name: "Category" }).selectOption("merkle");
    await dialog.getByRole("button", { name: "Until …" }).click();
    await dialog.getByLabel("Until, in UTC").fill("2020-01-01T00:00");
    await dialog.getByRole("textbox", { name: "Reason" }).fill(reason);
    await dialog.getByRole("button", { name: "Silence" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/must lie in the future/)
      .waitFor();
    await dialog
      .getByRole("alert")
      .getByText(/request/)
      .waitFor();
    await dialog.getByRole("button", { name: "4 h", exact: true }).click();
    await dialog.getByRole("button", { name: "Silence" }).click();
    const silence = page
      .getByRole("list", { name: "Active silences" })
      .getByRole("listitem")
      .filter({ hasText: reason });
    await silence.getByText(/ends in [34] h/).waitFor();
    await silence.getByRole("button", { name: "End" }).click();
    await silence.waitFor({ state: "detached" });
    await close();
  });

  it("takes a vault's thresholds, says which of them contradict, and follows the configuration where they are emptied", async () => {
    const [chainId, address] = vaultIdOf("drawdown").split(":");
    const { page, close } = await open(world.browser, world.stack, `/vaults/${chainId}/${address}`, {
      as: 0,
    });
    const rules = page.getByRole("button", { name: "Rules" });
    const dialog = page.getByRole("dialog", { name: "Alert rules" });
    const staleness = dialog.getByRole("region", { name: "Price staleness" });
    const critical = staleness.getByRole("textbox", { name: "Critical when this much time is left, s" });
    await rules.click();
    await critical.fill("7200");
    await dialog.getByRole("button", { name: "Save" }).click();
    await staleness.getByText("must not be greater than warning_seconds").waitFor();
    await critical.fill("300");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await rules.click();
    await staleness.getByText("= 5 min").waitFor();
    expect(await critical.inputValue()).toBe("300");
    await critical.fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await close();
  });

  it("tries a vault's thresholds on its last 30 days before they are saved, and saves nothing by that", async () => {
    const [chainId, address] = vaultIdOf("drawdown").split(":");
    const { page, complaints, close } = await open(
      world.browser,
      world.stack,
      `/vaults/${chainId}/${address}`,
      {
        as: 0,
      },
    );
    const rules = page.getByRole("button", { name: "Rules" });
    const dialog = page.getByRole("dialog", { name: "Alert rules" });
    const effect = dialog.getByRole("region", { name: "Effect of the rules" });
    const tried = effect.getByRole("button", { name: "Try" });
    await rules.click();
    await tried.click();
    await effect.getByText(/^Flows: 0 critical, (1 warning|([2-9]|[1-9]\d+) warnings),/).waitFor();
    await effect
      .getByText(/A large (deposit|withdrawal)|was submitted|soon be executed/)
      .first()
      .waitFor();
    const fill = (region: string, label: RegExp, text: string) =>
      dialog
        .getByRole("region", { name: region, exact: true })
        .getByRole("textbox", { name: label })
        .fill(text);
    await fill("Price", /^Warning after a fall/, "40");
    await fill("Price", /^Critical after a fall/, "30");
    await tried.click();
    await effect
      .getByRole("alert")
      .getByText(/must not be less than warning_drop_fraction/)
      .waitFor();
    await fill("Price", /^Critical after a fall/, "50");
    await fill("Flows", /^Warning at a flow/, "100");
    await tried.click();
    await effect.getByText(/^Flows: 0 critical, 0 warnings/).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await rules.click();
    const flow = dialog.getByRole("textbox", { name: /^Warning at a flow/ });
    expect(await flow.inputValue()).toBe("");
    expect(complaints).toEqual([]);
    await close();
  });

  it("has bots handed what a primary manager chooses from the actions that take risk away, which others read", async () => {
    const [chainId, address] = vaultIdOf("drawdown").split(":");
    const path = `/vaults/${chainId}/${address}`;
    const opened = async (as: number) => {
      const session = await open(world.browser, world.stack, path, { as });
      await session.page.getByRole("button", { name: "Rules" }).click();
      const dialog = session.page.getByRole("dialog", { name: "Alert rules" });
      return { ...session, dialog, calls: dialog.getByRole("region", { name: "Calls for bots" }) };
    };
    const primary = await opened(0);
    const choose = (name: string, label: string) =>
      primary.calls.getByRole("combobox", { name }).selectOption({ label });
    await primary.calls.getByText("None are set.").waitFor();
    await choose("With critical alerts of", "Price");
    const offered = primary.calls.getByRole("combobox", { name: "Action" }).getByRole("option");
    await expect.poll(() => offered.allTextContents()).toContain("Pause the vault");
    expect(await offered.allTextContents()).not.toContain("Unpause the vault");
    await choose("Action", "Pause the vault");
    const add = primary.calls.getByRole("button", { name: "Add" });
    await add.click();
    await choose("Action", "Veto the hooks root, or take the veto back");
    // What it must be is no field.
    expect(await primary.calls.getByRole("combobox", { name: "Vetoed" }).count()).toBe(0);
    const sentBy = primary.calls.getByRole("textbox", { name: "Sent by (may be left out)" });
    await sentBy.fill("0x12");
    await add.click();
    const save = primary.dialog.getByRole("button", { name: "Save" });
    await save.click();
    await primary.calls.getByText(/0x12/).first().waitFor();
    await primary.dialog
      .getByRole("alert")
      .getByText(/address/)
      .waitFor();
    await primary.calls.getByRole("button", { name: /^Remove: Price, Veto/ }).click();
    await save.click();
    await primary.dialog.waitFor({ state: "detached" });
    expect(primary.complaints).toEqual([]);
    await primary.close();

    const secondary = await opened(1);
    await secondary.calls.getByText("Price: Pause the vault").waitFor();
    await secondary.calls.getByText("The vault's primary managers set them.").waitFor();
    expect(await secondary.calls.getByRole("button", { name: /Remove|Add/ }).count()).toBe(0);
    await secondary.close();

    const again = await opened(0);
    await again.calls.getByRole("button", { name: "Remove: Price, Pause the vault" }).click();
    await again.dialog.getByRole("button", { name: "Save" }).click();
    await again.dialog.waitFor({ state: "detached" });
    await again.close();
  });

  it("offers a viewer nothing that only managers may do, and says so", async () => {
    const service = `viewed_${Date.now()}`;
    await report(world.stack, runs(vaultIdOf("prime"), service, ["failed", "failed", "failed"]));
    // Named, since the viewer has not accepted the vault, so that no list holds it unasked.
    const path = `/alerts?vault=${vaultIdOf("prime")}`;
    const { page, close } = await open(world.browser, world.stack, path, { as: 2, clock: true });
    const link = openAlerts(page).getByRole("link", { name: new RegExp(service.replace("_", " "), "i") });
    await passTime(page, async () => (await link.count()) === 1);
    expect(await page.getByRole("button", { name: /Silence|Acknowledge/ }).count()).toBe(0);
    await link.click();
    await page.getByText("Its managers can acknowledge and silence it.").waitFor();
    await page.getByRole("button", { name: "Rules" }).click();
    await page.getByText("The vault's managers set them.").waitFor();
    await close();
    await report(world.stack, runs(vaultIdOf("prime"), service, successes(100)));
  });

  it("goes from signing in to an acknowledged alert by the keyboard alone", async () => {
    const service = `keys_${Date.now()}`;
    await report(world.stack, runs(vaultIdOf("queued"), service, ["failed", "failed", "failed"]));
    const { page, close } = await open(world.browser, world.stack, "/sign-in", { clock: true });
    await page.getByRole("button", { name: "Primary manager" }).waitFor();
    await tabTo(page, /^Primary manager/);
    await page.keyboard.press("Enter");
    await page.getByRole("table", { name: "Vaults" }).waitFor();
    // Two keys are one shortcut only where they come within a second or so of each other.
    const go = async () => {
      await page.keyboard.press("g");
      await page.keyboard.press("a");
      return new URL(page.url()).pathname;
    };
    await expect.poll(go).toBe("/alerts");
    const row = openAlerts(page)
      .getByRole("row")
      .filter({ hasText: service.replace("_", " ") });
    await passTime(page, async () => (await row.count()) === 1);
    // A list that is put in another order just then takes the focus away, as from anybody.
    const acknowledge = async () => {
      await tabTo(page, new RegExp(`^Acknowledge: .*${service.replace("_", " ")}`, "i"));
      await page.keyboard.press("Enter");
      await row.getByText("Acknowledged").waitFor({ timeout: 10_000 });
    };
    for (let tries = 1; (await row.getByText("Acknowledged").count()) === 0; tries += 1)
      await acknowledge().catch((error) => {
        if (tries === 3) throw error;
      });
    await close();
    await report(world.stack, runs(vaultIdOf("queued"), service, successes(100)));
  });
}

/** Presses Tab until what has the focus is named so. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
    });
  for (let presses = 0; !name.test(await focused()); presses++) {
    expect(presses, `${name} is reached by Tab`).toBeLessThan(150);
    await page.keyboard.press("Tab");
  }
}

/** As many as the success rate is judged by, so that nothing is left of what failed. */
function successes(count: number): "success"[] {
  return Array.from({ length: count }, () => "success" as const);
}
