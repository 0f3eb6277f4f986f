// axe-core on a page: WCAG 2.2 A and AA, and its best practices. Returns what it finds, in words.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function axeFindings(page: Page, rules: "all" | "colours"): Promise<string[]> {
  // Evaluated by the debugger, as the page's policy rightly lets no foreign script in; it stays for the page's next look.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await source);
  const runOnly = rules === "all" ? TAGS : ["color-contrast"];
  const { violations } = await page.evaluate(
    (only) =>
      (window as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
        runOnly: only,
        resultTypes: ["violations"],
      }),
    runOnly,
  );
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes
        .slice(0, 5)
        .map(
          (node) => `    ${node.target.join(" ")}  ${node.failureSummary?.split("\n").slice(1, 3).join(" ")}`,
        )
        .join("\n")}`,
  );
}
