/**
 * Contracts that stand behind the roles of the demo's vaults as their makers published them, code and all: the Safe 1.4.1 with its
 * proxy, and OpenZeppelin's timelock. From the repository they are read out of their packages; a packed demo brings the files along.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Abi, Hex } from "viem";
import type { Artifacts } from "./compile.ts";

/** Names, each with where it stands in its package; `scripts/pack.ts` goes by it and lays the files into `PACKED_DIR`. */
const LIST = new URL("../contracts/published.json", import.meta.url);
const PACKED_DIR = new URL("../contracts/published/", import.meta.url);
const require = createRequire(import.meta.url);

let published: Artifacts | undefined;

/** All of them by name. */
export function publishedContracts(): Artifacts {
  published ??= Object.fromEntries(
    Object.entries<string>(JSON.parse(readFileSync(LIST, "utf8"))).map(([name, path]) => {
      const { abi, bytecode, deployedBytecode } = readPublished(name, path);
      return [name, { abi, bytecode, runtimeBytecode: deployedBytecode }];
    }),
  );
  return published;
}

function readPublished(name: string, path: string): { abi: Abi; bytecode: Hex; deployedBytecode: Hex } {
  const packed = fileURLToPath(new URL(`${name}.json`, PACKED_DIR));
  return JSON.parse(readFileSync(existsSync(packed) ? packed : require.resolve(path), "utf8"));
}
