// Against wallets as the standards describe them; each is a function that answers requests.
import { expect, it } from "vitest";
import { WalletRefusal } from "../../browser/ask-wallet.ts";
import { type Sendable, sendCalls } from "./sending.ts";

const FROM = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const hashOf = (digit: number) => `0x${String(digit).repeat(64)}`;
const call = (digit: number) => ({ to: FROM, value: "16", data: `0x0${digit}` });
const ACTION: Sendable = {
  chain_id: 8453,
  from: FROM,
  calls: [call(1), call(2)],
  formats: { eip5792: { version: "2.0.0" } },
};

type Answers = Readonly<Record<string, (params: readonly unknown[]) => unknown>>;
const refuse = (code: number, message = "no") => {
  throw Object.assign(new Error(message), { code });
};

async function sent(answers: Answers, action = ACTION) {
  const asked: string[] = [];
  const hashes: string[] = [];
  const stages: string[] = [];
  const all: Answers = {
    eth_requestAccounts: () => [FROM.toLowerCase()],
    eth_chainId: () => "0x2105",
    ...answers,
  };
  const provider = {
    async request({ method, params = [] }: { method: string; params?: readonly unknown[] }) {
      asked.push(method);
      return (all[method] ?? (() => refuse(4200)))(params);
    },
  };
  const failure = await sendCalls(provider, action, {
    onStage: (stage) => stages.push(stage),
    onHash: async (hash) => void hashes.push(hash),
    pause: async () => {},
  }).then(
    () => null,
    (error: unknown) => error,
  );
  return { asked, hashes, stages, failure };
}

it("sends one batch, and tells its transaction once it is mined", async () => {
  let looks = 0;
  const { asked, hashes, stages, failure } = await sent({
    wallet_sendCalls: (params) => {
      expect(params).toEqual([ACTION.formats.eip5792]);
      return { id: "batch" };
    },
    wallet_getCallsStatus: (params) => {
      expect(params).toEqual(["batch"]);
      return ++looks < 3
        ? { status: 100 }
        : { status: 200, receipts: [{ transactionHash: hashOf(7) }, { transactionHash: hashOf(7) }] };
    },
  });
  expect(failure).toBeNull();
  expect(hashes).toEqual([hashOf(7)]);
  expect(stages).toEqual(["connect", "sign", "mine"]);
  expect(asked).not.toContain("eth_sendTransaction");
});

it.each([4200, -32601, 5760, 5750])(
  "sends each call by itself where the wallet answers %i to a batch",
  async (code) => {
    let nonce = 0;
    const given: unknown[] = [];
    const { hashes, failure } = await sent({
      wallet_sendCalls: () => refuse(code),
      eth_sendTransaction: ([transaction]) => {
        given.push(transaction);
        return hashOf(++nonce);
      },
    });
    expect(failure).toBeNull();
    expect(given).toEqual([1, 2].map((digit) => ({ ...call(digit), from: FROM, value: "0x10" })));
    expect(hashes).toEqual([hashOf(1), hashOf(2)]);
  },
);

it("asks nothing to be signed of another account, nor on another chain", async () => {
  const other = await sent({ eth_requestAccounts: () => [`0x${"1".repeat(40)}`] });
  expect(other.failure).toMatchObject({ message: expect.stringContaining(FROM) });
  const chain = await sent({ eth_chainId: () => "0x1", wallet_switchEthereumChain: () => null });
  expect(chain.failure).toMatchObject({ message: expect.stringContaining("another chain") });
  for (const { asked } of [other, chain]) expect(asked.filter((method) => /send/i.test(method))).toEqual([]);
});

it("changes the wallet's chain where it stands on another, and goes on", async () => {
  let chain = "0x1";
  const { failure, hashes } = await sent({
    eth_chainId: () => chain,
    wallet_switchEthereumChain: ([wish]) => {
      chain = (wish as { chainId: string }).chainId;
    },
    wallet_sendCalls: () => "batch",
    wallet_getCallsStatus: () => ({ status: "CONFIRMED", receipts: [{ transactionHash: hashOf(3) }] }),
  });
  expect([failure, hashes]).toEqual([null, [hashOf(3)]]);
});

it.each<[string, Answers, string]>([
  ["declined", { wallet_sendCalls: () => refuse(4001) }, "declined"],
  ["reverted", { wallet_sendCalls: () => "b", wallet_getCallsStatus: () => ({ status: 500 }) }, "reverted"],
  [
    "given up",
    { wallet_sendCalls: () => "b", wallet_getCallsStatus: () => ({ status: 400 }) },
    "gave the calls up",
  ],
  ["without a hash", { eth_sendTransaction: () => null }, "no hash"],
])("says so when it is %s, and falls back to nothing else", async (_, answers, words) => {
  const { failure, hashes } = await sent(answers);
  expect(failure).toBeInstanceOf(WalletRefusal);
  expect((failure as Error).message).toContain(words);
  expect(hashes).toEqual([]);
});

it("stops where the second of two transactions is declined, and has told of the first", async () => {
  let count = 0;
  const { failure, hashes } = await sent({
    eth_sendTransaction: () => (++count === 1 ? hashOf(1) : refuse(4001)),
  });
  expect((failure as Error).message).toContain("declined");
  expect(hashes).toEqual([hashOf(1)]);
});
