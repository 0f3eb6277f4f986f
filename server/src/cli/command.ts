// What a command of `vaultops` is, and what several share: the configuration they read, the storage they open, the words they take.
import type { Config } from "../config/load.ts";
import type { Logger } from "../platform/log.ts";
import type { Storage } from "../service/storage.ts";

/** A mistake in how a command was called; its message is shown with the usage. */
export class UsageError extends Error {}

export interface Command {
  /** One or two words. */
  name: string;
  summary: string;
  /** The one thing it takes besides options, if any. */
  takes?: string;
  /** Name and description of each option that takes a value. */
  options: Record<string, string>;
  /** The same of those that take none; one that is given has the value "yes". */
  flags?: Record<string, string>;
  /** What follows it, `--help` too, is for another program: `run` gets it as `args`, unread. */
  isPassedOn?: true;
  /** Resolves with the exit code, or undefined to go on running. Throws what went wrong. */
  run(
    options: Record<string, string | undefined>,
    argument: string,
    args: readonly string[],
  ): Promise<number | undefined>;
}

export const CONFIG = { config: "The configuration file (default: the one that VAULTOPS_CONFIG names)." };

/** Opens the database for a command, also beside a running service. One that is not there is not made: an empty log would verify. */
export async function withStorage(
  config: Config,
  log: Logger,
  work: (storage: Storage) => Promise<number>,
  { mustExist = true } = {},
): Promise<number> {
  const { openStorage } = await import("../service/storage.ts");
  const storage = await openStorage(config, log, { mayShare: true, mustExist });
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** Aborts on Ctrl-C, for work that then ends by itself. */
export function endSignal(): AbortSignal {
  const end = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => end.abort());
  return end.signal;
}

export function oneOf<const T extends readonly string[]>(
  word: string,
  choices: T,
  option: string,
): T[number] {
  if (!choices.includes(word)) throw new UsageError(`${option} is one of ${choices.join(", ")}.`);
  return word;
}

/** The configuration, and a log as it says. What reads them is loaded here, so that help is shown without it. */
export async function load(
  options: Record<string, string | undefined>,
): Promise<{ config: Config; log: Logger }> {
  const { loadConfig } = await import("../config/load.ts");
  const { createLogger } = await import("../platform/log.ts");
  const config = loadConfig(options.config === undefined ? {} : { file: options.config });
  return { config, log: createLogger({ level: config.log.level }) };
}

export function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${name} is a whole number.`);
  return Number(text);
}
