// Pages of a real browser, watched: no request to another host, no violation of the page's policy, no error that nobody caught.
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { demoAccount } from "../../demo/src/accounts.ts";
import { chromiumPath } from "./chromium.ts";
import type { Stack } from "./stack.ts";

/** A page is given this long: the machine may be busy with other tests. */
const PATIENCE_MS = 120_000;
/** And a browser that was never started here before, longer still. */
const LAUNCH_TIMEOUT_MS = 300_000;

export async function launchBrowser(): Promise<Browser> {
  // A browser of tests in a container has no sandbox to stand in.
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"];
  return chromium.launch({ executablePath: await chromiumPath(), args, timeout: LAUNCH_TIMEOUT_MS });
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
  stack: Pick<Stack, "url" | "token">,
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
  await context.addInitScript(keepNotices);
  if (as !== undefined) await signIn(context, stack, as);
  return { context, complaints };
}

/** Runs in the page: what its notices say is kept, since each goes by itself after a few seconds, looked at or not. */
function keepNotices(): void {
  const said = new Set<string>();
  Object.assign(window, { noticesSaid: said });
  new MutationObserver(() => {
    for (const notice of document.querySelectorAll("section[aria-label=Notices] > div"))
      said.add(notice.textContent ?? "");
  }).observe(document, { childList: true, subtree: true });
}

/** What the page's notices have said since it was loaded, those that have gone included. */
export function noticesOf(page: Page): Promise<string[]> {
  return page.evaluate(() => [...(window as unknown as { noticesSaid: Set<string> }).noticesSaid]);
}

/** Puts a demo account's session into the profile, once: a session that ends stays ended. */
async function signIn(context: BrowserContext, stack: Pick<Stack, "token">, account: number): Promise<void> {
  const session = { token: await stack.token(account), address: demoAccount(account).address };
  await context.addInitScript(({ token, address }) => {
    if (!location.protocol.startsWith("http") || sessionStorage.getItem("signed-in-by-test")) return;
    sessionStorage.setItem("signed-in-by-test", "yes");
    localStorage.setItem("curator_jwt", token);
    localStorage.setItem("curator_address", address);
  }, session);
}

/**
 * Lets the page's time pass in steps, with all its polls, until the condition holds; for a page opened with `clock`. What was asked meanwhile
 * is answered in real time: the longer that takes, the slower the page's time passes, so that where all is slow neither a silent stream is
 * given up nor a session over before anything could come.
 */
export async function passTime(page: Page, isMet: () => Promise<boolean>): Promise<void> {
  let pauseMs = 100;
  for (const startedAt = Date.now(); !(await isMet()); pauseMs = Math.min(2_000, pauseMs * 1.1)) {
    if (Date.now() - startedAt > PATIENCE_MS) throw new Error("what was waited for did not come about");
    await page.clock.runFor(5_000);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
