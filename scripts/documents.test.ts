// Documents lead where they say: every link between files of this repository has its file and heading, and every decision record that code
// or a document names is there. A reference to a document that a reader cannot open is worse than none.
import { glob, readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOCUMENTS = ["*.md", "docs/**/*.md", "deploy/*.md", ".github/**/*.md"];
const CODE = ["{server,sdk,console,demo,scripts,bench,deploy}/**/*.{ts,tsx,mjs,sql,sh}"];

describe("the documents", () => {
  it("link only to files and headings that are there", async () => {
    const broken: string[] = [];
    for (const file of await filesOf(DOCUMENTS)) {
      for (const [, target] of (await textOf(file)).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (target !== undefined && !(await leadsSomewhere(file, target))) broken.push(`${file}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it("and the code name only decision records that are there", async () => {
    const numbers = (await filesOf(["docs/decisions/*.md"])).map((file) => file.slice(15, 19));
    const unknown: string[] = [];
    for (const file of await filesOf([...DOCUMENTS, ...CODE])) {
      for (const [reference, number] of (await textOf(file)).matchAll(/docs\/decisions\/(\d{4})/g)) {
        if (!numbers.includes(number ?? "")) unknown.push(`${file}: ${reference}`);
      }
    }
    expect(unknown).toEqual([]);
  });
});

describe("the guide on polling", () => {
  it("names for each endpoint the interval that the description of the API names, and leaves out none", async () => {
    const { paths } = JSON.parse(await textOf("openapi.json")) as {
      paths: Record<string, { get?: { description?: string } }>;
    };
    const served = Object.entries(paths).flatMap(([path, { get }]) => {
      const seconds = get?.description?.match(/\bPoll [^.]*?every (\d+) s\b/)?.[1];
      return seconds === undefined ? [] : [`${path} ${seconds}`];
    });
    const rows = (await textOf("docs/guides/polling.md")).matchAll(/^\|[^|]*\|([^|]*)\| (\d+) s \|$/gm);
    const told = [...rows].flatMap(([, asked = "", seconds]) =>
      // An older form of an address is described as such, and has no words of its own.
      [...asked.replace(/\(older form:[^)]*\)/g, "").matchAll(/`GET ([^`?]+)/g)].map(
        ([, path]) => `${path} ${seconds}`,
      ),
    );
    expect(told.sort()).toEqual(served.sort());
    expect(told.length).toBeGreaterThan(3);
  });
});

describe("a decision record", () => {
  it("says status, date, decision, reasons and consequences, within 45 lines, and stands in the index", async () => {
    const index = await textOf("docs/decisions/README.md");
    const faults: string[] = [];
    for (const file of await filesOf(["docs/decisions/0*.md"])) {
      const text = await textOf(file);
      if (!RECORD.test(text)) faults.push(`${file} has another form`);
      if (text.split("\n").length > 46) faults.push(`${file} is longer than a page`);
      if (!index.includes(`](${basename(file)})`)) faults.push(`${file} is not in the index`);
    }
    expect(faults).toEqual([]);
  });
});

/** The form of a record: its head, then three sections in this order. */
const RECORD =
  /^# \d+\. .+\n\n- Status: .+\n- Date: \d{4}-\d{2}-\d{2}\n\n## Decision\n[\s\S]+\n## Reasons\n[\s\S]+\n## Consequences\n/;

async function leadsSomewhere(file: string, target: string): Promise<boolean> {
  if (/^[a-z]+:/.test(target)) return true;
  const [path = "", heading] = target.split("#");
  const named = path === "" ? file : resolve(ROOT, dirname(file), path);
  if (path !== "" && (await filesOf([named])).length === 0) return false;
  return heading === undefined || headingsOf(await textOf(named)).includes(heading);
}

/** The anchors of a document's headings, as GitHub makes them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
}

async function filesOf(patterns: string[]): Promise<string[]> {
  const files: string[] = [];
  const exclude = (name: string) => /(^|\/)(node_modules|dist)/.test(name);
  for await (const file of glob(patterns, { cwd: ROOT, exclude })) files.push(file);
  return files.sort();
}

const textOf = (file: string) => readFile(resolve(ROOT, file), "utf8");
