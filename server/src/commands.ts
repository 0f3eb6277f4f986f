// The commands of `vaultops`, by hand: what each takes, and which function does its work.
import type { Hex } from "viem";
import { type Config, environmentSecret, loadConfig } from "./config.ts";
import { createLogger, type Logger } from "./platform/log.ts";

/** A mistake in how a command was called; its message is shown with the usage. */
export class UsageError extends Error {}

export interface Command {
  /** One or two words. */
  name: string;
  summary: string;
  /** The one thing it takes besides options, if any. */
  takes?: string;
  /** Name and description of each option; all take a value. */
  options: Record<string, string>;
  /** Resolves with the exit code, or undefined to go on running. Throws what went wrong. */
  run(options: Record<string, string | undefined>, argument: string): Promise<number | undefined>;
}

const CONFIG = { config: "The configuration file (default: the one that VAULTOPS_CONFIG names)." };

export const COMMANDS: readonly Command[] = [
  {
    name: "start",
    summary: "Run the service.",
    options: {
      ...CONFIG,
      role: "Which parts to run, separated by commas: api, indexer, worker (default: all).",
    },
    async run(options) {
      const { config, log } = load(options);
      const { ROLES, startService } = await import("./main.ts");
      const { exitOnSignals } = await import("./platform/lifecycle.ts");
      const roles = (options.role ?? ROLES.join(",")).split(",").map((word) => {
        const role = ROLES.find((each) => each === word.trim());
        if (!role) throw new UsageError(`There is no role "${word}": choose among ${ROLES.join(", ")}.`);
        return role;
      });
      const { lifecycle } = await startService(config, log, roles);
      exitOnSignals(lifecycle, log);
      return undefined;
    },
  },
  {
    name: "migrate",
    summary: "Bring the database up to this release and grant the application's role what it needs.",
    options: CONFIG,
    async run(options) {
      const { config, log } = load(options);
      const { openStorage } = await import("./main.ts");
      const storage = await openStorage(config, log);
      await storage.close();
      return 0;
    },
  },
  {
    name: "token",
    summary: "Sign in with the private key in VAULTOPS_PRIVATE_KEY and print a JWT.",
    options: {
      url: "Where the service answers (default: http://127.0.0.1:8080).",
      scope: "full or read (default: full). A read token is refused by everything that writes.",
      "expires-in": "Seconds that a read token lives, at most 86400.",
      chain: "The chain to sign in on (default: the service's first).",
    },
    async run(options) {
      const privateKey = environmentSecret("VAULTOPS_PRIVATE_KEY");
      const { tokenCommand } = await import("./auth/sign-in.ts");
      const scope = options.scope;
      if (scope !== undefined && scope !== "full" && scope !== "read")
        throw new UsageError("--scope is full or read.");
      console.log(
        await tokenCommand({
          baseUrl: options.url ?? "http://127.0.0.1:8080",
          privateKey: privateKey as Hex,
          ...(scope === undefined ? {} : { scope }),
          ...(options["expires-in"] === undefined
            ? {}
            : { expiresInSeconds: wholeNumber(options["expires-in"], "--expires-in") }),
          ...(options.chain === undefined ? {} : { chainId: wholeNumber(options.chain, "--chain") }),
        }),
      );
      return 0;
    },
  },
  {
    name: "openapi",
    summary: "Print the description of the API (OpenAPI 3.1).",
    options: {},
    async run() {
      const { describeFeatures } = await import("./features.ts");
      process.stdout.write(await describeFeatures());
      return 0;
    },
  },
];

function load(options: Record<string, string | undefined>): { config: Config; log: Logger } {
  const config = loadConfig(options.config === undefined ? {} : { file: options.config });
  return { config, log: createLogger({ level: config.log.level }) };
}

function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${name} is a whole number.`);
  return Number(text);
}
