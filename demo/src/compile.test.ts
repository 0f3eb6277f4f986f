import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { artifactOf, compileContracts, readSources, runSolc } from "./compile.ts";

test("every contract is compiled, and a deployable one fits the chain's limit of 24,576 bytes", async () => {
  const artifacts = await compileContracts();
  const aggregator = artifactOf(artifacts, "SuperVaultAggregator");
  expect(aggregator.bytecode.length).toBeGreaterThan(1000);
  for (const [name, { runtimeBytecode }] of Object.entries(artifacts)) {
    expect((runtimeBytecode.length - 2) / 2, name).toBeLessThanOrEqual(24_576);
  }
  expect(() => artifactOf(artifacts, "NoSuchContract")).toThrow("NoSuchContract");
});

test("sources are found below the folder by their path from it", async () => {
  const sources = await readSources(fileURLToPath(new URL("../contracts", import.meta.url)));
  expect(Object.keys(sources)).toContain("events/AggregatorEvents.sol");
});

test("code of others compiles with its imports looked up, and an error names its place", () => {
  const header = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.30;\n";
  const library = {
    contents: `${header}contract Base { function one() external pure returns (uint256) { return 1; } }`,
  };
  const content = `${header}import { Base } from "library/Base.sol";\ncontract Mine is Base { }`;
  const artifacts = runSolc({ "Mine.sol": { content } }, (path) => {
    return path === "library/Base.sol" ? library : { error: "not found" };
  });
  expect(artifactOf(artifacts, "Mine").bytecode.length).toBeGreaterThan(10);
  expect(() => runSolc({ "Bad.sol": { content: `${header}contract Bad is Nothing { }` } })).toThrow(
    "Bad.sol",
  );
});
