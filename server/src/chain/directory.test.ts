import { expect, test } from "vitest";
import { ADDRESSES, knownTrio } from "../../test/event-log.ts";
import { Directory, type Source } from "./directory.ts";

const factory: Source = {
  family: "metamorpho",
  address: ADDRESSES.aggregator,
  isFactory: true,
  governor: null,
  oracles: [],
};
const { vault: address, oracle: adapter, governor: elsewhere } = ADDRESSES;

function directoryOf(source: Source) {
  const directory = new Directory();
  directory.addSource(source);
  const vault = knownTrio(source, { family: source.family, address, strategy: null, escrow: null });
  directory.addVault(vault);
  return { directory, vault };
}

test("a factory is followed under its own role, a configured vault as nothing but a vault", () => {
  const { directory } = directoryOf(factory);
  expect(directory.contract(factory.address.toLowerCase())).toMatchObject({ role: "factory", vault: null });
  expect(directory.addresses()).toEqual([factory.address, address]);
  const { isFactory: _, ...plain } = factory;
  const configured = directoryOf({ ...plain, address });
  expect(configured.directory.contract(address.toLowerCase())?.role).toBe("vault");
  expect(configured.directory.addresses()).toEqual([address]);
});

test("a further contract of a vault is followed once, under its role and its vault", () => {
  const { directory, vault } = directoryOf(factory);
  expect(directory.addContract(vault, adapter, "adapter")).toBe(true);
  expect(directory.addContract(vault, adapter, "proxy_admin")).toBe(false);
  expect(directory.addContract(vault, address, "adapter")).toBe(false);
  expect(directory.contract(adapter.toLowerCase())).toEqual({ role: "adapter", source: factory, vault });
  expect(directory.addresses(factory)).toEqual([factory.address, address, adapter]);
  expect(directory.contract(elsewhere.toLowerCase())).toBeUndefined();
});
