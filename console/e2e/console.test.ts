// The console in a real browser, against the demo as `npm run demo` starts it. One file, so that one demo serves all; what belongs to a
// page stands in `<page>.suite.ts`, a function that is called here.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actionsSuite } from "./actions.suite.ts";
import { alertsSuite } from "./alerts.suite.ts";
import { auditSuite } from "./audit.suite.ts";
import { axeFindings } from "./axe.ts";
import { launchBrowser, openProfile } from "./browser.ts";
import { channelsSuite } from "./channels.suite.ts";
import { docsSuite } from "./docs.suite.ts";
import { engineSuite } from "./engine.suite.ts";
import { hostileSuite } from "./hostile.suite.ts";
import { longLogSuite } from "./long-log.suite.ts";
import { outageSuite } from "./outage.suite.ts";
import { PAGES } from "./pages.ts";
import { sessionSuite } from "./session.suite.ts";
import { signInSuite } from "./sign-in.suite.ts";
import { startStack } from "./stack.ts";
import { vaultSuite } from "./vault.suite.ts";
import { vaultsSuite } from "./vaults.suite.ts";
import { webhooksSuite } from "./webhooks.suite.ts";
import type { World } from "./world.ts";

const world = {} as World;

beforeAll(async () => {
  world.browser = await launchBrowser();
  world.stack = await startStack();
}, 1_800_000);

afterAll(async () => {
  await world.browser?.close();
  await world.stack?.stop();
});

// On a busy machine the browser has drawn nothing for two minutes now and then: such a page is looked at once more.
const ONCE_MORE = { retry: 1 };

describe("every page", ONCE_MORE, () => {
  // One profile for each who looks: what all pages load is fetched and compiled once, as for anyone who goes from page to page.
  const profiles = new Map<number | null, ReturnType<typeof openProfile>>();
  const profileOf = (as: number | null) => {
    const profile =
      profiles.get(as) ?? openProfile(world.browser, world.stack, { ...(as !== null && { as }) });
    profiles.set(as, profile);
    return profile;
  };
  afterAll(async () => {
    for (const profile of profiles.values()) await (await profile).context.close();
  });

  for (const { name, path, as, ready } of PAGES) {
    it(`is found without fault by axe in both themes, asks no other host, keeps its policy, fits 360 px: ${name}`, async () => {
      const { context, complaints } = await profileOf(as);
      const before = complaints.length;
      const page = await context.newPage();
      await page.goto(await path(world.stack));
      await ready(page);
      for (const theme of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme: theme });
        await page.locator(`html[data-theme=${theme}]`).waitFor();
        // Themes differ in colours alone.
        expect(await axeFindings(page, theme === "dark" ? "all" : "colours"), theme).toEqual([]);
      }
      await page.setViewportSize({ width: 360, height: 780 });
      const overhang = () =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      await expect.poll(overhang).toBeLessThanOrEqual(0);
      expect(complaints.slice(before)).toEqual([]);
      await page.close();
    });
  }
});

describe("the reference", () => docsSuite(world));
describe("signing in", () => signInSuite(world));
describe("the session", () => sessionSuite(world));
describe("odd answers", () => hostileSuite(world));
describe("an outage", () => outageSuite(world));
describe("the list of vaults", () => vaultsSuite(world));
describe("the engine's pages", () => engineSuite(world));
describe("a vault", () => vaultSuite(world));
describe("actions", ONCE_MORE, () => actionsSuite(world));
describe("the audit log", () => auditSuite(world));
describe("alerts", () => alertsSuite(world));
describe("channels", () => channelsSuite(world));
describe("webhooks", () => webhooksSuite(world));
describe("a long audit log", () => longLogSuite(world));
