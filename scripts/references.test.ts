// What documents and comments name is there: links of the documents, their headings, and files by their paths.
import { existsSync, readFileSync, statSync } from "node:fs";
import { glob } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { beforeAll, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const SKIPPED =
  /(^|\/)(node_modules|\.git|\.scratch|\.vaultops[^/]*|dist[^/]*|generated|results|coverage)(\/|$)/;
/** A path with a folder in it, such as `audit/append/record.db.test.ts`; a name alone may be anybody's. */
const PATH = /(?<![\w/.@:-])((?:[\w.-]+\/)+[\w.-]+\.(?:test\.)?(?:ts|tsx|mjs|md|sql|sol|yaml|svg))(?![\w/])/g;

let files: string[];
beforeAll(async () => {
  files = await Array.fromAsync(
    glob("**/*.{ts,tsx,mjs,md,sql,sol,yaml,svg,json}", { cwd: ROOT, exclude: (path) => SKIPPED.test(path) }),
  );
});

const textOf = (file: string) => readFileSync(join(ROOT, file), "utf8");

it("every link of a document leads to a file that is there, and to a heading of it", () => {
  const dead = files
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) =>
      [...withoutCode(textOf(file)).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target]) => target as string)
        .filter((target) => !/^[a-z]+:/.test(target) && !leads(file, target))
        .map((target) => `${file}: ${target}`),
    );
  expect(dead).toEqual([]);
});

it("every file that a document names by its path is there", () => {
  expect(files.filter((file) => file.endsWith(".md")).flatMap((file) => missing(file, textOf(file)))).toEqual(
    [],
  );
});

it("every file that a comment names by its path is there", () => {
  const dead = files
    // What was recorded of a release names the files of that release.
    .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !/^(bench\/peers|server\/test\/compat)\//.test(file))
    .flatMap((file) =>
      missing(file, (textOf(file).match(/(?<=^|\s)\/\/.*$|^\s*\/?\*.*$/gm) ?? []).join("\n")),
    );
  expect(dead).toEqual([]);
});

function missing(file: string, text: string): string[] {
  return (
    [...new Set([...text.matchAll(PATH)].map(([, path]) => path as string))]
      // A pattern of names, and what the demo makes when it runs.
      .filter((path) => !/NNNN|^\.vaultops/.test(path))
      .filter((path) => !isThere(file, path))
      .map((path) => `${file}: ${path}`)
  );
}

/** From the root, from where it is named, or as the end of a path, as `ARCHITECTURE.md` shortens them. */
function isThere(file: string, path: string): boolean {
  const clean = path.replace(/^(\.\.?\/)+/, "");
  return (
    existsSync(join(ROOT, path)) ||
    existsSync(join(ROOT, dirname(file), path)) ||
    files.some((one) => one === clean || one.endsWith(`/${clean}`))
  );
}

function leads(file: string, target: string): boolean {
  const [path = "", heading] = target.split("#");
  const at = path === "" ? join(ROOT, file) : join(ROOT, dirname(file), path);
  if (!existsSync(at)) return false;
  if (heading === undefined || statSync(at).isDirectory() || !at.endsWith(".md")) return true;
  return headingsOf(textOf(relative(ROOT, at))).includes(heading);
}

/** As GitHub names them. */
function headingsOf(markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    (title as string)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
}

/** Code blocks show what is typed, not what is linked. */
function withoutCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, "");
}
