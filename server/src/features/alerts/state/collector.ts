// Gathers what monitors say of all vaults of an evaluation: signals, what is not known, and when to look again.
import { zeroAddress } from "viem";
import type { AlertRules, RuleCategory } from "../../../config/alert-rules.ts";
import type { Listening } from "../../../judgements/listening.ts";
import { earliest, type Finding, keyOf, type Monitor, type Signal } from "./finding.ts";
import type { RuleBook } from "./rules.ts";
import type { NamedVault } from "./state.ts";
import { nameOf } from "./wording.ts";

export class Collector {
  readonly book: RuleBook;
  readonly listening: Listening;
  readonly signals: Signal[] = [];
  readonly unknown = new Set<string>();
  wakeMs: number | null = null;

  constructor(book: RuleBook, listening: Listening) {
    this.book = book;
    this.listening = listening;
  }

  get nowMs(): number {
    return this.listening.nowMs;
  }

  /** Shows every state to a monitor, under the rule of its vault. A category that a vault has switched off finds nothing. */
  add<State extends NamedVault, C extends RuleCategory>(
    monitor: Monitor<State, AlertRules[C]>,
    category: C,
    states: readonly State[],
  ): void {
    for (const state of states) {
      const rule = this.book.of(state)[category];
      if (!rule.is_enabled) continue;
      const { findings, unknown = [], wakeMs = null } = monitor.judge(state, rule, this.listening);
      const place = { chainId: state.chainId, vaultAddress: state.address, category: monitor.category };
      for (const subject of unknown) this.unknown.add(keyOf({ ...place, subject }));
      for (const finding of findings) this.#push(finding, state, monitor);
      this.wakeAt(wakeMs);
    }
  }

  /** What the service says of itself, about a vault or about none. */
  addSystem(finding: Finding, vault: NamedVault | null): void {
    this.#push(finding, vault, SYSTEM);
  }

  wakeAt(ms: number | null): void {
    this.wakeMs = earliest(this.wakeMs, ms);
  }

  #push<State, Rule>(finding: Finding, vault: NamedVault | null, monitor: Monitor<State, Rule>): void {
    const { txHash = null } = finding;
    const explorerUrl = vault?.explorerUrl ?? null;
    this.signals.push({
      ...finding,
      details: txHash === null ? finding.details : { ...finding.details, tx_hash: txHash },
      chainId: vault?.chainId ?? 0,
      vaultAddress: vault?.address ?? zeroAddress,
      vaultName: vault === null ? null : nameOf(vault.name),
      category: monitor.category,
      transactionUrl: txHash === null || explorerUrl === null ? null : `${explorerUrl}/tx/${txHash}`,
      monitor: monitor as unknown as Signal["monitor"],
    });
  }
}

const SYSTEM: Monitor<never, never> = { category: "system", judge: () => ({ findings: [] }) };
