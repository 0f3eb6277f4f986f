// Who manages a trio from the moment of its deployment, which its announcement does not say. The state at that block knows; where the
// same block changed it again, the call that made the vault knows, else the state with the block's changes taken back. Where the node
// keeps no state that old, the call is all there is.
import type { Logger } from "pino";
import { type Address, decodeFunctionData, parseAbi } from "viem";
import type { ChainClient } from "../../client/client.ts";
import { changesManagers, type Managers, managersBefore } from "../../managers.ts";
import { isChainFault } from "../../rpc/fault.ts";
import type { BlockRef } from "../../rpc/raw.ts";
import type { Decoded } from "../family/family.ts";
import { ViewBatch } from "../family/view.ts";
import { AGGREGATOR_VIEWS } from "./abi.ts";

const CREATE_VAULT = parseAbi([
  "struct FeeConfig { uint256 performanceFeeBps; uint256 managementFeeBps; address recipient; }",
  "struct Params { address asset; string name; string symbol; address mainManager; address[] secondaryManagers; uint256 minUpdateInterval; uint256 maxStaleness; FeeConfig feeConfig; }",
  "function createVault(Params params)",
]);

/** The deployment with its managers. `all` are the facts decoded together with it. */
export async function withManagers(
  client: ChainClient,
  deployment: Decoded,
  all: readonly Decoded[],
  log: Logger,
): Promise<Decoded> {
  const { body } = deployment;
  if (body.kind !== "vault_deployed") return { ...deployment, needs: null };
  const { blockNumber, blockHash, txHash, address } = deployment.log;
  const later = all
    .filter(
      ({ vaultAddress, log: { blockNumber: number, logIndex } }) =>
        vaultAddress === body.vault && number === blockNumber && logIndex > deployment.log.logIndex,
    )
    .map((each) => each.body)
    .filter(changesManagers);
  const stated = (at: BlockRef) => readManagers(client, address as Address, body.strategy, at);
  const called = () => managersInCall(client, txHash, address as Address);
  let managers: Managers | null;
  let isPartial: true | undefined;
  try {
    const at = { number: blockNumber, hash: blockHash };
    managers = later.length === 0 ? null : await called();
    if (managers === null) {
      const after = await stated(at);
      managers = after && later.reduceRight<Managers>(managersBefore, after);
    }
  } catch (error) {
    if (!isChainFault(error, "state_missing", "refused")) throw error;
    managers = await called();
    if (managers === null) {
      isPartial = true;
      managers = await stated("latest");
      log.warn(
        { vault: body.vault, block: blockNumber },
        "the node keeps no state that old: today's managers of the vault are used in place of those at its deployment",
      );
    }
  }
  if (!managers?.primary) {
    log.warn(
      { vault: body.vault, block: blockNumber },
      "the aggregator names no main manager of a new vault",
    );
    return { ...deployment, needs: null, ...(isPartial && { isPartial }) };
  }
  const { primary, secondary } = managers;
  return {
    ...deployment,
    needs: null,
    ...(isPartial && { isPartial }),
    body: { ...body, primaryManager: primary, secondaryManagers: [...secondary] },
  };
}

async function readManagers(
  client: ChainClient,
  aggregator: Address,
  strategy: Address,
  at: BlockRef,
): Promise<Managers | null> {
  const batch = new ViewBatch();
  const primary = batch.add(aggregator, AGGREGATOR_VIEWS.getMainManager, strategy);
  const secondary = batch.add(aggregator, AGGREGATOR_VIEWS.getSecondaryManagers, strategy);
  await batch.run(client, at, { isForGood: true });
  const main = primary();
  return main === null ? null : { primary: main, secondary: secondary() ?? [] };
}

/** From the arguments of `createVault`, where the transaction called the aggregator itself. */
async function managersInCall(
  client: ChainClient,
  txHash: `0x${string}`,
  aggregator: Address,
): Promise<Managers | null> {
  const transaction = (await client.transactions([txHash])).get(txHash);
  if (transaction?.to?.toLowerCase() !== aggregator.toLowerCase()) return null;
  try {
    const { args } = decodeFunctionData({ abi: CREATE_VAULT, data: transaction.input });
    return { primary: args[0].mainManager, secondary: args[0].secondaryManagers };
  } catch {
    return null;
  }
}
