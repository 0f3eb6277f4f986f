// Vaults of every family on one chain: whatever event comes from whichever of their contracts, in whatever order, it is decoded as if that
// vault's family were alone. Families share topics whose meaning differs.
import { type AbiParameter, type Address, getAddress, type Hex, parseAbiItem } from "viem";
import { describe, expect, test } from "vitest";
import { encodeEvent, readEventTable } from "../../../../demo/src/events.ts";
import { silentLog } from "../../../test/chain-client.ts";
import { rawLog } from "../../../test/event-log.ts";
import fc from "../../../test/fast-check.ts";
import { Directory, type FamilyName, type FurtherRole, type KnownVault } from "../directory.ts";
import type { RawLog } from "../rpc/raw.ts";
import { RULES as LAGOON } from "./lagoon/decode.ts";
import { creation } from "./metamorpho/decode.ts";
import { curatedRules, lossKeepingRules, skimRules } from "./metamorpho/events.ts";
import { adapterRules, factoryRules, vaultRules } from "./morpho-vault-v2/vault-events.ts";
import { createFamilies, REGISTERED } from "./registry.ts";
import { RULES as YEARN } from "./yearn-v3/decode.ts";

const families = createFamilies(silentLog);

const SIGNATURES = [
  ...new Set([
    ...[
      ...vaultRules,
      ...adapterRules,
      ...factoryRules,
      ...curatedRules("bytes32"),
      ...curatedRules("address"),
      ...lossKeepingRules,
      ...skimRules,
      creation("CreateMetaMorpho", "metaMorpho"),
      creation("CreateEulerEarn", "eulerEarn"),
      ...[LAGOON, YEARN].flatMap((rules) => Object.values(rules).flatMap((each) => [...each.values()])),
    ].map(({ signature }) => signature),
    ...readEventTable().map(({ signature }) => signature),
  ]),
];

/** What is followed beside the vaults of a family. */
const FURTHER: Readonly<Partial<Record<FamilyName, FurtherRole>>> = {
  morpho_vault_v2: "adapter",
  lagoon: "proxy_admin",
};

const placeOf = (family: FamilyName, nth: number): Address =>
  getAddress(
    `0x${(REGISTERED.indexOf(family as never) + 1).toString(16)}${nth.toString(16).padStart(39, "0")}`,
  );

/** A source of each family with two vaults and what belongs to them. */
function follow(directory: Directory, family: FamilyName): void {
  const isTrio = family === "supervault";
  const source = {
    family,
    address: placeOf(family, 0),
    governor: isTrio ? placeOf(family, 1) : null,
    oracles: isTrio ? [placeOf(family, 2)] : [],
    ...(family === "erc4626" ? {} : { isFactory: true as const }),
  };
  directory.addSource(source);
  for (const nth of [3, 6]) {
    const vault: KnownVault = {
      family,
      address: placeOf(family, nth),
      source,
      strategy: isTrio ? placeOf(family, nth + 1) : null,
      escrow: isTrio ? placeOf(family, nth + 2) : null,
      asset: placeOf(family, 9),
      share: null,
      assetDecimals: 6,
      shareDecimals: 18,
      configuredPrimary: null,
      capabilities: { erc7540_deposit: false, erc7540_redeem: false, erc7575: false },
    };
    directory.addVault(vault);
    const further = FURTHER[family];
    if (further) directory.addContract(vault, placeOf(family, nth + 1), further);
  }
}

const alone = Object.fromEntries(
  REGISTERED.map((family) => {
    const directory = new Directory();
    follow(directory, family);
    return [family, directory];
  }),
) as Record<FamilyName, Directory>;
const together = new Directory();
for (const family of REGISTERED) follow(together, family);
const ADDRESSES = together.addresses();

const bytes = (size: number) =>
  fc
    .uint8Array({ minLength: size, maxLength: size })
    .map((each): Hex => `0x${Buffer.from(each).toString("hex")}`);

function membersOf(parameter: AbiParameter): readonly AbiParameter[] {
  return "components" in parameter ? parameter.components : [];
}

/** Any value of a parameter; addresses are mostly those of the chain's contracts. */
function anyOf(parameter: AbiParameter): fc.Arbitrary<unknown> {
  const { type } = parameter;
  if (type.endsWith("[]"))
    return fc.array(anyOf({ ...parameter, type: type.slice(0, -2) }), { maxLength: 3 });
  if (type === "tuple") return fc.tuple(...membersOf(parameter).map(anyOf));
  const [, kind, digits] = /^(u?int|bytes)(\d+)$/.exec(type) ?? [];
  if (kind === "bytes") return bytes(Number(digits));
  if (kind !== undefined) {
    const value = fc.bigInt({ min: 0n, max: 2n ** BigInt(Math.min(Number(digits) - 1, 8)) });
    return Number(digits) <= 48 ? value.map(Number) : value;
  }
  switch (type) {
    case "address":
      return fc.constantFrom(
        ...ADDRESSES,
        getAddress(`0x${"0".repeat(40)}`),
        getAddress(`0x${"ee".repeat(20)}`),
      );
    case "bool":
      return fc.boolean();
    case "string":
      return fc.string({ maxLength: 8 });
    default:
      return fc.integer({ max: 40, min: 0 }).chain(bytes);
  }
}

const LOGS = SIGNATURES.map((signature) => {
  const { inputs } = parseAbiItem(`event ${signature}`) as { inputs: readonly AbiParameter[] };
  return fc
    .tuple(fc.constantFrom(...ADDRESSES), fc.tuple(...inputs.map(anyOf)))
    .map(([address, args]) =>
      rawLog(encodeEvent(signature, args), { address: address.toLowerCase() as Hex }),
    );
});

const familyOf = (log: RawLog) => together.contract(log.address)!.source.family;

describe("events shuffled across vaults of all families on one chain", () => {
  test("are decoded by the family of the contract, as if it were alone, and by no other", () => {
    let count = 0;
    fc.assert(
      fc.property(fc.array(fc.oneof(...LOGS), { minLength: 20, maxLength: 20 }), (logs) => {
        const told = logs.map((log) => {
          const family = familyOf(log);
          const decoded = families[family].decode(log, together);
          if (decoded) count += 1;
          const found = families[family].discover(log, together);
          return {
            decoded,
            // A vault that the log names is its own family's.
            vault: together.vaultNamedBy(log.address, decoded?.vaultAddress ?? null)?.family ?? family,
            found: found && [found.family, found.source.family],
            others: REGISTERED.filter(
              (other) =>
                other !== family &&
                (families[other].decode(log, together) ?? families[other].discover(log, together)) !== null,
            ),
          };
        });
        expect(told).toEqual(
          logs.map((log) => {
            const family = familyOf(log);
            const found = families[family].discover(log, alone[family]);
            const decoded = families[family].decode(log, alone[family]);
            return { decoded, vault: family, found: found && [family, family], others: [] };
          }),
        );
      }),
      { numRuns: 150 },
    );
    expect(count).toBeGreaterThan(150);
  });

  test("whichever log of a shared topic came before: decoding remembers nothing", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(...LOGS), { minLength: 10, maxLength: 10 }), (logs) => {
        const decode = (log: RawLog) => families[familyOf(log)].decode(log, together);
        const forwards = logs.map(decode);
        expect([...logs].reverse().map(decode).reverse()).toEqual(forwards);
      }),
      { numRuns: 100 },
    );
  });
});
