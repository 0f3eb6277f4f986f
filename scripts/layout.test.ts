// The rules of the layout, counted from the files and their imports, so that a folder stays one that can be read at a glance, and a helper
// of tests is found where it is looked for.
import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
/** What is held to the rules: packages, or folders of one. */
const PACKAGES = ["bench", "console", "demo", "proof", "scripts", "sdk", "server/src"];
const MOST_FILES = 24;

const SKIPPED = /(^|\/)(node_modules|dist[^/]*|results|\.[^/]+)(\/|$)|^bench\/peers\/[^/]+\//;
const TEST = /\.(test|suite)\.tsx?$|\/(test|expected)-[^/]*\.ts$/;
/** Where helpers stand that several folders use, and what those are named that stand beside the code. */
const HELPERS = "server/test";
const BESIDE = /\/(test|expected)-[^/]*\.ts$/;
const MENTION = /(?:\b(?:from|import)\s*\(?\s*|new URL\(|import\.meta\.dirname, )"([^"\n]+\.ts)"/g;
const IMPORT = /\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;

describe.each(PACKAGES)("%s", (name) => {
  let files: string[];
  beforeAll(async () => {
    const found = await Array.fromAsync(
      glob(`${name}/**/*.{ts,tsx,mjs,cjs,sol}`, { cwd: ROOT, exclude: (path) => SKIPPED.test(path) }),
    );
    files = found.filter((file) => !SKIPPED.test(file) && !TEST.test(file));
  });

  it(`no folder holds more than ${MOST_FILES} code files, tests left out`, () => {
    const counts = Map.groupBy(files, dirname);
    expect(files.length).toBeGreaterThan(0);
    expect([...counts].filter(([, { length }]) => length > MOST_FILES).map(([folder]) => folder)).toEqual([]);
  });

  it("no two folders import one another, nor a folder and its own subfolder", () => {
    expect(twoWayPairs(files.flatMap(importsOf))).toEqual([]);
  });
});

it("two folders that import one another, however deep the files lie, are a pair", () => {
  const pair = (...imports: [string, string][]) => twoWayPairs(imports);
  expect(pair(["a/x/one.ts", "a/y/z/two.ts"], ["a/y/three.ts", "a/x/four.ts"])).toEqual(["a/x ↔ a/y"]);
  expect(pair(["a/one.ts", "a/y/two.ts"], ["a/y/z/three.ts", "a/four.ts"])).toEqual(["a ↔ a/y"]);
  expect(pair(["a/one.ts", "a/y/two.ts"], ["a/x/three.ts", "a/four.ts"])).toEqual([]);
});

/**
 * Where the driver's own `query` is called: what the templates stand on, and sessions that are no part of the pool's work.
 * Everything else is written as templates (docs/decisions/0019).
 */
const DRIVER =
  /^server\/src\/(platform\/db\/|ingest\/lead\/lease-session\.ts$|audit\/(export\/export|verify\/log)\.ts$)/;

it("statements of the server are written as templates", async () => {
  const found = await Array.fromAsync(glob("server/src/**/*.ts", { cwd: ROOT }));
  const calling = found.filter(
    (file) => !TEST.test(file) && /\.query\s*[<(]/.test(readFileSync(join(ROOT, file), "utf8")),
  );
  expect(calling.length).toBeGreaterThan(0);
  expect(calling.filter((file) => !DRIVER.test(file))).toEqual([]);
});

describe("helpers of the server's tests", () => {
  let uses: Map<string, string[]>;
  beforeAll(async () => {
    const found = await Array.fromAsync(
      glob("{server,demo,console,bench,scripts,deploy,proof,sdk}/**/*.ts", {
        cwd: ROOT,
        exclude: (path) => SKIPPED.test(path),
      }),
    );
    const pairs = found.filter((file) => !SKIPPED.test(file)).flatMap(mentionedBy);
    uses = new Map(
      [...Map.groupBy(pairs, ([, target]) => target)].map(([target, all]) => [
        target,
        [...new Set(all.map(([file]) => dirname(file)))],
      ]),
    );
  });

  it("stand beside the code, named test-*, where one folder uses them", () => {
    const lonely = [...uses].filter(
      ([file, [folder = "", ...others]]) =>
        dirname(file) === HELPERS && others.length === 0 && !isWithin(folder, HELPERS),
    );
    expect(lonely.map(([file, [folder]]) => `${file} → ${folder}`)).toEqual([]);
  });

  it(`stand in ${HELPERS} where several folders use them`, () => {
    const shared = [...uses].filter(
      ([file, folders]) =>
        file.startsWith("server/src/") &&
        BESIDE.test(file) &&
        !folders.every((folder) => isWithin(folder, dirname(file))),
    );
    expect(shared.map(([file]) => file)).toEqual([]);
  });
});

const isWithin = (folder: string, home: string) => folder === home || folder.startsWith(`${home}/`);

/** The files that a file imports, or starts as a program of its own. */
function mentionedBy(file: string): [string, string][] {
  return [...readFileSync(join(ROOT, file), "utf8").matchAll(MENTION)].map(([, target]) => [
    file,
    join(dirname(file), target as string),
  ]);
}

/** The files of the same package that a file imports, types included. */
function importsOf(file: string): [string, string][] {
  return [...readFileSync(join(ROOT, file), "utf8").matchAll(IMPORT)]
    .map(([, target]) => join(dirname(file), target as string))
    .filter((target) => target.split("/")[0] === file.split("/")[0] && !TEST.test(target))
    .map((target) => [file, target]);
}

function twoWayPairs(imports: readonly [from: string, to: string][]): string[] {
  const arrows = new Set(imports.map(([from, to]) => arrow(from, to)).filter((each) => each !== null));
  return [...arrows]
    .map((each) => each.split(" → ") as [string, string])
    .filter(([from, to]) => from < to && arrows.has(`${to} → ${from}`))
    .map(([from, to]) => `${from} ↔ ${to}`);
}

/**
 * From folder to folder, seen where their ways part: of `a/x/y` and `a/z` those are `a/x` and `a/z`, of `a` and `a/z/y` they are `a` and
 * `a/z`. Null within one folder.
 */
function arrow(from: string, to: string): string | null {
  const [one, other] = [dirname(from).split("/"), dirname(to).split("/")];
  let common = 0;
  while (common < one.length && one[common] === other[common]) common += 1;
  if (common === one.length && common === other.length) return null;
  const partOf = (folders: string[]) => folders.slice(0, common + 1).join("/");
  return `${partOf(one)} → ${partOf(other)}`;
}
