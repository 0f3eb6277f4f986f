// A command over an archive in a process of its own, for the test that kills it. Says `begun` when it begins. Argument: JSON.
import { auditArchiveCommand, auditRestoreCommand } from "../../cli/audit/archive.ts";
import { openDatabase } from "../../platform/db/db.ts";
import { silentLogger } from "../../platform/log.ts";

export interface Asked {
  command: "archive" | "detach" | "restore";
  url: string;
  ownerUrl: string;
  /** Of the log's keys. */
  keys: string;
  /** Of the archive. */
  folder: string;
  below: number;
  entriesPerFile: number;
}

const { command, url, ownerUrl, keys, folder, below, entriesPerFile }: Asked = JSON.parse(process.argv[2]!);
const common = { print: () => {}, tell: () => {}, signal: new AbortController().signal };
process.stdout.write("begun\n");
if (command === "restore") process.exitCode = await auditRestoreCommand({ ...common, ownerUrl, folder });
else {
  const db = await openDatabase({ url, maxConnections: 2 });
  const log = { db, folder: keys, origin: "vaultops.test/audit", log: silentLogger(), print: () => {} };
  process.exitCode = await auditArchiveCommand({
    ...common,
    keys: log,
    below,
    to: folder,
    entriesPerFile,
    ownerUrl: command === "detach" ? ownerUrl : null,
    streams: [],
    quorum: null,
  });
  await db.close();
}
