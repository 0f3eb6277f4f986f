// Family: a kind of vault contract. It says which addresses to follow, decodes their logs to facts, and reads a vault's state.
// A family is one folder plus one line in families/registry.ts; conformance.ts holds every family to the same promises.
//
// How ingestion uses it, for one block or one range of logs:
//   1. `discover` every log of the sources: new vaults go into the Directory before anything is decoded, so that a vault
//      used in the block that deployed it (even by logs before the announcement) is known. The logs of their addresses are fetched too.
//   2. `decode` every log in order, pure and synchronous. It never throws: a log that does not fit its event becomes `other`
//      with the raw data.
//   3. `complete` what the logs alone do not say (rare: managers at a deployment, the strategy and price of a rejected update).
//   4. `track` what no view lists, from the facts; it is kept by block, and undone with it.
//   5. `read` the vaults concerned, at that block.
import type { Address, Hex } from "viem";
import type { BlockRef, ChainClient, RawLog } from "../../client/client.ts";
import type { Directory, FamilyName, KnownVault, Source } from "../../directory.ts";
import type { FactBody, StoredFact } from "../../facts.ts";
import type { TrackedChange, TrackedOf } from "../../governance.ts";
import type { Managers } from "../../managers.ts";
import type { VaultReading } from "../../reading.ts";
import type { Action } from "./action.ts";
import type { CallTable } from "./call.ts";

export type { FamilyName } from "../../directory.ts";

export interface Decoded {
  log: RawLog;
  /** EIP-55; null for what concerns no known vault. */
  vaultAddress: Address | null;
  /** The wallet that the event itself names as the one who acted; null when it names none. */
  actor: Address | null;
  body: FactBody;
  /** What `complete` has yet to find out, if anything. */
  needs: "managers" | "strategy" | "price" | "expiration" | "shares" | "state" | null;
  /** Of what `needs` named, the node lacks the state: it is left out, or stands as it is today, until a node has it. */
  isPartial?: true;
  /** EIP-55: the strategy that it is about, where no known vault has it. */
  stranger?: Address;
}

/** What stays true of a vault for its life. */
export interface VaultDescription {
  asset: Address;
  assetSymbol: string | null;
  /** ERC-7575: the token that the shares are of; null where it is the vault itself. */
  share: Address | null;
  assetDecimals: number;
  shareDecimals: number;
  name: string | null;
  symbol: string | null;
  capabilities: { erc7540_deposit: boolean; erc7540_redeem: boolean; erc7575: boolean };
  managers: Managers;
}

export type Access = Readonly<Record<string, "primary" | "secondary" | null>>;

export interface Family {
  readonly name: FamilyName;
  /** topic0 of every event that this family decodes, for `logsInRange` on chains where it narrows the answer. */
  readonly topics: readonly Hex[];
  /** Functions of its contracts, by which calls to them are told by name. */
  readonly functions?: CallTable;
  /** What may be done to its vaults, in the order in which a catalogue shows it. */
  readonly actions?: readonly Action[];
  /** Errors by selector, by which a call that reverts tells why. */
  readonly errors?: CallTable;

  /** The further contracts of a source whose events are kept (governor, oracles), as they are at that block. */
  related(
    client: ChainClient,
    source: Source,
    at: BlockRef,
  ): Promise<{ governor: Address | null; oracles: Address[] }>;
  /** The oracles of a source at a block of the past. @throws ChainFault where the node has no state of it */
  oraclesAt?(client: ChainClient, source: Source, at: BlockRef): Promise<Address[]>;
  /** Oracles that this fact names: their events are followed from its block on. */
  oraclesNamed?(body: FactBody): Address[];
  /** Whether this fact, which names no vault, may change the state of every vault of the family. */
  concernsAll?(body: FactBody): boolean;
  /** The vault that this log announces, or null. */
  discover(log: RawLog, directory: Directory): KnownVault | null;
  /** The fact in a log of a known contract; null for a log that is not this family's or is left out on purpose. */
  decode(log: RawLog, directory: Directory): Decoded | null;
  /**
   * Fills in what `needs` names, from the same block. Throws ChainFault when the node fails; where it has no state for the block any
   * more, what is known without stands, and the fact is told as partial.
   */
  complete(client: ChainClient, decoded: readonly Decoded[], directory: Directory): Promise<Decoded[]>;

  /** What each of its contract roles counts for; a role that is not named counts for nothing. Without it `managers` are as they were read. */
  readonly access?: Access;
  /** What this fact changes of what is remembered of its vault, because no view lists it: pure. */
  track?(fact: StoredFact): TrackedChange[];

  /** Throws `NotAVault` when the address has no code or no asset at that block. */
  describe(client: ChainClient, vault: VaultIdentity, at: BlockRef): Promise<VaultDescription>;
  /**
   * State of many vaults at one block, in few requests; in the order given. Of `requests` what is pending and claimable is read too.
   * `tracked` is as of that block, its own facts included. What a view can say is asked of the view.
   */
  read(
    client: ChainClient,
    vaults: readonly KnownVault[],
    at: BlockRef,
    requests?: OpenRequests,
    tracked?: TrackedOf,
  ): Promise<VaultReading[]>;
}

export type Families = Readonly<Record<FamilyName, Family>>;

/** Requests to redeem that may still have something pending or claimable, by vault; of a family without such none are asked for. */
export type OpenRequests = ReadonlyMap<Address, readonly RedeemRequest[]>;

export interface RedeemRequest {
  controller: Address;
  requestId: bigint;
}

/** What `describe` needs to know of a vault beforehand. */
export interface VaultIdentity {
  address: Address;
  strategy: Address | null;
  source: Source;
  /** Managers named by the configuration, which stand before what the chain says. */
  configuredPrimary: Address | null;
}

export class NotAVault extends Error {
  constructor(address: Address, why: string) {
    super(`${address} is not a vault of this family: ${why}`);
    this.name = "NotAVault";
  }
}
