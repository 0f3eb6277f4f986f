import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import type { ExportCheck } from "@vaultops/proof";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { noticesOf, open } from "./browser.ts";
import { report } from "./report.ts";
import type { World } from "./world.ts";

export function auditSuite(world: World): void {
  const table = (page: Page) => page.getByRole("table", { name: "Audit log" });

  it("filters by vault and kind in the address, with an exact total", async () => {
    const { page, close } = await open(world.browser, world.stack, "/audit", { as: 0 });
    await table(page).waitFor();
    await page.getByRole("button", { name: "Kinds of entries" }).click();
    // What is ticked stands in the address, which follows a moment after the click.
    await page.getByRole("checkbox", { name: "Vault create" }).click();
    await page.getByRole("checkbox", { name: "Vault create", checked: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL("**/audit?action=vault_create");
    const actions = () => table(page).locator("tbody tr td:nth-child(2)").allTextContents();
    await expect.poll(async () => new Set(await actions())).toEqual(new Set(["Vault create"]));
    const { total } = await fetchJson(world, "/api/v1/audit/logs?action_type=vault_create&limit=1");
    await page.getByText(`${total} entries`, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.waitForURL("**/audit");
    await close();
  });

  it("brings entries in as they are written, and stops when asked to", async () => {
    const { page, close } = await open(world.browser, world.stack, "/audit", { as: 0 });
    await page.getByRole("button", { name: "Live" }).waitFor();
    const first = table(page).locator("tbody tr").first().locator("td").last();
    const newest = async () => Number((await first.textContent())?.slice(1));
    const before = await newest();
    // The demo writes entries by itself, but nobody knows when.
    const { chainId, trios } = world.stack.deployment;
    await report(world.stack, [
      {
        type: "vaultops.action",
        subject: `${chainId}:${trios.prime.vault}`,
        data: { action_type: "session_key_rotate", actor_wallet: trios.prime.vault, details: {} },
      },
    ]);
    await expect.poll(newest).toBeGreaterThan(before);
    await page.getByRole("button", { name: "Live" }).click();
    await page.getByRole("button", { name: "Paused" }).waitFor();
    await close();
  });

  it("exports what the filter shows, whole, each entry with a proof", async () => {
    const { page, close } = await open(world.browser, world.stack, "/audit?action=vault_create", { as: 0 });
    await page.getByRole("button", { name: "Export" }).click();
    const dialog = page.getByRole("dialog", { name: "Export" });
    await dialog.getByRole("button", { name: "JSON", exact: true }).click();
    await dialog.getByRole("checkbox").check();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Export" }).click(),
    ]);
    const text = await readFile(await download.path(), "utf8");
    const { logs, total, checkpoint } = JSON.parse(text);
    expect(logs.length).toBe(total);
    expect(checkpoint).toContain("\n");
    expect(download.suggestedFilename()).toContain(String(total));
    await expect.poll(() => noticesOf(page)).toContainEqual(expect.stringContaining("Export complete"));
    await close();
  });

  it("shows an entry whole, and proves in the browser that it stands in the signed log", async () => {
    // The export before this one had the log signed up to here.
    const { logs } = await fetchJson(world, "/api/v1/audit/logs?action_type=vault_create&limit=1");
    const { page, close } = await open(world.browser, world.stack, `/audit?entry=${logs[0].id}`, { as: 0 });
    const dialog = page.getByRole("dialog", { name: "Vault create" });
    await dialog.getByText(/In the signed log of [\d,]+ entries, checked in this browser/).waitFor();
    await dialog.getByText("As the API gives it").click();
    await dialog.locator("pre").getByText(logs[0].details.tx_hash).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL("**/audit");
    await close();
  });

  it("does not call an entry proven that is shown otherwise than it was signed", async () => {
    const { logs } = await fetchJson(world, "/api/v1/audit/logs?action_type=vault_create&limit=1");
    const { page, close } = await open(world.browser, world.stack, "/audit", { as: 0 });
    await page.route(`**/api/v1/audit/logs/${logs[0].id}`, async (route) => {
      const entry = await (await route.fetch()).json();
      await route.fulfill({ json: { ...entry, details: { ...entry.details, block_number: 1 } } });
    });
    await page.goto(`${world.stack.url}/audit?entry=${logs[0].id}`);
    await page.getByText("Not proven: The entry shown is not the one that was hashed.").waitFor();
    await close();
  });

  it("is verified by the proof package alone in a page of the auditor's own", async () => {
    const headers = { authorization: `Bearer ${await world.stack.token(0)}`, accept: "application/x-ndjson" };
    const url = `${world.stack.url}/api/v1/audit/export?proofs=true&action_type=vault_create`;
    const text = await (await fetch(url, { headers })).text();
    const { keys } = await fetchJson(world, "/api/v1/audit/keys");
    const page = await world.browser.newPage();
    await page.route("https://auditor.test/**", async (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === "/") return route.fulfill({ contentType: "text/html", body: "<!doctype html>" });
      const source = await readFile(join(import.meta.dirname, "../../proof/src", pathname), "utf8");
      await route.fulfill({ contentType: "text/javascript", body: stripTypeScriptTypes(source) });
    });
    await page.goto("https://auditor.test/");
    // As text: a function's import() would be turned into that of the test runner.
    const verify = (file: string): Promise<ExportCheck> =>
      page.evaluate(
        `import("/index.ts").then((proof) => proof.verifyExport(${JSON.stringify(file)}, { keys: ["${keys[0].vkey}"] }))`,
      );
    expect(await verify(text)).toMatchObject({ ok: true, depth: "proofs", failure: null });
    const changed = text.replace(/"block_number":(\d)/, (_, digit) => `"block_number":${(digit % 9) + 1}`);
    const { ok, failure } = await verify(changed);
    expect([ok, failure?.reason]).toEqual([false, "it is not in the tree that was signed"]);
    await page.close();
  });

  it("says in the service's words when a vault may not be read", async () => {
    const { deployment } = world.stack;
    const vault = `${deployment.chainId}:${deployment.trios.prime.vault}`;
    const { page, close } = await open(world.browser, world.stack, `/audit?vault=${vault}`, { as: 3 });
    const alert = page.getByRole("alert");
    await alert.getByText(/role/i).first().waitFor();
    await alert.getByRole("button", { name: "Copy request id" }).waitFor();
    await close();
  });
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
async function fetchJson({ stack }: World, path: string): Promise<any> {
  const headers = { authorization: `Bearer ${await stack.token(0)}` };
  return (await fetch(`${stack.url}${path}`, { headers })).json();
}
