// Control: who stands behind roles, at the head of a chain. It takes each block, and remembers what was read and could not be taken with its
// block: roles that readings outside a block told (a source that joins, a vault read late), and accounts that the node did not tell of.
import type { Address } from "viem";
import type { RawLog } from "../../chain/client/client.ts";
import type { ControllerState } from "../../chain/controllers/state.ts";
import type { VaultFact } from "../../chain/facts.ts";
import type { VaultReading } from "../../chain/reading.ts";
import type { BlockHeader } from "../../chain/rpc/raw.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { ChainContext } from "../block/context.ts";
import { type ControlTaken, decoderOf, rolesTold, takeControl } from "../block/control.ts";
import type { World } from "../block/world.ts";
import type { RoleHolder } from "../control/book.ts";
import { gatherOrigin, type Origin, stateAfter } from "../control/origins.ts";
import { insertControl } from "../control/rows.ts";
import { unconfirmed } from "./unconfirmed.ts";

/** Nodes without an archive keep the state of the last 128 blocks. */
const MAX_AGE_BLOCKS = 64;
/** Operations that wait in a timelock of which it is told who scheduled them, where that was before it was followed. */
const MOST_TOLD = 100;

interface BlockInput {
  block: BlockHeader;
  logs: readonly RawLog[];
  readings: ReadonlyMap<Address, VaultReading>;
  /** Of the vaults themselves. */
  facts: readonly VaultFact[];
  isNewest: boolean;
  nodeHead: number;
  learned?: ReadonlyMap<Address, ControllerState> | undefined;
  logsOf(addresses: Address[]): Promise<readonly RawLog[]>;
}

export class Control {
  readonly #context: ChainContext;
  /** Told and not taken yet, by vault. */
  readonly #roles = new Map<Address, readonly RoleHolder[]>();
  readonly #owed = new Set<Address>();
  /** Everybody is to be asked again: what was stored last may be older than a crash that kept it from being asked. */
  #isAllOwed = true;
  /** Whose logs were passed by: of a timelock no view tells what they said. */
  readonly #passed = new Set<Address>();
  #isAllPassed = false;
  /** Timelocks whose roles are not known, and those of which the node cannot tell. */
  readonly #strangers = new Set<Address>();
  readonly #untold = new Set<Address>();
  #origin: (Origin & { epoch: number }) | null = null;
  /** Taken and not stored yet: whose roles, and who could be read. */
  #unstored: { roles: Map<Address, readonly RoleHolder[]>; states: Set<Address> } = nothing();

  constructor(context: ChainContext) {
    this.#context = context;
  }

  /** Remembers the roles that readings tell, to be taken with the next block or as soon as there is time. */
  note(readings: ReadonlyMap<Address, VaultReading>): void {
    for (const [vault, reading] of readings) {
      const roles = rolesTold(reading);
      if (roles) this.#roles.set(vault, roles);
    }
  }

  /** Their logs were told late, so what is stored of them is no longer all that is known. */
  owe(accounts: readonly Address[]): void {
    for (const account of accounts) {
      this.#owed.add(account);
      this.#passed.add(account);
    }
  }

  /** The same of everybody: vaults go on with the head, and blocks before it were not taken here. */
  oweAll(): void {
    this.#isAllOwed = true;
    this.#isAllPassed = true;
  }

  /** Everybody is read once more at the newest block: what waits in timelocks may be for vaults that are known by now. */
  readAll(): void {
    this.#isAllOwed = true;
  }

  /** Who is to be asked again at the newest block. */
  #owedIn({ control: { states } }: World): Address[] {
    for (const [account, { timelock }] of states) {
      if (this.#isAllOwed) this.#owed.add(account);
      if (timelock !== null && (this.#isAllPassed || this.#passed.has(account))) this.#strangers.add(account);
    }
    this.#isAllOwed = false;
    this.#isAllPassed = false;
    this.#passed.clear();
    return [...this.#owed].filter((each) => states.has(each));
  }

  /** The world learns as it goes. */
  async take(world: World, input: BlockInput): Promise<ControlTaken> {
    const isReadable = input.nodeHead - input.block.number <= MAX_AGE_BLOCKS;
    const roles = input.isNewest ? new Map(this.#roles) : new Map<Address, readonly RoleHolder[]>();
    const states = input.isNewest && isReadable ? this.#owedIn(world) : [];
    const taken = await takeControl(this.#context, world, {
      ...input,
      owedRoles: roles,
      owedStates: states,
      learned: input.learned,
      isReadable,
    });
    for (const [vault, each] of roles) {
      this.#roles.delete(vault);
      this.#unstored.roles.set(vault, each);
    }
    if (isReadable && input.isNewest) this.#owed.clear();
    for (const account of taken.states.keys()) this.#unstored.states.add(account);
    for (const [account, { timelock }] of world.control.states)
      if (timelock !== null && timelock.holders === null) this.#strangers.add(account);
    for (const account of taken.owed) this.#owed.add(account);
    return taken;
  }

  get isOwing(): boolean {
    return this.#roles.size > 0 || this.#origin !== null;
  }

  /** Gathers the past of a timelock whose roles are not known; false when there is none, or one waits for the head. Beside the head. */
  async gather(signal: AbortSignal): Promise<boolean> {
    const { client, store, log } = this.#context;
    if (this.#origin?.epoch === store.epoch) return false;
    this.#origin = null;
    const { epoch, confirmed } = store;
    const account = [...this.#strangers].find((each) => !this.#untold.has(each));
    if (account === undefined || confirmed < 0) return false;
    log.info({ timelock: account }, "reading who holds the roles of a timelock from its logs");
    const origin = await gatherOrigin(client, account, confirmed, signal);
    if (!origin.isWhole) {
      this.#untold.add(account);
      log.warn(
        { timelock: account, blocks: origin.toBlock },
        "the node does not tell when a timelock was made: who holds its roles is not known",
      );
    }
    this.#origin = { ...origin, epoch };
    return true;
  }

  /** What was gathered, brought up to the head; nothing where the head has moved from it. */
  async learned(world: World): Promise<ReadonlyMap<Address, ControllerState>> {
    const origin = this.#origin;
    const { client, store } = this.#context;
    this.#origin = null;
    if (origin?.epoch !== store.epoch) return new Map();
    if (!world.control.states.has(origin.account)) {
      // It has lost its role meanwhile.
      this.#strangers.delete(origin.account);
      return new Map();
    }
    const { account, toBlock } = origin;
    const logs = [...origin.logs];
    let newest = "";
    for await (const block of unconfirmed(this.#context, Math.min(toBlock + 1, store.head!.number))) {
      newest = block.hash;
      if (block.number > toBlock) logs.push(...(await client.logsOfBlock(block, [account])));
    }
    if (newest !== store.head!.hash) return new Map();
    const known = world.control.states.get(account);
    const { state, scheduledIn } = stateAfter(origin, logs, known, decoderOf(this.#context, world.directory));
    const waiting = state
      .timelock!.operations.slice(-MOST_TOLD)
      .flatMap(({ id }) => scheduledIn.get(id) ?? []);
    const blocks = await client.headers([...new Set(waiting.map(({ blockNumber }) => blockNumber))]);
    const transactions = await client.transactions(waiting.map(({ txHash }) => txHash));
    const operations = state.timelock!.operations.map((operation) => {
      const log = scheduledIn.get(operation.id);
      const block = blocks.find(({ number }) => number === log?.blockNumber);
      const transaction = log && transactions.get(log.txHash);
      if (block === undefined) return operation;
      const delay = (operation.executableAt ?? 0) - operation.scheduledAt;
      return {
        ...operation,
        scheduledAt: block.timestamp,
        executableAt: block.timestamp + delay,
        // A contract that was called stands for who called it.
        scheduledBy: (transaction?.to === account ? transaction.from : transaction?.to) ?? null,
      };
    });
    this.#strangers.delete(account);
    return new Map([[account, { ...state, timelock: { ...state.timelock!, operations } }]]);
  }

  async write(tx: Tx, blockNumber: number, taken: ControlTaken): Promise<void> {
    await insertControl(tx, this.#context.store.chainId, blockNumber, taken);
  }

  /** What was taken so far is stored. */
  stored(): void {
    this.#unstored = nothing();
  }

  /** What was taken since was not stored, and is taken again. */
  lost(): void {
    for (const [vault, roles] of this.#unstored.roles)
      if (!this.#roles.has(vault)) this.#roles.set(vault, roles);
    for (const account of this.#unstored.states) this.#owed.add(account);
    this.#unstored = nothing();
  }
}

function nothing() {
  return { roles: new Map<Address, readonly RoleHolder[]>(), states: new Set<Address>() };
}
