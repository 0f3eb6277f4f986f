// A backend that is some blocks behind, as nodes behind a load balancer are: what it does not have yet it answers with null, with an
// empty list, with what it has of a range, or with an error, as one or another node does.
import type { Dice } from "./dice.ts";
import type { Answer, Call, NodeLog } from "./faults.ts";

const UNKNOWN: readonly Answer[] = [
  { error: { code: -32000, message: "unknown block" } },
  { error: { code: -32000, message: "header not found" } },
  { error: { code: -32001, message: "block not found" } },
];

export class Lagging {
  readonly #ask: (call: Call) => Promise<Answer>;
  readonly #lag: number;
  readonly #dice: Dice;
  #newest: Promise<number> | null = null;

  constructor(ask: (call: Call) => Promise<Answer>, lag: number, dice: Dice) {
    this.#ask = ask;
    this.#lag = lag;
    this.#dice = dice;
  }

  async answer(call: Call): Promise<Answer> {
    const newest = await this.#newestBlock();
    switch (call.method) {
      case "eth_getBlockByNumber": {
        const [tag, ...rest] = call.params;
        if (tag === "latest") return await this.#ask({ ...call, params: [hex(newest), ...rest] });
        if (typeof tag === "string" && tag.startsWith("0x") && Number(tag) > newest) return { result: null };
        return await this.#ask(call);
      }
      case "eth_blockNumber":
        return { result: hex(newest) };
      case "eth_getBlockByHash":
      case "eth_getTransactionByHash":
      case "eth_getTransactionReceipt":
      case "eth_getBlockReceipts":
        return await this.#unlessNewer(call, newest, { result: null });
      case "eth_getLogs":
        return await this.#logs(call, newest);
      case "eth_call":
      case "eth_getCode":
        return await this.#state(call, newest);
      default:
        return await this.#ask(call);
    }
  }

  async #logs(call: Call, newest: number): Promise<Answer> {
    const { fromBlock, toBlock, blockHash } = call.params[0] as Record<string, string | undefined>;
    if (blockHash !== undefined) {
      const number = await this.#numberOf(blockHash);
      if (number !== null && number <= newest) return await this.#ask(call);
      return this.#dice.pick([...UNKNOWN, { result: [] }]);
    }
    if (Number(toBlock) <= newest) return await this.#ask(call);
    if (this.#dice.chance(0.3))
      return { error: { code: -32000, message: "block range extends beyond current head block" } };
    if (Number(fromBlock) > newest) return { result: [] };
    const answer = await this.#ask(call);
    const logs = (answer.result ?? []) as NodeLog[];
    return { result: logs.filter((log) => Number(log.blockNumber) <= newest) };
  }

  async #state(call: Call, newest: number): Promise<Answer> {
    const at = call.params[1];
    if (at === "latest") return await this.#ask({ ...call, params: [call.params[0], hex(newest)] });
    const { blockHash } = (typeof at === "object" && at !== null ? at : {}) as { blockHash?: string };
    const number = blockHash === undefined ? Number(at) : await this.#numberOf(blockHash);
    if (number !== null && number <= newest) return await this.#ask(call);
    return this.#dice.pick(UNKNOWN);
  }

  async #unlessNewer(call: Call, newest: number, otherwise: Answer): Promise<Answer> {
    const answer = await this.#ask(call);
    const result = answer.result as Record<string, string> | Record<string, string>[] | null | undefined;
    const first = Array.isArray(result) ? result[0] : result;
    const number = first?.blockNumber ?? first?.number;
    return number !== undefined && number !== null && Number(number) > newest ? otherwise : answer;
  }

  async #numberOf(hash: string): Promise<number | null> {
    const { result } = await this.#ask({ id: 1, method: "eth_getBlockByHash", params: [hash, false] });
    return result === null ? null : Number((result as { number: string }).number);
  }

  #newestBlock(): Promise<number> {
    this.#newest ??= this.#ask({ id: 1, method: "eth_blockNumber", params: [] }).then(({ result }) =>
      Math.max(0, Number(result) - this.#lag),
    );
    return this.#newest;
  }
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
