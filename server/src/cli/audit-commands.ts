// The commands of the audit log: check it, export it, mend it, give it a new key.

import { join } from "node:path";
import type { Witnesses } from "../audit/witnesses/witnesses.ts";
import type { Config } from "../config/load.ts";
import type { KeyOptions } from "./audit/audit-options.ts";
import {
  CONFIG,
  type Command,
  endSignal,
  load,
  oneOf,
  UsageError,
  wholeNumber,
  withStorage,
} from "./command.ts";

export const AUDIT_COMMANDS: readonly Command[] = [
  {
    name: "audit verify",
    summary:
      "Check an exported file, one entry's bundle or the folder of an archive offline, or with --config the running log; exit code 1 names the first entry that fails.",
    takes: "[file]",
    options: {
      ...CONFIG,
      checkpoint: "A file with a signed checkpoint to check against, from a source that you trust.",
      key: "A file with the log's public keys (vkeys), one a line.",
      policy:
        "A file with a C2SP tlog-policy: the log's key, and the witnesses whose quorum must have cosigned.",
      "since-checkpoint":
        "With --config: a file with a signed checkpoint, kept elsewhere; says which of its entries a restored database lacks.",
    },
    async run(options, file) {
      const { auditVerifyFileCommand, auditVerifyLogCommand } = await import("./audit/audit.ts");
      const print = console.log;
      if (file && options.config !== undefined)
        throw new UsageError("A file is checked offline, without --config; the running log without a file.");
      const note = options["since-checkpoint"];
      if (file && note !== undefined)
        throw new UsageError("--since-checkpoint goes with --config, without a file.");
      if (options.policy !== undefined && options.key !== undefined)
        throw new UsageError("--policy names the log's key itself: give no --key beside it.");
      if (file)
        return auditVerifyFileCommand({
          file,
          checkpoint: options.checkpoint,
          key: options.key,
          policy: options.policy,
          print,
          tell: console.error,
        });
      if (options.policy !== undefined) throw new UsageError("--policy is for a file.");
      if (options.checkpoint !== undefined || (options.key !== undefined && note === undefined))
        throw new UsageError("--checkpoint and --key are for a file.");
      const { tellSinceCheckpoint } = await import("./audit/since-checkpoint.ts");
      const { config, log } = await load(options);
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
      const { auditVerifyConsistencyCommand } = await import("./audit/verify-consistency.ts");
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
      const { auditExportCommand } = await import("./audit/audit.ts");
      const filter = {
        branches: [{ places: "all", actor: null }],
        actions: null,
        from: null,
        to: null,
        timeField: "timestamp",
      } as const;
      return withKeys(options, async ({ witnesses, ...parts }) => {
        await auditExportCommand({
          ...parts,
          vouched: witnesses.vouched,
          filter,
          order,
          format,
          proofs,
          out: process.stdout,
        });
        return 0;
      });
    },
  },
  {
    name: "audit archive",
    summary:
      "Write the log's entries to files that verify without their database, and with --detach remove their texts from it. A run that was ended is gone on with.",
    flags: {
      detach:
        "Remove the texts of whole partitions below --below, once the files were read back and verified. Copy the folder elsewhere: it is then the only place that has them.",
    },
    options: {
      ...CONFIG,
      below: "Only entries before this seq, in whole files of audit.partition_entries each.",
      to: "The folder. One that holds an archive is added to.",
    },
    async run({ below, to, detach, ...options }) {
      if (below === undefined || to === undefined) throw new UsageError("--below and --to are needed.");
      const seq = wholeNumber(below, "--below");
      const { auditArchiveCommand } = await import("./audit/archive.ts");
      const { streamPlaces } = await import("../audit/streams/settings.ts");
      const signal = endSignal();
      return withKeys(options, async ({ witnesses, ...keys }, config, ownerUrl) => {
        return auditArchiveCommand({
          keys,
          below: seq,
          to,
          entriesPerFile: config.audit.partition_entries,
          streams: streamPlaces(config.audit).map(({ name }) => name),
          ownerUrl: detach === undefined ? null : ownerUrl,
          quorum: await witnesses.quorum(),
          print: console.log,
          tell: console.error,
          signal,
        });
      });
    },
  },
  {
    name: "audit restore",
    summary:
      "Bring the texts of archived entries back into the database from an archive, each held to the log's tree. A run that was ended is gone on with.",
    takes: "folder",
    options: CONFIG,
    async run(options, folder) {
      const { auditRestoreCommand } = await import("./audit/archive.ts");
      const { config, log } = await load(options);
      const signal = endSignal();
      return withStorage(config, log, ({ ownerUrl }) =>
        auditRestoreCommand({ ownerUrl, folder, print: console.log, tell: console.error, signal }),
      );
    },
  },
  {
    name: "audit mend",
    summary:
      "Find vaults that release 0.1 lost when a node failed while they were announced, and append their missing entries, marked as backfilled. The chain's indexer must be stopped.",
    options: { ...CONFIG, chain: "The chain's id (default: every chain of the configuration)." },
    async run(options) {
      const chainId = options.chain === undefined ? null : wholeNumber(options.chain, "--chain");
      const { config, log } = await load(options);
      const chains = config.chains.filter(({ chain_id }) => chainId === null || chain_id === chainId);
      if (chains.length === 0) throw new UsageError("The configuration names no such chain.");
      const { createClients } = await import("../service/start.ts");
      const { proxySettingsOf } = await import("../config/load.ts");
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
    summary:
      "Create a new key that signs checkpoints beside the one before, until it is run with --finish; older checkpoints stay valid.",
    options: CONFIG,
    flags: { finish: "Have the newest key sign alone from now on." },
    async run(options) {
      const { auditRotateKeyCommand } = await import("./audit/audit.ts");
      const isFinished = options.finish !== undefined;
      return withKeys(options, (parts) => auditRotateKeyCommand({ ...parts, isFinished }));
    },
  },
  {
    name: "audit acknowledge-rollback",
    summary:
      "Go on under another name where entries that were signed for are lost for good with their database; an entry says what was lost. Runs beside a running service.",
    options: { ...CONFIG, reason: "Why, in words that auditors read." },
    async run({ reason, ...options }) {
      if (reason === undefined || reason.trim() === "" || reason.length > 500)
        throw new UsageError("--reason says why, in at most 500 characters.");
      const { auditAcknowledgeRollbackCommand } = await import("./audit/audit.ts");
      return withKeys(options, (parts) => auditAcknowledgeRollbackCommand({ ...parts, reason }));
    },
  },
];

/** Opens what a command signs with: the log, its keys, and what others hold of it. */
async function withKeys(
  options: Record<string, string | undefined>,
  work: (parts: KeyOptions & { witnesses: Witnesses }, config: Config, ownerUrl: string) => Promise<number>,
): Promise<number> {
  const { originOf } = await import("../audit/feature.ts");
  const { createWitnesses } = await import("../audit/witnesses/witnesses.ts");
  const { witnessSettings } = await import("../audit/witnesses/settings.ts");
  const { createEgress } = await import("../platform/egress/egress.ts");
  const { proxySettingsOf } = await import("../config/load.ts");
  const { config, log } = await load(options);
  const egress = createEgress({ allowedNetworks: [], allowHttp: false, proxy: proxySettingsOf(config) });
  try {
    return await withStorage(config, log, ({ db, ownerUrl }) => {
      const { request } = egress;
      const witnesses = createWitnesses({ db, request, log, ...witnessSettings(config.audit) });
      return work(
        {
          db,
          folder: auditFolder(config),
          signingKeys: () => config.audit.signing_keys,
          file: config.audit.checkpoint_file,
          elsewhere: witnesses.elsewhere,
          witnesses,
          origin: originOf(config.http.public_url as string),
          log,
          print: console.log,
        },
        config,
        ownerUrl,
      );
    });
  } finally {
    await egress.close();
  }
}

/** Of the other side: who is asked to cosign other people's logs. */
export const WITNESS_COMMAND: Command = {
  name: "witness",
  summary:
    "Cosign the checkpoints of other people's logs (C2SP tlog-witness), so that none can tell two stories.",
  options: {
    name: "The witness's name, e.g. example.com/witness. Kept with the key that the first start makes.",
    logs: "A file with the public keys (vkeys) of the logs to cosign for, one a line. Read again when it changes.",
    dir: "Where the key is kept, and what was cosigned last. Back it up, and never bring an older copy back.",
    listen: "Host and port to listen on (default: 127.0.0.1:8091). Put TLS before it.",
  },
  async run({ name, logs, dir, listen = "127.0.0.1:8091" }) {
    if (name === undefined || logs === undefined || dir === undefined)
      throw new UsageError("--name, --logs and --dir are needed.");
    const [, host, port] = /^(.+):(\d{1,5})$/.exec(listen) ?? [];
    if (host === undefined) throw new UsageError("--listen is HOST:PORT.");
    const { witnessCommand } = await import("./audit/witness.ts");
    const { createLogger } = await import("../platform/log.ts");
    return witnessCommand({
      name,
      logs,
      folder: dir,
      host: host.replace(/^\[|\]$/g, ""),
      port: Number(port),
      log: createLogger({ level: "info" }),
      print: console.log,
      signal: endSignal(),
    });
  },
};

function auditFolder(config: Config): string {
  return join(config.data_dir, "audit");
}
