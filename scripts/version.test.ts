// The product has one version, that of the root's package.json: every package, the lock file and the description of the API carry it.
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import openapi from "../openapi.json" with { type: "json" };
import packageFile from "../package.json" with { type: "json" };

const { version, workspaces } = packageFile;

it("every package, the lock file and the description of the API carry the one version", async () => {
  const read = async (path: string) =>
    JSON.parse(await readFile(new URL(`../${path}`, import.meta.url), "utf8"));
  const lock = await read("package-lock.json");
  const found: Record<string, string> = {
    "openapi.json": openapi.info.version,
    "package-lock.json": lock.version,
  };
  for (const folder of workspaces) {
    found[folder] = (await read(`${folder}/package.json`)).version;
    found[`${folder} in package-lock.json`] = lock.packages[folder].version;
  }
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, version])));
});

it("the changelog has a section for it", async () => {
  const changelog = await readFile(new URL("../CHANGELOG.md", import.meta.url), "utf8");
  expect(changelog).toMatch(new RegExp(`^## ${RegExp.escape(version)} \\(\\d{4}-\\d{2}-\\d{2}\\)$`, "m"));
});

it("the Node that editors and CI are told to use is the pinned one", async () => {
  const nvmrc = await readFile(new URL("../.nvmrc", import.meta.url), "utf8");
  expect(new Set(Object.values(packageFile.optionalDependencies))).toEqual(new Set([nvmrc.trim()]));
});
