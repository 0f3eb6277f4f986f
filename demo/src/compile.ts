/**
 * Compiles `demo/contracts` in this process with the pinned solc and keeps the result by the hash of what went in,
 * so that only the first start after a change pays for it.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Abi, Hex } from "viem";

/** A compiled contract; `bytecode` deploys it, `runtimeBytecode` is what stands at its address. Interfaces have "0x". */
export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
  readonly runtimeBytecode: Hex;
}

export type Artifacts = Readonly<Record<string, Artifact>>;

const require = createRequire(import.meta.url);
const CONTRACTS_DIR = fileURLToPath(new URL("../contracts", import.meta.url));
const CACHE_DIR = fileURLToPath(new URL("../../node_modules/.cache/vaultops-demo", import.meta.url));

// The yul optimizer doubles the time and saves little here.
const SETTINGS = {
  optimizer: { enabled: true, runs: 1, details: { yul: false } },
  evmVersion: "cancun",
  metadata: { bytecodeHash: "none" },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
};

let compiled: Promise<Artifacts> | undefined;

/** All contracts by name. Takes some seconds the first time, milliseconds after. */
export function compileContracts(): Promise<Artifacts> {
  compiled ??= compile();
  return compiled;
}

/** The artefact of one contract; throws where there is none by that name. */
export function artifactOf(artifacts: Artifacts, name: string): Artifact {
  const artifact = artifacts[name];
  if (!artifact) throw new Error(`no contract is called ${name}`);
  return artifact;
}

async function compile(): Promise<Artifacts> {
  const sources = await readSources(CONTRACTS_DIR);
  const solcVersion: string = require("solc/package.json").version;
  const hash = createHash("sha256")
    .update(JSON.stringify([solcVersion, SETTINGS, sources]))
    .digest("hex");
  const cachePath = join(CACHE_DIR, `${hash}.json`);
  try {
    return JSON.parse(await readFile(cachePath, "utf8"));
  } catch {
    const artifacts = runSolc(sources);
    await store(cachePath, JSON.stringify(artifacts));
    return artifacts;
  }
}

/** Solidity sources below a folder, by their path from it; any set of these compiles with `runSolc`. */
export async function readSources(dir: string): Promise<Record<string, { content: string }>> {
  const names = (await readdir(dir, { recursive: true })).filter((name) => name.endsWith(".sol")).sort();
  const sources: Record<string, { content: string }> = {};
  for (const name of names) {
    sources[name.replaceAll("\\", "/")] = { content: await readFile(join(dir, name), "utf8") };
  }
  return sources;
}

/**
 * Compiles sources, all output by contract name. `findImport` gives the text of files that are imported but not
 * among them, such as those of a library.
 */
export function runSolc(
  sources: Record<string, { content: string }>,
  findImport?: (path: string) => { contents: string } | { error: string },
): Artifacts {
  // Loaded here, not at the top: it is 9 MB of WebAssembly, needed on a cache miss only.
  const solc = require("solc");
  const input = JSON.stringify({ language: "Solidity", sources, settings: SETTINGS });
  const output = JSON.parse(solc.compile(input, findImport ? { import: findImport } : undefined));
  const errors = (output.errors ?? []).filter((entry: { severity: string }) => entry.severity === "error");
  if (errors.length > 0) {
    throw new Error(errors.map((entry: { formattedMessage: string }) => entry.formattedMessage).join("\n"));
  }
  const artifacts: Record<string, Artifact> = {};
  for (const file of Object.values<Record<string, SolcContract>>(output.contracts)) {
    for (const [name, contract] of Object.entries(file)) {
      artifacts[name] = {
        abi: contract.abi,
        bytecode: `0x${contract.evm.bytecode.object}`,
        runtimeBytecode: `0x${contract.evm.deployedBytecode.object}`,
      };
    }
  }
  return artifacts;
}

interface SolcContract {
  readonly abi: Abi;
  readonly evm: {
    readonly bytecode: { readonly object: string };
    readonly deployedBytecode: { readonly object: string };
  };
}

/** Written aside and renamed, as several processes may compile at once; a cache that cannot be written is done without. */
async function store(path: string, text: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await mkdir(CACHE_DIR, { recursive: true });
    await writeFile(aside, text);
    await rename(aside, path);
  } catch {}
}
