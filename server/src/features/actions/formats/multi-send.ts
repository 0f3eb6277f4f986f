// MultiSendCallOnly: what a Safe delegates to when it makes several calls at once. It makes plain calls alone, so nothing of the batch runs as
// the Safe's own code.
import {
  type Address,
  concat,
  encodeFunctionData,
  encodePacked,
  type Hex,
  keccak256,
  parseAbi,
  size,
} from "viem";
import type { FormattedCall } from "./call.ts";

export const SAFE_VERSIONS = ["1.3.0", "1.4.1", "1.5.0"] as const;
export type SafeVersion = (typeof SAFE_VERSIONS)[number];

interface Deployment {
  address: Address;
  codeHash: Hex;
}

/** As published with each version; several where chains differ in the factory that they know. */
const DEPLOYMENTS: Record<SafeVersion, readonly Deployment[]> = {
  "1.3.0": [
    deployment(
      "0x40A2aCCbd92BCA938b02010E17A5b8929b49130D",
      "0xa9865ac2d9c7a1591619b188c4d88167b50df6cc0c5327fcbd1c8c75f7c066ad",
    ),
    deployment(
      "0xA1dabEF33b3B82c7814B6D82A79e50F4AC44102B",
      "0xa9865ac2d9c7a1591619b188c4d88167b50df6cc0c5327fcbd1c8c75f7c066ad",
    ),
    deployment(
      "0xf220D3b4DFb23C4ade8C88E526C1353AbAcbC38F",
      "0x064ddbf252714bcd4cb79f679e8c12df96d998ce07bbb13b3118c1dbf4a31942",
    ),
  ],
  "1.4.1": [
    deployment(
      "0x9641d764fc13c8B624c04430C7356C1C7C8102e2",
      "0xecd5bd14a08c5d2122379900b2f272bdf107a7e92423c10dd5fe3254386c9939",
    ),
    deployment(
      "0x0408EF011960d02349d50286D20531229BCef773",
      "0x44c70b30fed5c3a07358a52c2fb028f651031010ef99e4d8c3b45c208e88a264",
    ),
  ],
  "1.5.0": [
    deployment(
      "0xA83c336B20401Af773B6219BA5027174338D1836",
      "0xcdbdcec38d2f1c7d961b0029ff8416b7e86e9974d6f0e9c9580c7d17fcfb6663",
    ),
  ],
};

function deployment(address: Address, codeHash: Hex): Deployment {
  return { address, codeHash };
}

const ABI = parseAbi(["function multiSend(bytes transactions) payable"]);

/** The version without what an L2 singleton adds to it; null for one whose hashes and libraries are not known here. */
export function safeVersionOf(announced: string): SafeVersion | null {
  const [version] = announced.split("+");
  return SAFE_VERSIONS.find((each) => each === version) ?? null;
}

/** Where MultiSendCallOnly of that version stands on a chain: the first published address that holds the published code there, or null. */
export async function findMultiSend(
  version: SafeVersion,
  codeOf: (address: Address) => Promise<Hex>,
): Promise<Address | null> {
  for (const { address, codeHash } of DEPLOYMENTS[version]) {
    const code = await codeOf(address);
    if (code !== "0x" && keccak256(code) === codeHash) return address;
  }
  return null;
}

export function multiSendData(calls: readonly Pick<FormattedCall, "to" | "value" | "data">[]): Hex {
  const packed = calls.map(({ to, value, data }) =>
    encodePacked(
      ["uint8", "address", "uint256", "uint256", "bytes"],
      [0, to, value, BigInt(size(data)), data],
    ),
  );
  return encodeFunctionData({ abi: ABI, functionName: "multiSend", args: [concat(packed)] });
}
