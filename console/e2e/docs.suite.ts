// The API's reference at /docs and the list of errors: pages of the service beside the console, held to the same.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { axeFindings } from "./axe.ts";
import { openProfile } from "./browser.ts";
import type { World } from "./world.ts";

const PAGES: [path: string, ready: (page: Page) => Promise<unknown>][] = [
  [
    "/docs",
    // Two operations with examples of their answers, so that what repeats is there twice.
    (page) => page.locator(".response-card").nth(1).waitFor(),
  ],
  ["/docs/errors", (page) => page.getByRole("heading", { name: "Errors" }).waitFor()],
];

export function docsSuite(world: World): void {
  it.each(PAGES)(
    "%s is found without fault by axe in both themes, asks no other host, keeps its policy",
    async (path, ready) => {
      for (const theme of ["dark", "light"] as const) {
        const { context, complaints } = await openProfile(world.browser, world.stack, { theme });
        const page = await context.newPage();
        await page.goto(path);
        await ready(page);
        // The viewer draws in several steps: what has no fault at the end has none.
        await expect.poll(() => axeFindings(page, "all"), { interval: 500 }).toEqual([]);
        expect(complaints).toEqual([]);
        await context.close();
      }
    },
  );
}
