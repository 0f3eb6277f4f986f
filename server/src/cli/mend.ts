// `vaultops audit mend`: appends what release 0.1 lost when a node answered with errors of its own while a vault was announced. Chain by
// chain, each under its lease, so it refuses beside a service that follows the chain. Neither events nor alerts come of it.
import type { ChainClient } from "../chain/client/client.ts";
import { createFamilies } from "../chain/families/registry.ts";
import { replayChain } from "../ingest/block/replay.ts";
import { mendChain } from "../ingest/mend.ts";
import { type Database, openDatabase } from "../platform/db/db.ts";
import { mustOwn } from "../platform/db/owner.ts";
import type { Logger } from "../platform/log.ts";
import { PROJECTIONS, recording } from "../service/indexer.ts";
import { underLease } from "./replay.ts";

export interface MendCommandOptions {
  db: Database;
  /** The same database as the owner of its tables. */
  ownerUrl: string;
  /** Of the chains to mend. */
  clients: readonly ChainClient[];
  log: Logger;
  print(line: string): void;
  signal: AbortSignal;
}

/** @returns the exit code: 130 when it was ended before it was done */
export async function mendCommand(options: MendCommandOptions): Promise<number> {
  const { db, clients, log, print, signal } = options;
  const owner = await openDatabase({ url: options.ownerUrl, maxConnections: 2 });
  try {
    await mustOwn(owner);
    for (const client of clients) {
      const { chainId, name } = client;
      await client.start();
      const mended = await underLease({ db, log, signal }, chainId, async (lead, until) => {
        const parts = { db: owner, token: lead.token, signal: until };
        const done = await mendChain({
          ...parts,
          client,
          families: createFamilies(log),
          record: recording.recordLate,
          log,
        });
        if (done.vaults.length > 0)
          await replayChain({ ...parts, chainId, projections: PROJECTIONS, onProgress() {} });
        return done;
      });
      if (mended === null) {
        print(`Stopped. Chain ${chainId} (${name}) is unchanged.`);
        return 130;
      }
      for (const vault of mended.left)
        print(
          `Chain ${chainId} (${name}): ${vault} was announced and does not answer as a vault; it is unchanged.`,
        );
      print(
        mended.vaults.length === 0
          ? `Chain ${chainId} (${name}): nothing to repair.`
          : `Chain ${chainId} (${name}): ${mended.vaults.join(", ")} found again; ${mended.facts} facts were stored for them, ${mended.entries} entries were appended with details.backfilled. Existing entries are unchanged.`,
      );
    }
    return 0;
  } finally {
    await owner.close();
  }
}
