// Descriptors, by the words of ERC-7730: what a wallet that follows it shows.
import { expect, test } from "vitest";
import { descriptorsOf } from "./erc-7730.ts";

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

test("a function of several actions is told by its own name; contracts have a file each", () => {
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
  ]);
  expect([...descriptors.keys()]).toEqual(["timelock", "vault"]);
  expect(descriptors.get("vault")!.display.formats["submitCap(bytes data)"]).toEqual({
    intent: "Submit cap",
    fields: [{ path: "data", label: "Data", format: "raw", visible: "always" }],
  });
  expect(descriptors.get("timelock")!.metadata).toEqual({ contractName: "Example timelock", constants: {} });
});
