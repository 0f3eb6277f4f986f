import { type Address, type Hex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { type EventEntry, encodeEvent, readEventTable } from "../../../../../demo/src/events.ts";
import { silentLog } from "../../../../test/chain-client.ts";
import { ADDRESSES, rawLog, testDirectory } from "../../../../test/event-log.ts";
import { EMITTERS, expectedOf, sampleArgs } from "../../../../test/expected-facts.ts";
import fc from "../../../../test/fast-check.ts";
import { toStored } from "../../facts.ts";
import { createFamilies } from "../registry.ts";

const family = createFamilies(silentLog).supervault;
const directory = testDirectory();
const TABLE = readEventTable();

function sampleLog(entry: EventEntry, args = sampleArgs(entry.abi, ADDRESSES.strategy)) {
  const address = ADDRESSES[EMITTERS[entry.section]!].toLowerCase() as Hex;
  return rawLog(encodeEvent(entry.signature, args), { address });
}

const CASES = TABLE.map((entry) => [`${entry.section}: ${entry.signature}`, entry] as const);

describe("every event of the table becomes the fact decided for it", () => {
  test.each(CASES)("%s", (_title, entry) => {
    const expected = expectedOf(entry);
    expect(expected).toBeDefined();
    const decoded = family.decode(sampleLog(entry), directory);
    if (expected === null) {
      expect(decoded).toBeNull();
      return;
    }
    expect(decoded?.body.kind).toBe(expected.kind);
    const vault =
      expected.kind === "vault_deployed" ? "0x0000000000000000000000000000000000000001" : ADDRESSES.vault;
    expect(decoded?.vaultAddress).toBe(expected.vault === "none" ? null : vault);
    const actorAt = entry.abi.inputs.findIndex((input) => input.name === expected.actor);
    expect(decoded?.actor).toBe(actorAt < 0 ? null : sampleArgs(entry.abi, ADDRESSES.strategy)[actorAt]);
  });

  test.each(CASES)("%s: every amount and wallet of the event stands in the fact", (_title, entry) => {
    const decoded = family.decode(sampleLog(entry), directory);
    if (decoded === null) return;
    const stored = JSON.stringify(toStored(decoded.body));
    const meant = new Set([
      "stdev",
      "validatorSet",
      "totalValidators",
      "ppsStdev",
      "strategy",
      "strategyAddr",
      "updateAuthority",
      "manager",
      "hooks",
      "accumulatorShares",
      "accumulatorCostBasis",
    ]);
    for (const [index, value] of sampleArgs(entry.abi, ADDRESSES.strategy).entries()) {
      if (decoded.body.kind !== "other" && meant.has(entry.abi.inputs[index]!.name!)) continue;
      const text = JSON.stringify(typeof value === "bigint" ? value.toString() : value);
      expect(stored).toContain(Array.isArray(value) ? text : text.replaceAll('"', ""));
    }
  });

  test("the topics of the family are those of the table", () => {
    expect([...family.topics].sort()).toEqual([...new Set(TABLE.map((entry) => entry.topic))].sort());
  });
});

describe("collisions are told apart by who emitted", () => {
  const entryOf = (section: string, name: string) =>
    TABLE.find((entry) => entry.section === section && entry.abi.name === name)!;

  test("RedeemClaimable of the strategy has an average price, that of an ERC-7540 vault a request id", () => {
    const strategy = family.decode(sampleLog(entryOf("SuperVaultStrategy", "RedeemClaimable")), directory);
    expect(strategy?.body).toMatchObject({
      requestId: 0n,
      assets: 1002n,
      shares: 1003n,
      averageWithdrawPrice: 1004n,
    });
    const vault = family.decode(sampleLog(entryOf("ERC-7540 standard", "RedeemClaimable")), directory);
    expect(vault?.body).toMatchObject({
      requestId: 1002n,
      assets: 1003n,
      shares: 1004n,
      averageWithdrawPrice: null,
    });
  });

  test("Initialized of strategy and escrow, one topic, keep their contract", () => {
    for (const contract of ["strategy", "escrow"] as const) {
      const section = contract === "strategy" ? "SuperVaultStrategy" : "SuperVaultEscrow";
      expect(family.decode(sampleLog(entryOf(section, "Initialized")), directory)?.body).toMatchObject({
        contract,
      });
    }
  });

  test("an event of one contract from another is not that event", () => {
    const paused = encodeEvent("StrategyPaused(address indexed strategy)", [ADDRESSES.strategy]);
    for (const address of [
      ADDRESSES.vault,
      ADDRESSES.strategy,
      ADDRESSES.escrow,
      ADDRESSES.oracle,
      ADDRESSES.user,
    ]) {
      expect(family.decode(rawLog(paused, { address: address.toLowerCase() as Hex }), directory)).toBeNull();
    }
  });

  test("the aggregator's events of a strategy that is not known belong to no vault", () => {
    const log = rawLog(encodeEvent("StrategyPaused(address indexed strategy)", [ADDRESSES.user]), {
      address: ADDRESSES.aggregator.toLowerCase() as Hex,
    });
    expect(family.decode(log, directory)).toMatchObject({
      vaultAddress: null,
      body: { kind: "vault_paused" },
    });
  });
});

describe("shares", () => {
  const transfer = (from: Address, to: Address) =>
    family.decode(
      rawLog(
        encodeEvent("Transfer(address indexed from, address indexed to, uint256 value)", [from, to, 5n]),
      ),
      directory,
    )?.body;

  test("from the zero address are minted, to it burned, between holders transferred", () => {
    expect(transfer(zeroAddress, ADDRESSES.user)).toEqual({
      kind: "shares_minted",
      to: ADDRESSES.user,
      shares: 5n,
    });
    expect(transfer(ADDRESSES.user, zeroAddress)).toEqual({
      kind: "shares_burned",
      from: ADDRESSES.user,
      shares: 5n,
    });
    expect(transfer(ADDRESSES.user, ADDRESSES.vault)).toMatchObject({ kind: "other", event: "Transfer" });
  });
});

const deployed = TABLE.find((entry) => entry.abi.name === "VaultDeployed")!;

describe("discovery", () => {
  test("a deployment announced by the aggregator names the trio; its managers are still to be read", () => {
    const args = [ADDRESSES.user, ADDRESSES.oracle, ADDRESSES.governor, ADDRESSES.asset, "N", "S", 3n];
    const log = sampleLog(deployed, args);
    expect(family.discover(log, directory)).toMatchObject({
      address: ADDRESSES.user,
      strategy: ADDRESSES.oracle,
      escrow: ADDRESSES.governor,
      asset: ADDRESSES.asset,
    });
    expect(family.decode(log, directory)).toMatchObject({ needs: "managers", vaultAddress: ADDRESSES.user });
  });

  test("the same event from anyone else announces nothing", () => {
    const log = { ...sampleLog(deployed), address: ADDRESSES.vault.toLowerCase() as Hex };
    expect(family.discover(log, directory)).toBeNull();
    expect(family.discover({ ...log, address: ADDRESSES.user.toLowerCase() as Hex }, directory)).toBeNull();
  });

  test("a malformed announcement announces nothing and is kept", () => {
    const log = { ...sampleLog(deployed), data: "0x1234" as Hex };
    expect(family.discover(log, directory)).toBeNull();
    expect(family.decode(log, directory)?.body).toMatchObject({ kind: "other", args: { data: "0x1234" } });
  });
});

describe("hostile logs", () => {
  const bytes = fc
    .uint8Array({ maxLength: 300 })
    .map((array) => `0x${Buffer.from(array).toString("hex")}` as Hex);
  const topic = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((array) => `0x${Buffer.from(array).toString("hex")}` as Hex);

  test("whatever a known contract emits under a known topic is a fact or, kept whole, `other`; storing it never fails", () => {
    const entry = fc.constantFrom(...TABLE.filter(({ abi }) => abi.name !== "RedeemRequestClaimed"));
    fc.assert(
      fc.property(
        entry,
        fc.array(topic, { maxLength: 3 }),
        bytes,
        ({ section, topic: topic0 }, topics, data) => {
          const address = ADDRESSES[EMITTERS[section]!].toLowerCase() as Hex;
          const decoded = family.decode(
            rawLog({ topics: [topic0, ...topics], data }, { address }),
            directory,
          );
          expect(decoded).not.toBeNull();
          expect(JSON.stringify(toStored(decoded!.body))).not.toContain("\\u0000");
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("an unknown topic, or none, is left out", () => {
    const address = ADDRESSES.aggregator.toLowerCase() as Hex;
    expect(
      family.decode(rawLog({ topics: [`0x${"99".repeat(32)}`], data: "0x" }, { address }), directory),
    ).toBeNull();
    expect(family.decode(rawLog({ topics: [], data: "0x" }, { address }), directory)).toBeNull();
  });

  test("names are freed of NUL, controls and marks that turn the direction of writing, and cut", () => {
    const name = `Va\u0000ult\u202e \u2066USDC\n${"x".repeat(500)}`;
    const args = [
      ADDRESSES.user,
      ADDRESSES.oracle,
      ADDRESSES.governor,
      ADDRESSES.asset,
      name,
      "\u0007S\u200b",
      3n,
    ];
    const body = family.decode(sampleLog(deployed, args), directory)?.body;
    expect(body).toMatchObject({ name: `Vault USDC${"x".repeat(118)}`, symbol: "S" });
  });
});
