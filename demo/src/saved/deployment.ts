/** What stands on the demo's chain, address by address, and how it is kept beside the chain for the next start. */
import { readFile, rename, writeFile } from "node:fs/promises";
import type { Address } from "viem";
import type { CuratedVaults } from "../curated/raise.ts";
import type { VaultSystem } from "../deploy.ts";
import type { AssetKey, DeployedTrio, DeployedVault, TrioKey } from "../deployment.ts";

export interface DemoDeployment {
  readonly formatVersion: number;
  readonly chainId: number;
  /** Unix seconds at which the history begins. */
  readonly startTimestamp: number;
  readonly system: VaultSystem;
  readonly tokens: Readonly<Record<AssetKey, Address>>;
  readonly feeds: Readonly<Record<AssetKey, Address>>;
  readonly walletFactory: Address;
  readonly trios: Readonly<Record<TrioKey, DeployedTrio>>;
  /** A plain ERC-4626 vault. */
  readonly plain: DeployedVault;
  /** An ERC-7540 vault. */
  readonly async: DeployedVault;
  readonly curated: CuratedVaults;
}

export const FORMAT_VERSION = 2;

/** Writes the deployment so that a reader finds all of it or none. */
export async function saveDeployment(path: string, deployment: DemoDeployment): Promise<void> {
  const text = JSON.stringify(
    deployment,
    (_, value) => (typeof value === "bigint" ? value.toString() : value),
    2,
  );
  await writeFile(`${path}.new`, `${text}\n`);
  await rename(`${path}.new`, path);
}

const INTEGERS = new Set(["blockNumber", "lltv"]);

/** Reads a deployment, or undefined where there is none; throws where it was written by another version. */
export async function loadDeployment(path: string): Promise<DemoDeployment | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return undefined;
  }
  const deployment = JSON.parse(text, (key, value) => (INTEGERS.has(key) ? BigInt(value) : value));
  if (deployment.formatVersion !== FORMAT_VERSION) {
    throw new Error(`${path} was written by another version of the demo: begin anew with --fresh`);
  }
  return deployment;
}
