// An indexer in a process of its own, to be killed at any instant: `node server/test/indexer.ts '<JSON of IndexerArguments>'`.
// Says "up" when it begins to work. It ends with its parent, whose end closes the pipe at its standard input.
import { openDatabase } from "../src/platform/db/db.ts";
import { createLogger } from "../src/platform/log.ts";
import { type IngestOptions, startIngest, type TestChain } from "./ingest.ts";

export interface IndexerArguments {
  databaseUrl: string;
  chains: TestChain[];
  batchLimits: NonNullable<IngestOptions["batchLimits"]>;
  options?: Pick<IngestOptions, "patienceMs" | "client">;
}

const { databaseUrl, chains, batchLimits, options } = JSON.parse(process.argv[2]!) as IndexerArguments;
process.stdin.on("end", () => process.exit(1)).resume();
const db = await openDatabase({ url: databaseUrl });
process.stdout.write("up\n");
startIngest(db, chains, { ...options, batchLimits, log: createLogger({ level: "warn" }) });
