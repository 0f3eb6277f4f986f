// A wallet from outside, as an extension would put it into the page: announced by EIP-6963, asked by EIP-1193. Its key stays here and
// signs for real.
import type { BrowserContext } from "playwright-core";
import { type Hex, numberToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

export interface WalletOptions {
  name: string;
  privateKey: Hex;
  chainId: number;
  /** Declines what it is asked to sign, as its owner may. */
  declines?: boolean;
}

/** Installs the wallet in every page of the context; before the first page is opened, or before it is loaded again. */
export async function installWallet(context: BrowserContext, options: WalletOptions): Promise<void> {
  const account = privateKeyToAccount(options.privateKey);
  await context.exposeFunction("askTestWallet", async (method: string, params: unknown[]) => {
    switch (method) {
      case "eth_requestAccounts":
      case "eth_accounts":
        return { result: [account.address] };
      case "eth_chainId":
        return { result: numberToHex(options.chainId) };
      case "eth_signTypedData_v4": {
        if (options.declines) return { error: { code: 4001, message: "User rejected the request." } };
        const { types, ...rest } = JSON.parse(String(params[1]));
        const { EIP712Domain: _, ...own } = types;
        return { result: await account.signTypedData({ ...rest, types: own }) };
      }
      default:
        return { error: { code: 4200, message: `${method} is not supported` } };
    }
  });
  await context.addInitScript((name) => {
    const provider = {
      async request({ method, params = [] }: { method: string; params?: unknown[] }) {
        const ask = (window as unknown as { askTestWallet(...rest: unknown[]): Promise<Answer> })
          .askTestWallet;
        const { result, error } = await ask(method, params);
        if (error) throw Object.assign(new Error(error.message), error);
        return result;
      },
    };
    const info = {
      uuid: "7a1e6f0e-6f4b-4f0e-9d8a-0b8e4c1f2a3b",
      name,
      icon: "data:image/gif;base64,R0lGODlhAQABAAAAACw=",
      rdns: "example.test",
    };
    const announce = () =>
      window.dispatchEvent(
        new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }),
      );
    window.addEventListener("eip6963:requestProvider", announce);
    announce();
  }, options.name);
}

interface Answer {
  result?: unknown;
  error?: { code: number; message: string };
}
