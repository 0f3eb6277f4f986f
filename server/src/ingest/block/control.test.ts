import {
  type AbiFunction,
  type AbiParameter,
  concatHex,
  encodeFunctionData,
  getAddress,
  numberToHex,
  size,
} from "viem";
import { describe, expect, test } from "vitest";
import { compileContracts } from "../../../../demo/src/compile.ts";
import { silentLog } from "../../../test/chain-client.ts";
import { innerCalls } from "../../chain/controllers/executions.ts";
import { Directory, type KnownVault, type Source } from "../../chain/directory.ts";
import { createFamilies, type RegisteredFamily } from "../../chain/families/registry.ts";
import { decoderOf } from "./control.ts";

const artifacts = await compileContracts();
const families = createFamilies(silentLog);
const address = (n: number) => getAddress(numberToHex(0xabc0 + n, { size: 20 }));
const MULTI_SEND = "0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526";
const VAULT = address(1);
const ADAPTER = address(2);

function decoder(family: RegisteredFamily) {
  const source: Source = { family, address: VAULT, governor: null, oracles: [] };
  const vault: KnownVault = {
    family,
    address: VAULT,
    source,
    strategy: null,
    escrow: null,
    asset: address(3),
    share: null,
    assetDecimals: 6,
    shareDecimals: 18,
    configuredPrimary: null,
    capabilities: { erc7540_deposit: false, erc7540_redeem: false, erc7575: false },
  };
  const directory = new Directory();
  directory.addSource(source);
  directory.addVault(vault);
  directory.addContract(vault, ADAPTER, "adapter");
  return decoderOf({ families }, directory);
}

/** Something that a parameter takes. */
function sample(parameter: AbiParameter): unknown {
  const { type } = parameter;
  if (type.endsWith("[]")) return [sample({ ...parameter, type: type.slice(0, -2) })];
  if ("components" in parameter)
    return Object.fromEntries(parameter.components.map((each) => [each.name!, sample(each)]));
  if (type === "address") return address(7);
  if (type === "bool") return true;
  if (type === "string") return "Vault";
  if (type === "bytes") return "0x1234";
  if (type.startsWith("bytes")) return numberToHex(9, { size: Number(type.slice(5)) });
  return Number(type.match(/\d+/)![0]) <= 48 ? 5 : 5n;
}

/** What changes state, made into calls. */
function callsOf(contract: string, but: readonly string[] = []) {
  return artifacts[contract]!.abi.filter(
    (item): item is AbiFunction =>
      item.type === "function" && item.stateMutability !== "view" && item.stateMutability !== "pure",
  )
    .filter(({ name }) => !but.includes(name))
    .map((item) => ({
      name: item.name,
      count: item.inputs.length,
      data: encodeFunctionData({ abi: [item], args: item.inputs.map(sample) }),
    }));
}

describe("a call of a controller is told by what the family of its target knows", () => {
  test.each([
    ["morpho_vault_v2", VAULT, "MorphoVaultV2", ["accrueInterest"]],
    // The vault calls these of its adapter itself.
    ["morpho_vault_v2", ADAPTER, "MorphoMarketAdapter", ["allocate", "deallocate"]],
    ["metamorpho", VAULT, "MetaMorpho", []],
    ["metamorpho", VAULT, "MetaMorphoV1_1", []],
    ["euler_earn", VAULT, "EulerEarn", []],
    ["lagoon", VAULT, "LagoonVaultV5", ["initialize"]],
    ["lagoon", VAULT, "LagoonVaultV6", ["initialize"]],
    ["yearn_v3", VAULT, "YearnVault", ["initialize"]],
  ] as const)("%s at %s: %s", (family, target, contract, but) => {
    const decode = decoder(family);
    const calls = callsOf(contract, but);
    expect(calls.length).toBeGreaterThan(5);
    expect(
      calls.flatMap(({ name, count, data }) => {
        const told = decode(target, data);
        return told.function === name && Object.keys(told.arguments!).length === count ? [] : [name];
      }),
    ).toEqual([]);
  });

  test("in a multiSend, each by its own target; a stranger's is told by the generic table only", () => {
    const decode = decoder("morpho_vault_v2");
    const abi = artifacts.MorphoVaultV2!.abi;
    const curator = encodeFunctionData({ abi, functionName: "setCurator", args: [address(7)] });
    const skim = encodeFunctionData({
      abi: artifacts.MorphoMarketAdapter!.abi,
      functionName: "skim",
      args: [address(7)],
    });
    const packed = concatHex(
      [[VAULT, curator] as const, [ADAPTER, skim] as const, [address(5), curator] as const].flatMap(
        ([to, data]) => [
          "0x00" as const,
          to,
          numberToHex(0, { size: 32 }),
          numberToHex(size(data), { size: 32 }),
          data,
        ],
      ),
    );
    const data = encodeFunctionData({
      abi: [
        {
          type: "function",
          name: "multiSend",
          stateMutability: "payable",
          outputs: [],
          inputs: [{ name: "transactions", type: "bytes" }],
        },
      ],
      args: [packed],
    });
    const inner = innerCalls({ to: MULTI_SEND, value: "0", data, operation: 1 });
    expect(inner.map(({ to, data }) => decode(to, data))).toEqual([
      { target: VAULT, function: "setCurator", arguments: { newCurator: address(7) }, calldata: curator },
      { target: ADAPTER, function: "skim", arguments: { token: address(7) }, calldata: skim },
      { target: address(5), function: null, arguments: null, calldata: curator },
    ]);
  });
});
