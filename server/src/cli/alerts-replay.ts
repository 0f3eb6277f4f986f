// `vaultops alerts replay`: prints what would have been told over a past time, by the rules in force or by those of a file. Nobody is told,
// and nothing is written: it reads in one transaction for each vault.
import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { Value } from "typebox/value";
import type { Address } from "viem";
import { parse } from "yaml";
import type { Told } from "../features/alerts/replay/life.ts";
import { REPLAYED_CATEGORIES, replayVault } from "../features/alerts/replay/replay.ts";
import { effectiveRules, RuleBook } from "../features/alerts/state/rules.ts";
import { type AlertRules, AlertRulesPatch, contradictions } from "../monitors/alert-rules.ts";
import type { Database } from "../platform/db/db.ts";
import { microsecondsOf, parseTimestamp, readableTime, timestampOfMs } from "../platform/http/time.ts";
import { tellSlowly } from "../platform/progress.ts";

export interface AlertsReplayOptions {
  db: Pick<Database, "kysely" | "transaction">;
  defaults: AlertRules;
  from: string;
  to: string;
  /** A file with rules that stand for those in force; null: none. */
  rulesFile: string | null;
  isJson: boolean;
  print(line: string): void;
  tell(line: string): void;
  /** Aborts when it shall end. */
  signal: AbortSignal;
}

/** @returns the exit code: 130 when it was ended before it was done */
export async function alertsReplayCommand(options: AlertsReplayOptions): Promise<number> {
  const { db, defaults, print, tell, signal } = options;
  const fromMs = momentOf(options.from, "--from");
  const toMs = momentOf(options.to, "--to");
  if (toMs < fromMs) throw new Error("--to is before --from.");
  const patch = options.rulesFile === null ? {} : await rulesIn(options.rulesFile, defaults);
  const { rows: vaults } = await sql<{ chain_id: number; address: Address }>`
    select chain_id, address from vaults order by chain_id, created_block nulls first, address`.execute(
    db.kysely,
  );
  const tellProgress = tellSlowly(tell);
  let told = 0;
  for (const [done, { chain_id: chainId, address }] of vaults.entries()) {
    if (signal.aborted) {
      tell("Stopped.");
      return 130;
    }
    tellProgress(() => `${done} of ${vaults.length} vaults`);
    const found = await db.transaction(
      async (tx) => {
        const book = await RuleBook.load(tx, defaults);
        const rules = effectiveRules(book.of({ chainId, address }), patch);
        const wrong = contradictions(rules, "")[0];
        if (wrong !== undefined)
          throw new Error(`${options.rulesFile}: ${wrong.path.slice(1)} ${wrong.message} (${address}).`);
        return replayVault(tx, { chainId, vaultAddress: address }, rules, { fromMs, toMs });
      },
      { isolation: "repeatable read" },
    );
    for (const one of found ?? []) print(options.isJson ? JSON.stringify(shownOf(one)) : lineOf(one));
    told += found?.length ?? 0;
  }
  tell(
    `${told} notices of ${REPLAYED_CATEGORIES.join(", ")} of ${vaults.length} vaults, from ${readableTime(timestampOfMs(fromMs))} to ${readableTime(timestampOfMs(toMs))}. Nobody was told.`,
  );
  return 0;
}

function momentOf(text: string, option: string): number {
  const timestamp = parseTimestamp(text);
  if (timestamp === null)
    throw new Error(`${option} is no time: "${text}". Write 2026-05-09 or 2026-05-09T10:00:00Z.`);
  return Math.floor(microsecondsOf(timestamp) / 1000);
}

/** As the API takes them, in YAML or JSON. */
async function rulesIn(file: string, defaults: AlertRules): Promise<AlertRulesPatch> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The rules cannot be read: ${error.message}`);
  });
  let given: unknown;
  try {
    given = parse(text) ?? {};
  } catch (error) {
    throw new Error(`${file} is neither YAML nor JSON: ${(error as Error).message}`);
  }
  const [wrong] = Value.Errors(AlertRulesPatch, given);
  if (wrong !== undefined)
    throw new Error(
      `${file}: ${wrong.instancePath.slice(1).replaceAll("/", ".") || "the rules"} ${wrong.message}.`,
    );
  const [contradiction] = contradictions(effectiveRules(defaults, given as AlertRulesPatch), "");
  if (contradiction !== undefined)
    throw new Error(`${file}: ${contradiction.path.slice(1).replaceAll("/", ".")} ${contradiction.message}.`);
  return given as AlertRulesPatch;
}

/** `2026-05-09 10:00:00 UTC  critical  firing    price/drop  Alpha (0x1234…cdef on Base): …` */
function lineOf({ atMs, type, signal }: Told): string {
  const time = readableTime(timestampOfMs(atMs));
  const what = `${signal.category}/${signal.subject}`;
  return `${time}  ${signal.severity.padEnd(8)}  ${type.padEnd(8)}  ${what}  ${signal.message}`;
}

function shownOf({ atMs, type, signal }: Told) {
  return {
    at: timestampOfMs(atMs),
    type: `alert.${type}`,
    chain_id: signal.chainId,
    vault_address: signal.vaultAddress,
    category: signal.category,
    subject: signal.subject,
    severity: signal.severity,
    title: signal.title,
    message: signal.message,
    details: signal.details,
  };
}
