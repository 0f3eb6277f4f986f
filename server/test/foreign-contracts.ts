// Compiles test/contracts, with OpenZeppelin's and solady's sources from the packages.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Artifacts, readSources, runSolc } from "../../demo/src/compile.ts";

const DIR = fileURLToPath(new URL("contracts", import.meta.url));
const require = createRequire(import.meta.url);

let compiled: Promise<Artifacts> | undefined;

/** All contracts by name; takes some seconds. */
export function compileForeignContracts(): Promise<Artifacts> {
  compiled ??= readSources(DIR).then((sources) => runSolc(sources, findImport));
  return compiled;
}

function findImport(path: string): { contents: string } | { error: string } {
  const [, name, rest] = /^((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(path) ?? [];
  try {
    const root = dirname(require.resolve(`${name}/package.json`));
    return { contents: readFileSync(join(root, rest!), "utf8") };
  } catch (error) {
    return { error: `${path}: ${String(error)}` };
  }
}
