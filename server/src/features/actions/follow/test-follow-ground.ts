// For tests of following: actions prepared on the vaults of test-follow-chain.ts, signed by test keys, and what became of them.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import {
  type Address,
  type Block,
  concat,
  encodeFunctionData,
  type Hash,
  type Hex,
  numberToHex,
  type TransactionReceipt,
  zeroAddress,
} from "viem";
import { expect } from "vitest";
import { accountAddress } from "../../../../../demo/src/accounts.ts";
import { read } from "../../../../../demo/src/chain.ts";
import { artifactOf } from "../../../../../demo/src/compile.ts";
import type { Trio, VaultSystem } from "../../../../../demo/src/deploy.ts";
import { as } from "../../../../test/caller.ts";
import { type Controllers, SAFE_ABI } from "../../../../test/controllers.ts";
import type { TestDatabase } from "../../../../test/database.ts";
import { untilJoined } from "../../../../test/followed.ts";
import type { RunningIngest } from "../../../../test/ingest.ts";
import type { TestChain } from "../../../../test/node.ts";
import type { ChainClient } from "../../../chain/client/client.ts";
import { type Logger, silentLogger } from "../../../platform/log.ts";
import { type SafeTransaction, safeHashesOf } from "../formats/safe-transaction.ts";
import { progressOf } from "./progress.ts";
import { followOnce } from "./task.ts";
import {
  CONFIRMATIONS,
  type HeldClock,
  MANAGER,
  owners,
  type Standing,
  standUp,
} from "./test-follow-chain.ts";

export interface SentCall {
  to: Address;
  value: bigint;
  data: Hex;
}

interface SentTerms {
  gas?: bigint;
  nonce?: number;
  maxFeePerGas?: bigint;
  maxPriorityFeePerGas?: bigint;
}

interface Sender {
  address: Address;
  kind: "eoa" | "safe" | "contract";
  nonce?: bigint;
}

export const WALLET: Sender = { address: MANAGER, kind: "eoa" };

export class FollowGround {
  readonly chain: TestChain;
  readonly controllers: Controllers;
  readonly database: TestDatabase;
  readonly client: ChainClient;
  readonly system: VaultSystem;
  readonly safe: Address;
  readonly timelock: Address;
  readonly trios: Standing["trios"];
  readonly multiSend: Address;
  readonly parts: { db: TestDatabase["db"]; clock: HeldClock; log: Logger };
  readonly #ingest: RunningIngest;
  readonly #app: FastifyInstance;
  #managers = 1000;

  private constructor(standing: Standing) {
    this.chain = standing.chain;
    this.controllers = standing.controllers;
    this.database = standing.database;
    this.client = standing.client;
    this.system = standing.system;
    this.safe = standing.safe;
    this.timelock = standing.timelock;
    this.trios = standing.trios;
    this.multiSend = standing.multiSend;
    this.parts = { db: standing.database.db, clock: standing.clock, log: silentLogger() };
    this.#ingest = standing.ingest;
    this.#app = standing.app;
  }

  get nowMs(): number {
    return this.parts.clock.ms;
  }

  set nowMs(ms: number) {
    this.parts.clock.ms = ms;
  }

  static async start(): Promise<FollowGround> {
    const own = new FollowGround(await standUp());
    await own.settle();
    await untilJoined(own.database);
    // The Safe's owners hold a role once it was read who stands behind the vault's.
    while (!(await own.#areOwnersKnown())) await own.mine(1);
    return own;
  }

  async #areOwnersKnown(): Promise<boolean> {
    const { rows } = await this.database.db.pool.query("select from vault_signers where vault_address = $1", [
      this.trios.safe.vault,
    ]);
    return rows.length > 0;
  }

  async stop(): Promise<void> {
    await this.#app.close();
    await this.#ingest.stop();
    await this.client.close();
    await this.database.drop();
    await this.chain.stop();
  }

  /** After each test: a strategy has room for few managers. */
  async clear(): Promise<void> {
    await this.chain.client.setAutomine(true);
    for (const [manager, { strategy }] of [
      [MANAGER, this.trios.wallet],
      [this.safe, this.trios.safe],
      [this.timelock, this.trios.timelock],
    ] as const)
      for (const added of await read<readonly Address[]>(this.chain, {
        contract: "SuperVaultAggregator",
        address: this.system.aggregator,
        functionName: "getSecondaryManagers",
        args: [strategy],
      }))
        await this.send(manager, this.call("removeSecondaryManager", [strategy, added]));
  }

  /** Waits until the head is stored, and does a round. */
  async settle(): Promise<void> {
    await this.stored();
    await followOnce(this.parts, this.client);
  }

  async stored(): Promise<void> {
    const head = Number(await this.chain.client.getBlockNumber({ cacheTime: 0 }));
    const block = await this.chain.client.getBlock({ blockNumber: BigInt(head) });
    await this.#ingest.until(
      `at ${head}`,
      (status) =>
        status.head === head &&
        status.confirmed === Math.max(0, head - CONFIRMATIONS) &&
        status.backfill === null &&
        status.error === null,
    );
    const { rows } = await this.database.db.pool.query("select head_hash from chains");
    if (rows[0].head_hash === block.hash) return;
    await sleep(20);
    await this.stored();
  }

  async mine(blocks: number): Promise<void> {
    await this.chain.client.mine({ blocks });
    await this.settle();
  }

  call(functionName: string, args: readonly unknown[]): SentCall {
    const { abi } = artifactOf(this.chain.artifacts, "SuperVaultAggregator");
    return { to: this.system.aggregator, value: 0n, data: encodeFunctionData({ abi, functionName, args }) };
  }

  /** Another manager each time, so that it can always be done. */
  adding(trio: Trio): SentCall {
    this.#managers += 1;
    return this.call("addSecondaryManager", [trio.strategy, this.lastManager]);
  }

  get lastManager(): Address {
    return `0x${this.#managers.toString(16).padStart(40, "0")}`;
  }

  send(from: Address, { to, data }: SentCall): Promise<TransactionReceipt> {
    return this.controllers.send(from, to, data);
  }

  /** Sent by the manager, and not waited for. */
  submitted({ to, data }: Pick<SentCall, "to" | "data">, more: SentTerms = {}): Promise<Hash> {
    return this.chain.client.sendTransaction({
      ...{ account: MANAGER, to, data, gas: 500_000n, chain: null },
      ...more,
    });
  }

  ofSafe(nonce?: bigint): Sender {
    return { address: this.safe, kind: "safe", ...(nonce !== undefined && { nonce }) };
  }

  /** Asks the routes; with a body it posts. `of` is what follows `prepared-actions`. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  async ask({ vault }: Trio, by: Address, of: string, body?: object): Promise<any> {
    const response = await this.#app.inject({
      method: body === undefined ? "GET" : "POST",
      url: `/api/v1/vaults/${this.chain.chainId}/${vault}/prepared-actions${of}`,
      headers: as(by),
      ...(body !== undefined && { payload: body }),
    });
    expect(response.statusCode, response.body).toBeLessThan(300);
    return response.json();
  }

  /** Stored as the routes do: foretold is what the node says that the calls would emit. */
  async prepare(
    trio: Trio,
    from: Sender,
    calls: readonly SentCall[],
    options: { foretold?: false; at?: Block; account?: Address } = {},
  ): Promise<string> {
    const id = randomUUID();
    this.nowMs += 1;
    const now = new Date(this.nowMs).toISOString();
    const head = options.at ?? (await this.chain.client.getBlock());
    const [simulated] = (await this.chain.client.request({
      method: "eth_simulateV1",
      params: [
        { blockStateCalls: [{ calls: calls.map(({ to, data }) => ({ from: from.address, to, data })) }] },
        numberToHex(head.number!),
      ],
    } as never)) as { calls: { status: Hex; logs: { address: Address; topics: Hex[]; data: Hex }[] }[] }[];
    expect(simulated!.calls.every(({ status }) => status === "0x1")).toBe(true);
    const { pool } = this.database.db;
    await pool.query(
      `insert into prepared_actions (id, chain_id, vault_address, family, action, parameters, wallet, account, from_address, from_kind,
         safe_nonce, preconditions, block_number, block_hash, created_at, expires_at)
       values ($1, $2, $3, 'supervault', 'add_secondary_manager', '{}', $4, $4, $5, $6, $7, '[]', $8, $9, $10, $10::timestamptz + interval '7 days')`,
      [
        ...[
          id,
          this.chain.chainId,
          trio.vault,
          options.account ?? MANAGER,
          from.address,
          from.kind,
          from.nonce?.toString() ?? null,
        ],
        ...[Number(head.number), head.hash, now],
      ],
    );
    for (const [position, { to, value, data }] of calls.entries())
      await pool.query(
        "insert into prepared_action_calls (action_id, position, target, value, data, function, arguments) values ($1, $2, $3, $4, $5, '', '{}')",
        [id, position, to, value.toString(), data.toLowerCase()],
      );
    const events = options.foretold === false ? [] : simulated!.calls.flatMap(({ logs }) => logs);
    for (const [position, { address, topics, data }] of events.entries())
      await pool.query(
        "insert into prepared_action_events (action_id, position, emitter, topics, data) values ($1, $2, $3, $4, $5)",
        [id, position, address, topics, data],
      );
    return id;
  }

  async submit(id: string, told: { transaction_hash?: Hash; safe_tx_hash?: Hash }): Promise<void> {
    await this.database.db.pool.query(
      `insert into prepared_action_submissions (action_id, position, transaction_hash, safe_tx_hash, submitted_at)
       select $1, count(*), $2, $3, $4 from prepared_action_submissions where action_id = $1`,
      [id, told.transaction_hash ?? null, told.safe_tx_hash ?? null, new Date(this.nowMs).toISOString()],
    );
  }

  async progress(id: string) {
    return (await progressOf(this.database.db.kysely, [id], this.nowMs)).get(id)!;
  }

  async status(id: string) {
    return (await this.progress(id)).status;
  }

  nonce(): Promise<bigint> {
    return this.chain.client.readContract({
      abi: SAFE_ABI,
      address: this.safe,
      functionName: "nonce",
    }) as Promise<bigint>;
  }

  safeTxHash(transaction: SafeTransaction): Hash {
    return safeHashesOf({ chainId: this.chain.chainId, safe: this.safe }, transaction).safeTxHash;
  }

  /** Signed by both owners over the hash that is foretold, sent by anybody. */
  async executeSafe(transaction: SafeTransaction): Promise<TransactionReceipt> {
    return await this.controllers.send(accountAddress(12), this.safe, await this.executionData(transaction));
  }

  async executionData(transaction: SafeTransaction): Promise<Hex> {
    const hash = this.safeTxHash(transaction);
    const sorted = owners.toSorted((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));
    const signatures = concat(await Promise.all(sorted.map((owner) => owner.sign({ hash }))));
    const { to, value, data, operation } = transaction;
    const args = [to, value, data, operation, 0n, 0n, 0n, zeroAddress, zeroAddress, signatures];
    return encodeFunctionData({ abi: SAFE_ABI, functionName: "execTransaction", args });
  }

  /** What the log says of the managers that a transaction added; that a Safe executed is an entry besides. */
  async entriesOf(hash: Hash): Promise<string[]> {
    const { rows } = await this.database.db.pool.query<{ id: string; body: string }>(
      "select id, body from audit_entries where action_type = 'secondary_manager_add' order by seq",
    );
    return rows.filter(({ body }) => JSON.parse(body).details.tx_hash === hash).map(({ id }) => id);
  }

  /** All that the log says of a transaction, in order. */
  async told(hash: Hash): Promise<{ action_type: string; details: Record<string, unknown> }[]> {
    const { rows } = await this.database.db.pool.query<{ body: string }>(
      "select body from audit_entries order by seq",
    );
    return rows.map(({ body }) => JSON.parse(body)).filter(({ details }) => details.tx_hash === hash);
  }

  async entries(ids: readonly string[]): Promise<{ id: string; details: Record<string, unknown> }[]> {
    const { rows } = await this.database.db.pool.query<{ body: string }>(
      "select body from audit_entries where id = any($1) order by seq",
      [ids],
    );
    return rows.map(({ body }) => JSON.parse(body));
  }
}
