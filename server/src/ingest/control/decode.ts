// The logs of those who stand behind roles, made to facts in chain order: each as an event of its kind, with what it did to what is known of
// its contract. A log that is none of them is nothing.
import { type Address, zeroAddress } from "viem";
import type { RawLog, TxSummary } from "../../chain/client/client.ts";
import { applySafe } from "../../chain/controllers/apply-safe.ts";
import { applyProxyAdmin, applyTimelock, type DecodeCall } from "../../chain/controllers/apply-timelock.ts";
import {
  type ProxyAdminEvent,
  proxyAdminEvent,
  type SafeEvent,
  safeEvent,
  type TimelockEvent,
  timelockEvent,
} from "../../chain/controllers/events.ts";
import {
  executionsIn,
  type InnerCall,
  innerCalls,
  type SafeExecution,
} from "../../chain/controllers/executions.ts";
import type { ControllerState } from "../../chain/controllers/state.ts";
import type { Value } from "../../chain/families/family/event.ts";
import type { GovernanceEffect, Json } from "../../chain/governance.ts";
import type { Executed } from "./effects.ts";

export interface ControlEvent {
  log: RawLog;
  account: Address;
  contract: "safe" | "timelock" | "proxy_admin";
  name: string;
  args: Record<string, Json>;
  actor: Address;
  txFrom: Address | null;
  effects: GovernanceEffect[];
  executed: Executed | null;
}

export interface DecodeParts {
  transactions: ReadonlyMap<string, TxSummary>;
  /** The account at that address, in lowercase, where its logs are followed. */
  accountAt(address: string): Address | undefined;
  stateOf(account: Address): ControllerState | undefined;
  setState(account: Address, state: ControllerState): void;
  timestampOf(log: RawLog): number;
  decodeCall: DecodeCall;
}

type AnyEvent = SafeEvent | TimelockEvent | ProxyAdminEvent;

/** States become as the events say, one log after the other. */
export function decodeControl(logs: readonly RawLog[], parts: DecodeParts): ControlEvent[] {
  const executions = new Executions(parts);
  return logs.flatMap((log): ControlEvent[] => {
    const account = parts.accountAt(log.address);
    const state = account && parts.stateOf(account);
    if (!account || !state) return [];
    const transaction = parts.transactions.get(log.txHash);
    const from = transaction?.from ?? null;
    const event = eventOf(state, log);
    if (event === null) return [];
    const caller = transaction ? (executions.callerOf(account, transaction) ?? from) : null;
    const { state: next, effects } = applied(account, state, event, {
      timestamp: parts.timestampOf(log),
      by: caller,
      decodeCall: parts.decodeCall,
    });
    parts.setState(account, next);
    const told = {
      log,
      account,
      contract: state.kind as ControlEvent["contract"],
      name: event.name,
      args: argsOf(event),
      actor: actorOf(account, event, caller) ?? zeroAddress,
      txFrom: from,
      effects,
    };
    const executed = executions.of(account, event, log, transaction);
    // What an L2 singleton says of an execution beforehand is told with the execution.
    if (event.name === "SafeMultiSigTransaction" || event.name === "SafeModuleTransaction") return [];
    return [{ ...told, executed }];
  });
}

function eventOf(state: ControllerState, log: RawLog): AnyEvent | null {
  switch (state.kind) {
    case "safe":
      return safeEvent(log);
    case "timelock":
      return timelockEvent(log);
    case "proxy_admin":
      return proxyAdminEvent(log);
    default:
      return null;
  }
}

function applied(
  account: Address,
  state: ControllerState,
  event: AnyEvent,
  happening: Parameters<typeof applyTimelock>[3],
) {
  switch (state.kind) {
    case "timelock":
      return applyTimelock(account, state, event as TimelockEvent, happening);
    case "proxy_admin":
      return applyProxyAdmin(account, state, event as ProxyAdminEvent);
    default:
      return applySafe(account, state, event as SafeEvent);
  }
}

/** A Safe acts itself, and so does a timelock that is told to change; else it is who called, a Safe before the sender. */
function actorOf(account: Address, event: AnyEvent, caller: Address | null): Address | null {
  switch (event.name) {
    case "RoleGranted":
    case "RoleRevoked":
      return event.values[2];
    case "CallScheduled":
    case "CallExecuted":
    case "CallSalt":
    case "Cancelled":
    case "OwnershipTransferred":
    case "OwnershipTransferStarted":
      return caller;
    default:
      return account;
  }
}

/** The executions of Safes in each transaction, handed out in the order in which their events come. */
class Executions {
  readonly #parts: DecodeParts;
  readonly #inTransaction = new Map<string, SafeExecution[]>();
  readonly #taken = new Map<string, number>();
  /** What an L2 singleton announced, by Safe. */
  readonly #announced = new Map<Address, { txHash: string; module: Address | null; call: InnerCall }>();

  constructor(parts: DecodeParts) {
    this.#parts = parts;
  }

  /** The Safe that called the account in that transaction, where one did. */
  callerOf(account: Address, transaction: TxSummary): Address | null {
    return (
      this.#of(transaction).find((each) => innerCalls(each).some(({ to }) => to === account))?.safe ?? null
    );
  }

  of(safe: Address, event: AnyEvent, log: RawLog, transaction: TxSummary | undefined): Executed | null {
    switch (event.name) {
      case "SafeMultiSigTransaction": {
        const [to, value, data, operation] = event.values;
        this.#announce(safe, log, null, {
          to,
          value: value.toString(),
          data,
          operation: operation === 1 ? 1 : 0,
        });
        return null;
      }
      case "SafeModuleTransaction": {
        const [module, to, value, data, operation] = event.values;
        this.#announce(safe, log, module, {
          to,
          value: value.toString(),
          data,
          operation: operation === 1 ? 1 : 0,
        });
        return null;
      }
      case "ExecutionSuccess":
      case "ExecutionFailure": {
        const own = transaction ? this.#of(transaction).filter((each) => each.safe === safe) : [];
        const key = `${log.txHash}:${safe}`;
        const nth = this.#taken.get(key) ?? 0;
        this.#taken.set(key, nth + 1);
        const call = this.#announcedBy(safe, log, null) ?? own[nth] ?? null;
        return { safe, isSuccess: event.name === "ExecutionSuccess", module: null, call };
      }
      case "ExecutionFromModuleSuccess":
      case "ExecutionFromModuleFailure": {
        const [module] = event.values;
        const isSuccess = event.name === "ExecutionFromModuleSuccess";
        return { safe, isSuccess, module, call: this.#announcedBy(safe, log, module) };
      }
      default:
        return null;
    }
  }

  #announce(safe: Address, { txHash }: RawLog, module: Address | null, call: InnerCall): void {
    this.#announced.set(safe, { txHash, module, call });
  }

  #announcedBy(safe: Address, { txHash }: RawLog, module: Address | null): InnerCall | null {
    const announced = this.#announced.get(safe);
    if (announced?.txHash !== txHash || announced.module !== module) return null;
    this.#announced.delete(safe);
    return announced.call;
  }

  #of(transaction: TxSummary): SafeExecution[] {
    const { hash, to, input } = transaction;
    const known = this.#inTransaction.get(hash);
    if (known) return known;
    const isSafe = (address: Address) => {
      const account = this.#parts.accountAt(address.toLowerCase());
      return account !== undefined && this.#parts.stateOf(account)?.kind === "safe";
    };
    const found = to === null ? [] : executionsIn({ to, data: input }, isSafe);
    this.#inTransaction.set(hash, found);
    return found;
  }
}

function argsOf({ codec, values }: AnyEvent): Record<string, Json> {
  return Object.fromEntries(
    codec.parameters.map((name, index) => [name, jsonOf((values as readonly Value[])[index]!)]),
  );
}

function jsonOf(value: Value): Json {
  if (typeof value === "bigint" || typeof value === "number") return value.toString();
  return typeof value === "object" ? value.map(jsonOf) : value;
}
