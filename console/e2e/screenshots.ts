// npm run screenshots: every page of the console, dark and light, 1440 and 390 px wide, from a fresh demo into docs/images/console.
// `-- NAME…` makes those pages alone, `-- --out DIR` puts them elsewhere.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { launchBrowser, open } from "./browser.ts";
import { PAGES } from "./pages.ts";
import { startStack } from "./stack.ts";

const TARGET = join(import.meta.dirname, "../../docs/images/console");
const SIZES = [
  { name: "1440", width: 1440, height: 900 },
  { name: "390", width: 390, height: 844 },
] as const;
const THEMES = ["dark", "light"] as const;
/** Enough to read every word; a tenth of a PNG. */
const WEBP_QUALITY = 82;

const { values, positionals } = parseArgs({
  options: { out: { type: "string", default: TARGET } },
  allowPositionals: true,
});
const pages = PAGES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
if (pages.length === 0)
  throw new Error(`There is no such page; there is ${PAGES.map(({ name }) => name).join(", ")}.`);

const browser = await launchBrowser();
const stack = await startStack();
try {
  await mkdir(values.out, { recursive: true });
  for (const { name, path, as, ready } of pages) {
    for (const theme of THEMES) {
      for (const { name: size, width, height } of SIZES) {
        const { page, close } = await open(browser, stack, await path(stack), {
          theme,
          width,
          height,
          ...(as !== null && { as }),
        });
        await ready(page);
        await page.evaluate(() => document.fonts.ready);
        const file = `${name}-${theme}-${size}.webp`;
        await writeFile(join(values.out, file), await shoot(page));
        console.log(file);
        await close();
      }
    }
  }
} finally {
  await browser.close();
  await stack.stop();
}

/** The page as it stands in the window: what one sees without scrolling. */
async function shoot(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: WEBP_QUALITY,
    optimizeForSpeed: false,
  });
  return Buffer.from(data, "base64");
}
