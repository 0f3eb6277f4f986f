// The RPC nodes of each chain: reached, of the right chain, at its head, and what they allow.
import { Agent, WebSocket } from "undici";
import { MULTICALL3 } from "../../chain/client/calls.ts";
import { isSocketNode, type RpcNode, rpcNodeOf } from "../../chain/rpc/rpc-node.ts";
import { type Config, proxySettingsOf } from "../../config/load.ts";
import { trustedConnector } from "../../platform/egress/proxy.ts";
import { withoutUrls } from "../../platform/log.ts";
import { type Check, type Finding, fault, type Ground, ok, reasonOf, warning } from "./check.ts";

type Chain = Config["chains"][number];

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Further ahead of this machine's clock no honest block is. */
const MOST_AHEAD_SECONDS = 60;
/** As many blocks the service asks for to begin with; then what a node with narrow limits takes. */
const RANGES = [2_000, 500, 100, 10, 1];
const BATCH = 20;

export const nodes: Check = {
  name: "nodes",
  looksAt:
    "every RPC node answers, serves the right chain, stands at its head, gives logs by range and batches, and has the state of the past; Multicall3 is there",
  async run(ground) {
    const asked = ground.config.chains.flatMap((chain) =>
      chain.rpc_urls.map((url) => lookAt(ground, chain, rpcNodeOf(url))),
    );
    return (await Promise.all(asked)).flat();
  },
};

async function lookAt(ground: Ground, chain: Chain, node: RpcNode): Promise<Finding[]> {
  const name = `chain ${chain.chain_id}, ${new URL(node.url).host}`;
  const ask = isSocketNode(node) ? socketAsker(ground, node) : httpAsker(ground, node);
  try {
    const id = await ask("eth_chainId", []);
    if (Number(id) !== chain.chain_id)
      return [fault(`${name} serves the chain ${Number(id)}`, `name a node of the chain ${chain.chain_id}`)];
    if (isSocketNode(node)) return [ok(`${name} takes subscriptions`)];
    const head = await headOf(ask);
    const found = [...atHead(ground, chain, name, head), ...(await limits(ask, chain, name, head.number))];
    return found.length > 0 ? found : [ok(`${name}: block ${head.number}, whole`)];
  } catch (error) {
    const mend = "look whether the URL, its key and the plan are right, and whether this machine reaches it";
    return [fault(`${name} does not answer (${withoutUrls(reasonOf(error))})`, mend)];
  }
}

type Ask = (method: string, params: unknown[]) => Promise<unknown>;

async function headOf(ask: Ask): Promise<{ number: number; timestamp: number }> {
  const block = (await ask("eth_getBlockByNumber", ["latest", false])) as Record<string, string>;
  return { number: Number(block.number), timestamp: Number(block.timestamp) };
}

function atHead({ clock }: Ground, chain: Chain, name: string, head: { timestamp: number }): Finding[] {
  const ageSeconds = Math.round(clock.now() / 1000) - head.timestamp;
  if (ageSeconds < -MOST_AHEAD_SECONDS)
    return [
      fault(
        `${name}: its newest block is ${-ageSeconds} s ahead of this machine's clock`,
        "run an NTP client on this machine",
      ),
    ];
  if (ageSeconds <= chain.max_lag_seconds) return [];
  return [
    fault(
      `${name}: its newest block is ${ageSeconds} s old, more than chains[].max_lag_seconds`,
      "wait until the node has caught up, use another, or look whether the chain stands still or this machine's clock is ahead",
    ),
  ];
}

async function limits(ask: Ask, chain: Chain, name: string, head: number): Promise<Finding[]> {
  const found: Finding[] = [];
  const range = await widestRange(ask, chain, head);
  if (range === 0)
    found.push(
      fault(
        `${name} gives no logs (eth_getLogs)`,
        "use a node, or a plan, that has eth_getLogs: without it nothing can be followed",
      ),
    );
  else if (range < (RANGES[0] as number))
    found.push(
      warning(
        `${name} gives logs of ${range} blocks at a time: the past from block ${chain.start_block} takes ${Math.ceil((head - chain.start_block) / range)} requests`,
        "a plan with wider ranges, or a later chains[].start_block, fills in faster",
      ),
    );
  if (!(await takesBatches(ask)))
    found.push(
      warning(
        `${name} takes no batch of ${BATCH} requests`,
        "nothing need be done: it is asked one by one, which takes longer",
      ),
    );
  if (!(await hasState(ask, chain)))
    found.push(
      warning(
        `${name} has no state at block ${firstBlock(chain)}`,
        "an archive node gives ERC-4626 vaults their past prices (docs/operations/chains.md)",
      ),
    );
  if ((await ask("eth_getCode", [MULTICALL3, "latest"])) === "0x")
    found.push(
      warning(
        `${name}: Multicall3 is not at ${MULTICALL3}`,
        "nothing need be done: contracts are asked one by one, which takes more requests",
      ),
    );
  return found;
}

async function widestRange(ask: Ask, { sources }: Chain, head: number): Promise<number> {
  const address = sources
    .flatMap((source) =>
      source.family === "supervault" ? [source.aggregator] : source.vaults.map((vault) => vault.address),
    )
    .slice(0, 100);
  for (const range of RANGES) {
    const from = Math.max(0, head - range + 1);
    const filter = { address, fromBlock: hexOf(from), toBlock: hexOf(head) };
    if (await answers(() => ask("eth_getLogs", [filter]))) return range;
  }
  return 0;
}

function takesBatches(ask: Ask): Promise<boolean> {
  return answers(() => ask("", Array(BATCH).fill("eth_chainId")));
}

function firstBlock({ start_block }: Chain): number {
  return Math.max(1, start_block);
}

function hasState(ask: Ask, chain: Chain): Promise<boolean> {
  return answers(() => ask("eth_getBalance", [MULTICALL3, hexOf(firstBlock(chain))]));
}

async function answers(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}

/** Asks one call, or, without a method, one batch of the methods that stand as parameters. */
function httpAsker({ egress }: Ground, { url, headers }: RpcNode): Ask {
  return async (method, params) => {
    const call = (id: number, name: string, given: unknown[]) => ({
      jsonrpc: "2.0",
      id,
      method: name,
      params: given,
    });
    const calls =
      method === "" ? params.map((name, index) => call(index, String(name), [])) : call(0, method, params);
    const { status, body } = await egress.request({
      url,
      method: "POST",
      headers: { ...headers, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(calls),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      trusted: true,
    });
    return resultOf(status, body.toString("utf8"), method === "" ? params.length : null);
  };
}

function resultOf(status: number, text: string, batch: number | null): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error(`HTTP ${status} without JSON`);
  }
  if (batch !== null) {
    if (Array.isArray(answer) && answer.length === batch && answer.every((one) => "result" in one))
      return answer;
    throw new Error(`HTTP ${status} with no batch of answers`);
  }
  const { result, error } = answer as { result?: unknown; error?: { code?: unknown } };
  if (result !== undefined && result !== null) return result;
  throw new Error(error === undefined ? `HTTP ${status} without a result` : `the node's error ${error.code}`);
}

/** Over a WebSocket one question is asked: which chain it serves. */
function socketAsker({ config }: Ground, { url, headers }: RpcNode): Ask {
  const { proxyFor } = proxySettingsOf(config);
  return (method, params) =>
    new Promise((resolve, reject) => {
      const dispatcher = new Agent({ connect: trustedConnector(proxyFor, { allowH2: false }) });
      const socket = new WebSocket(url, { headers, dispatcher });
      const end = (settle: () => void) => {
        clearTimeout(timer);
        void dispatcher.destroy();
        settle();
      };
      const timer = setTimeout(() => end(() => reject(new Error("no answer in time"))), TIMEOUT_MS);
      socket.addEventListener("open", () =>
        socket.send(JSON.stringify({ jsonrpc: "2.0", id: 0, method, params })),
      );
      socket.addEventListener("message", ({ data }) =>
        end(() => resolve((JSON.parse(String(data)) as { result: unknown }).result)),
      );
      socket.addEventListener("error", () => end(() => reject(new Error("the connection failed"))));
    });
}

function hexOf(number: number): string {
  return `0x${number.toString(16)}`;
}
