// A wallet from outside, as an extension would put it into the page: announced by EIP-6963, asked by EIP-1193. Its key stays here and
// signs for real.
import type { BrowserContext } from "playwright-core";
import { type Address, createWalletClient, type Hex, http, numberToHex, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";

export interface WalletOptions {
  name: string;
  privateKey: Hex;
  chainId: number;
  /** Declines what it is asked to sign, as its owner may. */
  declines?: boolean;
  /** The chain's node, to which it sends; left out: it sends nothing. */
  rpcUrl?: string;
  /** It takes calls as one batch (EIP-5792). */
  batches?: boolean;
}

/** Installs the wallet in every page of the context; before the first page is opened, or before it is loaded again. */
export async function installWallet(context: BrowserContext, options: WalletOptions): Promise<void> {
  const account = privateKeyToAccount(options.privateKey);
  const { rpcUrl, batches = false } = options;
  const client = rpcUrl === undefined ? null : createWalletClient({ account, transport: http(rpcUrl) });
  const node = client?.extend(publicActions) ?? null;
  const declined = { error: { code: 4001, message: "User rejected the request." } };
  const send = async ({ to, value, data }: Call) => {
    if (client === null) return null;
    return client.sendTransaction({ chain: null, to, value: BigInt(value ?? 0), data });
  };
  await context.exposeFunction("askTestWallet", async (method: string, params: unknown[]) => {
    switch (method) {
      case "eth_requestAccounts":
      case "eth_accounts":
        return { result: [account.address] };
      case "eth_chainId":
        return { result: numberToHex(options.chainId) };
      case "eth_signTypedData_v4": {
        if (options.declines) return declined;
        const { types, ...rest } = JSON.parse(String(params[1]));
        const { EIP712Domain: _, ...own } = types;
        return { result: await account.signTypedData({ ...rest, types: own }) };
      }
      case "eth_sendTransaction": {
        if (options.declines) return declined;
        return { result: await send(params[0] as Call) };
      }
      case "wallet_sendCalls": {
        if (!batches) return { error: { code: 4200, message: "it takes one transaction at a time" } };
        if (options.declines) return declined;
        // One call makes a batch of one; its number is the transaction's own.
        const [call] = (params[0] as { calls: Call[] }).calls;
        return { result: { id: await send(call as Call) } };
      }
      case "wallet_getCallsStatus": {
        const hash = params[0] as Hex;
        const receipt = await node?.getTransactionReceipt({ hash }).catch(() => null);
        return {
          result: receipt ? { status: 200, receipts: [{ transactionHash: hash }] } : { status: 100 },
        };
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

interface Call {
  to: Address;
  data: Hex;
  value?: Hex;
}

interface Answer {
  result?: unknown;
  error?: { code: number; message: string };
}
