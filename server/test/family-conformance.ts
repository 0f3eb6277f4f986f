// What every family promises, as one suite: a new family calls it from its own test with vaults on a real node.

import { type Address, type Hex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import type { BlockRef, ChainClient } from "../src/chain/client/client.ts";
import { Directory, type KnownVault } from "../src/chain/directory.ts";
import { toStored } from "../src/chain/facts.ts";
import { type Family, NotAVault, type VaultIdentity } from "../src/chain/families/family/family.ts";
import type { RawLog } from "../src/chain/rpc/raw.ts";
import { rawLog } from "./event-log.ts";
import fc from "./fast-check.ts";

export interface ConformanceSubject {
  family: Family;
  client: ChainClient;
  /** At least two vaults that stand at `at`, the first with supply. */
  vaults: KnownVault[];
  at: BlockRef & { number: number; hash: Hex };
  /** Changes what the first vault would answer (mines a block). */
  change(): Promise<void>;
  /** Hostile vaults of the family that stand at `at`, if it can have any: reading them must cost the others nothing. */
  hostile: KnownVault[];
  /** A contract that is no vault. */
  notAVault: Address;
  /** Logs of the vaults' past. */
  logs: RawLog[];
}

/** `prepare` is awaited by each test; it must give the same subject every time. */
export function describeConformance(name: string, prepare: () => Promise<ConformanceSubject>): void {
  describe(`${name} keeps what every family promises`, () => {
    test("a reading names every field, and what it cannot know is null", async () => {
      const { family, client, vaults, at } = await prepare();
      const [reading] = await family.read(client, vaults.slice(0, 1), at);
      for (const value of Object.values(reading!)) expect(value).not.toBeUndefined();
      expect(reading!.totalSupply).toBeGreaterThan(0n);
      expect(reading!.pps).toBeGreaterThan(0n);
      expect(Number.isInteger(reading!.ppsDecimals)).toBe(true);
    });

    test("many vaults read together are the same as each read alone, in the order asked for", async () => {
      const { family, client, vaults, at } = await prepare();
      const turned = [...vaults].reverse();
      const together = await family.read(client, turned, at);
      for (const [index, vault] of turned.entries()) {
        expect(together[index]).toEqual((await family.read(client, [vault], at))[0]);
      }
      expect(await family.read(client, [], at)).toEqual([]);
    });

    test("a reading is of its block, whatever happens after", async () => {
      const { family, client, vaults, at, change } = await prepare();
      const before = await family.read(client, vaults, at);
      await change();
      expect(await family.read(client, vaults, at)).toEqual(before);
    });

    test("a vault that means harm costs the others nothing", async () => {
      const { family, client, vaults, hostile, at } = await prepare();
      const clean = await family.read(client, vaults, at);
      const mixed = await family.read(client, [...hostile, ...vaults, ...hostile], at);
      expect(mixed.slice(hostile.length, hostile.length + vaults.length)).toEqual(clean);
    });

    test("a description tells asset, decimals, name and symbol; what is no vault is NotAVault", async () => {
      const { family, client, vaults, at, notAVault } = await prepare();
      const vault = vaults[0]!;
      const identity: VaultIdentity = {
        address: vault.address,
        strategy: vault.strategy,
        source: vault.source,
        configuredPrimary: null,
      };
      const description = await family.describe(client, identity, at);
      expect(description.asset).toBe(vault.asset);
      expect(description.assetDecimals).toBe(vault.assetDecimals);
      expect(description.shareDecimals).toBe(vault.shareDecimals);
      expect(description.name).toBeTruthy();
      for (const address of [notAVault, zeroAddress]) {
        await expect(family.describe(client, { ...identity, address }, at)).rejects.toThrow(NotAVault);
      }
    });

    test("every log of a vault's past becomes a fact of that vault that can be stored, or is left out", async () => {
      const { family, logs, vaults } = await prepare();
      const directory = directoryOf(vaults);
      const decoded = logs.flatMap((log) => family.decode(log, directory) ?? []);
      expect(decoded.length).toBeGreaterThan(0);
      for (const { body, vaultAddress } of decoded) {
        expect(JSON.parse(JSON.stringify(toStored(body)))).toMatchObject({ kind: body.kind });
        expect(vaultAddress === null || directory.vault(vaultAddress) !== undefined).toBe(true);
      }
    });

    test("decoding is pure: the same log says the same twice", async () => {
      const { family, logs, vaults } = await prepare();
      const directory = directoryOf(vaults);
      for (const log of logs) expect(family.decode(log, directory)).toEqual(family.decode(log, directory));
    });

    test("no garbage under any of its topics makes it throw; what does not fit is kept whole", async () => {
      const { family, vaults } = await prepare();
      const directory = directoryOf(vaults);
      const word = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHex);
      const addresses = directory.addresses().map((address) => address.toLowerCase() as Hex);
      fc.assert(
        fc.property(
          fc.constantFrom(...addresses),
          fc.constantFrom(...family.topics),
          fc.array(word, { maxLength: 3 }),
          fc.uint8Array({ maxLength: 200 }).map(toHex),
          (address, topic, topics, data) => {
            const decoded = family.decode(
              rawLog({ topics: [topic, ...topics], data }, { address }),
              directory,
            );
            if (decoded?.body.kind === "other" && "undecodable" in decoded.body.args) {
              expect(decoded.body.args).toMatchObject({ topics: [topic, ...topics], data });
            }
          },
        ),
        { numRuns: 1500 },
      );
    });

    test("logs of contracts that nobody knows are left out, and announce nothing", async () => {
      const { family, vaults, logs } = await prepare();
      const directory = directoryOf(vaults);
      for (const log of logs) {
        const stranger = { ...log, address: `0x${"ee".repeat(20)}` as Hex };
        expect(family.decode(stranger, directory)).toBeNull();
        expect(family.discover(stranger, directory)).toBeNull();
      }
    });

    test("its topics are distinct", async () => {
      const { family } = await prepare();
      expect(new Set(family.topics).size).toBe(family.topics.length);
    });
  });
}

export function directoryOf(vaults: readonly KnownVault[]): Directory {
  const directory = new Directory();
  for (const source of new Set(vaults.map((vault) => vault.source))) directory.addSource(source);
  for (const vault of vaults) directory.addVault(vault);
  return directory;
}

function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}
