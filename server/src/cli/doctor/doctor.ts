// `vaultops doctor`: everything that an installation needs, looked at one by one. A line for each check, with what to mend; exit code 1 where
// something is at fault. Nothing is sent, nothing is changed, and no database is made or started: it runs beside a service or without one.
import { ConfigError } from "../../config/error.ts";
import { type Config, configWarnings, proxySettingsOf } from "../../config/load.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, openDatabase } from "../../platform/db/db.ts";
import { createEgress } from "../../platform/egress/egress.ts";
import { withoutUrls } from "../../platform/log.ts";
import { findRunningPostgres } from "../../platform/postgres/postgres.ts";
import { type Check, type Finding, fault, type Ground, ok, reasonOf, warning } from "./check.ts";
import { CHECKS } from "./list.ts";

export interface DoctorParts {
  /** Throws ConfigError. */
  load(): Config;
  clock: Clock;
  /** As JSON instead of lines. */
  isJson: boolean;
  print(line: string): void;
}

interface Told extends Finding {
  check: string;
}

const CONNECT_MS = 5_000;
/** A check ends after this, however long it waits for other machines. */
const CHECK_MS = 30_000;

export async function doctorCommand({ load, clock, isJson, print }: DoctorParts): Promise<number> {
  const told: Told[] = [];
  const tell = (check: string, findings: readonly Finding[]) => {
    for (const finding of findings) {
      told.push({ check, ...finding });
      if (!isJson) for (const line of linesOf(check, finding)) print(line);
    }
  };
  const config = configOf(load, (findings) => tell("configuration", findings));
  if (config !== null) {
    const { ground, close } = await groundOf(config, clock);
    try {
      for (const check of CHECKS) tell(check.name, await run(check, ground));
    } finally {
      await close();
    }
  }
  const [faults, warnings] = ["fault", "warning"].map(
    (state) => told.filter((each) => each.state === state).length,
  );
  print(
    isJson
      ? JSON.stringify({ faults, warnings, checks: told }, null, 2)
      : `\n${faults} at fault, ${warnings} to look at, ${told.length} looked at.`,
  );
  return faults === 0 ? 0 : 1;
}

function configOf(load: () => Config, tell: (findings: Finding[]) => void): Config | null {
  try {
    const config = load();
    const warnings = configWarnings(config).map((text) => warning(text, "docs/configuration.md"));
    tell([ok("every key is valid"), ...warnings]);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    tell(error.faults.map((text) => fault(text, "mend this key (docs/configuration.md)")));
    return null;
  }
}

async function groundOf(config: Config, clock: Clock): Promise<{ ground: Ground; close(): Promise<void> }> {
  const egress = createEgress({
    allowedNetworks: config.egress.allowed_networks,
    allowHttp: config.egress.allow_http,
    proxy: proxySettingsOf(config),
  });
  let db: Database | null = null;
  let noDatabase: string | null = null;
  try {
    const url = config.database.url ?? (await findRunningPostgres(config.data_dir))?.appUrl ?? null;
    if (url !== null)
      db = await openDatabase({
        url,
        directUrl: config.database.listen_url ?? undefined,
        maxConnections: 2,
        applicationName: "vaultops doctor",
        connectTimeoutMs: CONNECT_MS,
      });
  } catch (error) {
    noDatabase = withoutUrls(reasonOf(error));
  }
  const close = async () => {
    await Promise.all([egress.close(), db?.close()]);
  };
  return { ground: { config, db, noDatabase, egress, clock }, close };
}

async function run(check: Check, ground: Ground): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding[]>((resolve) => {
    timer = setTimeout(
      () => resolve([fault("did not end in time", "look at what it waits for, and run doctor again")]),
      CHECK_MS,
    );
  });
  try {
    return await Promise.race([check.run(ground), late]);
  } catch (error) {
    return [
      fault(`could not be checked: ${withoutUrls(reasonOf(error))}`, "mend that, and run doctor again"),
    ];
  } finally {
    clearTimeout(timer);
  }
}

const WORDS = { ok: "ok", warning: "look", fault: "FAULT" } as const;

function linesOf(check: string, { state, says, mend }: Finding): string[] {
  const head = `${WORDS[state].padEnd(6)} ${check.padEnd(18)} `;
  return [`${head}${says}`, ...(mend === undefined ? [] : [`${" ".repeat(head.length)}→ ${mend}`])];
}
