// Descriptors, by the words of ERC-7730: what a wallet that follows it shows, and what its published schema (v2) asks of those in docs/erc7730.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AbiFunction, type AbiParameter, parseAbiItem } from "viem";
import { describe, expect, test } from "vitest";
import { type Descriptor, descriptorsOf, type Field } from "./erc-7730.ts";

const SETTLE = "settle((address recipient, uint256 share)[] fees, uint256 assets, uint64 deadline)";

test("every parameter is shown, with its unit, under a label", () => {
  const [descriptor] = descriptorsOf("Example", [
    {
      title: "Settle the queue",
      functions: [
        {
          contract: "vault",
          signature: SETTLE,
          fields: {
            assets: { label: "Assets", kind: "assets" },
            share: { label: "Fee", kind: "fraction" },
            deadline: { label: "Within", kind: "seconds" },
          },
        },
      ],
    },
  ]).values();
  expect(descriptor).toEqual({
    $schema: "https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json",
    context: { contract: {} },
    metadata: { contractName: "Example vault", constants: { underlyingToken: "0x0" } },
    display: {
      formats: {
        [SETTLE]: {
          intent: "Settle the queue",
          fields: [
            {
              path: "fees.[].recipient",
              label: "Recipient",
              format: "addressName",
              params: { types: ["eoa", "contract"] },
              visible: "always",
            },
            {
              path: "fees.[].share",
              label: "Fee",
              format: "unit",
              params: { base: "%", decimals: 16 },
              visible: "always",
            },
            {
              path: "assets",
              label: "Assets",
              format: "tokenAmount",
              params: { token: "$.metadata.constants.underlyingToken" },
              visible: "always",
            },
            { path: "deadline", label: "Within", format: "duration", visible: "always" },
          ],
        },
      },
    },
  });
});

test("a function of several actions, or one of several of an action, is told by its own name; contracts have a file each", () => {
  const fn = (contract: "vault" | "timelock", signature: string, fields = {}) => ({
    contract,
    signature,
    fields,
  });
  const descriptors = descriptorsOf("Example", [
    { title: "Raise the cap", functions: [fn("vault", "submitCap(bytes data)")] },
    {
      title: "Lower the cap",
      functions: [fn("vault", "submitCap(bytes data)"), fn("timelock", "cancel(bytes32 id)")],
    },
    {
      title: "Accept",
      functions: [fn("vault", "acceptCap()"), fn("vault", "acceptGuardian()")],
    },
  ]);
  expect([...descriptors.keys()]).toEqual(["timelock", "vault"]);
  const { formats } = descriptors.get("vault")!.display;
  expect(formats["acceptCap()"]!.intent).toBe("Accept cap");
  expect(formats["submitCap(bytes data)"]).toEqual({
    intent: "Submit cap",
    fields: [{ path: "data", label: "Data", format: "raw", visible: "always" }],
  });
  expect(descriptors.get("timelock")!.metadata).toEqual({ contractName: "Example timelock", constants: {} });
});

const FOLDER = join(import.meta.dirname, "../../../../../docs/erc7730");
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
const read = (name: string): Descriptor => JSON.parse(readFileSync(join(FOLDER, name), "utf8"));

/** What a field's `params` may and must hold, by its format; a format that is not here has none. */
const PARAMS: Record<string, (params: Record<string, unknown>, constants: object) => boolean> = {
  addressName: ({ types, ...others }) =>
    (types as string[]).every((type) =>
      ["wallet", "eoa", "contract", "token", "collection"].includes(type),
    ) && Object.keys(others).length === 0,
  tokenAmount: ({ token, tokenPath, ...others }, constants) =>
    (tokenPath === "@.to") !==
      (typeof token === "string" && Object.hasOwn(constants, token.replace("$.metadata.constants.", ""))) &&
    Object.keys(others).length === 0,
  unit: ({ base, decimals, ...others }) =>
    typeof base === "string" && Number.isInteger(decimals) && Object.keys(others).length === 0,
};
const PLAIN = ["raw", "duration"];

/** The paths of everything that is not made of more. */
function leavesOf(inputs: readonly AbiParameter[], within = ""): string[] {
  return inputs.flatMap((input) => {
    const path = `${within}${input.name}${input.type.endsWith("]") ? ".[]" : ""}`;
    return "components" in input ? leavesOf(input.components, `${path}.`) : [path];
  });
}

describe.each(FILES)("%s", (name) => {
  const { $schema, context, metadata, display, ...others } = read(name);

  test("is bound to a contract, says what it is, and has no other members than the schema knows", () => {
    expect($schema).toMatch(/^https:\/\/eips\.ethereum\.org\/assets\/eip-7730\/erc7730-v2\.schema\.json$/);
    expect(others).toEqual({});
    expect(context).toEqual({ contract: {} });
    expect(Object.keys(metadata).sort()).toEqual(["constants", "contractName"]);
    expect(Object.values(metadata.constants).every((value) => typeof value === "string")).toBe(true);
    expect(Object.keys(display)).toEqual(["formats"]);
  });

  test.each(Object.entries(display.formats))("shows all of %s", (signature, format) => {
    // Full signatures with the names of parameters; every one has a name.
    expect(signature).toMatch(/^[A-Za-z_]\w*\(.*\)$/);
    const { inputs } = parseAbiItem(`function ${signature}`) as AbiFunction;
    expect(Object.keys(format).sort()).toEqual(["fields", "intent"]);
    expect(format.intent).not.toBe("");
    expect(format.fields.map(({ path }) => path)).toEqual(leavesOf(inputs));
    for (const field of format.fields) expect(field).toSatisfy(isRight);
  });

  function isRight({ path, label, format, params, visible, ...more }: Field): boolean {
    const check = PARAMS[format];
    const isFitting = check
      ? params !== undefined && check(params, metadata.constants)
      : PLAIN.includes(format) && params === undefined;
    return isFitting && label !== "" && visible === "always" && Object.keys(more).length === 0;
  }
});
