// Gathers what monitors say of all vaults of an evaluation: signals, what is not known, and when to look again.
import { zeroAddress } from "viem";
import type { Listening } from "../../../judgements/listening.ts";
import { earliest, type Finding } from "../../../monitors/base/finding.ts";
import type { NamedVault } from "../../../monitors/base/monitor.ts";
import { nameOf } from "../../../monitors/base/wording.ts";
import type { AlertCategory } from "../../../monitors/categories.ts";
import type { RuleBook } from "./rules.ts";
import { type AnyMonitor, keyOf, type Signal } from "./signal.ts";

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
  add(monitor: AnyMonitor, states: readonly NamedVault[]): void {
    for (const state of states) {
      const rule = this.book.of(state)[monitor.category];
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
    this.#push(finding, vault, { category: "system" });
  }

  wakeAt(ms: number | null): void {
    this.wakeMs = earliest(this.wakeMs, ms);
  }

  #push(
    finding: Finding,
    vault: NamedVault | null,
    { category, events }: { category: AlertCategory; events?: Signal["events"] },
  ): void {
    const { txHash = null } = finding;
    const explorerUrl = vault?.explorerUrl ?? null;
    this.signals.push({
      ...finding,
      details: txHash === null ? finding.details : { ...finding.details, tx_hash: txHash },
      chainId: vault?.chainId ?? 0,
      vaultAddress: vault?.address ?? zeroAddress,
      vaultName: vault === null ? null : nameOf(vault.name),
      category,
      transactionUrl: txHash === null || explorerUrl === null ? null : `${explorerUrl}/tx/${txHash}`,
      events,
    });
  }
}
