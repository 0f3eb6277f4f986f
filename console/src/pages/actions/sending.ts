// Prepared calls into a wallet, which signs and sends them: as one batch where it can (EIP-5792), else one transaction after the other.
//
// Guarantee: nothing is asked of a wallet that has another account or stands on another chain, and each transaction is told as soon as the
// wallet gives its hash.
import { askWallet, type Provider, WalletRefusal } from "../../browser/ask-wallet.ts";

export interface Sendable {
  chain_id: number;
  from: string;
  calls: readonly { to: string; value: string; data: string }[];
  formats: { eip5792: object };
}

/** What the person is waiting for. */
export type Stage = "connect" | "sign" | "mine";

export interface SendOptions {
  onStage(stage: Stage): void;
  /** A transaction that was sent. */
  onHash(hash: string): Promise<void>;
  pause(): Promise<void>;
}

/** @throws WalletRefusal */
export async function sendCalls(
  provider: Provider,
  action: Sendable,
  { onStage, onHash, pause }: SendOptions,
): Promise<void> {
  onStage("connect");
  await requireAccount(provider, action.from);
  await requireChain(provider, action.chain_id);
  onStage("sign");
  const batch = await sendBatch(provider, action);
  if (batch !== null) {
    onStage("mine");
    for (const hash of await hashesOf(provider, batch, pause)) await onHash(hash);
    return;
  }
  for (const { to, value, data } of action.calls) {
    onStage("sign");
    const transaction = { from: action.from, to, value: `0x${BigInt(value).toString(16)}`, data };
    const hash = await askWallet(provider, "eth_sendTransaction", [transaction]);
    if (!isHash(hash)) throw new WalletRefusal("The wallet gave no hash of what it sent.");
    await onHash(hash);
  }
}

async function requireAccount(provider: Provider, from: string): Promise<void> {
  const accounts = await askWallet(provider, "eth_requestAccounts");
  const has = Array.isArray(accounts) && accounts.some((each) => same(each, from));
  if (!has) throw new WalletRefusal(`The wallet does not offer the account ${from}: choose it there.`);
}

async function requireChain(provider: Provider, chainId: number): Promise<void> {
  const hex = `0x${chainId.toString(16)}`;
  const chain = async () => Number(await askWallet(provider, "eth_chainId"));
  if ((await chain()) === chainId) return;
  await askWallet(provider, "wallet_switchEthereumChain", [{ chainId: hex }]);
  if ((await chain()) !== chainId)
    throw new WalletRefusal(`The wallet stands on another chain: change it to ${chainId}.`);
}

/** Of wallets that do not know the call, or cannot make several calls one: transactions of their own will do. */
const WITHOUT_BATCH: ReadonlySet<number | null> = new Set([4200, -32601, -32004, 5700, 5710, 5750, 5760]);

/** The batch's id; null where the wallet sends none. */
async function sendBatch(provider: Provider, { formats }: Sendable): Promise<string | null> {
  try {
    const sent = await askWallet(provider, "wallet_sendCalls", [formats.eip5792]);
    const id = typeof sent === "string" ? sent : (sent as { id?: unknown } | null)?.id;
    if (typeof id === "string") return id;
    throw new WalletRefusal("The wallet gave no number of what it sent.");
  } catch (error) {
    if (error instanceof WalletRefusal && WITHOUT_BATCH.has(error.code)) return null;
    throw error;
  }
}

const CONFIRMED = 200;
const REVERTED = 500;

/** Of the transactions into which the wallet put a batch, once they are mined. */
async function hashesOf(
  provider: Provider,
  id: string,
  pause: SendOptions["pause"],
): Promise<readonly string[]> {
  for (;;) {
    const told = (await askWallet(provider, "wallet_getCallsStatus", [id])) as {
      status?: unknown;
      receipts?: readonly { transactionHash?: unknown }[];
    } | null;
    const status = STATUSES[String(told?.status)] ?? Number(told?.status);
    const hashes = (told?.receipts ?? []).map(({ transactionHash }) => transactionHash).filter(isHash);
    if (hashes.length > 0) return [...new Set(hashes)];
    if (status >= REVERTED) throw new WalletRefusal("The calls were reverted on the chain.");
    if (status >= CONFIRMED)
      throw new WalletRefusal("The wallet gave the calls up, or does not tell by which transaction.");
    await pause();
  }
}

/** As the first drafts of the standard had it. */
const STATUSES: Readonly<Record<string, number>> = { PENDING: 100, CONFIRMED: 200 };

const isHash = (value: unknown): value is string =>
  typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value);
const same = (one: unknown, other: string): boolean =>
  typeof one === "string" && one.toLowerCase() === other.toLowerCase();
