// The commands that run the service and look after its database.
import type { Config } from "../config/load.ts";
import { systemClock } from "../platform/clock.ts";
import { CONFIG, type Command, endSignal, load, UsageError, wholeNumber, withStorage } from "./command.ts";

export const SERVICE_COMMANDS: readonly Command[] = [
  {
    name: "start",
    summary: "Run the service.",
    options: {
      ...CONFIG,
      role: "Which parts to run, separated by commas: api, indexer, worker (default: all).",
    },
    async run(options) {
      const { config, log } = await load(options);
      const { ROLES, startService } = await import("../service/start.ts");
      const { exitOnSignals } = await import("../platform/lifecycle/lifecycle.ts");
      const roles = (options.role ?? ROLES.join(",")).split(",").map((word) => {
        const role = ROLES.find((each) => each === word.trim());
        if (!role) throw new UsageError(`There is no role "${word}": choose among ${ROLES.join(", ")}.`);
        return role;
      });
      if (isUnconfigured(config)) console.error(NOTHING_CONFIGURED);
      const { lifecycle, ended } = await startService(config, log, roles);
      exitOnSignals(lifecycle, log);
      void ended.then(() => process.exit(1));
      return undefined;
    },
  },
  {
    name: "migrate",
    summary: "Bring the database up to this release and grant the application's role what it needs.",
    options: CONFIG,
    async run(options) {
      const { config, log } = await load(options);
      return withStorage(config, log, async () => 0, { mustExist: false });
    },
  },
  {
    name: "doctor",
    summary:
      "Look at everything that an installation needs, and say what to mend; exit code 1 where something is at fault. Sends nothing, changes nothing.",
    options: CONFIG,
    flags: { json: "Print one JSON document instead of lines." },
    async run({ json, config }) {
      const { doctorCommand } = await import("./doctor/doctor.ts");
      const { loadConfig } = await import("../config/load.ts");
      return doctorCommand({
        load: () => loadConfig(config === undefined ? {} : { file: config }),
        clock: systemClock,
        isJson: json === "yes",
        print: console.log,
      });
    },
  },
  {
    name: "demo",
    summary: "Run the whole product on a chain of its own, as `npm run demo` does in a clone.",
    options: {},
    isPassedOn: true,
    async run(_options, _argument, args) {
      const { runDemo } = await import("./demo.ts");
      return await runDemo(args);
    },
  },
  {
    name: "replay",
    summary:
      "Rebuild everything that is derived from the chains' stored facts: roles, prices, queues, pauses, redemptions. What was read from the nodes stays.",
    options: { ...CONFIG, chain: "The chain's id (default: every chain that is stored)." },
    async run(options) {
      const chainId = options.chain === undefined ? null : wholeNumber(options.chain, "--chain");
      const { replayCommand } = await import("./replay.ts");
      const { config, log } = await load(options);
      const signal = endSignal();
      return withStorage(config, log, ({ db, ownerUrl }) =>
        replayCommand({
          db,
          ownerUrl,
          chainId,
          log,
          print: console.log,
          tell: console.error,
          signal,
        }),
      );
    },
  },
  {
    name: "alerts replay",
    summary:
      "Print what would have been told of price, tvl, flows and governance over a past time, by the rules in force or by those of a file. Nobody is told.",
    options: {
      ...CONFIG,
      from: "The first moment, e.g. 2026-05-01 or 2026-05-01T10:00:00Z.",
      to: "The last moment.",
      rules: "A file with rules (YAML or JSON, as the API takes them) that stand for those in force.",
    },
    flags: { json: "Print a JSON object a line." },
    async run({ from, to, rules, json, ...options }) {
      if (from === undefined || to === undefined) throw new UsageError("--from and --to name the time.");
      const { alertsReplayCommand } = await import("./alerts-replay.ts");
      const { config, log } = await load(options);
      const signal = endSignal();
      return withStorage(config, log, ({ db }) =>
        alertsReplayCommand({
          db,
          defaults: config.alerts.rules,
          from,
          to,
          rulesFile: rules ?? null,
          isJson: json === "yes",
          print: console.log,
          tell: console.error,
          signal,
        }),
      );
    },
  },
];

function isUnconfigured({ chains, auth }: Config): boolean {
  return chains.length === 0 && auth.issuers.length === 0 && !auth.embedded.enabled;
}

/** In a clone the scripts are called, which install what is missing. */
const [DEMO, START] = import.meta.filename.endsWith(".ts")
  ? ["npm run demo", "npm start --"]
  : ["npx vaultops demo", "npx vaultops start"];
const NOTHING_CONFIGURED = `Nothing is configured: no chain is followed, and nobody can sign in.
  To see VaultOps live, on a chain of its own:  ${DEMO}
  To run it: copy config.example.yaml, put your chains and issuers in, and name the copy:
             ${START} --config FILE   (or VAULTOPS_CONFIG=FILE; every key: docs/configuration.md)
`;
