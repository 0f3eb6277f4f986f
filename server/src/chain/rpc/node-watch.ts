// NodeWatch: asks each of a chain's URLs now and then where it stands, and sets aside those that lag or are on another branch until
// they are well again. Only where there is a choice: a single URL is what it is.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Hash } from "viem";
import type { Aside, Endpoint } from "./endpoint.ts";
import { comparedAt, lags, prevailing } from "./nodes.ts";
import { type Block, parseOrNull, quantity } from "./raw.ts";

export interface NodeWatchOptions {
  endpoints: readonly Endpoint[];
  /** Asks that URL and no other, its chain id verified first. */
  ask(endpoint: Endpoint, method: string, params: readonly unknown[]): Promise<unknown>;
  everyMs: number;
  log: Logger;
  signal: AbortSignal;
}

/** A URL that serves another chain is looked at again after so many rounds. */
const FOREIGN_ROUNDS = 12;

export class NodeWatch {
  readonly #options: NodeWatchOptions;
  #trusted: { number: number; hash: Hash } | null = null;
  #isRunning = false;
  #rounds = 0;

  constructor(options: NodeWatchOptions) {
    this.#options = options;
  }

  /** The newest block known for certain: between two branches it decides. */
  trust(block: { number: number; hash: Hash }): void {
    this.#trusted = block;
  }

  /** Watches from now on, until the signal aborts. */
  start(): void {
    if (this.#isRunning || this.#options.endpoints.length < 2) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    const { signal, everyMs, log } = this.#options;
    while (!signal.aborted) {
      await this.#round().catch((error) => log.warn({ err: error }, "comparing the RPC URLs failed"));
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #round(): Promise<void> {
    const { endpoints } = this.#options;
    this.#rounds += 1;
    if (this.#rounds % FOREIGN_ROUNDS === 0) for (const endpoint of endpoints) endpoint.forgiveForeign();
    const asked = endpoints.filter((endpoint) => !endpoint.isForeign && endpoint.restsUntil <= Date.now());
    const heads = await Promise.all(asked.map((endpoint) => this.#block(endpoint, "latest")));
    const behind = lags(heads);
    const abreast = asked.flatMap((endpoint, index) => {
      const head = heads[index];
      if (!head) return [];
      if (behind[index]! > 0) this.#setAside(endpoint, { reason: "lags", blocks: behind[index]! });
      return behind[index] === 0 ? [{ endpoint, head }] : [];
    });
    if (abreast.length === 0) return;
    const height = comparedAt(
      abreast.map(({ head }) => head),
      this.#trusted,
    );
    const blocks = await Promise.all(abreast.map(({ endpoint }) => this.#block(endpoint, quantity(height))));
    const hashes = blocks.map((block) => (block?.number === height ? block.hash : null));
    const trusted = this.#trusted?.number === height ? this.#trusted.hash : null;
    const counts = prevailing(hashes, trusted);
    for (const [index, { endpoint }] of abreast.entries()) {
      const hash = hashes[index];
      if (!hash) continue;
      // While those that it contradicted are silent, its word alone does not bring it back.
      const isAlone = hashes.filter((other) => other === hash).length === 1 && hash !== trusted;
      if (endpoint.isForked && isAlone) continue;
      this.#setAside(endpoint, hash === counts ? null : { reason: "forked", block: height });
    }
  }

  async #block(endpoint: Endpoint, tag: string): Promise<Block | null> {
    try {
      const block = parseOrNull(await this.#options.ask(endpoint, "eth_getBlockByNumber", [tag, false]));
      if (block && tag === "latest") endpoint.sawHead(block);
      return block;
    } catch {
      // Counted against the URL by `ask`.
      return null;
    }
  }

  #setAside(endpoint: Endpoint, aside: Aside | null): void {
    const { log } = this.#options;
    const isNews = endpoint.aside?.reason !== aside?.reason;
    endpoint.aside = aside;
    if (!isNews) return;
    if (aside) log.warn({ host: endpoint.host, ...aside }, "an RPC URL is unhealthy and is not used");
    else log.info({ host: endpoint.host }, "an RPC URL is healthy again");
  }
}
