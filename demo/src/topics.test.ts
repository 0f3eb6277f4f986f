import { type AbiEvent, toEventHash, toEventSelector } from "viem";
import { expect, test } from "vitest";
import { artifactOf, compileContracts } from "./compile.ts";
import { encodeEvent, readEventTable } from "./events.ts";

/** Where the compiled form of each section of the table is found. */
const CONTRACTS: Readonly<Record<string, string>> = {
  SuperVaultAggregator: "SuperVaultAggregator",
  SuperVaultStrategy: "SuperVaultStrategy",
  SuperVault: "SuperVault",
  SuperVaultEscrow: "SuperVaultEscrow",
  ECDSAPPSOracle: "PPSOracle",
  SuperGovernor: "SuperGovernor",
  "ERC-7540 standard": "AsyncVault",
  "Legacy aggregator shapes": "LegacyAggregatorEvents",
  "Legacy strategy shapes": "LegacyStrategyEvents",
  "Legacy vault shapes": "LegacyVaultEvents",
  "Legacy governor shapes": "LegacyGovernorEvents",
};

const artifacts = await compileContracts();
const table = readEventTable();

test("the table holds every event of the eleven sections", () => {
  expect(new Set(table.map((entry) => entry.section))).toEqual(new Set(Object.keys(CONTRACTS)));
  expect(table).toHaveLength(173);
});

test.each(table)("$section: $signature is compiled with its topic and its indexed marks", (entry) => {
  expect(toEventHash(entry.abi)).toBe(entry.topic);
  const { abi } = artifactOf(artifacts, CONTRACTS[entry.section] ?? "");
  const events = abi.filter((item): item is AbiEvent => item.type === "event");
  const compiled = events.find((event) => toEventSelector(event) === entry.topic);
  expect(compiled).toBeDefined();
  const marks = (event: AbiEvent | undefined) =>
    event?.inputs.map((input) => [input.type, input.indexed ?? false]);
  expect(marks(compiled)).toEqual(marks(entry.abi));
});

test.each(Object.entries(CONTRACTS))("%s emits nothing that the table does not hold", (section, contract) => {
  const known = new Set(table.filter((entry) => entry.section === section).map((entry) => entry.topic));
  // An ERC-7540 vault also emits what the SuperVault section lists, and the events of ownership, roles and pause.
  if (contract === "AsyncVault") return;
  const events = artifactOf(artifacts, contract).abi.filter(
    (item): item is AbiEvent => item.type === "event",
  );
  expect(events.filter((event) => !known.has(toEventSelector(event))).map((event) => event.name)).toEqual([]);
});

test("an encoded event starts with its topic and has a word for each indexed argument", () => {
  const log = encodeEvent("StrategyCheckFailed(address indexed strategy, string reason)", [
    "0x1111111111111111111111111111111111111111",
    "HIGH_PPS_DEVIATION",
  ]);
  expect(log.topics).toHaveLength(2);
  expect(log.topics[0]).toBe("0xe364669b114d8ecba48ed1742526a04c78dd506cd3af6beb910f6622a928cbdb");
});
