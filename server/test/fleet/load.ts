// What goes on while a fleet of processes is tried: an engine reports, a chain lives, a receiver takes webhooks. And the verdict: what of all that was
// acknowledged, or stands on the chain, the service has not.
import { setTimeout as sleep } from "node:timers/promises";
import type { Address, Hash } from "viem";
import { addressOf } from "../../../demo/src/accounts.ts";
import { type DemoChain, execute, mine, read } from "../../../demo/src/chain.ts";
import type { Trio, VaultSystem } from "../../../demo/src/deploy.ts";
import type { Database } from "../../src/platform/db/db.ts";
import type { Receiver } from "../receiver.ts";

export interface LoadOptions {
  /** Where the API answers. */
  url: string;
  chain: DemoChain;
  system: VaultSystem;
  trio: Trio;
  asset: Address;
  ingestToken: string;
  source: string;
  receiver: Receiver;
}

export interface Lost {
  entries: number;
  deliveries: number;
  roles: number;
  /** Entries that stand twice. */
  twice: number;
}

/** How long a client waits for an answer before it tries again. */
const PATIENCE_MS = 15_000;
const REPORTERS = 4;

export class Load {
  /** Ids of reports that were acknowledged. */
  readonly accepted: string[] = [];
  readonly #deposits: Hash[] = [];
  readonly #changes: Hash[] = [];
  readonly #options: LoadOptions;
  readonly #end = new AbortController();
  #working: Promise<unknown> = Promise.resolve();
  #next = 0;
  #isCutOff = false;
  /** Requests that got no answer, or one that asks to come again; each was repeated. */
  failed = 0;
  /** Answers that no client could do anything about: they must not be. */
  readonly refused: string[] = [];
  /** From a report's first attempt to its acknowledgement. */
  slowestMs = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  start(): void {
    const { signal } = this.#end;
    const reporters = Array.from({ length: REPORTERS }, () => this.#reporting(signal));
    this.#working = Promise.all([this.#living(signal), ...reporters]);
    // Told by `stop`; a load that is cut off fails as its node ends.
    this.#working.catch(() => {});
  }

  /** Lets everything that was begun be acknowledged, and confirms the chain's last blocks. */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#working;
    for (let i = 0; i < 3; i += 1) await mine(this.#options.chain);
  }

  /** Gives up what was begun. */
  cutOff(): void {
    this.#isCutOff = true;
    this.#end.abort();
  }

  /** Resolves when so many reports more have been acknowledged. */
  async progress(reports: number): Promise<void> {
    const target = this.accepted.length + reports;
    while (this.accepted.length < target) await sleep(20);
  }

  /** Once all has been told and sent. */
  async verdict(db: Database): Promise<Lost> {
    const { trio } = this.#options;
    const hashes = [...this.#deposits, ...this.#changes];
    const isThere = async () => {
      const { rows } = await db.pool.query(
        `select (select count(distinct body::jsonb #>> '{details,tx_hash}')::integer from audit_entries
             where body::jsonb #>> '{details,tx_hash}' = any($1)) as entries,
           (select count(*)::integer from deliveries where status not in ('delivered', 'dead', 'canceled')) as waiting`,
        [hashes],
      );
      return rows[0].entries === hashes.length && rows[0].waiting === 0 && this.#undelivered() === 0;
    };
    // What is lost is never there: so it is not waited for without end.
    for (let waited = 0; waited < 600 && !(await isThere()); waited += 1) await sleep(100);

    const { rows: entries } = await db.pool.query<{ key: string; count: number }>(
      `select coalesce(body::jsonb #>> '{details,reported_details,id}', body::jsonb #>> '{details,tx_hash}') as key, count(*)::integer as count
       from audit_entries where vault_address = $1 group by 1`,
      [trio.vault],
    );
    const counts = new Map(entries.map(({ key, count }) => [key, count]));
    const { rows: roles } = await db.pool.query<{ wallet: string }>(
      "select distinct wallet from vault_roles where vault_address = $1 and to_block is null",
      [trio.vault],
    );
    const managers = await this.#managers();
    const held = new Set(roles.map(({ wallet }) => wallet));
    return {
      entries: [...this.accepted, ...hashes].filter((key) => !counts.has(key)).length,
      deliveries: this.#undelivered(),
      roles: managers.filter((wallet) => !held.has(wallet)).length + Math.max(0, held.size - managers.length),
      twice: [...this.accepted, ...hashes].filter((key) => (counts.get(key) ?? 0) > 1).length,
    };
  }

  #undelivered(): number {
    const bodies = this.#options.receiver.received.map(({ body }) => body.toString()).join("\n");
    return this.#deposits.filter((hash) => !bodies.includes(hash)).length;
  }

  async #managers(): Promise<Address[]> {
    const { chain, system, trio } = this.#options;
    const ask = (functionName: string) =>
      read(chain, {
        contract: "SuperVaultAggregator",
        address: system.aggregator,
        functionName,
        args: [trio.strategy],
      });
    return [(await ask("getMainManager")) as Address, ...((await ask("getSecondaryManagers")) as Address[])];
  }

  async #reporting(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#next += 1;
      await this.#report(`report-${this.#next}`);
    }
  }

  /** Until it is acknowledged, as an engine's spool does. */
  async #report(id: string): Promise<void> {
    const { url, ingestToken, source, chain, trio } = this.#options;
    const event = {
      specversion: "1.0",
      id,
      source,
      subject: `${chain.chainId}:${trio.vault}`,
      time: new Date().toISOString(),
      type: "vaultops.action",
      data: { action_type: "session_key_grant", actor_wallet: addressOf("primaryManager"), details: { id } },
    };
    const startedAt = performance.now();
    while (!this.#isCutOff) {
      const response = await fetch(`${url}/api/v1/ingest/events`, {
        method: "POST",
        headers: { authorization: `Bearer ${ingestToken}`, "content-type": "application/cloudevents+json" },
        body: JSON.stringify(event),
        signal: AbortSignal.timeout(PATIENCE_MS),
      }).catch(() => null);
      const text = await response?.text().catch(() => "");
      if (response?.status === 200 && /"status":"(accepted|duplicate)"/.test(text ?? "")) break;
      this.failed += 1;
      // A client that is told to come again does; anything else it could not mend.
      if (response !== null && response.status !== 503)
        this.refused.push(`${response.status} ${text?.slice(0, 300)}`);
      await sleep(100);
    }
    this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
    this.accepted.push(id);
    await sleep(10);
  }

  /** Deposits, which webhooks tell of, and managers who come and go. */
  async #living(signal: AbortSignal): Promise<void> {
    const { chain, asset, trio, system } = this.#options;
    const depositor = addressOf("firstDepositor");
    const token = { contract: "Token", address: asset, from: depositor };
    await execute(chain, { ...token, functionName: "mint", args: [depositor, 10n ** 15n] });
    await execute(chain, { ...token, functionName: "approve", args: [trio.vault, 10n ** 15n] });
    for (let round = 0; !signal.aborted; round += 1) {
      const deposit = await execute(chain, {
        contract: "Erc4626Vault",
        address: trio.vault,
        functionName: "deposit",
        args: [1_000n, depositor],
        from: depositor,
      });
      this.#deposits.push(deposit.transactionHash);
      const change = await execute(chain, {
        contract: "SuperVaultAggregator",
        address: system.aggregator,
        functionName: round % 2 === 0 ? "addSecondaryManager" : "removeSecondaryManager",
        args: [trio.strategy, addressOf("temporaryManager")],
        from: addressOf("primaryManager"),
      });
      this.#changes.push(change.transactionHash);
      await sleep(200);
    }
  }
}
