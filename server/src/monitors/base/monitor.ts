// What a monitor is: one object in one file that carries all that there is to say of a category of alerts. Its line in registry.ts makes
// the configuration, the API, the documentation, notices and the console know it.
import type { Static, TObject } from "typebox";
import type { Address } from "viem";
import type { Listening } from "../../judgements/listening.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { Finding, Judged } from "./finding.ts";

/** A vault with the words that alerts name it by. */
export interface NamedVault {
  chainId: number;
  address: Address;
  name: string | null;
  chainName: string;
  explorerUrl: string | null;
}

/** How far ahead queries look for what time alone will bring. Evaluations are never further apart than half of it. */
export const HORIZON_MS = 60_000;

/** What a category is called, and what the guide says of it. */
export interface CategoryWords {
  /** For people: in notices and in the console. */
  name: string;
  /** What its alerts are about within the category, in Markdown. */
  subject: string;
  /** When it fires and resolves, in Markdown. */
  fires: string;
}

/** One category, or a part of one: two monitors may share category, words and rule. */
export interface Monitor<Category extends string, Rule extends TObject, State, Rules, Event>
  extends CategoryWords {
  category: Category;
  /** The schema of its thresholds, with their defaults (thresholds.ts). */
  rule: Rule;
  /** Two thresholds that contradict each other: the key that is wrong, and what it must be. */
  contradictions?(rule: Static<Rule>): [key: string, message: string][];
  source: Source<State, Rules>;
  /** Pure: no query and no clock of its own. What time brings about is judged by the time in which one could hear. */
  judge(state: State, rule: Static<Rule>, listening: Listening): Judged;
  /** The events that webhooks get when `added` are new conditions of an alert. */
  events?(finding: Finding, added: readonly string[], nowMs: number): Event[];
}

/**
 * Where states come from: one statement for all vaults, which returns those of which something may have to be said within HORIZON_MS. A
 * source that several monitors name is read once for all of them. `Rules` are the thresholds that it asks for.
 */
export type Source<State, Rules> =
  | { area: "chain"; load: (tx: Tx, asked: Asked<Rules> & { chainId: number }) => Promise<readonly State[]> }
  | { area: "engine"; load: (tx: Tx, asked: Asked<Rules>) => Promise<readonly State[]> };

export interface Asked<Rules> {
  book: RulesOfAll<Rules>;
  nowMs: number;
  listening: Listening;
}

/** The thresholds of all vaults, so that a query finds at least what any vault's ask for. */
export interface RulesOfAll<Rules> {
  greatest: <T extends number | bigint>(of: (rules: Rules) => T) => T;
  least: (of: (rules: Rules) => number) => number;
  /** Every value that some vault's rules have, once. */
  distinct: (of: (rules: Rules) => number) => number[];
}

/** A source that is read whenever engines report. */
export function engineSource<State, Rules = object>(
  load: (tx: Tx, asked: Asked<Rules>) => Promise<readonly State[]>,
): Source<State, Rules> {
  return { area: "engine", load };
}

/** A source that is read with every new head of a chain. */
export function chainSource<State, Rules = object>(
  load: (tx: Tx, asked: Asked<Rules> & { chainId: number }) => Promise<readonly State[]>,
): Source<State, Rules> {
  return { area: "chain", load };
}

/** As it is, with its types told from what stands in it. */
export function monitor<
  const Category extends string,
  Rule extends TObject,
  State extends NamedVault,
  Rules,
  Event = never,
>(described: Monitor<Category, Rule, State, Rules, Event>): Monitor<Category, Rule, State, Rules, Event> {
  return described;
}
