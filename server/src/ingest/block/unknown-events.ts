// Events of followed contracts that no family knows: a contract of another version, or one that says more than its standard. Each is
// counted, and named in the log once by a process, so that nobody believes the audit log to be whole when it is not.
import type { RawLog } from "../../chain/client/client.ts";
import type { KnownContract } from "../../chain/directory.ts";
import type { Family } from "../../chain/families/family/family.ts";
import type { Logger } from "../../platform/log.ts";
import type { IngestMetrics } from "./metrics.ts";

const MOST_NAMED = 1_000;

export class UnknownEvents {
  readonly #counter: IngestMetrics["unknownEvents"];
  readonly #log: Logger;
  readonly #chainId: number;
  readonly #named = new Set<string>();
  readonly #known = new Map<Family, ReadonlySet<string>>();

  constructor(chainId: number, counter: IngestMetrics["unknownEvents"], log: Logger) {
    this.#chainId = chainId;
    this.#counter = counter;
    this.#log = log;
  }

  /** A log of a followed contract that became no fact; counted unless its family leaves it out on purpose. */
  see(log: RawLog, { role }: KnownContract, family: Family): void {
    const topic = log.topics[0] ?? "";
    if (this.#topicsOf(family).has(topic)) return;
    this.#counter.inc({ chain_id: this.#chainId, family: family.name, contract: role });
    const name = `${family.name} ${role} ${topic}`;
    if (this.#named.has(name) || this.#named.size >= MOST_NAMED) return;
    this.#named.add(name);
    this.#log.warn(
      { family: family.name, contract: role, address: log.address, topic, tx_hash: log.txHash },
      "a followed contract emitted an unknown event: it becomes no fact and no audit entry; logged once",
    );
  }

  #topicsOf(family: Family): ReadonlySet<string> {
    const known = this.#known.get(family) ?? new Set<string>(family.topics);
    this.#known.set(family, known);
    return known;
  }
}
