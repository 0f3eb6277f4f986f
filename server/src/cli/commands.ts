// The commands of `vaultops`, by hand: what each takes, and which function does its work.
import { join } from "node:path";
import type { Hex } from "viem";
import {
  type Config,
  environmentSecret,
  environmentSecretIfAny,
  loadConfig,
  proxySettingsOf,
} from "../config/load.ts";
import { systemClock } from "../platform/clock.ts";
import { createLogger, type Logger } from "../platform/log.ts";
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
      const { config, log } = load(options);
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
      const { config, log } = load(options);
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
    name: "token",
    summary: "Sign in with the private key in VAULTOPS_PRIVATE_KEY and print a JWT.",
    options: {
      url: "Where the service answers (default: http://127.0.0.1:8080).",
      scope: "full or read (default: full). A read token is refused by everything that writes.",
      "expires-in": "Lifetime of a read token in seconds, at most 86400.",
      chain: "The chain to sign in on (default: the service's first).",
    },
    async run(options) {
      const privateKey = environmentSecret("VAULTOPS_PRIVATE_KEY");
      const { tokenCommand } = await import("./sign-in.ts");
      const scope = oneOf(options.scope ?? "full", ["full", "read"] as const, "--scope");
      console.log(
        await tokenCommand({
          baseUrl: options.url ?? "http://127.0.0.1:8080",
          privateKey: privateKey as Hex,
          scope,
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
    name: "audit verify",
    summary:
      "Check an exported file offline, or with --config the running log; exit code 1 names the first entry that fails.",
    takes: "[file]",
    options: {
      ...CONFIG,
      checkpoint: "A file with a signed checkpoint to check against, from a source that you trust.",
      key: "A file with the log's public keys (vkeys), one a line.",
      "since-checkpoint":
        "With --config: a file with a signed checkpoint, kept elsewhere; says which of its entries a restored database lacks.",
    },
    async run(options, file) {
      const { auditVerifyFileCommand, auditVerifyLogCommand } = await import("./audit.ts");
      const print = console.log;
      if (file && options.config !== undefined)
        throw new UsageError("A file is checked offline, without --config; the running log without a file.");
      const note = options["since-checkpoint"];
      if (file && note !== undefined)
        throw new UsageError("--since-checkpoint goes with --config, without a file.");
      if (file)
        return auditVerifyFileCommand({
          file,
          checkpoint: options.checkpoint,
          key: options.key,
          print,
          tell: console.error,
        });
      if (options.checkpoint !== undefined || (options.key !== undefined && note === undefined))
        throw new UsageError("--checkpoint and --key are for a file.");
      const { tellSinceCheckpoint } = await import("./since-checkpoint.ts");
      const { config, log } = load(options);
      const signal = endSignal();
      const folder = auditFolder(config);
      return withStorage(config, log, async ({ db }) => {
        const isWhole =
          note === undefined ||
          (await tellSinceCheckpoint({
            db,
            keys: { folder, given: () => config.audit.signing_keys },
            note,
            key: options.key,
            print,
          }));
        // What the folder's own newest checkpoint would say was said of the given one.
        const known = note === undefined ? folder : null;
        const code = await auditVerifyLogCommand({ db, folder: known, print, tell: console.error, signal });
        return isWhole ? code : 1;
      });
    },
  },
  {
    name: "audit verify-consistency",
    summary:
      "Check offline, by the service's consistency proof, that the log only grew between two checkpoints.",
    takes: "file",
    options: {
      from: "A file with the earlier signed checkpoint.",
      to: "A file with the later one.",
      key: "A file with the log's public keys (vkeys), one a line.",
    },
    async run({ from, to, key }, proof) {
      if (from === undefined || to === undefined)
        throw new UsageError("--from and --to name the two checkpoints.");
      const { auditVerifyConsistencyCommand } = await import("./verify-consistency.ts");
      return auditVerifyConsistencyCommand({ earlier: from, later: to, proof, key, print: console.log });
    },
  },
  {
    name: "audit export",
    summary: "Write the whole log, as a registry maintainer would export it, to standard output.",
    options: {
      ...CONFIG,
      format: "json, ndjson or csv (default: ndjson).",
      order: "asc or desc (default: asc).",
      proofs: "yes adds to each entry its inclusion proof (json and ndjson).",
    },
    async run(options) {
      const format = oneOf(options.format ?? "ndjson", ["json", "ndjson", "csv"] as const, "--format");
      const order = oneOf(options.order ?? "asc", ["asc", "desc"] as const, "--order");
      const proofs = oneOf(options.proofs ?? "no", ["yes", "no"] as const, "--proofs") === "yes";
      if (proofs && format === "csv") throw new UsageError("--proofs goes with json and ndjson.");
      const { auditExportCommand } = await import("./audit.ts");
      const { originOf } = await import("../audit/feature.ts");
      const { config, log } = load(options);
      const filter = {
        branches: [{ places: "all", actor: null }],
        actions: null,
        from: null,
        to: null,
        timeField: "timestamp",
      } as const;
      return withStorage(config, log, async ({ db }) => {
        const origin = originOf(config.http.public_url as string);
        await auditExportCommand({
          db,
          folder: auditFolder(config),
          signingKeys: () => config.audit.signing_keys,
          file: config.audit.checkpoint_file,
          origin,
          filter,
          order,
          format,
          proofs,
          out: process.stdout,
          log,
        });
        return 0;
      });
    },
  },
  {
    name: "audit mend",
    summary:
      "Find vaults that release 0.1 lost when a node failed while they were announced, and append their missing entries, marked as backfilled. The chain's indexer must be stopped.",
    options: { ...CONFIG, chain: "The chain's id (default: every chain of the configuration)." },
    async run(options) {
      const chainId = options.chain === undefined ? null : wholeNumber(options.chain, "--chain");
      const { config, log } = load(options);
      const chains = config.chains.filter(({ chain_id }) => chainId === null || chain_id === chainId);
      if (chains.length === 0) throw new UsageError("The configuration names no such chain.");
      const { createClients } = await import("../service/start.ts");
      const { mendCommand } = await import("./mend.ts");
      const signal = endSignal();
      const clients = [...createClients({ chains }, proxySettingsOf(config).proxyFor, log).values()];
      try {
        return await withStorage(config, log, ({ db, ownerUrl }) =>
          mendCommand({ db, ownerUrl, clients, log, print: console.log, signal }),
        );
      } finally {
        await Promise.all(clients.map((client) => client.close()));
      }
    },
  },
  {
    name: "audit rotate-key",
    summary: "Create a new key that signs checkpoints; older checkpoints stay valid.",
    options: CONFIG,
    async run(options) {
      const { auditRotateKeyCommand } = await import("./audit.ts");
      const { originOf } = await import("../audit/feature.ts");
      const { config, log } = load(options);
      const origin = originOf(config.http.public_url as string);
      return withStorage(config, log, ({ db }) =>
        auditRotateKeyCommand({
          db,
          folder: auditFolder(config),
          signingKeys: () => config.audit.signing_keys,
          file: config.audit.checkpoint_file,
          origin,
          log,
          print: console.log,
        }),
      );
    },
  },
  {
    name: "ingest-token create",
    summary: "Create a token with which an engine may report, and print it, once.",
    options: {
      ...CONFIG,
      source: "The CloudEvents source that it may report as, e.g. /engine/main.",
      name: "What to call it in the list (default: the source).",
      chains: "Chains it may report on, separated by commas (default: all).",
      vaults: "Vaults it may report on, as vault ids, separated by commas (default: all).",
    },
    async run({ source, name, chains, vaults, ...options }) {
      if (source === undefined) throw new UsageError("--source is missing.");
      const { ingestTokenCreateCommand } = await import("./engine-token.ts");
      const { config, log } = load(options);
      return withStorage(config, log, ({ db }) =>
        ingestTokenCreateCommand({
          db,
          source,
          name,
          chains,
          vaults,
          print: console.log,
          tell: console.error,
        }),
      );
    },
  },
  {
    name: "ingest-token list",
    summary: "List all ingest tokens, revoked ones too.",
    options: CONFIG,
    async run(options) {
      const { ingestTokenListCommand } = await import("./engine-token.ts");
      const { config, log } = load(options);
      return withStorage(config, log, ({ db }) => ingestTokenListCommand({ db, print: console.log }));
    },
  },
  {
    name: "ingest-token revoke",
    summary: "Revoke a token: it is refused from the next request on.",
    takes: "id",
    options: CONFIG,
    async run(options, id) {
      const { ingestTokenRevokeCommand } = await import("./engine-token.ts");
      const { config, log } = load(options);
      return withStorage(config, log, ({ db }) => ingestTokenRevokeCommand({ db, id, tell: console.error }));
    },
  },
  {
    name: "keys rotate",
    summary:
      "Create new keys: the one that encrypts secrets in the database, which re-encrypts them all, and the embedded identity provider's.",
    options: CONFIG,
    async run(options) {
      const { keysRotateCommand } = await import("./rotate-keys.ts");
      const { config, log } = load(options);
      return withStorage(config, log, ({ db }) => keysRotateCommand({ config, db, print: console.log }));
    },
  },
  {
    name: "keys create",
    summary: "Print a new key as the configuration takes it, for services of several processes.",
    options: { ...CONFIG, for: "audit-log, identity-provider or secrets." },
    async run(options) {
      const { KEY_PURPOSES, keysCreateCommand } = await import("./rotate-keys.ts");
      console.log(
        await keysCreateCommand(load(options).config, oneOf(options.for ?? "", KEY_PURPOSES, "--for")),
      );
      return 0;
    },
  },
  {
    name: "listen",
    summary: "Receive webhooks on this machine, print them, and forward them to a program of yours.",
    options: {
      port: "Where to listen on 127.0.0.1 (default: any free port).",
      "forward-to": "Where to forward deliveries, e.g. http://127.0.0.1:3000/hook (default: nowhere).",
      url: "Where the service answers (default: http://127.0.0.1:8080). With VAULTOPS_PRIVATE_KEY an endpoint is created there and deleted at the end.",
    },
    async run(options) {
      const { listenCommand } = await import("./listen-command.ts");
      const stop = new AbortController();
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
      return listenCommand({
        port: options.port === undefined ? 0 : wholeNumber(options.port, "--port"),
        forwardTo: options["forward-to"] ?? null,
        baseUrl: options.url ?? "http://127.0.0.1:8080",
        privateKey: environmentSecretIfAny("VAULTOPS_PRIVATE_KEY"),
        secret: environmentSecretIfAny("VAULTOPS_WEBHOOK_SECRET"),
        print: console.log,
        signal: stop.signal,
      });
    },
  },
  {
    name: "openapi",
    summary: "Print the description of the API (OpenAPI 3.1).",
    options: {},
    async run() {
      const { describeFeatures } = await import("../service/features.ts");
      process.stdout.write(await describeFeatures());
      return 0;
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

/** Opens the database for a command, also beside a running service. One that is not there is not made: an empty log would verify. */
async function withStorage(
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
function endSignal(): AbortSignal {
  const end = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => end.abort());
  return end.signal;
}

function auditFolder(config: Config): string {
  return join(config.data_dir, "audit");
}

function oneOf<const T extends readonly string[]>(word: string, choices: T, option: string): T[number] {
  if (!choices.includes(word)) throw new UsageError(`${option} is one of ${choices.join(", ")}.`);
  return word;
}

function load(options: Record<string, string | undefined>): { config: Config; log: Logger } {
  const config = loadConfig(options.config === undefined ? {} : { file: options.config });
  return { config, log: createLogger({ level: config.log.level }) };
}

function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${name} is a whole number.`);
  return Number(text);
}
