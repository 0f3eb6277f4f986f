// A wallet for each of the demo's accounts, announced as any installed one is (EIP-6963) and asked as any is asked (EIP-1193). Its key
// signs for real. Only the demo's build carries this file; the console itself knows nothing of it.
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/** The development node's well-known keys, and the part that each account plays in the demo. */
const ACCOUNTS: readonly { part: string; key: Hex; colour: string }[] = [
  {
    part: "Primary manager",
    key: "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    colour: "4666e8",
  },
  {
    part: "Secondary manager",
    key: "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    colour: "17915a",
  },
  {
    part: "Viewer of one vault",
    key: "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
    colour: "b97509",
  },
  {
    part: "No role",
    key: "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
    colour: "6b7280",
  },
];

interface Request {
  method: string;
  params?: readonly unknown[];
}

const wallets = ACCOUNTS.map(({ part, key, colour }, index) => {
  const account = privateKeyToAccount(key);
  const provider = {
    async request({ method, params = [] }: Request): Promise<unknown> {
      switch (method) {
        case "eth_requestAccounts":
        case "eth_accounts":
          return [account.address];
        case "eth_signTypedData_v4": {
          const { EIP712Domain: _, ...types } = (JSON.parse(String(params[1])) as { types: object })
            .types as Record<string, readonly { name: string; type: string }[]>;
          return account.signTypedData({ ...JSON.parse(String(params[1])), types });
        }
        default:
          throw Object.assign(new Error(`The demo's wallet has no ${method}.`), { code: 4200 });
      }
    },
  };
  const icon = `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#${colour}"/><text x="16" y="21" text-anchor="middle" font-family="sans-serif" font-size="14" font-weight="700" fill="#fff">${index}</text></svg>`,
  )}`;
  const uuid = `00000000-0000-4000-8000-00000000000${index}`;
  return Object.freeze({
    info: Object.freeze({ uuid, name: part, icon, rdns: "example.vaultops.demo" }),
    provider,
  });
});

function announce(): void {
  for (const detail of wallets) window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
}

window.addEventListener("eip6963:requestProvider", announce);
announce();
