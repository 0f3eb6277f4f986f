// What a block that is not there yet would become: the same facts, readings and controllers that ingestion makes of one that is, out of the
// client that foretells it; and their rows, for a transaction that is rolled back.
import { sql } from "kysely";
import type { Address } from "viem";
import type { ChainClient } from "../../chain/client/client.ts";
import type { ForetoldBlock } from "../../chain/client/foretold-client.ts";
import type { ConfirmedFact, VaultFact } from "../../chain/facts.ts";
import type { ReadingField, VaultReading } from "../../chain/reading.ts";
import { ChainFault } from "../../chain/rpc/fault.ts";
import type { Tx } from "../../platform/db/db.ts";
import { timestampOfSeconds } from "../../platform/http/time.ts";
import { confirmedFactsOf } from "../block/confirm.ts";
import { type ControlTaken, takeControl } from "../block/control.ts";
import { extract } from "../block/extract.ts";
import { Patience } from "../block/patience.ts";
import { project } from "../block/projection.ts";
import { insertBlocks, insertFacts } from "../block/rows.ts";
import type { World } from "../block/world.ts";
import { insertControl } from "../control/rows.ts";
import type { ForetellParts, Ground } from "./ground.ts";

export interface Foretold {
  block: ForetoldBlock;
  facts: VaultFact[];
  readings: Map<Address, VaultReading>;
  control: ControlTaken;
}

/** The world learns as it goes: one for a run of blocks. @throws ChainFault */
export async function foretellBlock(
  parts: ForetellParts,
  ground: Ground,
  world: World,
  client: ChainClient,
  block: ForetoldBlock,
): Promise<Foretold> {
  const context = { ...parts, client, patience: new Patience() };
  const logsOf = (addresses: Address[]) => client.logsOfBlock(block, addresses);
  const followed = [...world.directory.addresses(), ...world.control.followed.values()];
  const logs = await logsOf(followed);
  const extracted = await extract(context, world, {
    logs,
    sources: new Set([ground.vault.source]),
    logsOf,
    timestampOf: () => block.timestamp,
  });
  const { number, hash, timestamp } = block;
  // What other vaults of the source come to is not asked for.
  const vault = world.directory.vault(ground.vault.address)!;
  const [reading] = await ground.readAll(client, world, [vault], { number, hash, timestamp });
  const readings = new Map([
    [vault.address, { ...reading!, doubted: newlyFailed(ground.reading, reading!) }],
  ]);
  if (reading!.unread.length > 0)
    throw new ChainFault("unread", "the node did not answer every view of what is foretold");
  const control = await takeControl(context, world, {
    block,
    logs,
    readings,
    facts: extracted.facts,
    isReadable: true,
    logsOf,
  });
  const facts = [...extracted.facts, ...control.facts].sort((a, b) => a.logIndex - b.logIndex);
  return { block, facts, readings, control };
}

/** Where a view fails that has not before, ingestion does not give up the last value on that word alone. */
function newlyFailed(before: VaultReading, after: VaultReading): ReadingField[] {
  const known = new Set(Object.values(before.failed).flat());
  const fields = Object.entries(after.failed) as [ReadingField, readonly string[]][];
  return fields.flatMap(([field, views]) => (views.some((view) => !known.has(view)) ? [field] : []));
}

/** Writes it as the next block, and as confirmed. */
export async function writeForetold(
  tx: Tx,
  { projections, settings }: ForetellParts,
  { block, facts, readings, control }: Foretold,
  number: number,
): Promise<ConfirmedFact[]> {
  const chainId = settings.chain_id;
  const numbered = facts.map((fact) => ({ ...fact, blockNumber: number }));
  const confirmed = confirmedFactsOf(numbered, [], () => false);
  await insertBlocks(tx, chainId, [{ ...block, number, isEmpty: false }]);
  await insertFacts(tx, chainId, confirmed);
  await insertControl(tx, chainId, number, control);
  await sql`
    update chains set head_number = ${number}, head_hash = ${block.hash}, head_timestamp = ${timestampOfSeconds(block.timestamp)},
                      confirmed_number = ${number} where chain_id = ${chainId}`.execute(tx);
  await project(projections, tx, [{ block: { ...block, number, chainId }, facts: numbered, readings }]);
  return confirmed;
}
