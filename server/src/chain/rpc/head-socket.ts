// HeadSocket: hears of new blocks over a WebSocket (eth_subscribe newHeads), where a ws or wss URL is given. What it hears is only a
// reason to look: blocks are read and checked over HTTP as ever, and polling goes on beside it, slower.
//
// A socket that is open and silent is found out by that polling: it is closed, and the next URL tried, once the chain has been seen
// to move for DEAF_MS without a word from the socket.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Agent, WebSocket } from "undici";
import { type ProxySettings, trustedConnector } from "../../platform/egress/proxy.ts";
import { toNumber } from "./raw.ts";
import type { RpcNode } from "./rpc-node.ts";

export interface HeadSocketOptions {
  nodes: readonly RpcNode[];
  proxyFor?: ProxySettings["proxyFor"] | undefined;
  chainId: number;
  log: Logger;
  signal: AbortSignal;
  deafMs: number;
  backoffMs: { base: number; max: number };
}

export interface HeadSocketHealth {
  host: string;
  isHeard: boolean;
  lastError: string | null;
}

/** From connecting to the subscription's confirmation. */
const OPEN_WITHIN_MS = 10_000;
/** No notification of a head is longer. */
const MAX_MESSAGE_LENGTH = 65_536;
const CHAIN_ID = 1;
const SUBSCRIBE = 2;

export class HeadSocket {
  readonly #options: HeadSocketOptions;
  #host = "";
  #isSubscribed = false;
  #lastError: string | null = null;
  #heard = -1;
  #seen = -1;
  /** Since when polling has seen newer blocks than the socket has told of (Unix ms); null while it keeps up. */
  #behindSinceMs: number | null = null;
  #isNews = false;
  /** Where a proxy may stand between. A WebSocket is asked for by HTTP/1.1. */
  readonly #dispatcher: Agent | undefined;
  readonly #waiting = new Set<() => void>();
  #socket: WebSocket | null = null;

  constructor(options: HeadSocketOptions) {
    this.#options = options;
    const { proxyFor } = options;
    this.#dispatcher =
      proxyFor === undefined
        ? undefined
        : new Agent({ connect: trustedConnector(proxyFor, { allowH2: false }) });
    this.#host = new URL(options.nodes[0]!.url).host;
    void this.#run();
  }

  /** Whether it may be relied on to tell of what comes after this block. */
  hears(head: number): boolean {
    return this.#isSubscribed && this.#behindSinceMs === null && this.#heard <= head;
  }

  /** Resolves at the next notification, or at once when there has been one since `look`. */
  async news(signal: AbortSignal): Promise<void> {
    if (this.#isNews || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener("abort", done);
    });
  }

  /** Before the head is asked for: what was heard until now is dealt with by it. */
  look(): void {
    this.#isNews = false;
  }

  /** What asking for the head has told. */
  saw(head: number): void {
    this.#seen = Math.max(this.#seen, head);
    if (!this.#isSubscribed || this.#seen <= this.#heard) {
      this.#behindSinceMs = null;
      return;
    }
    this.#behindSinceMs ??= Date.now();
    if (Date.now() - this.#behindSinceMs >= this.#options.deafMs)
      this.#drop("it is silent while the chain moves");
  }

  health(): HeadSocketHealth {
    return { host: this.#host, isHeard: this.#isSubscribed, lastError: this.#lastError };
  }

  async #run(): Promise<void> {
    const { nodes, signal, log, backoffMs } = this.#options;
    for (let attempt = 0, failures = 0; !signal.aborted; attempt += 1) {
      const node = nodes[attempt % nodes.length]!;
      this.#host = new URL(node.url).host;
      const wasSubscribed = await this.#listen(node);
      if (signal.aborted) return;
      failures = wasSubscribed ? 1 : failures + 1;
      const message = { host: this.#host, reason: this.#lastError };
      if (failures <= nodes.length)
        log.warn(message, "no new heads arrive by subscription; polling continues");
      const pauseMs = Math.min(backoffMs.max, backoffMs.base * 2 ** Math.min(failures - 1, 16));
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Resolves when the socket has ended: whether it had been subscribed. */
  async #listen({ url, headers }: RpcNode): Promise<boolean> {
    const { signal, log } = this.#options;
    const socket = new WebSocket(url, {
      headers,
      ...(this.#dispatcher === undefined ? {} : { dispatcher: this.#dispatcher }),
    });
    this.#socket = socket;
    this.#lastError = null;
    let wasSubscribed = false;
    const timer = setTimeout(() => this.#drop("no answer to the subscription"), OPEN_WITHIN_MS);
    const stop = () => socket.close();
    signal.addEventListener("abort", stop);
    await new Promise<void>((resolve) => {
      socket.addEventListener("open", () => {
        send(socket, CHAIN_ID, "eth_chainId", []);
        send(socket, SUBSCRIBE, "eth_subscribe", ["newHeads"]);
      });
      socket.addEventListener("message", ({ data }) => {
        if (this.#socket !== socket) return;
        const isConfirmed = this.#take(data);
        if (!isConfirmed) return;
        wasSubscribed = true;
        this.#isSubscribed = true;
        clearTimeout(timer);
        log.info({ host: this.#host }, "new heads arrive by subscription");
      });
      // The reasons of an error may quote the URL.
      socket.addEventListener("error", () => {
        this.#lastError ??= "the connection failed";
      });
      socket.addEventListener("close", () => resolve());
      this.#dropped = resolve;
    });
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    this.#lastError ??= "the connection has ended";
    this.#isSubscribed = false;
    this.#behindSinceMs = null;
    this.#socket = null;
    return wasSubscribed;
  }

  #dropped: () => void = () => {};

  /** Without waiting for the other side, which may be gone. */
  #drop(reason: string): void {
    this.#lastError = reason;
    this.#isSubscribed = false;
    this.#socket?.close();
    this.#socket = null;
    this.#dropped();
  }

  /** True for the answer that confirms the subscription. */
  #take(data: unknown): boolean {
    if (typeof data !== "string" || data.length > MAX_MESSAGE_LENGTH) return false;
    try {
      const message = JSON.parse(data) as Message;
      if (message.method === "eth_subscription") {
        this.#hear(toNumber(message.params?.result?.number, "block number"));
        return false;
      }
      if (message.id === CHAIN_ID && Number(message.result) !== this.#options.chainId) {
        this.#drop("it serves another chain");
        return false;
      }
      if (message.id === SUBSCRIBE && typeof message.result !== "string") {
        this.#drop("it accepts no subscription to new heads");
        return false;
      }
      return message.id === SUBSCRIBE;
    } catch {
      return false;
    }
  }

  #hear(number: number): void {
    this.#heard = number;
    this.#behindSinceMs = number >= this.#seen || this.#behindSinceMs === null ? null : Date.now();
    this.#isNews = true;
    for (const tell of this.#waiting) tell();
  }
}

interface Message {
  id?: unknown;
  result?: unknown;
  method?: unknown;
  params?: { result?: { number?: unknown } };
}

function send(socket: WebSocket, id: number, method: string, params: unknown[]): void {
  socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
}
