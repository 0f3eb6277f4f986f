// The thresholds that count for a vault: its own over the configuration's.
import { sql } from "kysely";
import type { AlertRules, AlertRulesPatch } from "../../../monitors/alert-rules.ts";
import type { RulesOfAll } from "../../../monitors/base/monitor.ts";
import type { Tx } from "../../../platform/db/db.ts";
import { vaultIdOf, vaultIdOfRow } from "../../../vault.ts";

/** A vault's thresholds, whole. */
export function effectiveRules(defaults: AlertRules, own: AlertRulesPatch): AlertRules {
  const categories = Object.keys(defaults) as (keyof AlertRules)[];
  return Object.fromEntries(
    categories.map((category) => [category, { ...defaults[category], ...own[category] }]),
  ) as unknown as AlertRules;
}

/** The thresholds of all vaults, for one evaluation. */
export class RuleBook implements RulesOfAll<AlertRules> {
  readonly #defaults: AlertRules;
  readonly #own: ReadonlyMap<string, AlertRules>;

  constructor(defaults: AlertRules, own: ReadonlyMap<string, AlertRules>) {
    this.#defaults = defaults;
    this.#own = own;
  }

  static async load(tx: Tx, defaults: AlertRules): Promise<RuleBook> {
    const { rows } = await sql<{ chain_id: number; vault_address: string; rules: AlertRulesPatch }>`
      select chain_id, vault_address, rules from alert_rules`.execute(tx);
    return new RuleBook(
      defaults,
      new Map(rows.map((row) => [vaultIdOfRow(row), effectiveRules(defaults, row.rules)])),
    );
  }

  of({ chainId, address }: { chainId: number; address: string }): AlertRules {
    return this.#own.get(vaultIdOf({ chainId, vaultAddress: address })) ?? this.#defaults;
  }

  greatest<T extends number | bigint>(of: (rules: AlertRules) => T): T {
    let greatest = of(this.#defaults);
    for (const rules of this.#own.values()) if (of(rules) > greatest) greatest = of(rules);
    return greatest;
  }

  distinct(of: (rules: AlertRules) => number): number[] {
    return [...new Set([of(this.#defaults), ...[...this.#own.values()].map(of)])];
  }

  least(of: (rules: AlertRules) => number): number {
    return Math.min(of(this.#defaults), ...[...this.#own.values()].map(of));
  }
}
