// Pages of a real browser, watched: no request to another host, no violation of the page's policy, no error that nobody caught.
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { demoAccount } from "../../demo/src/accounts.ts";
import { chromiumPath } from "./chromium.ts";
import type { Stack } from "./stack.ts";

/** A page is given this long: the machine may be busy with other tests. */
const PATIENCE_MS = 60_000;

export async function launchBrowser(): Promise<Browser> {
  // A browser of tests in a container has no sandbox to stand in.
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"];
  return chromium.launch({ executablePath: chromiumPath(), args });
}

export interface OpenOptions {
  /** Signed in as this demo account, as after an earlier visit. Default: signed out. */
  as?: number;
  theme?: "dark" | "light";
  width?: number;
  height?: number;
  /** The page's timers go by `passTime` alone, so that polls need not be waited for. */
  clock?: boolean;
}

/** What was seen of a profile's pages. */
interface Profile {
  context: BrowserContext;
  /** What must not have happened, in words; empty is well. */
  complaints: readonly string[];
}

export interface Watched extends Profile {
  page: Page;
  close(): Promise<void>;
}

/** Opens an address of the console in a fresh profile. */
export async function open(
  browser: Browser,
  stack: Stack,
  path: string,
  options: OpenOptions = {},
): Promise<Watched> {
  const { context, complaints } = await openProfile(browser, stack, options);
  const page = await context.newPage();
  if (options.clock) await page.clock.install();
  await page.goto(path);
  return { page, context, complaints, close: () => context.close() };
}

/** A fresh profile without a page, for several that share what the browser keeps of the console's files. */
export async function openProfile(
  browser: Browser,
  stack: Stack,
  { as, theme = "dark", width = 1440, height = 900 }: OpenOptions = {},
): Promise<Profile> {
  const context = await browser.newContext({
    baseURL: stack.url,
    viewport: { width, height },
    colorScheme: theme,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  context.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith("http") && host !== new URL(stack.url).host)
      complaints.push(`a request left for another host: ${request.url()}`);
  });
  context.on("weberror", (error) => complaints.push(`an error was not caught: ${error.error().stack}`));
  context.on("console", (message) => {
    if (/content security policy/i.test(message.text())) complaints.push(message.text());
  });
  if (as !== undefined) await signIn(context, stack, as);
  return { context, complaints };
}

/** Puts a demo account's session into the profile, once: a session that ends stays ended. */
async function signIn(context: BrowserContext, stack: Stack, account: number): Promise<void> {
  const session = { token: await stack.token(account), address: demoAccount(account).address };
  await context.addInitScript(({ token, address }) => {
    if (!location.protocol.startsWith("http") || sessionStorage.getItem("signed-in-by-test")) return;
    sessionStorage.setItem("signed-in-by-test", "yes");
    localStorage.setItem("curator_jwt", token);
    localStorage.setItem("curator_address", address);
  }, session);
}

/** Lets the page's time pass in steps, with all its polls, until the condition holds; for a page opened with `clock`. */
export async function passTime(page: Page, isMet: () => Promise<boolean>): Promise<void> {
  for (const startedAt = Date.now(); !(await isMet()); ) {
    if (Date.now() - startedAt > PATIENCE_MS) throw new Error("what was waited for did not come about");
    await page.clock.runFor(5_000);
    // What was asked meanwhile is answered in real time; the condition is looked at again and again.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
