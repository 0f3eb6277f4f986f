// JSON-RPC over several URLs. The first healthy one serves; what it cannot answer goes to the next; one that failed is
// probed in the background and takes its place again when it is well. Nothing is given up before the deadline, and nothing
// is skipped: a request ends with the node's answer, with the node's error (RpcError), or with a ChainFault.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Agent } from "undici";
import { type ProxySettings, trustedConnector } from "../../platform/egress/proxy.ts";
import { type Attributes, traced } from "../../platform/telemetry/trace.ts";
import { type Answer, inOrder, resultOf } from "./answers.ts";
import { Endpoint, TransportError } from "./endpoint.ts";
import { ChainFault } from "./fault.ts";
import { NodeWatch } from "./node-watch.ts";
import { MalformedAnswer, parseOrNull } from "./raw.ts";
import { RpcError, type RpcErrorKind, toRpcError } from "./rpc-error.ts";
import type { RpcNode } from "./rpc-node.ts";

export interface RpcOptions {
  chainId: number;
  nodes: readonly RpcNode[];
  /** Through which proxy a node is reached; through none unless told. */
  proxyFor?: ProxySettings["proxyFor"] | undefined;
  log: Logger;
  /** Of one attempt at one URL. */
  timeoutMs: number;
  /** Of a request with all its attempts. */
  deadlineMs: number;
  /** Requests under way at once, per URL. */
  maxConcurrent: number;
  maxAnswerBytes: number;
  /** Requests in one JSON-RPC batch. */
  batchSize: number;
  backoffMs: { base: number; max: number };
  /** How often several URLs are compared with one another. */
  watchMs: number;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  /** Begins at another URL than the first: raised by callers that ask again because an answer did not agree. */
  rotate?: number;
  /** After so many timeouts the request is given up with an RpcError `timeout`; for requests that can be made smaller. */
  giveUpAfterTimeouts?: number;
  /** After so many rounds of the same internal error it is handed back; for what is asked again later anyway. */
  serverRounds?: number;
  /** A request that any node can answer: one that does not is unwell. */
  isLeast?: boolean;
}

export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** Another URL may have what this one has not: more history, a newer head, more methods. */
const ANOTHER_MAY_KNOW: ReadonlySet<RpcErrorKind> = new Set([
  "state_missing",
  "unknown_block",
  "unsupported",
]);
/** After so many rounds of the same internal error the request is handed back instead of waited for. */
const SERVER_ERROR_ROUNDS = 3;

export class Rpc {
  readonly endpoints: readonly Endpoint[];
  readonly watch: NodeWatch;
  readonly #options: RpcOptions;
  readonly #agent: Agent;
  readonly #closing = new AbortController();
  readonly #traced: Attributes;
  #nextId = 1;

  constructor(options: RpcOptions) {
    if (options.nodes.length === 0) throw new ChainFault("refused", "a chain needs at least one RPC URL");
    this.#options = options;
    this.#traced = { "vaultops.chain_id": options.chainId };
    this.#agent = new Agent({
      connections: options.maxConcurrent,
      keepAliveTimeout: 30_000,
      connect: trustedConnector(options.proxyFor ?? (() => null), { timeout: options.timeoutMs }),
    });
    this.endpoints = options.nodes.map(
      (node) =>
        new Endpoint({
          node,
          dispatcher: this.#agent,
          maxAnswerBytes: options.maxAnswerBytes,
          maxConcurrent: options.maxConcurrent,
          backoffMs: options.backoffMs,
        }),
    );
    this.watch = new NodeWatch({
      endpoints: this.endpoints,
      ask: (endpoint, method, params) => this.requestAt(endpoint, method, params),
      everyMs: options.watchMs,
      log: options.log,
      signal: this.#closing.signal,
    });
  }

  /** Asks every URL for its chain id. Those that are silent or serve another chain are set aside; one that is right must be left. */
  async start(): Promise<void> {
    await Promise.all(
      this.endpoints.map((endpoint) => this.#verify(endpoint).catch((error) => unverified(endpoint, error))),
    );
    if (!this.endpoints.some((endpoint) => endpoint.isVerified)) {
      const foreign = this.endpoints.find((endpoint) => endpoint.isForeign);
      if (foreign) throw new ChainFault("wrong_chain", `${foreign.host}: ${foreign.lastError}`);
      throw new ChainFault("unavailable", `no RPC URL answers: ${this.#summary()}`);
    }
    this.watch.start();
  }

  /** The result of one call at one URL, asked once. What it comes to counts for or against the URL. */
  async requestAt(endpoint: Endpoint, method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      await this.#verify(endpoint);
      const id = this.#nextId++;
      const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
      const answer = await endpoint.send(body, this.#options.timeoutMs, this.#closing.signal);
      const result = resultOf(method, answer, id);
      endpoint.succeeded();
      return result;
    } catch (error) {
      if (error instanceof TransportError || error instanceof MalformedAnswer) endpoint.failed(error);
      throw error;
    }
  }

  /** The result of one call. Throws RpcError for the node's own errors, ChainFault when nobody answers in time. */
  async request(method: string, params: readonly unknown[], options: RequestOptions = {}): Promise<unknown> {
    return await this.#exchange(method, 1, options, async (endpoint, timeoutMs) => {
      const id = this.#nextId++;
      const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
      const answer = await endpoint.send(body, timeoutMs, this.#signal(options));
      const result = resultOf(method, answer, id);
      if (method === "eth_getBlockByNumber" && params[0] === "latest") {
        const head = parseOrNull(result);
        if (head) endpoint.sawHead(head);
      }
      return result;
    });
  }

  /** Each call's result, or the RpcError that the node answered it with, in the order given. */
  async batch(calls: readonly RpcCall[], options: RequestOptions = {}): Promise<unknown[]> {
    const chunks: RpcCall[][] = [];
    for (let at = 0; at < calls.length; at += this.#options.batchSize) {
      chunks.push(calls.slice(at, at + this.#options.batchSize));
    }
    return (await Promise.all(chunks.map((chunk) => this.#batchOnce(chunk, options)))).flat();
  }

  async close(): Promise<void> {
    this.#closing.abort(new ChainFault("unavailable", "the chain client is closed"));
    await this.#agent.destroy();
  }

  async #batchOnce(calls: readonly RpcCall[], options: RequestOptions): Promise<unknown[]> {
    if (calls.length === 0) return [];
    if (calls.length === 1) return [await this.#settled(calls[0]!, options)];
    const answers = await this.#exchange("batch", calls.length, options, async (endpoint, timeoutMs) => {
      const first = this.#nextId;
      this.#nextId += calls.length;
      const body = calls.map(({ method, params }, index) => ({
        jsonrpc: "2.0",
        id: first + index,
        method,
        params,
      }));
      const json = await endpoint.send(JSON.stringify(body), timeoutMs, this.#signal(options));
      if (Array.isArray(json)) return inOrder(json, first, calls.length);
      const refusal = toRpcError("batch", (json as Answer).error);
      if (refusal.kind === "rate_limited") throw refusal;
      return null;
    }).catch((error: unknown) => {
      if (error instanceof RpcError && (error.kind === "too_big" || error.kind === "timeout")) return null;
      throw error;
    });
    if (answers === null) {
      // The node takes no batches, or none of this size.
      const half = calls.length >> 1;
      const parts = [calls.slice(0, half), calls.slice(half)];
      return (await Promise.all(parts.map((part) => this.#batchOnce(part, options)))).flat();
    }
    return await Promise.all(
      calls.map(async (call, index) => {
        const answer = answers[index];
        if (answer !== undefined && "result" in answer) return answer.result;
        const error = answer === undefined ? null : toRpcError(call.method, answer.error);
        const mayPass = error === null || error.kind === "rate_limited" || error.kind === "server";
        return mayPass ? await this.#settled(call, options) : error;
      }),
    );
  }

  async #settled(call: RpcCall, options: RequestOptions): Promise<unknown> {
    try {
      return await this.request(call.method, call.params, options);
    } catch (error) {
      if (error instanceof RpcError) return error;
      throw error;
    }
  }

  #exchange<T>(
    method: string,
    calls: number,
    options: RequestOptions,
    attempt: (endpoint: Endpoint, timeoutMs: number) => Promise<T>,
  ): Promise<T> {
    const attributes = {
      "rpc.system": "jsonrpc",
      "rpc.method": method,
      "vaultops.rpc.calls": calls,
      ...this.#traced,
    };
    return traced(`rpc ${method}`, "client", attributes, (span) =>
      this.#exchangeOnce(method, options, (endpoint, timeoutMs) => {
        span?.set({ "server.address": endpoint.host });
        return attempt(endpoint, timeoutMs);
      }),
    );
  }

  /** Runs `attempt` at one URL after another, in rounds with growing pauses, until it succeeds or the deadline is near. */
  async #exchangeOnce<T>(
    method: string,
    options: RequestOptions,
    attempt: (endpoint: Endpoint, timeoutMs: number) => Promise<T>,
  ): Promise<T> {
    const deadline = Date.now() + this.#options.deadlineMs;
    const tried = new Set<Endpoint>();
    const erred = new Map<Endpoint, Error>();
    let round = 0;
    let timeouts = 0;
    for (;;) {
      if (Date.now() >= deadline)
        throw new ChainFault("unavailable", `no RPC URL answers: ${this.#summary()}`);
      const endpoint = this.#pick(tried, options.rotate ?? 0);
      if (endpoint === null) {
        tried.clear();
        round += 1;
        await this.#rest(deadline, round, options.signal);
        continue;
      }
      tried.add(endpoint);
      const timeoutMs = Math.max(
        1,
        Math.min(options.timeoutMs ?? this.#options.timeoutMs, deadline - Date.now()),
      );
      try {
        await this.#verify(endpoint);
        const result = await attempt(endpoint, timeoutMs);
        endpoint.succeeded();
        erred.delete(endpoint);
        for (const [other, error] of erred) other.unwell(error);
        return result;
      } catch (error) {
        options.signal?.throwIfAborted();
        this.#closing.signal.throwIfAborted();
        if (error instanceof RpcError && error.kind !== "rate_limited") {
          // The URL works; what it answered is about the request.
          endpoint.succeeded();
          if (error.kind === "server" || error.kind === "timeout") erred.set(endpoint, error);
          const isLast = this.#pick(tried, options.rotate ?? 0) === null;
          const rounds = options.serverRounds ?? SERVER_ERROR_ROUNDS;
          if (error.kind === "server" && (!isLast || round + 1 < rounds)) continue;
          if (ANOTHER_MAY_KNOW.has(error.kind) && !isLast) continue;
          if (options.isLeast) for (const [each, own] of erred) each.unwell(own);
          throw error;
        }
        if (error instanceof ChainFault) continue; // a foreign chain, seen by #verify
        const fault = error instanceof Error ? error : new Error(String(error));
        endpoint.failed(fault);
        this.#options.log.debug({ host: endpoint.host, method, err: fault.message }, "RPC attempt failed");
        if (!(error instanceof TransportError)) {
          if (error instanceof RpcError || error instanceof MalformedAnswer) continue;
          throw error;
        }
        if (error.fault === "answer_too_big") throw new RpcError("too_big", null, error.message);
        if (
          error.fault === "timeout" &&
          ++timeouts >= (options.giveUpAfterTimeouts ?? Number.POSITIVE_INFINITY)
        ) {
          throw new RpcError("timeout", null, error.message);
        }
      }
    }
  }

  /** The first healthy URL not yet tried; where none is healthy, the first that only lags, then the first whose rest is over. */
  #pick(tried: ReadonlySet<Endpoint>, rotate: number): Endpoint | null {
    const now = Date.now();
    const count = this.endpoints.length;
    let lagging: Endpoint | null = null;
    let resting: Endpoint | null = null;
    for (let index = 0; index < count; index++) {
      const endpoint = this.endpoints[(index + rotate) % count]!;
      if (!isUsable(endpoint) || tried.has(endpoint) || endpoint.restsUntil > now) continue;
      if (endpoint.isHealthy) return endpoint;
      if (endpoint.consecutiveFailures === 0) {
        lagging ??= endpoint;
        continue;
      }
      resting ??= endpoint;
      if (count > 1) this.#probe(endpoint);
    }
    return lagging ?? resting;
  }

  /** Finds out in the background whether a URL that failed is well again, so that no request has to wait for it. */
  #probe(endpoint: Endpoint): void {
    if (endpoint.isProbing) return;
    endpoint.isProbing = true;
    endpoint.isVerified = false;
    this.#verify(endpoint)
      .catch((error: Error) => unverified(endpoint, error))
      .finally(() => {
        endpoint.isProbing = false;
      });
  }

  async #verify(endpoint: Endpoint): Promise<void> {
    if (endpoint.isVerified) return;
    const { chainId, timeoutMs, log } = this.#options;
    const id = this.#nextId++;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method: "eth_chainId", params: [] });
    const answer = resultOf("eth_chainId", await endpoint.send(body, timeoutMs, this.#closing.signal), id);
    if (typeof answer !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(answer))
      throw new MalformedAnswer("chain id");
    if (BigInt(answer) !== BigInt(chainId)) {
      endpoint.isForeign = true;
      endpoint.lastError = `serves chain ${BigInt(answer)}, but chain ${chainId} is configured`;
      log.error({ host: endpoint.host, chainId }, `RPC URL ${endpoint.lastError}`);
      throw new ChainFault("wrong_chain", `${endpoint.host}: ${endpoint.lastError}`);
    }
    endpoint.isVerified = true;
    endpoint.succeeded();
  }

  async #rest(deadline: number, round: number, signal: AbortSignal | undefined): Promise<void> {
    const usable = this.endpoints.filter(isUsable);
    if (usable.length === 0) {
      const isForeign = this.endpoints.every((endpoint) => endpoint.isForeign);
      throw new ChainFault(isForeign ? "wrong_chain" : "unavailable", this.#summary());
    }
    const now = Date.now();
    const { base, max } = this.#options.backoffMs;
    const backoff = Math.min(max, base * 2 ** Math.min(round - 1, 16));
    const earliest = Math.min(...usable.map((endpoint) => endpoint.restsUntil));
    const waitMs = Math.max(
      earliest - now,
      usable.some((each) => each.consecutiveFailures === 0) ? backoff : 1,
    );
    if (now + waitMs >= deadline)
      throw new ChainFault("unavailable", `no RPC URL answers: ${this.#summary()}`);
    await sleep(waitMs, undefined, { signal: this.#signal({ signal }) }).catch(() => {
      signal?.throwIfAborted();
      this.#closing.signal.throwIfAborted();
    });
  }

  #signal(options: RequestOptions): AbortSignal {
    return options.signal ? AbortSignal.any([this.#closing.signal, options.signal]) : this.#closing.signal;
  }

  #summary(): string {
    const wordOf = ({ isForked, lastError }: Endpoint) =>
      isForked ? "is on another branch than the others" : (lastError ?? "not asked");
    return this.endpoints.map((endpoint) => `${endpoint.host}: ${wordOf(endpoint)}`).join("; ");
  }
}

/** That it serves another chain has been noted where it was seen. */
function unverified(endpoint: Endpoint, error: Error): void {
  if (!endpoint.isForeign) endpoint.failed(error);
}

function isUsable(endpoint: Endpoint): boolean {
  return !endpoint.isForeign && !endpoint.isForked;
}
