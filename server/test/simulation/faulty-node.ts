// A scripted RPC in front of a real node, over real HTTP. Whatever is not told to go wrong is the node's own answer.
//
// It goes wrong in two ways. By schedule: `script` names a fault and how often. By seed: `storm` draws faults from a seed, from each
// request's content and how often that content was asked for, so that a run repeats although requests race. Beside single faults
// it is a load balancer over backends that lag, each request served by one of them, and a provider that bounds ranges.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, request } from "undici";
import { Dice } from "./dice.ts";
import {
  type Answer,
  CALL_FAULTS,
  type Call,
  type CallFault,
  EXCHANGE_FAULTS,
  type ExchangeFault,
  type FaultContext,
  LAYER_TWO_WAYS,
  type NodeLog,
  type Wire,
} from "./faults.ts";
import { Lagging } from "./lagging.ts";
import type { ProviderLimit } from "./limits.ts";

export interface Weather {
  seed: string;
  /** Share of HTTP requests that go wrong as a whole. */
  exchanges: number;
  /** Share of calls that go wrong. */
  calls: number;
  /** How many blocks each backend behind the load balancer lags; one of them serves each request. */
  lags: readonly number[];
  /** How long a hung socket stays open at most. */
  hangMs: number;
}

export interface Script {
  fault: string;
  /** How often; for good where left out. */
  times?: number;
  /** Only calls, or requests with a call, of which this holds. */
  when?: (call: Call) => boolean;
}

export interface FaultyNode {
  url: string;
  /** What went wrong, by name, and how often. */
  readonly done: ReadonlyMap<string, number>;
  /** The calls that came in, by method. */
  readonly asked: ReadonlyMap<string, number>;
  script(script: Script): void;
  storm(weather: Weather): void;
  /** The provider's bound on ranges; null for none. */
  limit(limit: ProviderLimit | null, size?: number): void;
  /** Nothing goes wrong from here on, the provider's bound aside. */
  calm(): void;
  /** Keeps the logs of the newest blocks, which are about to be reorganised away, to be given as a sibling's. */
  rememberSiblings(): Promise<void>;
  close(): Promise<void>;
}

const REMEMBERED_BLOCKS = 20;

export async function startFaultyNode(target: string): Promise<FaultyNode> {
  const node = new Relay(target);
  const server = createServer((incoming, response) => {
    node.serve(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/secret-key`,
    done: node.done,
    asked: node.asked,
    script: (script) => node.scripts.push({ script, left: script.times ?? Number.POSITIVE_INFINITY }),
    storm: (weather) => node.storm(weather),
    limit: (limit, size = 10) => {
      node.limit = limit === null ? null : { limit, size };
    },
    calm: () => node.storm(null),
    rememberSiblings: () => node.rememberSiblings(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await node.close();
    },
  };
}

class Relay {
  readonly done = new Map<string, number>();
  readonly asked = new Map<string, number>();
  readonly scripts: { script: Script; left: number }[] = [];
  limit: { limit: ProviderLimit; size: number } | null = null;
  #weather: Weather | null = null;
  readonly #target: string;
  readonly #agent = new Agent({ connections: 16 });
  readonly #siblings = new Map<number, NodeLog[]>();
  /** How often each content was asked for since the storm began. */
  #occurrences = new Map<string, number>();

  constructor(target: string) {
    this.#target = target;
  }

  storm(weather: Weather | null): void {
    this.#weather = weather;
    this.#occurrences = new Map();
    if (weather === null) this.scripts.length = 0;
  }

  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Call | Call[];
    const calls = Array.isArray(body) ? body : [body];
    for (const { method } of calls) this.asked.set(method, (this.asked.get(method) ?? 0) + 1);
    const dice = this.#diceFor(calls);
    const lagging = this.#backend(dice);
    const answer = async () => {
      const answers = await Promise.all(calls.map((call) => this.#answer(call, dice, lagging)));
      return JSON.stringify(Array.isArray(body) ? answers : answers[0]);
    };
    const fault = this.#exchangeFault(calls, dice);
    this.#send(await this.#wire(answer, fault, dice), incoming, response);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #wire(
    answer: () => Promise<string>,
    fault: ExchangeFault | undefined,
    dice: Dice | null,
  ): Promise<Wire> {
    try {
      if (fault) return await fault.apply(answer, dice ?? new Dice(1));
      return { status: 200, headers: { "content-type": "application/json" }, body: await answer() };
    } catch (error) {
      if (error instanceof RefusedByStatus) return { status: error.status, body: "too large" };
      throw error;
    }
  }

  async rememberSiblings(): Promise<void> {
    const head = await this.#ask({ id: 1, method: "eth_blockNumber", params: [] });
    const from = Math.max(0, Number(head.result) - REMEMBERED_BLOCKS + 1);
    const range = { fromBlock: `0x${from.toString(16)}`, toBlock: "latest" };
    const { result } = await this.#ask({ id: 1, method: "eth_getLogs", params: [range] });
    for (const [number, logs] of Map.groupBy(result as NodeLog[], (log) => Number(log.blockNumber))) {
      this.#siblings.set(number, logs);
    }
  }

  #send(wire: Wire, incoming: IncomingMessage, response: ServerResponse): void {
    if (wire === "reset") {
      incoming.socket.destroy();
      return;
    }
    if (wire === "hang") {
      const hangMs = this.#weather?.hangMs;
      if (hangMs !== undefined) setTimeout(() => incoming.socket.destroy(), hangMs).unref();
      return;
    }
    if (wire.isCut) {
      response.writeHead(wire.status, { ...wire.headers, "content-length": wire.body.length * 2 });
      response.write(wire.body, () => incoming.socket.destroy());
      return;
    }
    response.writeHead(wire.status, wire.headers ?? { "content-type": "text/plain" });
    response.end(wire.body);
  }

  async #answer(call: Call, dice: Dice | null, lagging: Lagging | null): Promise<object> {
    const shell = { jsonrpc: "2.0", id: call.id };
    const refusal = await this.#refusal(call);
    if (refusal) return { ...shell, ...refusal };
    const truth = () => (lagging ? lagging.answer(call) : this.#ask(call));
    const fault = this.#callFault(call, dice);
    if (!fault) return { ...shell, ...(await truth()) };
    const context: FaultContext = {
      dice: dice ?? new Dice(1),
      ask: (other) => this.#ask(other),
      siblingsAt: (number) => this.#siblings.get(number) ?? [],
    };
    return { ...shell, ...(await fault.apply(call, truth, context)) };
  }

  async #refusal(call: Call): Promise<Answer | null> {
    if (this.limit === null || call.method !== "eth_getLogs") return null;
    const { limit, size } = this.limit;
    const { fromBlock, toBlock } = call.params[0] as Record<string, string | undefined>;
    const range = { from: Number(fromBlock ?? 0), to: Number(toBlock ?? 0) };
    if (limit.counts === "blocks" ? range.to - range.from < size : await this.#fits(call, size)) return null;
    this.#count(limit.name);
    const { status, error } = limit.refuse(range, size);
    if (error === null) throw new RefusedByStatus(status ?? 413);
    return { error };
  }

  async #fits(call: Call, size: number): Promise<boolean> {
    const { result } = await this.#ask(call);
    return !Array.isArray(result) || result.length <= size;
  }

  #exchangeFault(calls: readonly Call[], dice: Dice | null): ExchangeFault | undefined {
    const scripted = this.#scripted(EXCHANGE_FAULTS, (when) => calls.some(when));
    const drawn =
      scripted ?? (dice?.chance(this.#weather!.exchanges) ? this.#drawExchange(calls, dice) : undefined);
    if (drawn) this.#count(drawn.name);
    return drawn;
  }

  #drawExchange(calls: readonly Call[], dice: Dice): ExchangeFault {
    return dice.pick(EXCHANGE_FAULTS.filter(({ batchOnly }) => !batchOnly || calls.length > 1));
  }

  #callFault(call: Call, dice: Dice | null): CallFault | undefined {
    const own = CALL_FAULTS.filter((fault) => fault.befalls(call));
    const ways = LAYER_TWO_WAYS.filter((way) => way.befalls(call));
    const scripted = this.#scripted([...ways, ...own], (when) => when(call));
    const drawn =
      scripted ?? (dice?.chance(this.#weather!.calls) && own.length > 0 ? dice.pick(own) : undefined);
    if (drawn) this.#count(drawn.name);
    return drawn;
  }

  #scripted<F extends { name: string }>(
    faults: readonly F[],
    holds: (when: (call: Call) => boolean) => boolean,
  ): F | undefined {
    for (const entry of this.scripts) {
      const { fault: name, when } = entry.script;
      const fault = faults.find((each) => each.name === name);
      if (!fault || entry.left <= 0 || (when && !holds(when))) continue;
      entry.left -= 1;
      return fault;
    }
    return undefined;
  }

  /** Chance for one request: from the seed, its content, and how often that content was asked for. */
  #diceFor(calls: readonly Call[]): Dice | null {
    if (this.#weather === null) return null;
    const content = JSON.stringify(calls.map(({ method, params }) => [method, params]));
    const occurrence = this.#occurrences.get(content) ?? 0;
    this.#occurrences.set(content, occurrence + 1);
    return new Dice(`${this.#weather.seed}/${occurrence}/${content}`);
  }

  #backend(dice: Dice | null): Lagging | null {
    if (!dice || !this.#weather || this.#weather.lags.length === 0) return null;
    const lag = dice.pick(this.#weather.lags);
    if (lag > 0) this.#count("a backend that lags");
    return lag > 0 ? new Lagging((call) => this.#ask(call), lag, dice) : null;
  }

  async #ask(call: Call): Promise<Answer> {
    const answer = await request(this.#target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: call.id, method: call.method, params: call.params }),
      dispatcher: this.#agent,
    });
    const { result, error } = (await answer.body.json()) as Answer;
    return error ? { error } : { result };
  }

  #count(name: string): void {
    this.done.set(name, (this.done.get(name) ?? 0) + 1);
  }
}

/** The provider refuses the whole request, by its HTTP status alone. */
class RefusedByStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}
