// The commands for what is kept secret: the tokens with which engines report, and the service's keys.
import { CONFIG, type Command, load, oneOf, UsageError, withStorage } from "./command.ts";

export const SECRET_COMMANDS: readonly Command[] = [
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
      const { config, log } = await load(options);
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
      const { config, log } = await load(options);
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
      const { config, log } = await load(options);
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
      const { config, log } = await load(options);
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
        await keysCreateCommand(
          (await load(options)).config,
          oneOf(options.for ?? "", KEY_PURPOSES, "--for"),
        ),
      );
      return 0;
    },
  },
];
