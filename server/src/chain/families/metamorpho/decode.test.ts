import { type AbiEvent, type Address, type Hex, toEventSelector, toEventSignature, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { artifactOf, compileContracts } from "../../../../../demo/src/compile.ts";
import { encodeEvent } from "../../../../../demo/src/events.ts";
import { silentLog } from "../../../../test/chain-client.ts";
import { ADDRESSES, knownTrio, rawLog } from "../../../../test/event-log.ts";
import { directoryOf } from "../../../../test/family-conformance.ts";
import type { FamilyName, KnownVault, Source } from "../../directory.ts";
import type { GovernanceBody } from "../../governance.ts";
import { createFamilies } from "../registry.ts";
import { COMMON_TOPICS, EULER_EARN_TOPICS, METAMORPHO_TOPICS } from "./expected-topics.ts";

const families = createFamilies(silentLog);
const artifacts = await compileContracts();
const WHO: Address = "0x1111111111111111111111111111111111111111";
const OTHER: Address = "0x2222222222222222222222222222222222222222";
const MARKET: Hex = `0x${"ab".repeat(32)}`;
const FACTORY: Address = "0xFaC0000000000000000000000000000000000001";

/** Of ERC-20 and ERC-4626, which every vault emits besides. */
const STANDARD = ["Deposit", "Withdraw", "Transfer", "Approval"];

describe.each([
  ["metamorpho", METAMORPHO_TOPICS, ["MetaMorphoV1_1", "MetaMorphoV1_1Factory"]],
  ["euler_earn", EULER_EARN_TOPICS, ["EulerEarn", "EulerEarnFactory"]],
] as const)("%s", (name, own, contracts) => {
  const expected = [...COMMON_TOPICS, ...own];

  test("follows every event that the deployed contracts have, and those of the standards", () => {
    const topics = new Set<string>(families[name].topics);
    for (const [topic, signature] of expected) expect(topics, signature).toContain(topic);
    expect(topics.size).toBe(expected.length + STANDARD.length - 1);
  });

  test.each(expected)("%s is compiled as it is: %s", (topic, signature) => {
    const events = contracts.flatMap((contract) =>
      artifactOf(artifacts, contract).abi.filter((item): item is AbiEvent => item.type === "event"),
    );
    const compiled = events.find((event) => toEventSelector(event) === topic);
    expect(compiled && toEventSignature(compiled)).toBe(toEventSignature(`event ${signature}`));
    const marks = signature
      .split("(")[1]!
      .split(", ")
      .map((parameter) => parameter.includes(" indexed "));
    expect(compiled!.inputs.map(({ indexed }) => indexed ?? false)).toEqual(marks);
  });

  test("the contracts of the demo emit nothing else", () => {
    const known = new Set<string>(families[name].topics);
    for (const contract of contracts) {
      const events = artifactOf(artifacts, contract).abi.filter(
        (item): item is AbiEvent => item.type === "event",
      );
      const unknown = events.filter((event) => !known.has(toEventSelector(event))).map((event) => event.name);
      expect(unknown.filter((event) => !STANDARD.includes(event))).toEqual([]);
    }
  });
});

test("a market's id is kept as bytes, a strategy's as an address", () => {
  const cap = (id: "bytes32" | "address", line: string) =>
    encodeEvent(`SubmitCap(address indexed caller, ${id} indexed id, uint256 cap)`, [WHO, line, 7n]);
  expect(body("metamorpho", cap("bytes32", MARKET)).effects).toEqual([
    { action: "cap_change_propose", id: MARKET, cap_kind: "supply", new: "7" },
  ]);
  expect(body("euler_earn", cap("address", OTHER)).effects).toEqual([
    { action: "cap_change_propose", id: OTHER, cap_kind: "supply", new: "7" },
  ]);
  expect(decode("metamorpho", cap("address", OTHER))).toBeNull();
  expect(decode("euler_earn", cap("bytes32", MARKET))).toBeNull();
});

test("who takes ownership acted, or who gave it up; of the first owner that is left open", () => {
  const transferred = (from: Address, to: Address) =>
    decode(
      "metamorpho",
      encodeEvent("OwnershipTransferred(address indexed previousOwner, address indexed newOwner)", [
        from,
        to,
      ]),
    );
  expect(transferred(WHO, OTHER)!.actor).toBe(OTHER);
  expect(transferred(WHO, zeroAddress)!.actor).toBe(WHO);
  expect(transferred(zeroAddress, OTHER)!.actor).toBeNull();
});

test("the topics shared with Morpho Vault V2 are read by the family of the contract, never by another", () => {
  const logs = [
    encodeEvent("SetCurator(address indexed newCurator)", [WHO]),
    encodeEvent("SetIsAllocator(address indexed account, bool newIsAllocator)", [WHO, true]),
    encodeEvent("SetName(string newName)", ["x"]),
    encodeEvent("SetSymbol(string newSymbol)", ["x"]),
  ];
  for (const log of logs) {
    for (const name of ["metamorpho", "euler_earn"] as const) {
      const others = (["metamorpho", "euler_earn", "morpho_vault_v2", "erc4626"] as const).filter(
        (each) => each !== name,
      );
      expect(decode(name, log)!.body.kind).toBe("governance");
      for (const other of others) expect(families[name].decode(rawLog(log), vaultOf(other))).toBeNull();
    }
  }
});

test("a factory's announcement is a fact of the vault it names, and makes it known", () => {
  const log = rawLog(
    encodeEvent(
      "CreateEulerEarn(address indexed eulerEarn, address indexed caller, address initialOwner, uint256 initialTimelock, address indexed asset, string name, string symbol, bytes32 salt)",
      [WHO, OTHER, OTHER, 0n, ADDRESSES.asset, "n", "s", MARKET],
    ),
    { address: FACTORY.toLowerCase() as Hex },
  );
  const source: Source = {
    family: "euler_earn",
    address: FACTORY,
    isFactory: true,
    governor: null,
    oracles: [],
  };
  const directory = directoryOf([]);
  directory.addSource(source);
  expect(families.euler_earn.discover(log, directory)).toMatchObject({
    family: "euler_earn",
    address: WHO,
    asset: ADDRESSES.asset,
    source,
  });
  expect(families.euler_earn.decode(log, directory)).toMatchObject({
    vaultAddress: WHO,
    actor: OTHER,
    needs: null,
  });
  expect(families.metamorpho.discover(log, directory)).toBeNull();
});

test("another perspective is a fact of the factory and of no vault", () => {
  const log = rawLog(encodeEvent("SetPerspective(address perspective)", [WHO]), {
    address: FACTORY.toLowerCase() as Hex,
  });
  const directory = directoryOf([]);
  directory.addSource({
    family: "euler_earn",
    address: FACTORY,
    isFactory: true,
    governor: null,
    oracles: [],
  });
  expect(families.euler_earn.decode(log, directory)).toMatchObject({
    vaultAddress: null,
    body: { contract: "factory", effects: [{ action: "registry_change", new: WHO }] },
  });
});

test("an accrual without a loss needs nothing more, one with a loss what was lost before", () => {
  const lost = (assets: bigint) =>
    decode("metamorpho", encodeEvent("UpdateLostAssets(uint256 newLostAssets)", [assets]))!;
  expect(lost(0n)).toMatchObject({ needs: null, body: { effects: [] } });
  expect(lost(5n)).toMatchObject({ needs: "state", body: { effects: [] } });
});

function decode(name: FamilyName, log: { topics: readonly Hex[]; data: Hex }) {
  return families[name].decode(rawLog(log), vaultOf(name));
}

function body(name: FamilyName, log: { topics: readonly Hex[]; data: Hex }): GovernanceBody {
  return decode(name, log)!.body as GovernanceBody;
}

function vaultOf(family: FamilyName) {
  const source: Source = { family, address: ADDRESSES.vault, governor: null, oracles: [] };
  const vault: KnownVault = knownTrio(source, { family, strategy: null, escrow: null });
  return directoryOf([vault]);
}
